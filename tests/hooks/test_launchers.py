"""The launchers and `bin/keepstone`: any path, any POSIX shell, and never an exit code but 0 from a hook."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from keepstone.config import runtime
from keepstone.lib import files
from support import ROOT, Machine, plugin_at, require

EVENTS = (
    *("session-start", "user-prompt-submit", "user-prompt-expansion", "pre-tool-use", "post-tool-use"),
    *("post-tool-use-failure", "stop-extract", "pre-compact", "session-end"),
)
PLACES = ("plain", "with space", "it's", 'dou"ble', "ünï-日本", "$HOME `id`", "back\\slash", "-dash", "semi;colon & co")


def test_all_launchers_are_the_same_bytes():
    assert {path.name for path in (ROOT / "hooks").iterdir()} == {*EVENTS, "hooks.json"}
    assert len({(ROOT / "hooks" / event).read_bytes() for event in EVENTS}) == 1
    assert all(os.access(ROOT / "hooks" / event, os.X_OK) for event in EVENTS)


def test_a_launcher_is_about_a_dozen_lines():
    assert len((ROOT / "hooks" / "session-start").read_text().splitlines()) <= 15


@pytest.mark.parametrize("name", PLACES)
def test_any_path_works_for_plugin_home_and_project(tmp_path, name):
    machine = Machine(tmp_path / name, plugin_at(tmp_path / f"{name} plugin"))
    machine.record_interpreters()
    machine.store("Deploys need the VPN")
    assert "Deploys need the VPN" in machine.hook("session-start", machine.event(source="startup")).stdout


@pytest.mark.system
@pytest.mark.parametrize("shell", ["dash", "busybox", "bash"])
def test_the_launchers_run_in_any_posix_shell(machine, shell):
    require(shell, shutil.which(shell), f"apt-get install {shell}")
    machine.store("Deploys need the VPN")
    command = [shutil.which(shell), *(["sh"] if shell == "busybox" else []), str(ROOT / "hooks" / "session-start")]
    done = subprocess.run(command, input=json.dumps(machine.event()), env=machine.env, capture_output=True, text=True)
    assert "Deploys need the VPN" in done.stdout and (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("event", EVENTS)
def test_the_clients_way_of_calling_with_a_trailing_slash_works(machine, event):
    command = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    commands = [hook["command"] for groups in command.values() for group in groups for hook in group["hooks"]]
    (call,) = [call for call in commands if call.endswith(f'/{event}"')]
    env = {**machine.env, "CLAUDE_PLUGIN_ROOT": f"{ROOT}/"}
    done = subprocess.run(
        ["/bin/sh", "-c", call], input=json.dumps(machine.event()), env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("## Session Memory") == (event == "session-start")


BROKEN = {
    "gone": "/nowhere/python3\n\n",
    "empty": "",
    "not a program": "/etc/passwd\n",
    "a failing one": "/bin/false\n",
    "an option": "-c\n",
    "binary": "\x00\x01\x02\n",
    "windows line ends": f"{sys.executable}\r\n",
}


@pytest.mark.parametrize("recorded", BROKEN.values(), ids=BROKEN.keys())
def test_whatever_is_recorded_a_hook_exits_0_and_says_nothing_odd(machine, recorded):
    (machine.home / "python").write_text(recorded)
    for event in EVENTS:
        done = machine.hook(event, machine.event())
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "" or done.stdout.startswith("## Session Memory")


def shim(path, does):
    """What is recorded as the interpreter, and does not run Python any more."""
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return str(path)


def copy_of_true(path):
    path.parent.mkdir(parents=True)
    shutil.copy("/bin/true", path)
    return str(path)


DEAD = {
    "a program that does nothing": lambda root: "/bin/true",
    "a version manager's shim": lambda root: shim(root / "shims" / "python3", "echo 'not installed' >&2; exit 127"),
    "one that was killed": lambda root: shim(root / "bin" / "python3.11", "kill -9 $$"),
    "one without its library": lambda root: shim(root / "bin" / "python3", "exit 1"),
    "a Python that does nothing": lambda root: shim(root / "bin" / "python3", "exit 0"),
    "a copy of true": lambda root: copy_of_true(root / "bin" / "python3.11"),
    "another name that does nothing": lambda root: shim(root / "bin" / "perl", "exit 0"),
    **{name: lambda root, recorded=recorded: recorded.strip() for name, recorded in BROKEN.items()},
}


@pytest.mark.parametrize("dead", DEAD.values(), ids=DEAD.keys())
def test_an_interpreter_that_died_is_replaced_by_the_next_hook(machine, tmp_path, dead):
    machine.store("Deploys need the VPN")
    worker = (machine.home / "python").read_text().splitlines()[1]
    (machine.home / "python").write_text(f"{dead(tmp_path / 'gone')}\n{worker}\n")
    assert "VPN" in machine.hook("session-start", machine.event()).stdout
    recorded = (machine.home / "python").read_text().splitlines()
    assert "python" in os.path.basename(recorded[0]) and recorded[1] == worker
    assert subprocess.run([recorded[0], "-c", "print(1)"], capture_output=True, text=True).stdout == "1\n"


IDLE = {name: dead for name, dead in DEAD.items() if "Python that does nothing" in name or "copy of true" in name}


@pytest.mark.parametrize("line", [0, 1])
@pytest.mark.parametrize("dead", IDLE.values(), ids=IDLE.keys())
def test_the_command_is_not_silent_because_what_is_recorded_is(machine, tmp_path, dead, line):
    machine.store("Deploys need the VPN")
    recorded = (machine.home / "python").read_text().splitlines()
    recorded[line] = dead(tmp_path / "gone")
    (machine.home / "python").write_text("\n".join(recorded) + "\n")
    assert "VPN" in machine.bin("recent").stdout
    told = machine.bin("doctor", ok=False)
    assert f"{recorded[line]} can't run Keepstone" in told.stdout or "Try: keepstone bootstrap" in told.stderr
    assert not runtime.is_python(recorded[line]) and runtime.is_python(sys.executable)


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("dead", IDLE.values(), ids=IDLE.keys())
def test_a_worker_that_does_nothing_is_replaced_once_something_waits_for_it(machine, transcript, tmp_path, dead, waits):
    machine.record_interpreters(worker=dead(tmp_path / "gone"))
    before = (machine.home / "python").read_text()
    transcript.user("I prefer tabs over spaces")
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path)))
    for job in machine.jobs() if waits else ():
        os.utime(job, (1, 1))
    machine.hook("session-start", machine.event(), KEEPSTONE_NO_BOOTSTRAP="1")
    hook = before.splitlines()[0]
    assert (machine.home / "python").read_text() == (f"{hook}\n\n" if waits else before)


def test_a_worker_that_works_is_kept_whatever_waits(machine, transcript):
    before = (machine.home / "python").read_text()
    transcript.user("I prefer tabs over spaces")
    with files.FileLock(str(machine.home), "worker"):
        machine.hook("session-end", machine.event(transcript_path=str(transcript.path)))
        for job in machine.jobs():
            os.utime(job, (1, 1))
        machine.hook("session-start", machine.event())
    assert (machine.home / "python").read_text() == before


@pytest.mark.parametrize("line", [0, 1])
def test_doctor_names_an_interpreter_that_does_nothing(machine, line):
    recorded = (machine.home / "python").read_text().splitlines()
    recorded[line] = "/bin/true"
    (machine.home / "python").write_text("\n".join(recorded) + "\n")
    assert "/bin/true can't run Keepstone" in machine.keepstone("doctor", ok=False).stdout
    assert "Error" not in machine.bin("status").stdout


SHELLS = [
    [shutil.which(name), *more] for name, *more in (("dash",), ("bash",), ("busybox", "sh")) if shutil.which(name)
]


def without_python(machine, plugin, event="session-start", shell=(), **env):
    """What a hook prints on a machine on which no program is Python."""
    done = subprocess.run(
        [*shell, plugin / "hooks" / event], input=b"{}", env={**machine.env, "PATH": "", **env}, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.fixture
def bare(machine, tmp_path):
    """A plugin that looks for Python where there is none."""
    return plugin_at(tmp_path / "plugin", {"/usr/": "/nowhere/", "/opt/": "/nowhere/", ":/bin": ":/nowhere"})


def test_without_any_python_a_hook_exits_0_and_a_person_is_told_once_a_day(machine, tmp_path, bare):
    machine.store("Deploys need the VPN")
    recorded = (machine.home / "python").read_text()
    note = machine.home / "told-python"
    for number, dead in enumerate((None, *(dead for name, dead in DEAD.items() if name != "windows line ends"))):
        shell = SHELLS[number % len(SHELLS)]
        (machine.home / "python").unlink()
        if dead:
            (machine.home / "python").write_text(f"{dead(tmp_path / f'gone-{number}')}\n\n")
        else:
            (machine.home / "python").write_text("")
        for event in (EVENTS[1:] * 4)[2 * number :][:2]:  # they are the same bytes
            assert without_python(machine, bare, event, shell) == ""
        told = json.loads(without_python(machine, bare, shell=shell))["systemMessage"]
        assert "Keepstone is off: there is no Python 3.9" in told and "Try: install Python" in told
        assert without_python(machine, bare, shell=shell) == ""
        os.utime(note, (time.time() - 90_000,) * 2)
        assert "Keepstone is off" in without_python(machine, bare, shell=shell)
        note.unlink()
    (machine.home / "python").write_text(recorded)
    assert "VPN" in machine.hook("session-start", machine.event()).stdout


def test_nobody_is_told_where_nobody_sees_it_or_it_is_off(machine, tmp_path, bare):
    (machine.home / "python").unlink()
    unseen = [{"CLAUDE_CODE_ENTRYPOINT": name} for name in ("sdk-cli", "sdk-ts", "mcp", "local-agent")]
    for env in (*unseen, {"KEEPSTONE_OFF": "1"}, {"CLAUDE_CODE_SESSION_ATTENDED": "0"}):
        assert without_python(machine, bare, **env) == ""
    shutil.rmtree(machine.home)
    data = machine.user_home / ".claude" / "plugins" / "data"
    data.mkdir(parents=True)
    script = bare / "src" / "tell-no-python.sh"
    assert "=/tmp/keepstone-told-" in script.read_text()
    script.write_text(script.read_text().replace("=/tmp/", f"={tmp_path}/"))
    for folder in (data, machine.project, f"{data}/../../.."):
        for off in ("0", "false", "No", "off"):
            said = [without_python(machine, bare, CLAUDE_PLUGIN_DATA=str(folder), KEEPSTONE_OFF=off) for _ in range(2)]
            assert ["Keepstone is off" in one for one in said] == [True, False], (folder, off)
            for note in (data / "told-python", *tmp_path.glob("keepstone-told-*")):
                if note.exists():
                    os.utime(note, (time.time() - 90_000,) * 2)
    assert [path.name for path in machine.project.iterdir()] == [] and (data / "told-python").exists()


@pytest.mark.system
@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_hooks_run_on_any_python_from_3_9_on(machine, version):
    python = shutil.which(f"python{version}")
    works = python and subprocess.run([python, "-c", "import _sqlite3"], capture_output=True).returncode == 0
    require(f"python{version}", works, f"install Python {version}")
    machine.store("Deploys need the VPN")
    machine.record_interpreters(hook=python)
    assert "Deploys need the VPN" in machine.hook("session-start", machine.event()).stdout


def test_the_command_of_the_plugin_works_through_symlinks(machine, tmp_path):
    first, second = tmp_path / "bin" / "keepstone", tmp_path / "bin" / "again"
    first.parent.mkdir()
    first.symlink_to(ROOT / "bin" / "keepstone")
    second.symlink_to("keepstone")
    for command in (ROOT / "bin" / "keepstone", first, second):
        done = subprocess.run([command, "store", "It's $HOME; `id`"], env=machine.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert [row["content"] for row in machine.memories("--all")] == ["It's $HOME; `id`"]
    shim(machine.project / "bin" / "readlink", f"touch '{tmp_path}/started'; exec /usr/bin/readlink \"$@\"")
    for path in ("bin", str(machine.project / "bin"), "/proc/self/cwd/bin"):
        done = machine.command([str(second), "recent", "--all"], PATH=f"{path}:{machine.env['PATH']}")
        assert "It's $HOME" in done.stdout and not (tmp_path / "started").exists()


def test_a_command_records_its_interpreter_and_gets_waiting_jobs_done(machine, transcript):
    (machine.home / "python").unlink()
    transcript.user("I prefer tabs over spaces")
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path)))
    machine.keepstone("status")
    assert (machine.home / "python").read_text().splitlines()[1] == sys.executable
    machine.settle()
    assert len(machine.memories()) == 1
