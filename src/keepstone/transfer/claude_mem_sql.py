"""Reads claude-mem's database, in any version of its schema. Never writes to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from ..db.integrity import untouched
from ..lib.errors import BadInput
from ..lib.limits import LINE_BYTES_MAX
from ..model.memory import decoded
from .claude_mem import TABLES

MAGIC = b"SQLite format 3\0"


def rows(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (table, row) of its observations and summaries, oldest first, each with the client's id of its session.
    Raises BadInput if it is another kind of database or cannot be read.
    """
    try:
        with closing(untouched(path)) as database:
            database.row_factory = sqlite3.Row
            database.text_factory = decoded
            database.execute("PRAGMA trusted_schema = OFF")  # the database may come from a stranger
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LINE_BYTES_MAX)
            there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            _require_tables(path, there)
            if any(row["hidden"] for table in TABLES for row in database.execute(f"PRAGMA table_xinfo({table})")):
                raise BadInput(
                    f"{path} has columns that are computed, as claude-mem's has not", "keepstone import --help"
                )
            sessions = _sessions(database, there)
            for table in TABLES:
                for row in database.execute(f"SELECT * FROM {table} ORDER BY created_at_epoch, id"):
                    known = dict(row)
                    yield table, {**known, "content_session_id": sessions.get(known.get("memory_session_id"), "")}
    except sqlite3.Error as problem:
        raise BadInput(f"{path} can't be read: {problem}", "keepstone import ~/.claude-mem/claude-mem.db") from problem


def _require_tables(path: str, there: set[str]) -> None:
    if {"memory", "evidence"} <= there:
        raise BadInput(
            f"{path} is a database of Keepstone's",
            "KEEPSTONE_HOME=ITS_FOLDER keepstone export all.jsonl, then import that",
        )
    if not set(TABLES) <= there:
        raise BadInput(f"{path} is a database, but not claude-mem's", "keepstone import ~/.claude-mem/claude-mem.db")


def _sessions(database: sqlite3.Connection, there: set[str]) -> dict[Any, str]:
    """Returns the client's id of each session by claude-mem's id of it."""
    if "sdk_sessions" not in there:
        return {}
    names = {row[1] for row in database.execute("PRAGMA table_info(sdk_sessions)")}
    if not {"memory_session_id", "content_session_id"} <= names:
        return {}
    return dict(map(tuple, database.execute("SELECT memory_session_id, content_session_id FROM sdk_sessions")))
