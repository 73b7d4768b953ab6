"""Memories in PostgreSQL, as who types commands meets them."""

from __future__ import annotations

import subprocess
import sys
import uuid

import pytest
from sqlalchemy import make_url

import engines
from support import Machine

pytestmark = pytest.mark.system

SAID = "Deploys need the VPN: the registry is internal"


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.record_interpreters()
    made.env |= {"KEEPSTONE_DATABASE_URL": engines.on_server(), "KEEPSTONE_USER": "ann"}
    subprocess.run(["git", "init", "-q", str(made.project)], check=True)
    return made


def test_commands_are_about_the_server_and_say_so(machine):
    machine.keepstone("store", SAID)
    assert SAID in machine.keepstone("search", "registry vpn").stdout
    said = machine.keepstone("status").stdout
    assert "Server: postgresql://" in said and "you are ann, in the workspace default" in said
    assert not list(machine.home.glob("*.db"))


def test_each_workspace_has_memories_of_its_own(machine):
    machine.keepstone("store", SAID)
    machine.keepstone("store", "The other team deploys by hand", KEEPSTONE_WORKSPACE="other")
    assert SAID in machine.keepstone("recent").stdout and "by hand" not in machine.keepstone("recent", "--all").stdout
    assert "by hand" in machine.keepstone("recent", KEEPSTONE_WORKSPACE="other").stdout


@pytest.mark.parametrize("words", [("store", SAID), ("search", "vpn"), ("status",), ("export", "all.jsonl")])
def test_a_server_that_is_away_is_a_clear_error_without_a_password(machine, words):
    machine.env["KEEPSTONE_DATABASE_URL"] = "postgresql://ann:tell-nobody@127.0.0.1:9/keepstone"
    done = machine.keepstone(*words, ok=False)
    assert done.returncode == 1 and "postgresql://127.0.0.1:9/keepstone can't be used" in done.stderr
    assert "Try: " in done.stderr and "Traceback" not in done.stderr and "tell-nobody" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "address", ["mysql://ann@host/keepstone", "host:5432", "postgresql://[::1/keepstone", "postgresql://h:x/keepstone"]
)
def test_what_is_no_address_is_refused_and_nothing_else_is_opened(machine, address):
    machine.env["KEEPSTONE_DATABASE_URL"] = address
    done = machine.keepstone("store", SAID, ok=False)
    assert done.returncode in (1, 2) and "is no address of PostgreSQL" in done.stderr
    assert not list(machine.home.glob("*.db"))


@pytest.mark.parametrize("words", [("backup",), ("scrub",), ("doctor", "--repair")])
def test_what_is_for_files_says_what_does_it_here(machine, words):
    machine.keepstone("store", SAID)
    done = machine.keepstone(*words, ok=False)
    assert done.returncode in (1, 2) and "these memories are in PostgreSQL" in done.stderr and "Try: " in done.stderr


def test_doctor_looks_at_every_row(machine):
    machine.keepstone("store", SAID)
    assert "fail" not in machine.keepstone("doctor").stdout.split()
    engines.rows(machine.database, "UPDATE memory SET content = 'Deploys need no VPN'")
    assert "1 row is not what was written" in machine.keepstone("doctor", ok=False).stdout


def test_an_import_can_be_rehearsed(machine, tmp_path):
    machine.keepstone("store", SAID)
    machine.keepstone("export", str(tmp_path / "all.jsonl"))
    machine.env["KEEPSTONE_DATABASE_URL"] = engines.on_server()
    assert "Would import 1 memory" in machine.keepstone("import", "--dry-run", str(tmp_path / "all.jsonl")).stdout
    assert engines.rows(machine.database, "SELECT count(*) FROM memory") == [(0,)]
    machine.keepstone("import", str(tmp_path / "all.jsonl"))
    assert engines.rows(machine.database, "SELECT content FROM memory") == [(SAID,)]
    machine.store("What comes after is numbered behind")
    assert SAID in machine.keepstone("search", "vpn").stdout


