"""Databases of every schema that there was, opened by today's code; and today's, opened by the code of then."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing

import pytest

from keepstone.store import migrations
from keepstone.store.reader import SCHEMA
from support import ROOT, require

pytestmark = pytest.mark.of_files

# the last commit of each schema; `tests/data/schema-N.db` was made by it
LAST = {2: "889bac5^", 3: "7e2f41b^", 4: "0f714b0^", 5: "6d20947^", 6: "4f84ce3"}
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


@pytest.mark.parametrize("schema", [1, *LAST])
def test_an_old_database_is_brought_up_to_date_and_keeps_all(machine, schema):
    machine.home.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "data" / f"schema-{schema}.db", machine.home / "keepstone.db")
    assert {row["content"] for row in machine.memories("--all")} == SAID
    assert machine.sql("PRAGMA user_version") == [(SCHEMA,)]
    for word in ("PostgreSQL", "pnpm", "VPN"):
        assert word in machine.keepstone("search", word, "--all").stdout
    fresh = machine.root / "fresh.db"
    migrations.create(str(fresh))
    path = machine.home / "keepstone.db"
    for row in columns(fresh).items():
        assert row in columns(path).items()
    assert {row[:2] for row in shape(path)} == {row[:2] for row in shape(fresh)}
    doctor = machine.keepstone("doctor", ok=False).stdout
    assert "ok    database" in doctor and "ok    digests" in doctor
    assert migrations.version(str(machine.home / "backups" / f"schema-{schema}.db")) == schema
    machine.keepstone("store", "The staging database is called shop_stage")
    assert len(machine.memories("--all")) == 4


def code_of(folder, revision):
    """The source of a revision."""
    done = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, capture_output=True)
    require("the project's history", done.returncode == 0, "git fetch --unshallow")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return str(folder / "src")


@pytest.mark.parametrize("schema", [4, 5, 6])
def test_todays_database_is_not_written_by_the_code_of_then(machine, tmp_path, schema):
    for text in sorted(SAID):
        machine.store(text)
    with closing(sqlite3.connect(machine.home / "keepstone.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = machine.sql("SELECT id, title, content, status FROM memory")
    env = {"PYTHONPATH": code_of(tmp_path / "then", LAST[schema])}
    then = [sys.executable, "-m", "keepstone"]
    refused = machine.command([*then, "store", "What an older plugin heard"], ok=False, **env)
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    assert f"of schema {SCHEMA}" in refused.stderr and "claude plugin update" in refused.stderr
    read = machine.command([*then, "recent"], ok=False, **env)
    assert "Traceback" not in read.stderr and (read.returncode == 0 or f"of schema {SCHEMA}" in read.stderr)
    hook = "import sys; sys.argv[0] = 'hook'; from keepstone import hooks; hooks.main('session-start')"
    started = subprocess.run(
        [sys.executable, "-c", hook],
        input=b'{"session_id": "s", "source": "startup"}',
        env={**machine.env, **env},
        cwd=machine.project,
        capture_output=True,
    )
    assert started.returncode == 0 and started.stderr == b""
    assert machine.sql("SELECT id, title, content, status FROM memory") == before and machine.sql(
        "PRAGMA user_version"
    ) == [(SCHEMA,)]
    assert machine.sql("PRAGMA integrity_check") == [("ok",)]
    assert os.path.exists(machine.home / "keepstone.db")
