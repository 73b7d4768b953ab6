"""Schema 5, SQLite: the focus of sessions, and the errors of their commands. Frozen."""

STATEMENTS = (
    """CREATE TABLE focus (
        session_id TEXT NOT NULL,
        memory_id TEXT NOT NULL REFERENCES memory(id),
        relevance REAL NOT NULL,
        by_hand INTEGER NOT NULL DEFAULT 0,
        focused_at REAL NOT NULL,
        PRIMARY KEY (session_id, memory_id)
    )""",
    "CREATE INDEX focus_memory ON focus (memory_id)",
    "ALTER TABLE observation ADD COLUMN error TEXT NOT NULL DEFAULT ''",
)
