"""Schema 3, SQLite: relationships, observations, deadlines, verdicts on deliveries; the working tier, which is not
recalled. Readers of older schemas would show the working tier, so they are refused. Frozen.
"""

STATEMENTS = (
    "ALTER TABLE memory ADD COLUMN deadline_at REAL",
    "DROP INDEX memory_brief",
    """CREATE INDEX memory_brief ON memory
        (scope, project_id, status, trust, pinned DESC, relevance DESC, created_at DESC, id, expires_at, tier)""",
    "CREATE INDEX memory_working ON memory (session_id) WHERE tier = 'working'",
    """CREATE TABLE relationship (
        source_id TEXT NOT NULL REFERENCES memory(id),
        target_id TEXT NOT NULL REFERENCES memory(id),
        type TEXT NOT NULL,
        method TEXT NOT NULL,
        created_at REAL NOT NULL,
        PRIMARY KEY (source_id, target_id, type)
    )""",
    "CREATE INDEX relationship_target ON relationship (target_id, type)",
    """CREATE TABLE observation (
        seq INTEGER NOT NULL PRIMARY KEY,
        session_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT NOT NULL,
        command TEXT NOT NULL,
        files TEXT NOT NULL,
        state TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        record_uuid TEXT NOT NULL,
        place INTEGER NOT NULL,
        observed_at REAL NOT NULL,
        UNIQUE (session_id, call_id)
    )""",
    "CREATE INDEX observation_age ON observation (observed_at)",
    "ALTER TABLE delivery ADD COLUMN verdict TEXT",
    "ALTER TABLE delivery ADD COLUMN verdict_at REAL",
    "CREATE INDEX delivery_age ON delivery (delivered_at)",
    "UPDATE setting SET value = '3' WHERE key = 'min_reader'",
)