def test_two_who_come_first_make_the_tables_once(machine):
    machine.env["KEEPSTONE_DATABASE_URL"] = engines.empty()
    command = [sys.executable, "-m", "keepstone", "store"]
    crowd = [
        subprocess.Popen([*command, f"Said by number {number} of four"], env=machine.env, cwd=machine.project)
        for number in range(4)
    ]
    assert [one.wait(60) for one in crowd] == [0] * 4
    assert engines.rows(machine.database, "SELECT count(*) FROM memory") == [(4,)]


def as_user(machine, user):
    return {**machine.env, "KEEPSTONE_USER": user}


def test_nothing_of_somebody_s_own_memories_is_seen_changed_or_taken_along_by_another(machine, tmp_path):
    secret = "I prefer zebra pancakes in the early morning before work begins"
    machine.keepstone("store", "--user", secret)
    ((memory_id,),) = engines.rows(machine.database, "SELECT id FROM memory")
    machine.keepstone("revise", memory_id, "I prefer waffles to everything that I had before", "--tag", "breakfast")
    machine.env = as_user(machine, "bob")
    machine.keepstone("store", secret)
    ((other,),) = engines.rows(machine.database, f"SELECT id FROM memory WHERE id <> '{memory_id}'")
    assert memory_id[4:10] not in machine.keepstone("audit").stdout
    machine.keepstone("export", str(tmp_path / "all.jsonl"))
    assert memory_id not in (tmp_path / "all.jsonl").read_text()
    machine.keepstone("erase", "--yes", "--cascade", other)
    for table in ("evidence", "memory_version", "memory_facet"):
        assert engines.rows(machine.database, f"SELECT 1 FROM {table} WHERE memory_id = '{memory_id}'")
    assert engines.rows(machine.database, f"SELECT excerpt FROM evidence WHERE memory_id = '{memory_id}'")[0] == (
        secret,
    )


MADE = """
INSERT INTO keepstone.memory (id, scope, project_id, kind, tier, title, content, relevance, confidence, origin,
created_at,
    updated_at, content_hash, row_digest, session_id, user_id, workspace)
SELECT 'mem-' || lpad(to_hex(n), 16, '0'), scope, NULL, 'fact', 'semantic', '', content, 0.5, 0.5, 'manual', 0, 0,
    'h' || n, 'd', 's-1', who, place FROM unnest(CAST(ARRAY[1, 2, 3, 4] AS int[]), ARRAY['project', 'user', 'user',
    'project'], ARRAY['the registry', 'my peanuts', 'his almonds', 'their secret'], ARRAY['ann', 'ann', 'bob', 'ann'],
    ARRAY['default', 'default', 'default', 'other']) AS given (n, scope, content, who, place)
"""


def windows(address):
    found = engines.rows(address, "SELECT seq, CAST(tsvector_to_array(words) AS text) FROM keepstone.memory_window")
    return {seq: set(words.strip("{}").split(",")) & {"registri", "peanut", "almond", "secret"} for seq, words in found}


def test_nobody_s_own_words_lead_others_to_what_was_said_beside_them():
    address = engines.on_server()
    with engines.opened(address) as database:
        database.connection.execute(MADE)
    assert windows(address) == {1: {"registri"}, 2: {"registri", "peanut"}, 3: {"registri", "almond"}, 4: {"secret"}}
    engines.rows(address, "UPDATE keepstone.memory SET scope = 'user' WHERE seq = 1")
    assert windows(address)[3] == {"almond"}


def test_what_was_observed_only_its_user_and_workspace_have(machine, tmp_path):
    machine.keepstone("observe", "--tool", "Bash", "--command", "psql zzobserved", KEEPSTONE_SESSION_ID="s-1")
    machine.keepstone("worker", "run", "--wait")
    for who in ({"KEEPSTONE_USER": "bob"}, {"KEEPSTONE_WORKSPACE": "other"}, {}):
        path = tmp_path / f"{len(who)}{''.join(who)}.jsonl"
        machine.keepstone("export", str(path), **who)
        assert ("zzobserved" in path.read_text()) is (not who)


def test_the_audit_says_who_it_was(machine):
    machine.keepstone("store", SAID)
    ((memory_id,),) = engines.rows(machine.database, "SELECT id FROM memory")
    machine.keepstone("pin", memory_id, KEEPSTONE_USER="bob")
    said = machine.keepstone("audit").stdout
    assert "person ann" in said and "person bob" in said


