"""Memories in PostgreSQL, as who types commands meets them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import engines
from support import Machine

SAID = "Deploys need the VPN: the registry is internal"


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.record_interpreters()
    made.env |= {"CAIRN_DATABASE_URL": engines.on_server(), "CAIRN_USER": "ann"}
    subprocess.run(["git", "init", "-q", str(made.project)], check=True)
    return made


def test_commands_are_about_the_server_and_say_so(machine):
    machine.cairn("store", SAID)
    assert SAID in machine.cairn("search", "registry vpn").stdout
    assert "Server: postgresql://" in machine.cairn("status").stdout
    assert not list(machine.home.glob("*.db"))


def test_each_workspace_has_memories_of_its_own(machine):
    machine.cairn("store", SAID)
    machine.cairn("store", "The other team deploys by hand", CAIRN_WORKSPACE="other")
    assert SAID in machine.cairn("recent").stdout and "by hand" not in machine.cairn("recent", "--all").stdout
    assert "by hand" in machine.cairn("recent", CAIRN_WORKSPACE="other").stdout


@pytest.mark.parametrize("words", [("store", SAID), ("search", "vpn"), ("status",), ("export", "all.jsonl")])
def test_a_server_that_is_away_is_a_clear_error_without_a_password(machine, words):
    machine.env["CAIRN_DATABASE_URL"] = "postgresql://ann:tell-nobody@127.0.0.1:9/cairn"
    done = machine.cairn(*words, ok=False)
    assert done.returncode == 1 and "postgresql://127.0.0.1:9/cairn can't be used" in done.stderr
    assert "Try: " in done.stderr and "Traceback" not in done.stderr and "tell-nobody" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "address", ["mysql://ann@host/cairn", "host:5432", "postgresql://[::1/cairn", "postgresql://h:x/cairn"]
)
def test_what_is_no_address_is_refused_and_nothing_else_is_opened(machine, address):
    machine.env["CAIRN_DATABASE_URL"] = address
    done = machine.cairn("store", SAID, ok=False)
    assert done.returncode in (1, 2) and "is no address of PostgreSQL" in done.stderr
    assert not list(machine.home.glob("*.db"))


@pytest.mark.parametrize("words", [("backup",), ("scrub",), ("doctor", "--repair")])
def test_what_is_for_files_says_what_does_it_here(machine, words):
    machine.cairn("store", SAID)
    done = machine.cairn(*words, ok=False)
    assert done.returncode in (1, 2) and "these memories are in PostgreSQL" in done.stderr and "Try: " in done.stderr


def test_doctor_looks_at_every_row(machine):
    machine.cairn("store", SAID)
    assert "fail" not in machine.cairn("doctor").stdout.split()
    engines.rows(machine.database, "UPDATE memory SET content = 'Deploys need no VPN'")
    assert "rows are not what was written" in machine.cairn("doctor", ok=False).stdout


def test_an_import_can_be_rehearsed(machine, tmp_path):
    machine.cairn("store", SAID)
    machine.cairn("export", str(tmp_path / "all.jsonl"))
    machine.env["CAIRN_DATABASE_URL"] = engines.on_server()
    assert "Would import 1 memory" in machine.cairn("import", "--dry-run", str(tmp_path / "all.jsonl")).stdout
    assert engines.rows(machine.database, "SELECT count(*) FROM memory") == [(0,)]
    machine.cairn("import", str(tmp_path / "all.jsonl"))
    assert engines.rows(machine.database, "SELECT content FROM memory") == [(SAID,)]
    machine.cairn("store", "What comes after is numbered behind")
    assert SAID in machine.cairn("search", "vpn").stdout


def test_two_who_come_first_make_the_tables_once(machine):
    machine.env["CAIRN_DATABASE_URL"] = engines.empty()
    command = [sys.executable, "-m", "cairn", "store"]
    crowd = [
        subprocess.Popen([*command, f"Said by number {number} of four"], env=machine.env, cwd=machine.project)
        for number in range(4)
    ]
    assert [one.wait(60) for one in crowd] == [0] * 4
    assert engines.rows(machine.database, "SELECT count(*) FROM memory") == [(4,)]
