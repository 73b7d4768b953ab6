"""Gathers what there is to know about an installation. Reads only; repairs nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing

from .. import runtime, settings, spool
from ..core.errors import StoreError
from ..core.health import Check, Facts, report
from ..core.text import digest
from ..core.view import iso
from ..store.reader import Reader, quoted_path

LOG_TAIL = 20_000  # bytes of the hooks' log that are looked at


def doctor(home: str, database: str, now: float) -> list[Check]:
    facts = Facts(home=home, database=database)
    if os.path.isdir(home):
        facts.home_mode = stat.S_IMODE(os.stat(home).st_mode) if os.name != "nt" else 0o700
    values, facts.setting_problems = settings.load(home)
    facts.off = bool(values["off"])
    facts.hook_python, facts.worker_python = runtime.interpreters(home)
    facts.waiting = len(spool.names(home, "new"))
    facts.aside = spool.names(home, "aside")
    facts.hook_errors = _log_tail(os.path.join(home, "logs", "hooks.log"))
    if os.path.exists(database):
        _database(facts, now)
    return report(facts)


def _database(facts: Facts, now: float) -> None:
    try:
        store = Reader(facts.database, busy=5.0)
        facts.database_size = os.path.getsize(facts.database)
        if store.empty:
            return
        facts.memories = sum(store.counts(None, True, now).values())
        facts.last_captured = iso(store.last_captured_at()) or ""
        store.close()
    except StoreError as problem:
        facts.database_problem = problem.message
        return
    try:
        with closing(sqlite3.connect(f"file:{quoted_path(facts.database)}?mode=ro", uri=True)) as database:
            facts.integrity = database.execute("PRAGMA quick_check(1)").fetchone()[0]
            facts.journal = database.execute("PRAGMA journal_mode").fetchone()[0]
            facts.sessions = database.execute("SELECT count(*) FROM session").fetchone()[0]
            facts.damaged = _damaged(database)
            facts.index_problem = _index_problem(database)
    except sqlite3.Error as problem:
        facts.integrity = str(problem)


def _damaged(database: sqlite3.Connection) -> list[str]:
    memories = database.execute("SELECT id, row_digest, title, content, kind, status, trust, scope FROM memory")
    found = [row[0] for row in memories if digest(*map(str, row[2:])) != row[1]]
    evidence = database.execute("SELECT memory_id, row_digest, excerpt FROM evidence")
    return found + [f"{row[0]} (evidence)" for row in evidence if digest(str(row[2])) != row[1]]


def _index_problem(database: sqlite3.Connection) -> str:
    """Compares counts: the index's own integrity-check needs a writable file."""
    for table, index in (("memory", "memory_fts"), ("evidence", "evidence_fts")):
        rows = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        indexed = database.execute(f"SELECT count(*) FROM {index}_docsize").fetchone()[0]
        if rows != indexed:
            return f"{index} holds {indexed} of {rows} rows"
    return ""


def _log_tail(path: str) -> list[str]:
    try:
        with open(path, "rb") as log:
            log.seek(max(0, os.path.getsize(path) - LOG_TAIL))
            return log.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
