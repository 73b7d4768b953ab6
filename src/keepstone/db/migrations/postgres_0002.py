"""PostgreSQL: SQLite's schema 8, the suggestions. A user sees their own only. Frozen."""

_TABLES = (
    """CREATE TABLE keepstone.suggestion (
        id TEXT NOT NULL PRIMARY KEY,
        workspace TEXT NOT NULL DEFAULT 'default',
        user_id TEXT NOT NULL DEFAULT 'local',
        agent_id TEXT NOT NULL DEFAULT 'main',
        project_id TEXT REFERENCES keepstone.project(id),
        session_id TEXT,
        record_uuid TEXT NOT NULL,
        branch TEXT,
        scope TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        excerpt TEXT NOT NULL,
        method TEXT NOT NULL,
        relevance DOUBLE PRECISION NOT NULL,
        confidence DOUBLE PRECISION NOT NULL,
        trust TEXT NOT NULL DEFAULT 'trusted',
        trust_reason TEXT,
        state TEXT NOT NULL DEFAULT 'waiting',
        memory_id TEXT REFERENCES keepstone.memory(id),
        said_at DOUBLE PRECISION NOT NULL,
        deadline_at DOUBLE PRECISION,
        expires_at DOUBLE PRECISION NOT NULL,
        asked BIGINT NOT NULL DEFAULT 0,
        asked_at DOUBLE PRECISION,
        asked_in TEXT,
        asked_before TEXT
    )""",
    "CREATE INDEX suggestion_waiting ON keepstone.suggestion (project_id, said_at) WHERE state = 'waiting'",
    "CREATE INDEX suggestion_session ON keepstone.suggestion (session_id)",
    "CREATE INDEX suggestion_memory ON keepstone.suggestion (memory_id) WHERE memory_id IS NOT NULL",
    "CREATE INDEX suggestion_expiry ON keepstone.suggestion (expires_at)",
)

STATEMENTS = (
    *(statement.replace(" TEXT", ' TEXT COLLATE "C"') for statement in _TABLES),
    """CREATE TRIGGER suggestion_owned BEFORE INSERT ON keepstone.suggestion
        FOR EACH ROW EXECUTE FUNCTION keepstone.memory_owned()""",
    """CREATE VIEW keepstone_mine.suggestion AS SELECT * FROM keepstone.suggestion t
        WHERE t.user_id = who('user', 'local') AND t.workspace = who('workspace', 'default')""",
)