def test_an_export_that_somebody_else_has_imported_already_is_taken_again(machine, tmp_path):
    machine.keepstone("store", "--user", "I prefer short answers")
    machine.keepstone("export", str(tmp_path / "all.jsonl"))
    machine.env = as_user(machine, "bob")
    machine.keepstone("import", "--keep-accepted", str(tmp_path / "all.jsonl"))
    assert "I prefer short answers" in machine.keepstone("recent", "--all").stdout
    assert engines.rows(machine.database, "SELECT user_id FROM memory ORDER BY 1") == [("ann",), ("bob",)]
    assert engines.rows(machine.database, "SELECT count(*) FROM evidence") == [(2,)]


@pytest.mark.parametrize("who", ["KEEPSTONE_USER", "KEEPSTONE_WORKSPACE"])
def test_two_names_never_become_one(machine, who):
    done = machine.keepstone("recent", ok=False, **{who: "a/b"})
    assert done.returncode in (1, 2) and "is called 'a/b'" in done.stderr


@pytest.mark.parametrize("password", ["1/SEKRET", "1?SEKRET", "SEKRET@1", "SEKRET", "%2FSEKRET"])
@pytest.mark.parametrize("command", ["status", "doctor", "store"])
def test_no_password_is_shown_whatever_is_in_it(machine, password, command):
    machine.env["KEEPSTONE_DATABASE_URL"] = f"postgresql://ann:{password}@127.0.0.1:9/keepstone"
    done = machine.keepstone(command, *(["x"] if command == "store" else []), ok=False)
    logs = "".join(path.read_text() for path in (machine.home / "logs").glob("*")) if machine.home.exists() else ""
    assert "SEKRET" not in done.stdout + done.stderr + logs and done.returncode in (1, 2)


def test_what_is_erased_is_in_no_file_of_this_machine(machine):
    machine.store("The mascot is called quokkafriday")
    machine.hook("session-start", machine.event("session-1", source="startup"))
    machine.settle()
    ((memory_id,),) = engines.rows(machine.database, "SELECT id FROM memory")
    (machine.home / "keepstone.db").write_bytes(b"what was moved")
    said = machine.keepstone("erase", "--yes", memory_id).stdout
    assert "not at postgresql://" in said and "dumps" in said and str(machine.home / "keepstone.db") in said
    assert [
        path.name for path in machine.home.rglob("*") if path.is_file() and b"quokkafriday" in path.read_bytes()
    ] == []


@pytest.mark.parametrize("said", ["", "abc", "7.0"])
def test_tables_of_a_schema_that_is_none_are_left_alone(machine, said):
    machine.keepstone("store", SAID)
    engines.rows(machine.database, "UPDATE setting SET value = ? WHERE key = 'schema'", (said,))
    # a process that knows the database does not ask again
    done = machine.command([sys.executable, "-m", "keepstone", "recent"], ok=False)
    assert done.returncode == 1 and "does not say which schema" in done.stderr
    assert engines.rows(machine.database, "SELECT count(*) FROM memory") == [(1,)]


def test_who_may_not_write_the_tables_anew_is_told_that_their_bytes_stay(machine):
    machine.keepstone("store", SAID)
    role = f"member_{uuid.uuid4().hex[:12]}"
    with engines.opened(machine.database) as database:
        database.connection.execute(f"CREATE ROLE {role} LOGIN")
        database.connection.execute(f"GRANT USAGE ON SCHEMA keepstone, keepstone_mine TO {role}")
        database.connection.execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA keepstone, keepstone_mine TO {role}"
        )
        database.connection.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA keepstone TO {role}")
    try:
        ((memory_id,),) = engines.rows(machine.database, "SELECT id FROM memory")
        parts = make_url(machine.database).set(username=role)
        machine.env["KEEPSTONE_DATABASE_URL"] = parts.render_as_string(hide_password=False)
        done = machine.keepstone("erase", "--yes", memory_id, ok=False)
        assert done.returncode == 1 and "VACUUM FULL" in done.stderr and "Erased" not in done.stdout
    finally:
        with engines.opened(machine.env["KEEPSTONE_DATABASE_URL"].replace(role, "postgres")) as database:
            database.connection.execute(f"DROP OWNED BY {role}")
            database.connection.execute(f"DROP ROLE {role}")
