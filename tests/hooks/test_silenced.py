"""What keeps the user from being told of a trouble: a repository that says that nobody reads it, notes from the future,
and notes of other people.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time

import pytest

from keepstone.hooks.session_start import _is_due
from support import plugin_at

YEAR = 31_536_000
ENTRYPOINT, ATTENDED = "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED"
SILENT = (
    *(
        {ENTRYPOINT: name}
        for name in ("sdk-ts", "sdk-cli", "sdk-py", "mcp", "local-agent", "claude-code-github-action")
    ),
    {ATTENDED: "0"},
    {ATTENDED: "0", ENTRYPOINT: "sdk-ts"},
)
FILES = (
    *(".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".env", ".envrc", "mise.toml"),
    *(".devcontainer/devcontainer.json", "compose.yaml", ".vscode/settings.json"),
)


def name_in(folder, variables, file=FILES[0]):
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    is_json = path.suffix == ".json"
    lines = "".join(f"{name}={value}\n" for name, value in variables.items())
    path.write_text(json.dumps({"env": variables}) if is_json else lines)
    return path


def told(printed):
    return json.loads(printed).get("systemMessage", "") if printed.startswith("{") else ""


@pytest.fixture
def off(machine):
    """Keepstone is off, as its settings can't be read."""
    machine.store("Deploys need the VPN")
    (machine.home / "config.json").write_text('{"off": tr')
    return machine


def start(machine, **env):
    said = told(machine.hook("session-start", machine.event(source="startup"), **{ENTRYPOINT: "cli", **env}).stdout)
    (machine.home / "told-off").unlink(missing_ok=True)
    return said


@pytest.mark.parametrize("silent", SILENT)
def test_a_repository_does_not_say_that_nobody_reads_what_is_told(off, silent):
    assert start(off, **silent) == ""  # the client says so
    name_in(off.project, silent)
    assert "Keepstone is off: " in start(off, **silent)
    (off.home / "config.json").unlink()
    assert "Deploys need the VPN" in off.hook("session-start", off.event(source="startup"), **silent).stdout


@pytest.mark.parametrize("file", FILES)
def test_whatever_file_of_it_says_so(off, file):
    for silent in SILENT[0], SILENT[6]:
        path = name_in(off.project, silent, file)
        assert "Keepstone is off: " in start(off, **silent)
        path.unlink()
        assert start(off, **silent) == ""


def test_what_is_told_but_once_waits_for_a_session_that_a_person_sees(machine, transcript):
    transcript.user("I prefer pnpm over npm: CI caches its store.")
    machine.keepstone("capture", str(transcript.path))
    name_in(machine.project, SILENT[0])
    assert told(machine.hook("session-start", machine.event("s2", source="startup"), **SILENT[0]).stdout) == ""
    (machine.project / FILES[0]).unlink()
    assert "learned 1 thing" in told(machine.hook("session-start", machine.event("s3", source="startup")).stdout)


@pytest.mark.parametrize("ahead", [1, 60, 3_600, 86_000, 86_400, 90_000, 7 * 86_400, YEAR, 10 * YEAR, 30 * YEAR])
@pytest.mark.parametrize("name", ["told-off", "told-missed", "told-damage", "unwritable", "told-aside", "told-unheard"])
def test_a_note_from_the_future_silences_nothing(tmp_path, name, ahead):
    now = time.time()
    (tmp_path / name).touch()
    os.utime(tmp_path / name, (now + ahead,) * 2)
    assert _is_due(str(tmp_path), name, now)
    later = time.time()
    assert not _is_due(str(tmp_path), name, later) and not _is_due(str(tmp_path), name, later + 86_000)
    assert _is_due(str(tmp_path), name, later + 87_000)


SHELLS = [
    [shutil.which(name), *more] for name, *more in (("dash",), ("bash",), ("busybox", "sh")) if shutil.which(name)
]


@pytest.fixture
def bare(machine, tmp_path):
    """A plugin that looks for Python where there is none, on a machine on which nothing is recorded."""
    plugin = plugin_at(tmp_path / "plugin", {"/usr/": "/nowhere/", "/opt/": "/nowhere/", ":/bin": ":/nowhere"})
    script = plugin / "src" / "tell-no-python.sh"
    assert script.read_text().count("=/tmp/keepstone-told-") == 1
    script.write_text(script.read_text().replace("=/tmp/", f"={tmp_path}/"))
    machine.plugin = plugin
    (machine.home / "python").write_text("")
    return machine


