"""Whether a database is what it should be: asked by doctor, reads only."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from ..core.text import digest
from .reader import quoted_path


@dataclass(frozen=True, slots=True)
class Soundness:
    """`integrity` is SQLite's own word, "ok" when it is; `damaged` names rows whose digest no longer fits, `agents` are
    (name, count of active memories), the most first.
    """

    integrity: str
    journal: str = ""
    sessions: int = 0
    deliveries: int = 0
    delivered_at: float | None = None
    damaged: tuple[str, ...] = ()
    index_problem: str = ""
    agents: tuple[tuple[str, int], ...] = ()


AGENTS = "SELECT agent_id, count(*) FROM memory WHERE status = 'active' GROUP BY agent_id ORDER BY 2 DESC, 1"


def check(path: str) -> Soundness:
    """Looks through an existing database. Never raises: what can't be read is in `integrity`."""
    try:
        with closing(opened(path)) as database:
            return Soundness(
                integrity=database.execute("PRAGMA quick_check(1)").fetchone()[0],
                journal=database.execute("PRAGMA journal_mode").fetchone()[0],
                sessions=database.execute("SELECT count(*) FROM session").fetchone()[0],
                deliveries=database.execute("SELECT count(*) FROM delivery").fetchone()[0],
                delivered_at=database.execute("SELECT max(delivered_at) FROM delivery").fetchone()[0],
                damaged=tuple(_damaged(database)),
                index_problem=_index_problem(database),
                agents=tuple(database.execute(AGENTS)),
            )
    except (sqlite3.Error, UnicodeDecodeError) as problem:  # the latter where SQLite quotes damaged words
        return Soundness(str(problem))


def opened(path: str) -> sqlite3.Connection:
    """Read-only; where the disk is so too and the `-wal` can't be made, as a file at rest."""
    database = sqlite3.connect(f"file:{quoted_path(path)}?mode=ro", uri=True)
    try:
        database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        database.close()
        return sqlite3.connect(f"file:{quoted_path(path)}?immutable=1", uri=True)
    return database


def untouched(path: str) -> sqlite3.Connection:
    """Read-only without leaving a trace: of a file that nobody has open not even the log is made."""
    if any(os.path.exists(path + end) for end in ("-wal", "-journal")):
        return opened(path)
    return sqlite3.connect(f"file:{quoted_path(path)}?immutable=1", uri=True)


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
