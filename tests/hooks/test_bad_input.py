"""Whatever is wrong, a hook exits 0 within its time, says something valid or nothing, and loses nothing."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from keepstone.spool import spool
from support import ROOT, Machine, Transcript, require

EVENTS = ("session-start", "stop-extract", "pre-compact", "session-end")
EVERY = (*EVENTS, "user-prompt-expansion", "pre-tool-use", "post-tool-use", "post-tool-use-failure")
GARBAGE = {
    "empty": b"",
    "spaces": b"  \n",
    "text": b"hello",
    "half": b'{"session_id": "x", "cwd": ',
    "list": b"[1, 2]",
    "string": b'"x"',
    "number": b"7",
    "null": b"null",
    "not utf-8": b'{"session_id": "\xff\xfe", "cwd": "\xff"}',
    "nul bytes": b"\x00" * 1000,
    "nul in a path": b'{"session_id": "x", "cwd": "/tmp/\\u0000", "transcript_path": "/tmp/\\u0000"}',
    "wrong types": b'{"session_id": {}, "cwd": 5, "transcript_path": [1], "source": null, "agent_id": 0}',
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "huge": b'{"session_id": "x", "last_assistant_message": "' + b"y" * 40_000_000 + b'"}',
    "lone surrogate": b'{"session_id": "\\ud800", "cwd": "/\\ud800"}',
    "NaN": b'{"session_id": NaN}',
}


TOLD = '{"systemMessage":"Keepstone\'s memories can\'t be read: '


def is_valid(done):
    """A brief, a line for the user, or nothing."""
    said = not done.stdout or done.stdout.startswith(("## Session Memory", TOLD))
    return done.returncode == 0 and done.stderr == "" and said


@pytest.mark.parametrize("stdin", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_on_stdin_is_survived(machine, stdin):
    assert [event for event in EVERY if not is_valid(machine.hook(event, stdin))] == []


@pytest.mark.parametrize("event", EVERY)
def test_a_closed_stdin_and_a_closed_stdout_are_survived(machine, event):
    done = subprocess.run(
        ["/bin/sh", "-c", f'"{ROOT}/hooks/{event}" <&- >&-'], env=machine.env, cwd=machine.project, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")


def said(path: Path) -> bytes:
    Transcript(path, "/tmp").user("I prefer tabs over spaces")
    return path.read_bytes()


# transcripts that should not be, with how many memories each honestly holds
ODD = {
    "empty": (lambda line: b"", 0),
    "binary": (lambda line: os.urandom(100_000), 0),
    "half": (lambda line: line + line[: len(line) // 2], 1),
    "a line of 20 MB": (lambda line: b'{"type": "user", "x": "' + b"y" * 20_000_000 + b'"}\n' + line, 1),
    "utf-16": (lambda line: "not json\n".encode("utf-16"), 0),
    "deep": (lambda line: b"[" * 100_000 + b"\n" + line, 1),
    "no newline at its end": (lambda line: line.rstrip(b"\n"), 1),
    "only newlines": (lambda line: b"\n" * 1000, 0),
    "other types": (lambda line: b'{"type": "user", "message": 5}\n{"type": "user", "uuid": 1}\n[]\n' + line, 1),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_whole_in_an_odd_transcript_is_learned(machine, name):
    make, memories = ODD[name]
    path = machine.root / "odd.jsonl"
    path.write_bytes(make(said(machine.root / "whole.jsonl")))
    for event in EVENTS[1:]:
        assert is_valid(machine.hook(event, machine.event(transcript_path=str(path))))
    machine.keepstone("worker", "run", "--wait")
    assert len(machine.memories("--all")) == memories
    assert not list((machine.home / "spool").rglob("*-s*"))


@pytest.mark.parametrize("name", ["missing", "folder"])
def test_a_transcript_that_is_no_file_loses_nothing(machine, name):
    path = machine.root / name
    if name == "folder":
        path.mkdir()
    for event in EVENTS[1:]:
        assert is_valid(machine.hook(event, machine.event(transcript_path=str(path))))
    machine.keepstone("worker", "run", "--wait")
    done = machine.keepstone("capture", str(path), ok=False)
    assert done.returncode == 2 and done.stderr.startswith(f"Error: {path} can't be read: ")
    waiting = [path for path in (machine.home / "spool").rglob("*") if path.is_file()]
    assert len(waiting) == (3 if name == "folder" else 0)  # what is not there at the hook was never accepted


def test_a_transcript_of_200_mb_is_read_in_bounded_memory(machine):
    path = machine.root / "big.jsonl"
    Transcript(path, machine.project).user("I prefer tabs over spaces")
    noise = b'{"type":"progress","data":"' + b"x" * 99_000 + b'"}\n'
    with path.open("ab") as file:
        for _ in range(2_100):
            file.write(noise)
    Transcript(path, machine.project).user("I never commit to main directly")
    # measured by a small process of its own: a child's peak begins with that of the process it was forked from
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "keepstone", "capture", str(path)]
    done = subprocess.run(command, env=machine.env, cwd=machine.project, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2 new turns read: 2 memories learned")
    assert int(done.stdout.split()[-1]) < 200_000  # kB


BROKEN = ("zero bytes", "text", "truncated", "folder", "newer", "no tables", "dangling link")


def break_database(machine, how):
    path = machine.home / "keepstone.db"
    machine.store("Deploys need the VPN")
    whole = path.read_bytes()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    if how == "zero bytes":
        path.touch()
    elif how == "text":
        path.write_text("this is no database\n" * 500)
    elif how == "truncated":
        path.write_bytes(whole[: len(whole) // 3])
    elif how == "folder":
        path.mkdir()
    elif how == "dangling link":
        path.symlink_to(machine.root / "gone")
    else:
        with sqlite3.connect(path) as database:
            if how == "newer":
                database.execute("CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT)")
                database.execute("INSERT INTO setting VALUES ('min_reader', '99')")
            database.execute(f"PRAGMA user_version = {99 if how == 'newer' else 1}")
        database.close()


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_database_neither_breaks_a_session_nor_loses_its_turns(machine, transcript, how):
    break_database(machine, how)
    transcript.user("I prefer tabs over spaces")
    for event in EVENTS:
        done = machine.hook(event, machine.event(transcript_path=str(transcript.path), source="startup"))
        assert is_valid(done), event
    if how in ("zero bytes", "dangling link"):
        return  # an empty store: the worker makes it anew
    machine.settle_processes()
    kept = [path.name for path in (machine.home / "spool").rglob("*-session-end")]
    assert len(kept) == 1


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_database_is_a_clear_error_at_the_command_line(machine, how):
    break_database(machine, how)
    for words in (
        ["recent"],
        ["store", "x is y"],
        ["search", "x"],
        ["status"],
        ["context"],
        ["worker", "run", "--wait"],
    ):
        done = machine.keepstone(*words, ok=False)
        assert "Traceback" not in done.stderr
        if how not in ("zero bytes", "dangling link"):
            assert done.returncode == 1 and done.stderr.startswith("Error: ") and "\nTry: " in done.stderr, words
    doctor = machine.keepstone("doctor", ok=False)
    assert "Traceback" not in doctor.stderr
    if how not in ("zero bytes", "dangling link"):
        assert doctor.returncode == 1 and "FAIL  database" in doctor.stdout


def test_without_a_home_nothing_happens_and_a_person_is_told_what_to_set(machine):
    env = {key: value for key, value in machine.env.items() if key != "HOME"}
    for event in EVERY:
        done = subprocess.run([ROOT / "hooks" / event], input=b"{}", env=env, capture_output=True, cwd=machine.project)
        assert (done.returncode, done.stderr) == (0, b"")
        told = json.loads(done.stdout)["systemMessage"] if done.stdout else ""
        assert ("neither KEEPSTONE_HOME nor HOME is set" in told) == (event == "session-start")
    machine.env = env
    done = machine.keepstone("recent", ok=False)
    assert done.returncode == 2 and "neither KEEPSTONE_HOME nor HOME is set" in done.stderr


def test_without_git_on_the_path_capture_works(machine, transcript):
    subprocess.run(["git", "init", "-q", machine.project], check=True)
    transcript.user("I prefer tabs over spaces")
    machine.env["PATH"] = str(machine.root)
    machine.keepstone("capture", str(transcript.path))
    assert len(machine.memories()) == 1


def test_an_unwritable_file_size_is_a_full_disk_and_is_survived(machine, transcript):
    machine.store("Deploys need the VPN")
    transcript.user("I prefer tabs over spaces")

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    for event in EVENTS:
        done = subprocess.run(
            [ROOT / "hooks" / event],
            input=str(machine.event(transcript_path=str(transcript.path))).replace("'", '"').encode(),
            env=machine.env,
            capture_output=True,
            preexec_fn=no_room,
            cwd=machine.project,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if event == "session-start":
            assert b"Deploys need the VPN" in done.stdout
    assert not list((machine.home / "spool").rglob("*-stop-extract*"))


@pytest.fixture
def small_disk(machine):
    with machine.on_small_disk("128k"):
        yield machine


@pytest.mark.system
def test_a_full_disk_breaks_no_hook_and_gives_the_command_line_a_clear_error(small_disk, transcript):
    transcript.user("I prefer tabs over spaces")
    filler = small_disk.fill_disk()
    call = {"tool_name": "Bash", "tool_use_id": "toolu_1"}
    for event in EVERY:
        assert is_valid(small_disk.hook(event, small_disk.event(transcript_path=str(transcript.path), **call)))
    done = small_disk.keepstone("store", "Deploys need the VPN", ok=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    filler.unlink()
    small_disk.hook("session-end", small_disk.event(transcript_path=str(transcript.path)))
    small_disk.settle_processes()


@pytest.fixture
def nobody():
    """A machine of a user whom permissions bind: root runs its hooks as another user, from a copy he may read."""
    root = Path(tempfile.mkdtemp(prefix="keepstone-nobody-"))
    root.chmod(0o755)
    for part in ("bin", "docs", "hooks", "src"):
        shutil.copytree(ROOT / part, root / "plugin" / part, ignore=shutil.ignore_patterns("__pycache__"))
    made = Machine(root / "machine", root / "plugin")
    made.record_interpreters()
    made.become = []
    if os.geteuid() == 0:
        require(
            "user", shutil.which("setpriv") and os.path.exists("/usr/bin/python3"), "apt-get install util-linux python3"
        )
        made.become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    yield made
    for folder, _, _ in os.walk(root):
        os.chmod(folder, 0o755)
    shutil.rmtree(root)


def as_nobody(machine, event, said, **env):
    """Runs a hook as the user that permissions bind."""
    return run_as_nobody(machine, [machine.plugin / "hooks" / event], str(said).replace("'", '"'), env)


def run_as_nobody(machine, argv, said="", env=None):
    if machine.become:
        for folder, _, files in os.walk(machine.root):
            for name in ("", *files):
                os.chown(os.path.join(folder, name), 65534, 65534)
    return subprocess.run(
        [*machine.become, *argv],
        input=said.encode(),
        env={**machine.env, **(env or {})},
        capture_output=True,
        cwd=machine.project,
        timeout=60,
    )


@pytest.mark.system
@pytest.mark.skipif(os.geteuid() != 0, reason="a home that is not believed is the real one of whoever runs the test")
def test_a_home_that_a_repository_names_is_not_used_but_the_systems(nobody):
    nobody.keepstone("store", "Deploys need the VPN")
    evil = nobody.root / "evil" / ".local" / "share" / "keepstone"
    evil.mkdir(parents=True, mode=0o700)
    (nobody.project / ".claude").mkdir()
    settings = nobody.project / ".claude" / "settings.json"
    settings.write_text(json.dumps({"env": {"HOME": f"{nobody.root}/evil"}}))
    said = as_nobody(nobody, "session-start", json.dumps(nobody.event()), HOME=f"{nobody.root}/evil").stdout
    assert "/nonexistent/.local/share/keepstone can't be written" in json.loads(said)["systemMessage"]
    assert list(evil.iterdir()) == []
    settings.unlink()
    assert b"VPN" in as_nobody(nobody, "session-start", json.dumps(nobody.event())).stdout


@pytest.mark.system
@pytest.mark.parametrize("what", ["file", "folder", "everything"])
def test_a_read_only_store_still_answers(nobody, what):
    nobody.keepstone("store", "Deploys need the VPN")
    for suffix in ("-wal", "-shm"):
        Path(f"{nobody.home}/keepstone.db{suffix}").unlink(missing_ok=True)
    if what in ("file", "everything"):
        (nobody.home / "keepstone.db").chmod(0o400)
    if what in ("folder", "everything"):
        nobody.home.chmod(0o500)
    done = as_nobody(nobody, "session-start", nobody.event(source="startup"))
    assert (done.returncode, done.stderr) == (0, b"") and b"Deploys need the VPN" in done.stdout


@pytest.mark.system
def test_unreadable_files_and_folders_are_survived(nobody):
    transcript = Transcript(nobody.root / "secret.jsonl", nobody.project)
    transcript.user("I prefer tabs over spaces")
    transcript.path.chmod(0)
    for event in EVENTS:
        done = as_nobody(nobody, event, nobody.event(transcript_path=str(transcript.path)))
        assert (done.returncode, done.stderr) == (0, b"")
    nobody.home.chmod(0)
    for event in EVENTS:
        done = as_nobody(nobody, event, nobody.event(transcript_path=str(transcript.path)))
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.system
@pytest.mark.parametrize("words", ["doctor", "status", "recent", "store x", "bootstrap", "setup", "onboard --no"])
def test_every_command_names_a_data_home_that_can_not_be_read(nobody, words):
    nobody.keepstone("store", "Deploys need the VPN")
    nobody.home.chmod(0)
    done = run_as_nobody(nobody, [nobody.plugin / "bin" / "keepstone", *words.split()])
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        f"Error: {nobody.home} can't be read\n"
        f"Try: chmod -R u+rwX '{nobody.home}', or export KEEPSTONE_HOME=/another/folder\n"
    )


@pytest.mark.system
def test_a_data_home_that_can_not_be_written_is_told_once_for_as_long_as_it_lasts(nobody):
    data = nobody.user_home / ".claude" / "plugins" / "data" / "keepstone"
    data.mkdir(parents=True)
    env = {"CLAUDE_PLUGIN_DATA": str(data), "CLAUDE_CODE_ENTRYPOINT": "cli"}

    def told(session):
        return (
            b"can't be written. Try: chmod" in as_nobody(nobody, "session-start", nobody.event(session), **env).stdout
        )

    nobody.home.chmod(0o500)
    assert [told("one"), told("two")] == [True, False]
    nobody.home.chmod(0o700)
    assert not told("three")
    nobody.home.chmod(0o500)
    assert [told("four"), told("five")] == [True, False]
    env["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    nobody.home.chmod(0o700)
    told("six")
    nobody.home.chmod(0o500)
    assert not told("unattended")


@pytest.mark.system
@pytest.mark.parametrize("closed", ["spool", "spool/new", "spool/missed", "keepstone.db"])
def test_a_part_of_the_data_home_that_can_not_be_written_is_told_in_the_session(closed, nobody):
    nobody.keepstone("store", "Deploys need the VPN")
    spool.make_folders(str(nobody.home))
    path = nobody.home / closed
    path.chmod(0o400 if path.is_file() else 0)
    told = as_nobody(nobody, "session-start", nobody.event("one"), CLAUDE_CODE_ENTRYPOINT="cli").stdout.decode()
    path.chmod(0o700)
    assert f"Keepstone can't learn: {nobody.home}/" in told and "can't be written. Try: chmod" in told
