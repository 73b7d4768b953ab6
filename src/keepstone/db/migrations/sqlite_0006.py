"""Schema 6, SQLite: the life cycle. Jobs, ratings, answers to proposals, merges, tombstones, and a version's status;
captured episodic memories expire thirty days from now; windows are remade only if that changes them. Frozen.
"""

from .sqlite_0004 import windows


def _held(row: str) -> str:
    return f"({row}.status = 'active' AND {row}.trust = 'trusted' AND {row}.tier <> 'working')"


AGED = "new.status_reason IN ('expired', 'evicted')"

STATEMENTS = (
    "ALTER TABLE memory_version ADD COLUMN status TEXT",
    """CREATE TABLE job (
        name TEXT NOT NULL PRIMARY KEY,
        due_at REAL NOT NULL,
        claimed_until REAL,
        started_at REAL,
        ended_at REAL,
        problem TEXT,
        report TEXT NOT NULL DEFAULT '{}'
    )""",
    """CREATE TABLE rating (
        seq INTEGER NOT NULL PRIMARY KEY,
        memory_id TEXT NOT NULL REFERENCES memory(id),
        session_id TEXT,
        vote TEXT NOT NULL,
        note TEXT NOT NULL DEFAULT '',
        rated_at REAL NOT NULL
    )""",
    "CREATE INDEX rating_memory ON rating (memory_id)",
    """CREATE TABLE proposal (
        kind TEXT NOT NULL,
        members TEXT NOT NULL,
        answer TEXT NOT NULL,
        answered_at REAL NOT NULL,
        PRIMARY KEY (kind, members)
    )""",
    """CREATE TABLE merged_from (
        memory_id TEXT NOT NULL REFERENCES memory(id),
        source_id TEXT NOT NULL REFERENCES memory(id),
        PRIMARY KEY (memory_id, source_id)
    )""",
    "CREATE INDEX merged_from_source ON merged_from (source_id)",
    "CREATE TABLE tombstone (digest TEXT NOT NULL PRIMARY KEY, erased_at REAL NOT NULL)",
    "CREATE INDEX audit_memory ON audit (memory_id)",
    "CREATE INDEX audit_session ON audit (session_id)",
    "CREATE INDEX memory_tier ON memory (agent_id, tier, status)",
    "CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL AND status = 'active'",
    # The brief's second order: the most recently made or used, whatever their first relevance.
    """CREATE INDEX memory_touched ON memory
        (scope, project_id, status, trust, max(created_at, coalesce(used_at, 0)) DESC, id)""",
    "DROP TRIGGER window_update",
    f"""CREATE TRIGGER window_update AFTER UPDATE OF content, status, trust, tier ON memory
        WHEN new.session_id IS NOT NULL AND (old.content <> new.content OR {_held("old")} <> {_held("new")})
        AND NOT (NOT {_held("new")} AND coalesce({AGED}, 0)) BEGIN
        {" ".join(windows("new.session_id", "new.seq"))}
    END""",
    # A memory that ended automatically stays in its neighbours' windows: many end at once, and remaking five windows
    # for each takes 1.5 ms. They are still its neighbours if it is erased, and are remade then.
    f"""CREATE TRIGGER window_aged AFTER UPDATE OF status ON memory
        WHEN new.session_id IS NOT NULL AND {_held("old")} AND NOT {_held("new")} AND {AGED} BEGIN
        DELETE FROM window_fts WHERE rowid = new.seq;
    END""",
    """UPDATE memory SET expires_at = strftime('%s', 'now') + 30 * 86400
        WHERE tier = 'episodic' AND expires_at IS NULL AND origin IN ('hook', 'api')""",
)
