"""Databases of every earlier schema, opened by today's code."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from keepstone.db.migrations import run
from keepstone.db.reader import SCHEMA
from support import ROOT

pytestmark = pytest.mark.of_files

SAID = {
    "We decided to use PostgreSQL for billing, not MySQL",
    "I always use pnpm in all my projects",
    "Deploys need the VPN",
}


def shape(path):
    """Every table, index and trigger, in the words that made it."""
    with closing(sqlite3.connect(path)) as database:
        return {row for row in database.execute("SELECT type, name, sql FROM sqlite_master") if "_fts_" not in row[1]}


def columns(path):
    with closing(sqlite3.connect(path)) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(row[1:] for row in database.execute(f"PRAGMA table_info({name})")) for name in tables}


@pytest.mark.parametrize("schema", range(1, 8))
def test_an_old_database_is_brought_up_to_date_and_keeps_all(machine, schema):
    machine.home.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "data" / f"schema-{schema}.db", machine.home / "keepstone.db")
    assert {row["content"] for row in machine.memories("--all")} == SAID
    assert machine.sql("PRAGMA user_version") == [(SCHEMA,)]
    for word in ("PostgreSQL", "pnpm", "VPN"):
        assert word in machine.keepstone("search", word, "--all").stdout
    fresh = machine.root / "fresh.db"
    run.create(str(fresh))
    path = machine.home / "keepstone.db"
    for row in columns(fresh).items():
        assert row in columns(path).items()
    assert {row[:2] for row in shape(path)} == {row[:2] for row in shape(fresh)}
    doctor = machine.keepstone("doctor", ok=False).stdout
    assert "ok    database" in doctor and "ok    digests" in doctor
    assert run.version(str(machine.home / "backups" / f"schema-{schema}.db")) == schema
    machine.store("The staging database is called shop_stage")
    assert len(machine.memories("--all")) == 4
