"""`keepstone doctor --prove` without a client: green where all is well, and what is broken named in plain words."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing

import pytest

from keepstone.admin.ways_to_speak import ways
from keepstone.claude_code.hook_contract import HOOKS
from support import plugin_at


def prove(machine, **env):
    done = machine.keepstone("doctor", "--prove", "--json", ok=False, **env)
    found = json.loads(done.stdout)
    hooks = {hook["name"]: hook["problem"] for hook in found["proof"]["hooks"]}
    checks = {check["name"]: check for check in [*found["checks"], *found["proof"]["checks"]]}
    return done.returncode, hooks, checks


@pytest.fixture
def seldom(monkeypatch):
    """Each hook is run twice: where it is not about how long it takes, more runs show the same."""
    monkeypatch.setattr("keepstone.admin.prove.PROVE_RUNS", 2)


def snapshot(machine):
    """Every file's bytes, and of the database its rows: reading one may fold its log in."""
    files = [
        path for path in machine.user_home.rglob("*") if path.is_file() and not path.name.startswith("keepstone.db")
    ]
    with closing(sqlite3.connect(machine.home / "keepstone.db")) as database:
        return {path: path.read_bytes() for path in files}, list(database.iterdump())


def test_all_is_well_and_nothing_of_the_users_is_touched(machine, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    machine.store("Deploys need the VPN")
    machine.hook("session-start", machine.event())
    machine.settle()
    before = snapshot(machine)
    code, hooks, checks = prove(machine, TMPDIR=str(scratch))
    assert code == 0 and set(hooks) == {hook.name for hook in HOOKS} and set(hooks.values()) == {""}
    assert checks["proof of capture"]["state"] == "ok" and "proof of delivery" not in checks
    names = ", ".join(name for name, _, _ in ways("word"))
    assert checks["proof of capture"]["says"] == f"learned by the worker: {names}" and names.count(",") == 10
    assert snapshot(machine) == before and machine.processes() == []
    assert list(scratch.iterdir()) == []


@pytest.mark.usefixtures("seldom")
def test_each_hook_shows_its_last_run_and_its_last_error(machine):
    machine.keepstone("status")
    machine.hook("session-end", machine.event(reason="other"))
    machine.hook("stop-extract", b"garbage")
    shown = machine.keepstone("doctor", "--prove").stdout.split("\n")
    rows = {line.split("\t")[0]: line.split("\t") for line in shown if "\t" in line}
    assert rows["session-end"][4].startswith("20") and rows["session-end"][5] == "none"
    assert rows["stop-extract"][4] == "never" and "ValueError: not a JSON document" in rows["stop-extract"][5]
    assert "Claude Code was not found" in "\n".join(shown)
    assert all(row[2].endswith(" ms") and row[3].endswith(" ms") for row in rows.values())


def test_an_interpreter_that_is_gone_is_named(machine, tmp_path):
    machine.plugin = plugin_at(tmp_path / "plugin", {"/usr/bin": "/nowhere"})
    (machine.home / "python").write_text(f"/gone/python3\n{sys.executable}\n")
    code, hooks, checks = prove(machine, PATH="/nowhere", PYTHONPATH=str(machine.plugin / "src"))
    assert code == 1
    assert checks["interpreter"]["says"] == "/gone/python3 is recorded and no longer there"
    assert hooks["session-start"] == "printed, but not what is expected of it"  # but that there is no Python
    assert "accepted nothing" in hooks["stop-extract"]


@pytest.mark.usefixtures("seldom")
def test_a_dead_worker_is_named(machine):
    machine.keepstone("status")
    hook = (machine.home / "python").read_text().split("\n")[0]
    (machine.home / "python").write_text(f"{hook}\n/bin/false\n")
    code, hooks, checks = prove(machine)
    assert code == 1 and "the worker did not do its work" in checks["proof of capture"]["says"]
    assert hooks["stop-extract"] == "" and "/bin/false can't run Keepstone" in checks["interpreter"]["says"]


def test_another_plugin_that_injects_memories_and_ours_turned_off_are_named(machine):
    settings = machine.user_home / ".claude" / "settings.json"
    settings.parent.mkdir()
    plugins = {"claude-mem@thedotmack": True, "mem0@mem0": False, "keepstone@keepstone": False, "other@x": True}
    settings.write_text(json.dumps({"enabledPlugins": plugins, "autoMemoryEnabled": False}))
    shown = machine.keepstone("doctor").stdout
    assert "warn  other memory plugins: claude-mem@thedotmack gives memories" in shown
    assert "Try: claude plugin disable claude-mem@thedotmack" in shown and "mem0" not in shown
    assert "Try: claude plugin enable keepstone@keepstone" in shown and "Claude's own memory: off" in shown


@pytest.mark.of_files
def test_memories_that_no_session_was_given_are_a_warning(machine):
    machine.hook("session-start", machine.event())
    machine.settle()
    machine.store("Deploys need the VPN")
    assert "warn  delivery: no memory was given to a session yet" in machine.keepstone("doctor").stdout
    machine.hook("session-start", machine.event("session-2"))
    assert "ok    delivery: a memory was given to a session once" in machine.keepstone("doctor").stdout


def test_what_is_wrong_with_each_hook_is_said(machine, tmp_path):
    machine.plugin = plugin_at(tmp_path / "plugin")
    broken = {
        "session-start": ("exit 3", "left with exit code 3"),
        "user-prompt-submit": ("exit 0", "printed nothing"),
        "pre-tool-use": ("echo hello", "printed, but not what is expected of it"),
        "post-tool-use-failure": ("exit 0", "noted nothing of a tool call"),
        "stop-extract": ("echo hello", "printed something, which the client would take for its own"),
        "session-end": ("exit 0", "accepted nothing: what a session says would be lost"),
    }
    for name, (script, _) in broken.items():
        (machine.plugin / "hooks" / name).write_text(f"#!/bin/sh\n{script}\n")
    (machine.plugin / "hooks" / "pre-compact").chmod(0o644)
    code, hooks, _ = prove(machine, PYTHONPATH=str(machine.plugin / "src"))
    assert hooks.pop("pre-compact").startswith("can't be run: ")
    found = {name: problem for name, problem in hooks.items() if problem}
    assert code == 1 and found == {name: problem for name, (_, problem) in broken.items()}


@pytest.mark.usefixtures("seldom")
def test_the_command_that_setup_has_written_is_ours_and_another_is_named(machine, tmp_path):
    machine.keepstone("setup", "--shell")
    own = f"{machine.user_home}/.local/bin:{machine.env['PATH']}"
    code, hooks, _ = prove(machine, PATH=own)
    assert (code, hooks["pre-tool-use"]) == (0, "")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "keepstone").write_text("#!/bin/sh\necho hello\n")
    (foreign / "keepstone").chmod(0o755)
    code, hooks, _ = prove(machine, PATH=f"{foreign}:{machine.env['PATH']}")
    assert code == 1 and "another program called `keepstone` comes first on the PATH" in hooks["pre-tool-use"]