def without_python(machine, shell, **env):
    words = [*shell, machine.plugin / "hooks" / "session-start"]
    env = {**machine.env, "PATH": "", **env}
    done = subprocess.run(words, input=b"{}", env=env, capture_output=True, cwd=machine.project)
    assert (done.returncode, done.stderr) == (0, b"")
    return "Keepstone is off" in done.stdout.decode()


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: os.path.basename(shell[0]))
def test_no_repository_silences_that_there_is_no_python(bare, shell):
    for silent in (*SILENT, {"KEEPSTONE_OFF": "1"}, {"KEEPSTONE_OFF": "yes"}):
        assert not without_python(bare, shell, **silent)
        path = name_in(bare.project, silent)
        assert without_python(bare, shell, **silent), silent
        assert not without_python(bare, shell, **silent)
        path.unlink()
        (bare.home / "told-python").unlink()


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: os.path.basename(shell[0]))
@pytest.mark.parametrize("place", ["home", "shared"])
def test_a_note_of_the_shells_from_the_future_or_of_yesterday_silences_nothing(bare, shell, place, tmp_path):
    if place == "shared":
        shutil.rmtree(bare.home)
    note = bare.home / "told-python" if place == "home" else tmp_path / f"keepstone-told-{os.geteuid()}"
    for age in (None, 90_000, 3_000_000, -60, -3_600, -86_400, -90_000, -YEAR, -10 * YEAR):
        if age is not None:
            os.utime(note, (time.time() - age,) * 2)
        assert without_python(bare, shell), age
        assert not without_python(bare, shell), age
    assert not [path.name for path in note.parent.glob(f"{note.name}.*")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: os.path.basename(shell[0]))
@pytest.mark.parametrize("kind", ["folder", "file", "link to a folder", "link to nothing", "full folder", "pipe"])
def test_a_note_of_somebody_else_silences_nothing(bare, shell, kind, tmp_path):
    shutil.rmtree(bare.home)
    note = tmp_path / f"keepstone-told-{os.geteuid()}"
    make = {
        "folder": note.mkdir,
        "file": note.touch,
        "link to a folder": lambda: note.symlink_to(tmp_path),
        "link to nothing": lambda: note.symlink_to(tmp_path / "nothing"),
        "full folder": lambda: (note / "full").mkdir(parents=True),
        "pipe": lambda: os.mkfifo(note),
    }
    make[kind]()
    os.chown(note, 12345, 12345, follow_symlinks=False)
    assert without_python(bare, shell)
    assert not (tmp_path / "nothing").exists() and tmp_path.exists()


NAMING = (
    ('{"env": {"CLAUDE_ENV_FILE": "/home/me/.bashrc"}}', ".claude/settings.json"),
    ('{"env": {"CLAUDE_ENV_FILE" : "~/.bashrc"}}', ".claude/settings.local.json"),
    ('{"env": {"CLAUDE_ENV\\u005fFILE": "~/.bashrc"}}', ".claude/settings.json"),
    ('{"mcpServers": {"x": {"env": {"CLAUDE_ENV_FILE": "x"}}}}', ".mcp.json"),
    ("export CLAUDE_ENV_FILE=~/.bashrc\n", ".envrc"),
    ("CLAUDE_ENV_FILE=~/.bashrc\n", ".env"),
    ('CLAUDE_ENV_FILE = "x"\n', "mise.toml"),
    ("ENV CLAUDE_ENV_FILE /root/.bashrc\n", "Dockerfile"),
    ("    environment:\n      CLAUDE_ENV_FILE: /root/.bashrc\n", "compose.yaml"),
    ("    environment:\n      - CLAUDE_ENV_FILE=/root/.bashrc\n", "docker-compose.yml"),
    ('{"containerEnv": {"CLAUDE_ENV_FILE": "x"}}', ".devcontainer/devcontainer.json"),
    ('{"terminal.integrated.env.linux": {"CLAUDE_ENV_FILE": "x"}}', ".vscode/settings.json"),
)
MENTIONING = (
    (
        '{"hooks": {"SessionStart": [{"command": "echo export A=1 >> \\"$CLAUDE_ENV_FILE\\""}]}}',
        ".claude/settings.json",
    ),
    ("# CLAUDE_ENV_FILE is the client's\n", ".envrc"),
    ("echo A=1 >> $CLAUDE_ENV_FILE\n", ".envrc"),
)


@pytest.mark.parametrize("naming", [*NAMING, *MENTIONING])
def test_a_file_that_a_repository_names_is_left_alone(machine, naming):
    text, file = naming
    own = machine.root / ".bashrc"
    own.write_text("alias ll=ls\n")
    (machine.project / file).parent.mkdir(exist_ok=True)
    (machine.project / file).write_text(text)
    machine.store("Deploys need the VPN")
    said = machine.hook("session-start", machine.event(source="startup"), CLAUDE_ENV_FILE=str(own)).stdout
    assert "Deploys need the VPN" in said
    assert (own.read_text() == "alias ll=ls\n") == (naming in NAMING)
