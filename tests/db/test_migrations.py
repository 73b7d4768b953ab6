"""Migrations: whole or not at all, after a copy, and the tables they make are those the code writes."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
from contextlib import closing

import pytest

from keepstone.admin.facts_sql import usage
from keepstone.db.migrations import run
from keepstone.db.reader import SCHEMA, Reader
from keepstone.db.records import KEYS, REFERENCES, TABLES
from keepstone.db.rows import UNNAMED
from keepstone.lib.errors import StoreError
from support import ROOT

pytestmark = pytest.mark.of_files

NEXT = (
    *run.SQLITE,
    ("ALTER TABLE memory ADD COLUMN colour TEXT", "CREATE INDEX memory_colour ON memory (colour)"),
)
KINDS = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}
FAILING = (*run.SQLITE, ("ALTER TABLE memory ADD COLUMN colour TEXT", "CREATE TABLE memory (x)"))


def columns(path, table):
    with closing(sqlite3.connect(path)) as database:
        return {row[1]: (row[3], row[5] > 0) for row in database.execute(f"PRAGMA table_info({table})")}


def test_every_migration_is_numbered_to_the_schema_the_code_knows():
    assert len(run.SQLITE) == SCHEMA


def test_a_fresh_schema_is_what_the_columns_say(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    for table, held in TABLES.items():
        needed = {column.name: not column.nullable or column.name == "seq" for column in held}
        keys = {column.name: column.name in KEYS[table] for column in held}
        assert columns(path, table) == {name: (int(needed[name]), keys[name]) for name in needed}, table
    with closing(sqlite3.connect(path)) as database:
        assert set(whole(database)) == TABLES.keys()
        for table, held in TABLES.items():
            described = whole(database)[table]
            assert {name: row[0] for name, row in described.items()} == {one.name: KINDS[one.type] for one in held}
            found = database.execute(f'SELECT "from", "table", "to" FROM pragma_foreign_key_list(\'{table}\')')
            assert {column: of for column, of, _ in found} == REFERENCES.get(table, {}), table
            assert all(key == "id" for _, _, key in found)


def test_rows_without_a_key_of_their_own_are_those_that_the_code_knows(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    with closing(sqlite3.connect(path)) as database:
        unique = 'SELECT count(*) FROM pragma_index_list(?) WHERE "unique"'
        numbered = [table for table, key in KEYS.items() if key == ("seq",)]
        assert UNNAMED.keys() == {table for table in numbered if database.execute(unique, (table,)).fetchone() == (0,)}


def taken_away(before, after):
    """What of each table's columns is not there any more, is another type, or has to be given now."""
    for table, held in before.items():
        for name, (kind, needed, default, key) in held.items():
            if after.get(table, {}).get(name) != (kind, needed, default, key):
                yield f"{table}.{name}"
        for name, (_, needed, default, _) in after.get(table, {}).items():
            if name not in held and needed and default is None:
                yield f"{table}.{name} has to be given"


def whole(database):
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: {row[1]: row[2:] for row in database.execute(f"PRAGMA table_info({table})")}
        for table in tables
        if "_fts" not in table  # an index can be made anew of its rows
    }


def test_migrations_only_add_so_that_older_code_reads_and_writes_what_it_knows(tmp_path):
    with closing(sqlite3.connect(tmp_path / "keepstone.db", isolation_level=None)) as database:
        before = {}
        for number in range(1, SCHEMA + 1):
            run.apply(database, run.SQLITE[:number])
            after = whole(database)
            assert list(taken_away(before, after)) == [], number
            before = after
        assert len(before) > 15
        database.execute("ALTER TABLE memory DROP COLUMN branch")
        assert list(taken_away(before, whole(database))) == ["memory.branch"]  # it can fail


def test_creating_is_private_and_in_wal(tmp_path):
    path = tmp_path / "home" / "keepstone.db"
    run.ensure(str(path))
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("SELECT value FROM setting WHERE key = 'min_reader'").fetchone() == ("3",)


def test_eight_processes_may_create_it_at_once(tmp_path):
    paths = [str(tmp_path / f"{number}.db") for number in range(40)]
    with multiprocessing.get_context("spawn").Pool(8) as pool:
        pool.map(run.ensure, [path for path in paths for _ in range(8)], chunksize=1)
    assert {Reader(path).schema for path in paths} == {SCHEMA}


def test_an_existing_database_is_copied_before_it_is_migrated(tmp_path):
    path, backups = str(tmp_path / "keepstone.db"), tmp_path / "backups"
    run.ensure(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO setting VALUES ('mark', 'before')")
        database.commit()
        assert run.migrate(path, str(backups), NEXT) == [SCHEMA + 1]
    assert "colour" in columns(path, "memory")
    copy = backups / f"schema-{SCHEMA}.db"
    assert "colour" not in columns(copy, "memory") and copy.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT value FROM setting WHERE key = 'mark'").fetchone() == ("before",)


def test_a_database_of_the_first_release_keeps_its_memories_and_gets_the_ledger(machine):
    machine.home.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "data" / "schema-1.db", machine.home / "keepstone.db")
    before = {row["content"] for row in machine.memories("--all")}
    assert before == {
        "We decided to use PostgreSQL for billing, not MySQL",
        "I always use pnpm in all my projects",
        "Deploys need the VPN",
    }
    assert machine.sql("PRAGMA user_version") == [(SCHEMA,)]
    assert machine.sql("SELECT count(*) FROM usage") == [(0,)]
    assert machine.sql("SELECT value FROM setting WHERE key = 'min_reader'") == [("3",)]
    assert run.version(str(machine.home / "backups" / "schema-1.db")) == 1
    machine.store("The staging database is called shop_stage")
    assert len(machine.memories("--all")) == 4
    assert usage(Reader(str(machine.home / "keepstone.db")), "2026-11-08")[0] == 0


def test_what_is_up_to_date_is_neither_copied_nor_touched(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    assert run.migrate(path, str(tmp_path / "backups")) == [] and not (tmp_path / "backups").exists()


def test_a_failing_migration_leaves_the_last_whole_schema(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    with pytest.raises(sqlite3.Error):
        run.migrate(path, str(tmp_path / "backups"), FAILING)
    assert Reader(path).schema == SCHEMA and "colour" not in columns(path, "memory")


def test_what_is_no_database_is_refused_with_a_clear_error(tmp_path):
    path = tmp_path / "keepstone.db"
    path.write_text("no database\n" * 100)
    with pytest.raises(StoreError, match="can't be used"):
        run.ensure(str(path))
    assert path.read_text().startswith("no database")


def test_a_newer_database_is_read_when_it_says_that_this_code_may(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    assert Reader(path).listing(None, True, "", 5, 0) == []
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE setting SET value = ?", (SCHEMA + 1,))
        database.commit()
    with pytest.raises(StoreError, match=f"of schema {SCHEMA + 1}"):
        Reader(path)
