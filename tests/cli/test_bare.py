"""The command line before Keepstone's packages are there answers as the full one does, and keeps what is stored."""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest

from support import ROOT

READS = (
    ("search", "vpn registry"),
    ("search", "nothing of the kind"),
    ("about", "deploys"),
    ("decisions",),
    ("decisions", "--type", "architecture"),
    ("recent", "2"),
    ("recent", "--type", "fact", "--all"),
    ("context",),
    ("context", "--limit", "1", "--type", "decision"),
)
MISTAKES = (
    ("search", "..."),
    ("recent", "--type", "nonsense"),
    ("decisions", "--type", "fact"),
    ("store", "x", "--type", "nonsense"),
    ("store", "x", "--relevance", "2"),
    ("store", " "),
    ("recent", "--project", "/nowhere"),
)


@pytest.fixture
def plain(machine):
    """Runs `bin/keepstone` where no worker's interpreter is recorded."""
    python = sys.executable

    def run(*words, ok=True, **env):
        (machine.home / "python").write_text(f"{python}\n\n")
        done = machine.bin(*words, ok=ok, **env)
        machine.record_interpreters()
        return done

    return run


def test_every_reading_command_answers_as_the_full_one_does(machine, plain):
    for text, kind in (
        ("Deploys need the VPN: the registry is internal", "fact"),
        ("PostgreSQL for billing: row-level security", "decision"),
        ("Hexagonal layers <b>only</b>", "architecture"),
    ):
        machine.keepstone("store", "--type", kind, text)
    for words in READS:
        full, bare = machine.keepstone(*words), plain(*words)
        assert (bare.stdout, bare.stderr) == (full.stdout, full.stderr), words
    assert "3 memories in acme shop" in plain("status").stdout
    assert plain().stdout == plain("status").stdout


def test_mistakes_are_told_as_the_full_one_tells_them(machine, plain):
    for words in MISTAKES:
        full, bare = machine.keepstone(*words, ok=False), plain(*words, ok=False)
        assert (bare.returncode, bare.stderr) == (full.returncode, full.stderr), words


def test_the_other_commands_say_that_they_follow(plain):
    done = plain("show", "3fa2c1", ok=False)
    assert done.returncode == 1 and "needs Keepstone's packages" in done.stderr and "keepstone bootstrap" in done.stderr
    assert (
        plain("show", "--help").stdout
        == (ROOT / "docs" / "cli.md").read_text().split("### keepstone show\n\n```\n")[1].split("```")[0]
    )
    assert plain("shwo", ok=False).returncode == 2
    assert "needs Keepstone's packages" in plain("onboard", "--learn", ok=False).stderr
    assert "bootstrap" in plain("--help").stdout and plain("--version").stdout.startswith("keepstone, version ")


def test_what_is_stored_waits_in_the_spool_without_its_secrets(machine, plain):
    key = "ghp_" + "a1B2" * 9
    session = {"KEEPSTONE_SESSION_ID": "s-1", "KEEPSTONE_TYPED": str(os.getpid())}  # who starts it
    done = plain("store", "--type", "decision", "--tag", "ci", f"CI pushes with {key}", **session)
    assert done.stdout.startswith("Saved. Searchable ") and "looked like a secret" in done.stderr
    (job,) = (machine.home / "spool" / "new").iterdir()
    assert key not in job.read_text() and json.loads(job.read_text())["event"] == "store"
    plain("store", "--user", "I like short answers")
    machine.keepstone("worker", "run", "--wait")
    assert not list((machine.home / "spool").glob("*/*"))
    rows = {row["content"]: row for row in machine.memories()}
    assert set(rows) == {"CI pushes with [redacted]", "I like short answers"}
    row = rows["CI pushes with [redacted]"]
    assert (row["kind"], row["tags"], row["origin"], row["session_id"]) == ("decision", ["ci"], "manual", "s-1")
    assert (row["project"], rows["I like short answers"]["scope"]) == ("acme shop", "user")


def test_a_store_whose_worker_is_killed_is_stored_once(machine, plain):
    plain("store", "Deploys need the VPN")
    (job,) = (machine.home / "spool" / "new").iterdir()
    said = job.read_bytes()
    machine.keepstone("worker", "run", "--wait")
    job.write_bytes(said)  # as if it had been killed after the commit, before the job's removal
    machine.keepstone("worker", "run", "--wait")
    assert [row["content"] for row in machine.memories()] == ["Deploys need the VPN"]
    assert machine.sql("SELECT count(*) FROM evidence") == [(1,)]


def test_packages_that_are_gone_with_their_python_are_named(machine):
    (machine.home / "python").write_text(f"{shutil.which('python3')}\n/nowhere/venv/bin/python\n")
    done = machine.bin("doctor", ok=False, KEEPSTONE_NO_BOOTSTRAP="1")
    assert done.returncode == 1 and "gone with their Python: /nowhere/venv/bin/python" in done.stderr
