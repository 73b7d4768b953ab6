"""A damaged database is put right with every row that can still be read; what was there is kept."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from keepstone import Memory
from keepstone.db.integrity import check
from keepstone.db.reader import SCHEMA
from keepstone.lib.errors import StoreError
from living import holding
from support import Machine, git

pytestmark = pytest.mark.of_files

PAGE = 4_096
WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa".split()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A machine's root with a store in it, made once: it takes seconds."""
    machine = Machine(tmp_path_factory.mktemp("filled") / "machine")
    made = Memory(str(machine.home), str(machine.project), machine.env)
    for number, word in enumerate(WORDS * 8):
        made.store(f"The {word} service number {number} answers on port {8_000 + number}", tags=[word])
    settled(made.context.database)
    return machine


@pytest.fixture
def memory(machine, filled):
    shutil.copytree(filled.home, machine.home, dirs_exist_ok=True)
    machine.sql(f"UPDATE project_key SET key = replace(key, '{filled.project}', '{machine.project}')")
    return Memory(str(machine.home), str(machine.project), machine.env)


def settled(path):
    """All in one file: what is damaged then is damaged."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def root_of(path, table):
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]


def last_of_schema(path):
    """The last page of a schema that takes more than one."""
    with open(path, "rb") as file:
        file.seek(108)
        return int.from_bytes(file.read(4), "big")


def leaf_of(path, table):
    """A page that holds rows of a table, not its first."""
    root = root_of(path, table)
    with open(path, "rb") as file:
        file.seek((root - 1) * PAGE + 12)
        first = int.from_bytes(file.read(2), "big")
        file.seek((root - 1) * PAGE + first)
        return int.from_bytes(file.read(4), "big")


def spoil(path, page, data=b"\xff" * PAGE):
    with open(path, "r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(data)


def sound(memory):
    checks = {one.name: one.state for one in memory.maintenance.doctor()}
    return checks["database"], checks["digests"]


def test_memories_of_no_project_are_saved_from_a_database_without_projects(machine, memory):
    for statement in (
        "UPDATE memory SET project_id = NULL",
        "UPDATE session SET project_id = NULL",
        "DELETE FROM project_key",
        "DELETE FROM project",
    ):
        machine.sql(statement)
    made = memory.maintenance.repair()
    assert made.lost == {} and made.saved["memory"] == len(WORDS) * 8 and "project" not in made.saved
    assert machine.sql("SELECT count(*) FROM project") == [(0,)]


def test_a_page_that_is_lost_costs_its_own_rows_only(memory):
    path = memory.context.database
    settled(path)
    spoil(path, leaf_of(path, "memory"))
    assert sound(memory)[0] == "fail"
    made = memory.maintenance.repair()
    left = len(memory.recent(limit=1_000))
    assert 90 <= left < len(WORDS) * 8 and made.saved["memory"] == left and made.lost["memory"] > 0
    assert sound(memory) == ("ok", "ok")
    last = len(WORDS) * 8 - 1
    assert memory.search(f"service number {last}").found[0].memory.content.endswith(str(8_000 + last))
    assert os.path.exists(made.kept) and memory.store("The quebec service is new")[1]


def test_an_index_that_does_not_match_is_made_anew_and_nothing_is_lost(machine, memory):
    path = memory.context.database
    settled(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')")
    before, indexed = len(memory.recent(limit=1_000)), "SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'alpha'"
    assert machine.sql(indexed) == [(0,)] and sound(memory)[0] == "fail"
    made = memory.maintenance.repair()
    assert not made.lost and len(memory.recent(limit=1_000)) == before
    assert machine.sql(indexed) == [(8,)] and sound(memory) == ("ok", "ok")


def test_the_command_itself_saves_rows_and_passes_over_a_damaged_copy(machine):
    """In a process of its own, which has loaded no more than the command does."""
    repair = [sys.executable, "-m", "keepstone", "doctor", "--repair"]
    machine.store("What was there before the copy")
    machine.keepstone("backup")
    machine.store("What came after it")
    told = machine.command(repair, ok=False)
    assert "2 memories saved" in told.stdout + told.stderr
    assert {row["content"] for row in machine.memories()} == {"What was there before the copy", "What came after it"}
    path = machine.home / "keepstone.db"
    (newest,) = (machine.home / "backups").glob("manual-*.db")
    spoiled = newest.with_name("manual-99990101-000000.db")
    spoiled.write_bytes(newest.read_bytes()[:5_000])
    settled(path)
    path.write_bytes(b"this is no database " * 1_000)
    told = machine.command(repair, ok=False)
    assert f"{newest.name} is in its place" in told.stderr
    assert {row["content"] for row in machine.memories()} == {"What was there before the copy"}


@pytest.mark.parametrize("damage", ["text", "cut"])
def test_where_nothing_can_be_read_the_newest_sound_copy_is_put_in_place(machine, memory, damage):
    memory.backups.backup()
    memory.store("What came after the copy")
    settled(memory.context.database)
    with open(memory.context.database, "r+b") as file:
        if damage == "cut":
            file.truncate(50)
        else:
            file.write(b"this is no database " * 10_000)
    for end in ("-wal", "-shm"):
        if os.path.exists(memory.context.database + end):
            os.unlink(memory.context.database + end)
    done = machine.keepstone("doctor", "--repair", ok=False)
    assert "manual-" in done.stderr and "is in its place" in done.stderr
    assert len(memory.recent(limit=1_000)) == len(WORDS) * 8 and sound(memory) == ("ok", "ok")


@pytest.mark.parametrize(("remote", "name"), [("", "acme shop"), ("git@example.com:acme/shop.git", "acme/shop")])
def test_a_lost_list_of_projects_costs_no_memory(machine, memory, remote, name):
    if remote:
        git("init", "-q", cwd=machine.project)
        git("remote", "add", "origin", remote, cwd=machine.project)
        memory = Memory(str(machine.home), str(machine.project), machine.env)
        memory.store("The quebec service is new")
    settled(memory.context.database)
    before = [hit.memory.id for hit in memory.recent(limit=1_000)]
    spoil(memory.context.database, root_of(memory.context.database, "project"), bytes(PAGE))
    assert not memory.maintenance.repair().from_backup and sound(memory) == ("ok", "ok")
    after = memory.recent(limit=1_000)
    assert before and [hit.memory.id for hit in after] == before and {hit.project for hit in after} == {name}


@pytest.mark.parametrize("damage", [lambda path, page: os.truncate(path, (page - 1) * PAGE), spoil])
def test_a_part_of_the_schema_finds_the_memories_though_there_is_an_older_copy(machine, damage):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    memory.store("Deploys need the VPN")
    memory.backups.backup()
    memory.store("The registry is internal")
    settled(memory.context.database)
    damage(memory.context.database, last_of_schema(memory.context.database))
    with closing(sqlite3.connect(memory.context.database)) as database, pytest.raises(sqlite3.DatabaseError):
        database.execute("SELECT name FROM sqlite_master").fetchall()
    made = memory.maintenance.repair()
    assert not made.from_backup and made.saved["memory"] == 2 and sound(memory) == ("ok", "ok")


def test_where_no_memory_can_be_read_the_copy_has_them(memory):
    memory.backups.backup()
    settled(memory.context.database)
    spoil(memory.context.database, root_of(memory.context.database, "memory"), bytes(PAGE))
    assert memory.maintenance.repair().from_backup.startswith("manual-")
    assert len(memory.recent(limit=1_000)) == len(WORDS) * 8 and sound(memory) == ("ok", "ok")


def test_rows_far_apart_are_all_saved_and_two_repairs_in_a_second_keep_both(machine, memory):
    machine.sql("UPDATE memory SET seq = seq + 1000000000000 WHERE seq > 60")
    machine.sql("INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
    now = memory.context.clock()
    memory = Memory.of_context(replace(memory.context, clock=lambda: now))
    first, second = memory.maintenance.repair(), memory.maintenance.repair()
    assert first.saved["memory"] == second.saved["memory"] == len(WORDS) * 8 and not second.lost
    assert first.kept != second.kept and len(memory.recent(limit=1_000)) == len(WORDS) * 8


@pytest.mark.parametrize(
    "change",
    [
        "title = CAST(title AS BLOB), created_at = 1e300, updated_at = 9e999",
        "title = CAST(x'ff41' AS TEXT) || title, content = CAST(x'c3' AS TEXT) || content",
    ],
)
def test_a_text_or_time_that_is_none_is_shown_all_the_same(machine, memory, change):
    memory.backups.backup()
    machine.sql(f"UPDATE memory SET {change} WHERE seq = 2")
    shown = [hit.memory for hit in memory.recent(limit=1_000)]
    assert len(shown) == len(WORDS) * 8 and all(isinstance(one.title, str) for one in shown)
    for words in (
        ("recent",),
        ("search", "bravo"),
        ("show", shown[0].id),
        ("status",),
        ("export", "-"),
        ("worker", "run-all"),
    ):
        assert "Traceback" not in machine.keepstone(*words).stderr
    said = machine.hook("session-start", machine.event(source="startup")).stdout
    assert "Session Memory" in said and not (machine.home / "logs" / "hooks.log").exists()
    machine.store("The bravo service is down")
    assert memory.maintenance.repair().saved["memory"] == len(WORDS) * 8 + 1
    assert machine.sql("SELECT DISTINCT typeof(title) FROM memory") == [("text",)]


def test_a_link_that_leads_nowhere_is_no_new_beginning(machine):
    machine.home.mkdir(parents=True, exist_ok=True)
    (machine.home / "keepstone.db").symlink_to(machine.root / "gone.db")
    assert "is no file" in machine.hook("session-start", machine.event(source="startup")).stdout
    done = machine.keepstone("doctor", ok=False)
    assert done.returncode == 1 and "FAIL  database" in done.stdout
    for words in (("store", "Deploys need the VPN"), ("recent",), ("doctor", "--repair")):
        done = machine.keepstone(*words, ok=False)
        assert done.returncode == 1 and "is no file" in done.stderr


def test_without_anything_to_read_it_stands_as_it_was(machine):
    machine.home.mkdir(parents=True, exist_ok=True)
    path = machine.home / "keepstone.db"
    path.write_bytes(b"this is no database " * 500)
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    with pytest.raises(StoreError, match="no sound copy"):
        memory.maintenance.repair()
    assert path.read_bytes() == b"this is no database " * 500


def test_a_newer_database_is_not_touched(machine, memory):
    settled(memory.context.database)
    machine.sql("CREATE TABLE later (id TEXT)")
    machine.sql("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="a newer Keepstone"):
        memory.maintenance.repair()
    (database,) = (one for one in memory.maintenance.doctor() if one.name == "database")
    assert database.state == "fail" and "claude plugin update" in database.fix


HEAD = (16, 17, 18, 19, 20, 21, 22, 23, 28, 31, 44, 47, 56, 59, 60, 63)  # bytes of a database's header that matter


@pytest.mark.system
@pytest.mark.parametrize("damage", [*HEAD, "magic", "all", "cut"])
def test_a_damaged_header_or_end_hides_no_rows_though_there_is_an_older_copy(memory, damage):
    memory.backups.backup()
    memory.store("What came after the copy")
    settled(memory.context.database)
    with open(memory.context.database, "r+b") as file:
        whole = file.read()
        if damage == "cut":
            file.truncate(len(whole) - PAGE)
        else:
            at, size = {"magic": (0, 16), "all": (0, 100)}.get(damage, (damage, 1))
            file.seek(at)
            file.write(bytes(byte ^ 0xFF for byte in whole[at : at + size]))
    made = memory.maintenance.repair()
    assert not made.from_backup and made.saved["memory"] >= len(WORDS) * 8
    assert damage == "cut" or (not made.lost and memory.search("what came after the copy").found)
    assert sound(memory) == ("ok", "ok") and memory.store("The quebec service is new")[1]


@pytest.mark.parametrize("number", [2, SCHEMA + 1])
def test_a_number_of_another_schema_over_these_tables_is_told_and_mended(machine, memory, number):
    machine.sql(f"PRAGMA user_version = {number}")
    (database,) = (one for one in memory.maintenance.doctor() if one.name == "database")
    assert (database.state, database.fix) == (
        "fail",
        "keepstone doctor --repair",
    ) and f"schema {number}" in database.says
    assert memory.maintenance.repair().saved["memory"] == len(WORDS) * 8
    assert sound(memory) == ("ok", "ok") and memory.store("The quebec service is new")[1]


def test_a_writer_s_version_that_is_damaged_is_told(memory):
    settled(memory.context.database)
    with open(memory.context.database, "r+b") as file:
        file.seek(18)
        file.write(b"\x06")
    assert sound(memory)[0] == "fail"
    assert memory.maintenance.repair().saved["memory"] == len(WORDS) * 8 and sound(memory) == ("ok", "ok")


@pytest.mark.parametrize(
    "change",
    [
        "pinned = x''",
        "retrieval_count = x''",
        "up_votes = NULL, origin = NULL, created_at = NULL",
        "relevance = 1e308, confidence = x'01', version = 'one'",
    ],
)
def test_values_of_another_type_silence_nobody_and_cost_no_row(machine, memory, change):
    with closing(sqlite3.connect(memory.context.database, isolation_level=None)) as database:
        sql = database.execute("SELECT sql FROM sqlite_master WHERE name = 'memory'").fetchone()[0]
        database.execute("PRAGMA writable_schema=ON")
        loose = sql.replace("NOT NULL", "").replace("INTEGER ", "BLOB ").replace("REAL ", "BLOB ")
        loose = loose.replace("seq BLOB", "seq INTEGER")
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'memory'", (loose,))
    machine.sql(f"UPDATE memory SET {change} WHERE seq = 2")
    with closing(sqlite3.connect(memory.context.database, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema=ON")
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'memory'", (sql,))
    for words in (("recent",), ("search", "bravo"), ("status",), ("worker", "run-all")):
        assert "bug" not in machine.keepstone(*words, ok=False).stderr
    assert "Session Memory" in machine.hook("session-start", machine.event(source="startup")).stdout
    assert not (machine.home / "logs" / "hooks.log").exists()
    made = memory.maintenance.repair()
    assert made.saved["memory"] == len(WORDS) * 8 and not made.lost
    assert machine.sql("SELECT DISTINCT typeof(pinned) || typeof(up_votes) || typeof(version) FROM memory") == [
        ("integerintegerinteger",)
    ]
    machine.keepstone("recent")


def test_evidence_that_belongs_to_no_memory_is_told(machine, memory):
    machine.sql("UPDATE evidence SET memory_id = 'mem-nobody' WHERE seq = 3")
    (database,) = (one for one in memory.maintenance.doctor() if one.name == "database")
    assert database.state == "fail" and "evidence" in database.says
    assert memory.maintenance.repair().lost == {"evidence": 1} and sound(memory) == ("ok", "ok")


def test_what_was_erased_is_in_no_kept_copy_either(machine, memory):
    hit, _ = memory.store("The zebrafish cluster is behind the quokka VPN")
    memory.maintenance.repair()
    assert any("damaged-" in name for name in holding(machine.home, "zebrafish"))
    memory.privacy.erase([hit.memory.id])
    assert holding(machine.home, "zebrafish") == []


def test_a_flipped_byte_survives_the_repair_and_is_still_named(memory):
    memory.store("Deploys need the VPN")
    with closing(sqlite3.connect(memory.context.database)) as database, database:
        database.execute("UPDATE memory SET content = 'Deploys need the VPM' WHERE content LIKE 'Deploys%'")
    memory.maintenance.repair()
    assert sound(memory) == ("ok", "fail") and len(check(memory.context.database).damaged) == 1


def test_a_session_is_told_once_that_nothing_can_be_read(machine, memory):
    settled(memory.context.database)
    with open(memory.context.database, "r+b") as file:
        file.write(b"this is no database " * 10_000)
    event = machine.event(source="startup")
    attended = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
    first = machine.hook("session-start", event, **attended)
    assert "can't be read" in json.loads(first.stdout)["systemMessage"] and first.returncode == 0
    assert machine.hook("session-start", event, **attended).stdout == ""
    assert machine.hook("session-start", event, CLAUDE_CODE_ENTRYPOINT="sdk-cli").stdout == ""
