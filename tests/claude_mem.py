"""Databases of claude-mem, by what its versions publish of their tables: the columns, types and constraints.

Read from its repository (github.com/thedotmack/claude-mem, `src/services/sqlite/SessionStore.ts` at 0096c5d and
`schema.sql` at 0e7117f) and held against what the package 13.25.3 of the npm registry makes (schema_versions 52);
`tests/client/test_claude_mem.py` imports a database that this package itself has made.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

KEY = "INTEGER PRIMARY KEY AUTOINCREMENT"
TEXT, NEED = "TEXT", "TEXT NOT NULL"
SESSIONS = {
    **{"id": KEY, "content_session_id": NEED, "memory_session_id": "TEXT UNIQUE", "project": NEED},
    **{"platform_source": "TEXT NOT NULL DEFAULT 'claude'", "user_prompt": TEXT, "started_at": NEED},
    **{"started_at_epoch": "INTEGER NOT NULL", "status": "TEXT NOT NULL DEFAULT 'active'", "custom_title": TEXT},
}
SAID = {"created_at": NEED, "created_at_epoch": "INTEGER NOT NULL"}
# schema_versions 4, the first that later versions migrate from
FIRST = {
    "sdk_sessions": SESSIONS,
    "observations": {"id": KEY, "memory_session_id": NEED, "project": NEED, "text": NEED, "type": NEED, **SAID},
    "session_summaries": {
        **{"id": KEY, "memory_session_id": "TEXT UNIQUE NOT NULL", "project": NEED},
        **dict.fromkeys(("request", "investigated", "learned", "completed", "next_steps"), TEXT),
        **dict.fromkeys(("files_read", "files_edited", "notes"), TEXT),
        **SAID,
    },
}
# schema_versions 52, of package 13.25.3
NOW = {
    "sdk_sessions": {**SESSIONS, "observed_model": TEXT, "observed_billing": TEXT},
    "observations": {
        **{**FIRST["observations"], "text": TEXT},
        **dict.fromkeys(("title", "subtitle", "facts", "narrative", "concepts", "files_read", "files_modified"), TEXT),
        **dict.fromkeys(("content_hash", "generated_by_model", "merged_into_project", "agent_type", "agent_id"), TEXT),
        **{"prompt_number": "INTEGER", "discovery_tokens": "INTEGER DEFAULT 0", "metadata": TEXT},
        **{"relevance_count": "INTEGER DEFAULT 0", "synced_at": "INTEGER", "sync_rev": "TEXT NOT NULL DEFAULT '1'"},
    },
    "session_summaries": {
        **{**FIRST["session_summaries"], "memory_session_id": NEED},
        **{"prompt_number": "INTEGER", "discovery_tokens": "INTEGER DEFAULT 0", "merged_into_project": TEXT},
    },
    "user_prompts": {
        "id": KEY,
        "content_session_id": NEED,
        "prompt_number": "INTEGER NOT NULL",
        "prompt_text": NEED,
        **SAID,
    },
}
LISTS = ("facts", "concepts", "files_read", "files_modified", "files_edited")
AT = 1_762_600_000_000  # 2025-11-08, in milliseconds


def build(path: Path, schema: dict[str, dict[str, str]] = NOW) -> Path:
    """An empty database of that schema, in WAL as claude-mem opens it."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        for table, columns in schema.items():
            described = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            linked = ", FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE"
            database.execute(f"CREATE TABLE {table} ({described}{linked if 'memory_session_id' in columns else ''})")
        database.commit()
    return path


def session(path: Path, number: int = 1, project: str = "acme shop", client: str = "") -> str:
    """A session; the id by which its rows name it."""
    own = f"memory-{number}"
    add(path, "sdk_sessions", content_session_id=client or f"client-{number}", memory_session_id=own, project=project)
    return own


def observation(
    path: Path, of: str = "memory-1", project: str = "acme shop", type: str = "decision", **more: object
) -> None:
    add(path, "observations", memory_session_id=of, project=project, type=type, **more)


def summary(path: Path, of: str = "memory-1", project: str = "acme shop", **more: object) -> None:
    add(path, "session_summaries", memory_session_id=of, project=project, **more)


def add(path: Path, table: str, **row: object) -> None:
    """Writes a row as claude-mem does: lists as JSON, both forms of the time."""
    times = ("started_at", "started_at_epoch") if table == "sdk_sessions" else ("created_at", "created_at_epoch")
    whole = {times[0]: "2025-11-08T11:06:40.000Z", times[1]: AT, **row}
    values = {name: json.dumps(value) if name in LISTS and _is_list(value) else value for name, value in whole.items()}
    with closing(sqlite3.connect(path)) as database:
        marks = ", ".join(f":{name}" for name in values)
        database.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", values)
        database.commit()


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)
