"""What was said while the disk was full, or the data home out of reach, is learned once there is room, by itself."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from itertools import cycle

import pytest

from builders import lasting
from keepstone import worker
from keepstone.lib.text import digest
from keepstone.spool import spool
from support import ROOT, Transcript, copied

ATTENDED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
SAID = {
    "pnpm": "I prefer pnpm over npm for installing packages",
    "ruff": "Always format Python with ruff before a commit",
    "Frankfurt": "We decided to host the backups in Frankfurt, because the customers ask for it",
    "podman": "Never use docker on this machine, always use podman",
    "Kestrel": "The staging database is called Kestrel and needs the VPN",
}
TOOLS = tuple(SAID)


def session(machine, number, folder=None):
    """A session's transcript in which a preference is stated."""
    transcript = Transcript((folder or machine.root) / f"session-{number}.jsonl", machine.project)
    transcript.user(SAID[TOOLS[number]])
    return transcript


def event(machine, transcript, **said):
    return machine.event(transcript.path.stem, transcript_path=str(transcript.path), **said)


def without_room(machine, name, said, **env):
    """A hook that can write no byte to any file, as on a full disk."""
    done = subprocess.run(
        [ROOT / "hooks" / name],
        input=json.dumps(said).encode(),
        env={**machine.env, **env},
        cwd=machine.project,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def told(printed):
    return json.loads(printed).get("systemMessage", "") if printed.startswith("{") else ""


def learned(machine):
    return {tool for tool in TOOLS if any(tool in str(memory["content"]) for memory in machine.memories())}


@pytest.mark.parametrize("name", ["stop-extract", "pre-compact", "session-end"])
@pytest.mark.parametrize("known", [False, True])
def test_a_session_without_room_is_learned_at_the_next_start(machine, name, known):
    if known:
        machine.store("Deploys need the VPN")
    transcript = session(machine, 0)
    without_room(machine, "session-start", event(machine, transcript))
    without_room(machine, name, event(machine, transcript))
    assert spool.missed_sessions(str(machine.home)) == ["session-0"] and not machine.jobs()
    machine.hook("session-start", machine.event("next"))
    machine.settle()
    assert learned(machine) == {"pnpm"} and spool.missed(str(machine.home)) == []


@pytest.mark.parametrize("number", range(10))
def test_each_of_many_sessions_is_learned(machine, number):
    """Thirty sessions in all."""
    ends = ("stop-extract", "session-end", "both")[number % 3]
    sessions = [session(machine, one) for one in range(number % 5 + 1)]
    for transcript in sessions:
        for name in ("stop-extract", "session-end") if ends == "both" else (ends,):
            for _ in range(1 + number // 5):
                without_room(machine, name, event(machine, transcript))
    machine.hook("session-start", machine.event("next"))
    machine.settle()
    assert learned(machine) == set(TOOLS[: len(sessions)]) and spool.missed(str(machine.home)) == []
    assert len(machine.memories()) == len(sessions)


def test_it_is_told_once_a_day_and_by_doctor_and_the_status_line(machine):
    machine.store("Deploys need the VPN")
    for number in range(2):
        without_room(machine, "session-end", event(machine, session(machine, number)))
    said = "could not keep what was said in 2 sessions"
    assert said in told(without_room(machine, "session-start", machine.event("third"), **ATTENDED))
    assert told(without_room(machine, "session-start", machine.event("fourth"), **ATTENDED)) == ""
    a_day_ago = time.time() - 90_000
    os.utime(machine.home / "told-missed", (a_day_ago, a_day_ago))
    assert said in told(without_room(machine, "session-start", machine.event("fifth"), **ATTENDED))
    doctor = machine.keepstone("doctor", ok=False).stdout
    assert "2 sessions could not be kept: there was no room" in doctor
    line = subprocess.run(
        ["/bin/sh", str(ROOT / "src" / "statusline.sh")], input="{}", env=machine.env, capture_output=True, text=True
    ).stdout
    assert "2 sessions not kept for lack of room: keepstone doctor" in line
    machine.keepstone("worker", "run", "--wait")
    assert learned(machine) == {"pnpm", "ruff"}
    assert "could not be kept" not in machine.keepstone("doctor", ok=False).stdout


def test_where_no_link_can_be_made_the_sessions_id_finds_its_transcript(machine):
    projects = machine.user_home / ".claude" / "projects" / "-acme-shop"
    projects.mkdir(parents=True)
    session(machine, 1, projects)
    missed = machine.home / "spool" / "missed"
    missed.mkdir(parents=True)
    (missed / "session-1.session-end").touch()
    (missed / "gone.session-end").touch()
    (missed / "nonsense").touch()
    machine.hook("session-start", machine.event("next"))
    machine.settle()
    assert learned(machine) == {"ruff"} and not list(missed.iterdir())


@pytest.mark.parametrize("at", ["inside", "outside", "client"])
def test_a_data_home_that_can_not_be_written_leaves_the_note_with_the_client(machine, tmp_path, at):
    """Where the client's folder for the plugin is the client's own: any other may be a repository's."""
    places = {"inside": machine.project, "outside": tmp_path, "client": machine.user_home / ".claude/plugins/data"}
    folder = places[at] / "plugin data"
    folder.mkdir(parents=True)
    (machine.home / "spool").write_text("no folder\n")
    machine.hook("session-end", event(machine, session(machine, 2)), CLAUDE_PLUGIN_DATA=str(folder))
    assert list(folder.rglob("session-2*")) == (
        [noted(machine, folder) / "session-2.session-end"] if at == "client" else []
    )
    (machine.home / "spool").unlink()
    machine.hook("session-start", machine.event("next"), CLAUDE_PLUGIN_DATA=str(folder))
    machine.settle()
    assert learned(machine) == ({"Frankfurt"} if at == "client" else set())


@pytest.mark.parametrize("seconds", [0, 1, 59, 61])
def test_a_session_that_was_killed_in_its_turn_is_learned_at_the_next_start(machine, seconds):
    machine.store("Deploys need the VPN")
    transcript = Transcript(machine.root / "session-0.jsonl", machine.project)
    machine.hook("session-start", event(machine, transcript))
    transcript.user(SAID["pnpm"])  # and nothing more comes
    machine.settle()
    machine.sql(f"UPDATE session SET last_seen_at = last_seen_at - {seconds}")
    machine.hook("session-start", machine.event("next"))
    machine.settle()
    assert learned(machine) == {"pnpm"}


def called(name, given, uuid="toolu_1"):
    """A call that is in flight: its result is yet to come."""
    return lambda made: made.line(
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": uuid, "name": name, "input": given}]}}
    )


def cut_off(made):
    with made.path.open("a") as file:
        file.write('{"type": "assistant", "message": {"content": [{"type": "te')


# What stands in a transcript behind the prompt when its session is killed.
IN_FLIGHT = [
    lambda made: None,
    cut_off,
    called("Bash", {"command": "sleep 60"}),
    called("Bash", {"command": "make test", "run_in_background": True}),
    called("Edit", {"file_path": "/x/a.py", "old_string": "a", "new_string": "b"}),
    called("Write", {"file_path": "/x/a.py", "content": "a = 1"}),
    called("Read", {"file_path": "/x/a.py"}),
    called("Task", {"prompt": "look around"}),
    called("WebFetch", {"url": "https://example.com"}),
    called("AskUserQuestion", {"questions": []}),
    called("ExitPlanMode", {"plan": "Do it"}),
    called("mcp__db__query", {"query": "select 1"}),
    lambda made: (called("Bash", {"command": "ls"}, "a")(made), called("Bash", {"command": "pwd"}, "b")(made)),
    lambda made: made.tool("Bash", {"command": "make test"}),
    lambda made: made.tool("Bash", {"command": "make test"}, failed=True),
    lambda made: made.assistant("I'll look at it."),
    lambda made: (made.assistant("I'll look."), called("Grep", {"pattern": "x"})(made), cut_off(made)),
    lambda made: (called("Bash", {"command": "sleep 60"})(made), made.queue("go on please")),
    lambda made: made.line({"type": "progress", "data": {"type": "hook_progress"}}),
    lambda made: made.line({"type": "system", "subtype": "turn_duration", "durationMs": 1}),
]


def test_whatever_was_in_flight_when_a_session_was_killed_what_was_said_is_learned_once(machine):
    machine.store("Deploys need the VPN")
    for number, happens in enumerate(IN_FLIGHT):
        names = ("session-start", "user-prompt-submit")[: 1 + number % 2]
        made = Transcript(machine.root / f"session-{number}.jsonl", machine.project, f"session-{number}")
        for name in names:
            machine.hook(name, event(machine, made, prompt=lasting(number)))
        made.user(f"{lasting(number)}.")
        happens(made)
    machine.settle()
    for number in range(3):
        machine.hook("session-start", machine.event(f"next-{number}"))
        machine.settle()
    found = [str(memory["content"]) for memory in machine.memories()]
    assert sorted(found) == sorted([*map(lasting, range(len(IN_FLIGHT))), "Deploys need the VPN"])


@pytest.mark.parametrize("kind", ["file", "database"])
def test_a_full_disk_never_makes_a_dead_letter(machine, kind):
    """However often a worker tries."""
    machine.hook("session-end", event(machine, session(machine, 3)))
    machine.settle_processes()
    room = 4_096 if kind == "database" else 0

    def work_without_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        try:
            worker.main()
        finally:  # what it has told is written when it ends
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)

    for path in (*machine.home.glob("keepstone.db*"), *machine.jobs()):
        path.unlink()
    machine.record_interpreters(worker="/bin/false")
    machine.hook("session-end", event(machine, session(machine, 3)))
    for _ in range(8):
        copied(work_without_room, machine.env, machine.project)
    assert len(machine.jobs()) == 1
    assert spool.list_jobs(str(machine.home), "aside") == []
    machine.record_interpreters()
    machine.keepstone("worker", "run", "--wait")
    assert learned(machine) == {"podman"}


@pytest.fixture
def three_megabytes(machine):
    with machine.on_small_disk("3m"):
        yield machine


@pytest.mark.system
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("killed", [False, True])
def test_five_sessions_on_a_full_disk_are_five_learned_once_it_is_freed(three_megabytes, known, killed):
    machine = three_megabytes
    if known:
        machine.bin("store", "Deploys need the VPN")  # a process of its own, which keeps nothing open there
    filler = machine.fill_disk()
    for number in range(5):
        transcript = session(machine, number)
        for name in ("session-start", "user-prompt-submit", "stop-extract", *(() if killed else ("session-end",))):
            machine.hook(name, event(machine, transcript, prompt="I prefer it"), **ATTENDED)
    machine.settle_processes()
    assert "in 5 sessions" in machine.bin("doctor", ok=False).stdout
    filler.unlink()
    machine.hook("session-start", machine.event("sixth"))
    machine.settle()
    assert learned(machine) == set(TOOLS)
    if known:
        assert "Deploys need the VPN" in str(machine.memories())


@pytest.mark.parametrize(("folder", "thing"), list(zip(["", "", *spool.FOLDERS], cycle(["file", "link"]))))
def test_what_stands_where_the_spool_needs_a_folder_is_named_and_its_session_is_learned_later(machine, folder, thing):
    machine.store("Deploys need the VPN")
    path = machine.home / "spool" / folder
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(exist_ok=True)
    if thing == "file":
        path.write_text("not ours")
    else:
        path.symlink_to("/nowhere/at-all")
    transcript = session(machine, 0)
    machine.hook("session-start", event(machine, transcript))
    machine.hook("session-end", event(machine, transcript))
    way = f"mv '{path}' '{path}.old'" if folder else f"mv '{machine.home}/spool' '{machine.home}/spool.old'"
    doctor = machine.keepstone("doctor", ok=False)
    assert doctor.returncode == 1 and "is no folder: nothing is learned" in doctor.stdout and way in doctor.stdout
    path.rename(f"{path}.old")
    machine.hook("session-start", machine.event("next"))
    machine.settle()
    assert learned(machine) == {"pnpm"} and os.path.lexists(f"{path}.old")


def test_a_person_is_told_what_is_in_the_way(machine):
    (machine.home / "spool").parent.mkdir(parents=True, exist_ok=True)
    machine.store("Deploys need the VPN")
    shutil.rmtree(machine.home / "spool", ignore_errors=True)
    (machine.home / "spool").write_text("not ours")
    said = told(machine.hook("session-start", machine.event("a"), **ATTENDED).stdout)
    assert said.startswith(
        f"Keepstone can't learn: {machine.home}/spool is no folder. Try: move it away to start anew: mv"
    )
    assert told(machine.hook("session-start", machine.event("b"), **ATTENDED).stdout) == ""


def test_a_data_home_that_is_a_file_is_called_so_everywhere(machine):
    shutil.rmtree(machine.home, ignore_errors=True)
    machine.home.parent.mkdir(parents=True, exist_ok=True)
    machine.home.write_text("not ours")
    machine.home.chmod(0o600)
    assert "is no folder" in machine.keepstone("doctor", ok=False).stdout
    assert f"the data home {machine.home} is no folder" in machine.keepstone("config", ok=False).stdout
    assert machine.home.read_text() == "not ours"


def client_folder(machine):
    """The folder that the client keeps for the plugin."""
    folder = machine.user_home / ".claude" / "plugins" / "data"
    folder.mkdir(parents=True)
    return folder


def noted(machine, folder):
    """Where in it sessions are noted whose jobs belong in the machine's data home."""
    return folder / f"missed-{digest(str(machine.home.resolve()))}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_of_another_user_is_told_once_a_day_and_whole_when_it_is_given_back(machine):
    machine.store("Deploys need the VPN")
    folder = client_folder(machine)
    given = {**ATTENDED, "CLAUDE_PLUGIN_DATA": str(folder)}
    modes = (0o700, 0o500, 0o755, 0o711, 0o777, 0o000)
    for number, uid in enumerate((1, 2, 1234, 65534, 100_000)):
        for mode in (modes[0], modes[number + 1]):
            machine.home.chmod(mode)
            os.chown(machine.home, uid, uid)
            printed = machine.hook("session-start", machine.event(f"{number}-{mode}"), **given).stdout
            assert "belongs to another user, so nothing can be read or learned there" in told(printed), (uid, mode)
            assert f"Try: sudo chown -R $(id -u) {machine.home}" in told(printed) and "VPN" not in printed
            if mode == 0o700:
                for name in ("session-start", "user-prompt-submit", "stop-extract", "session-end"):
                    assert machine.hook(name, event(machine, session(machine, 0)), **given).stdout == ""
                a_day_ago = time.time() - 90_000
                os.utime(folder / "told-off", (a_day_ago, a_day_ago))
                assert "another user" in told(machine.hook("session-start", machine.event("again"), **given).stdout)
            (folder / "told-off").unlink()
    os.chown(machine.home, 0, 0)
    machine.home.chmod(0o700)
    assert "VPN" in machine.hook("session-start", machine.event("mine"), **given).stdout


def bound_by_modes():
    """Root without the right to write where the mode denies it, once another program is started."""
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP


def test_sessions_on_a_read_only_home_are_told_of_and_learned_afterwards(machine):
    machine.store("Deploys need the VPN")
    folder = client_folder(machine)
    modes = {path: path.stat().st_mode for path in (machine.home, *machine.home.rglob("*")) if not path.is_symlink()}
    for path, mode in modes.items():
        path.chmod(mode & 0o7555)

    def hook(name, said):
        env = {**machine.env, **ATTENDED, "CLAUDE_PLUGIN_DATA": str(folder)}
        words = [str(ROOT / "hooks" / name)]
        done = subprocess.run(
            words,
            input=json.dumps(said).encode(),
            env=env,
            cwd=machine.project,
            capture_output=True,
            preexec_fn=bound_by_modes,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    ends = (
        ("session-end",),
        ("stop-extract",),
        ("pre-compact",),
        ("stop-extract", "session-end"),
        ("session-end",) * 3,
    )
    for number, names in enumerate(ends):
        transcript = session(machine, number)
        printed = hook("session-start", event(machine, transcript))
        assert "VPN" in printed  # what is known is read all the same
        assert (f"{machine.home} can't be written" in told(printed)) == (number in (0, 3))
        for name in ("user-prompt-submit", *names):
            hook(name, event(machine, transcript, prompt="I prefer it"))
        if number == 2:
            a_day_ago = time.time() - 90_000
            os.utime(folder / "unwritable", (a_day_ago, a_day_ago))
    for path, mode in modes.items():
        path.chmod(mode)
    assert len(machine.memories()) == 1
    machine.hook("session-start", machine.event("next"), CLAUDE_PLUGIN_DATA=str(folder))
    machine.settle()
    assert learned(machine) == set(TOOLS) and "VPN" in str(machine.memories())
    assert not list(noted(machine, folder).iterdir())


@pytest.mark.system
def test_a_disk_without_room_for_another_file_is_told_of_at_each_start(machine):
    with machine.on_small_disk("8m,nr_inodes=80"):
        machine.store("Deploys need the VPN")
        fillers = []
        try:
            while True:
                fillers.append(machine.home / f"filler-{len(fillers)}")
                fillers[-1].touch()
        except OSError:
            fillers.pop()
        assert fillers
        for number in range(2):
            printed = without_room(machine, "session-start", event(machine, session(machine, number)), **ATTENDED)
            assert f"no room for a file in {machine.home}" in told(printed) and "VPN" in printed
        for filler in fillers:
            filler.unlink()
        printed = machine.hook("session-start", machine.event("next"), **ATTENDED).stdout
        assert "no room" not in printed and "VPN" in printed


def chowned(name):
    """Another user's file in the data home; the home itself with ""."""
    return lambda home: os.chown(home / name, 65534, 65534)


def opened(mode, name="", to=0o666):
    """A home of that mode, in which others may write a file or folder."""

    def open_up(home):
        home.chmod(mode)
        if name:
            (home / name).chmod(to)

    return open_up


# Ways in which a user's own data home comes to be refused.
REFUSED = [
    *(opened(mode) for mode in (0o777, 0o770, 0o720, 0o702, 0o733, 0o757, 0o1777, 0o2770)),
    *(opened(0o711, name) for name in ("keepstone.db", "python", "config.json", "keepstone.db-wal", "vectors/x")),
    *(opened(0o755, name, 0o777) for name in ("spool", "spool/new", "off")),
    *(opened(mode, "keepstone.db", 0o622) for mode in (0o701, 0o751)),
]
GIVEN_AWAY = [
    chowned(name)
    for name in ("", "keepstone.db", "python", "config.json", "spool", "spool/new", "keepstone.db-wal", "plugin")
]


def sound_again(home):
    for path in (home, *home.rglob("*")):
        os.chown(path, os.geteuid(), os.getegid())
        path.chmod(0o700 if path.is_dir() else 0o600)


def filled(machine):
    """A data home with a memory, and all that a refusal may be about."""
    machine.store("Deploys need the VPN")
    for folder in ("spool/new", "off", "vectors"):
        (machine.home / folder).mkdir(parents=True, exist_ok=True)
    (machine.home / "config.json").write_text("{}")
    for name in ("keepstone.db-wal", "plugin", "vectors/x"):
        (machine.home / name).touch()
    return client_folder(machine)


def said_in(machine, number, text=""):
    made = Transcript(machine.root / f"session-{number}.jsonl", machine.project, f"session-{number}")
    made.user(f"{text or lasting(number)}.")
    return made


@pytest.mark.of_files
def test_what_is_said_while_the_home_is_refused_is_learned_once_when_it_is_sound(machine):
    folder = filled(machine)
    given = {"CLAUDE_PLUGIN_DATA": str(folder)}
    ways = [*REFUSED, *(GIVEN_AWAY if os.geteuid() == 0 else [])]
    for number, refuse in enumerate(ways):
        refuse(machine.home)
        before = {path: path.lstat().st_mtime_ns for path in machine.home.rglob("*")}
        made = said_in(machine, number)
        ends = (("session-end",), ("stop-extract",), ("pre-compact",), ("stop-extract", "session-end"))[number % 4]
        for name in ("session-start", "user-prompt-submit", *ends):
            done = machine.hook(name, event(machine, made, prompt="go on"), **given)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "") or name == "session-start", number
        assert {path: path.lstat().st_mtime_ns for path in machine.home.rglob("*")} == before, number
        sound_again(machine.home)
    assert "what was said in 26 sessions could not be kept" in machine.keepstone("doctor", ok=False, **given).stdout
    for number in range(3):
        machine.hook("session-start", machine.event(f"next-{number}"), **given)
        machine.settle()
    found = [str(memory["content"]) for memory in machine.memories()]
    assert sorted(found) == sorted([*map(lasting, range(len(ways))), "Deploys need the VPN"])
    assert not list(noted(machine, folder).iterdir())


def test_a_terminal_finds_what_was_noted_with_the_client(machine):
    """There the client names no folder."""
    filled(machine)
    folder = machine.user_home / ".claude" / "plugins" / "data" / "keepstone-keepstone"
    folder.mkdir()
    machine.home.chmod(0o777)
    machine.hook("session-end", event(machine, said_in(machine, 0)), CLAUDE_PLUGIN_DATA=str(folder))
    assert "What is said meanwhile is learned once that is" in machine.keepstone("doctor", ok=False).stderr
    machine.home.chmod(0o700)
    assert "what was said in 1 session could not be kept" in machine.keepstone("doctor", ok=False).stdout
    machine.keepstone("worker", "run", "--wait")
    assert {str(one["content"]) for one in machine.memories()} == {"Deploys need the VPN", lasting(0)}
    assert "could not be kept" not in machine.keepstone("doctor", ok=False).stdout


@pytest.mark.parametrize("where", ["nowhere", "inside", "outside", "client"])
def test_it_is_told_whether_what_is_said_meanwhile_is_learned(machine, tmp_path, where):
    filled(machine).rmdir()
    places = {"inside": machine.project, "outside": tmp_path, "client": machine.user_home / ".claude/plugins/data"}
    given = {}
    if where != "nowhere":
        folder = places[where] / "keepstone-keepstone"
        folder.mkdir(parents=True)
        given["CLAUDE_PLUGIN_DATA"] = str(folder)
    machine.home.chmod(0o777)
    printed = told(machine.hook("session-start", machine.event("first"), **ATTENDED, **given).stdout)
    says = "learned once that is put right" if where == "client" else "not learned"
    assert f"What is said meanwhile is {says}. Try: chmod go-w {machine.home}" in printed
    doctor = machine.keepstone("doctor", ok=False)
    assert doctor.returncode == 2 and f"What is said meanwhile is {says}\nTry: chmod go-w" in doctor.stderr
    machine.hook("session-end", event(machine, said_in(machine, 0)), **given)
    machine.home.chmod(0o700)
    machine.hook("session-start", machine.event("next"), **given)
    machine.settle()
    learned_too = {lasting(0)} if where == "client" else set()
    assert {str(one["content"]) for one in machine.memories()} == {"Deploys need the VPN", *learned_too}


@pytest.mark.parametrize("how", ["off", "off here", "answered", "no transcript", "empty", "garbage", "no object"])
def test_what_no_home_would_take_is_learned_from_no_refused_one(machine, how):
    folder = filled(machine)
    given, said = {"CLAUDE_PLUGIN_DATA": str(folder)}, event(machine, said_in(machine, 0))
    if how == "off here":
        machine.keepstone("config", "off", "1", "--project", ".")
    machine.home.chmod(0o777)
    if how == "answered":
        said["stop_hook_active"] = True
    elif how == "no transcript":
        said["transcript_path"] = str(machine.root / "gone.jsonl")
    elif how == "empty":
        (machine.root / "session-0.jsonl").write_text("")
    said = {"garbage": b"{" * 300, "no object": b"[1]"}.get(how, said)
    off = {"KEEPSTONE_OFF": "1"} if how == "off" else {}
    done = machine.hook("stop-extract", said, **given, **off)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [*folder.rglob("session-0*")] == (
        [noted(machine, folder) / "session-0.stop-extract"] if how == "off here" else []
    )
    machine.home.chmod(0o700)
    machine.hook("session-start", machine.event("next"), **given)
    machine.keepstone("worker", "run", "--wait", **given)
    assert machine.sql("SELECT content FROM memory") == [("Deploys need the VPN",)]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_note_that_others_may_have_put_there_is_not_believed(machine, mode):
    folder = filled(machine)
    made = said_in(machine, 0)
    noted(machine, folder).mkdir()
    noted(machine, folder).chmod(mode)
    (noted(machine, folder) / "session-0.session-end").symlink_to(made.path)
    given = {"CLAUDE_PLUGIN_DATA": str(folder)}
    machine.hook("session-start", machine.event("next"), **given)
    machine.keepstone("worker", "run", "--wait", **given)
    assert [one["content"] for one in machine.memories()] == ["Deploys need the VPN"]
    machine.home.chmod(0o777)
    machine.hook("session-end", event(machine, said_in(machine, 1)), **given)
    assert [path.name for path in noted(machine, folder).iterdir()] == ["session-0.session-end"]


def named_by_repository(machine, home):
    (machine.project / ".claude").mkdir()
    (machine.project / ".claude" / "settings.json").write_text(json.dumps({"env": {"KEEPSTONE_HOME": str(home)}}))
    return {"KEEPSTONE_HOME": str(home)}


def test_what_was_said_for_one_data_home_is_not_learned_in_another(machine):
    folder = filled(machine)
    given = {"CLAUDE_PLUGIN_DATA": str(folder)}
    other = machine.root / "other"
    machine.keepstone("status", KEEPSTONE_HOME=str(other))
    machine.home.chmod(0o777)
    machine.hook("session-end", event(machine, said_in(machine, 0)), **given)
    assert list(noted(machine, folder).iterdir())
    machine.keepstone("worker", "run", "--wait", KEEPSTONE_HOME=str(other), **given)
    assert lasting(0) not in machine.keepstone("recent", KEEPSTONE_HOME=str(other), **given).stdout
    machine.home.chmod(0o700)
    machine.keepstone("worker", "run", "--wait", **given)
    assert lasting(0) in machine.keepstone("recent", **given).stdout


@pytest.mark.parametrize("is_own_refused", [False, True])
def test_a_session_whose_repository_names_a_home_belongs_to_the_users_own(machine, is_own_refused):
    folder = filled(machine)
    other = machine.root / "theirs"
    other.mkdir(mode=0o777)
    other.chmod(0o777)
    given = {"CLAUDE_PLUGIN_DATA": str(folder), **named_by_repository(machine, other)}
    if is_own_refused:
        machine.home.chmod(0o777)
    machine.hook("session-end", event(machine, said_in(machine, 0)), **given)
    assert bool([*folder.rglob("session-0*")]) == is_own_refused
    machine.home.chmod(0o700)
    machine.hook("session-start", machine.event("next"), **given)
    machine.settle()
    assert {str(one["content"]) for one in machine.memories()} == {"Deploys need the VPN", lasting(0)}
    assert not list(other.iterdir())


@pytest.mark.parametrize("where", ["project", "repository", "elsewhere", "relative", "not plain"])
def test_a_session_of_a_home_that_may_be_anothers_is_not_learned_into_the_users_own(machine, where):
    folder = filled(machine)
    (machine.root / "repository" / ".git").mkdir(parents=True)
    homes = {"project": machine.project / "ks", "repository": machine.root / "repository/ks"}
    home = homes.get(where, machine.root / "elsewhere")
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    names = {"relative": "elsewhere", "not plain": f"{machine.root}/repository/../elsewhere"}
    given = {"CLAUDE_PLUGIN_DATA": str(folder), "CLAUDE_PROJECT_DIR": str(machine.project)}
    made = event(machine, said_in(machine, 0))
    for name in ("session-start", "stop-extract", "session-end"):
        machine.hook(name, made, KEEPSTONE_HOME=names.get(where, str(home)), **given)
    assert not [*folder.rglob("session-0*")] and not list(home.iterdir())
    machine.hook("session-start", machine.event("next"), **given)
    machine.settle()
    assert [one["content"] for one in machine.memories()] == ["Deploys need the VPN"]


@pytest.mark.system
def test_what_is_said_on_a_disk_without_room_for_another_file_is_learned_later(machine):
    """The client's folder is on another disk."""
    given = {"CLAUDE_PLUGIN_DATA": str(client_folder(machine))}
    with machine.on_small_disk("8m,nr_inodes=80"):
        machine.store("Deploys need the VPN")
        fillers = []
        with pytest.raises(OSError):
            while True:
                fillers.append(machine.home / f"filler-{len(fillers)}")
                fillers[-1].touch()
        for number in range(3):
            for name in ("session-start", "stop-extract", "session-end"):
                machine.hook(name, event(machine, said_in(machine, number)), **given)
        for filler in fillers[:-1]:
            filler.unlink()
        for number in range(2):
            machine.hook("session-start", machine.event(f"next-{number}"), **given)
            machine.settle()
        found = {str(one["content"]) for one in machine.memories()}
        assert found == {"Deploys need the VPN", *map(lasting, range(3))}
