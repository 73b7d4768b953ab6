"""Schema 1, SQLite: memories, evidence and facets; sessions, projects, deliveries, versions, audit. Frozen."""

STATEMENTS = (
    """CREATE TABLE memory (
        seq INTEGER NOT NULL PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        workspace TEXT NOT NULL DEFAULT 'default',
        user_id TEXT NOT NULL DEFAULT 'local',
        agent_id TEXT NOT NULL DEFAULT 'main',
        project_id TEXT REFERENCES project(id),
        scope TEXT NOT NULL,
        kind TEXT NOT NULL,
        tier TEXT NOT NULL,
        status TEXT NOT NULL DEFAULT 'active',
        status_reason TEXT,
        trust TEXT NOT NULL DEFAULT 'trusted',
        pinned INTEGER NOT NULL DEFAULT 0,
        title TEXT NOT NULL,
        content TEXT NOT NULL,
        relevance REAL NOT NULL,
        confidence REAL NOT NULL,
        access_count INTEGER NOT NULL DEFAULT 0,
        retrieval_count INTEGER NOT NULL DEFAULT 0,
        use_count INTEGER NOT NULL DEFAULT 0,
        up_votes INTEGER NOT NULL DEFAULT 0,
        down_votes INTEGER NOT NULL DEFAULT 0,
        origin TEXT NOT NULL,
        session_id TEXT,
        branch TEXT,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        accessed_at REAL,
        used_at REAL,
        verified_at REAL,
        expires_at REAL,
        content_hash TEXT NOT NULL,
        row_digest TEXT NOT NULL,
        version INTEGER NOT NULL DEFAULT 1
    )""",
    # In the brief's order, so that its LIMIT reads only that many rows, and with all columns that its count needs.
    """CREATE INDEX memory_brief ON memory
        (scope, project_id, status, trust, pinned DESC, relevance DESC, created_at DESC, id, expires_at)""",
    "CREATE INDEX memory_recent ON memory (created_at DESC, id)",
    "CREATE INDEX memory_project ON memory (scope, project_id, created_at DESC, id)",
    """CREATE TABLE evidence (
        seq INTEGER NOT NULL PRIMARY KEY,
        memory_id TEXT NOT NULL REFERENCES memory(id),
        session_id TEXT,
        record_uuid TEXT NOT NULL,
        excerpt TEXT NOT NULL,
        trust TEXT NOT NULL,
        method TEXT NOT NULL,
        row_digest TEXT NOT NULL,
        created_at REAL NOT NULL,
        UNIQUE (memory_id, record_uuid)
    )""",
    "CREATE INDEX evidence_record ON evidence (record_uuid)",
    """CREATE TABLE memory_facet (
        memory_id TEXT NOT NULL REFERENCES memory(id),
        facet TEXT NOT NULL,
        value TEXT NOT NULL,
        content_hash TEXT,
        verified_at REAL,
        PRIMARY KEY (memory_id, facet, value)
    )""",
    "CREATE INDEX memory_facet_value ON memory_facet (facet, value)",
    """CREATE TABLE memory_version (
        memory_id TEXT NOT NULL REFERENCES memory(id),
        version INTEGER NOT NULL,
        title TEXT NOT NULL,
        content TEXT NOT NULL,
        kind TEXT NOT NULL,
        tier TEXT NOT NULL,
        relevance REAL NOT NULL,
        confidence REAL NOT NULL,
        valid_from REAL NOT NULL,
        valid_to REAL NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (memory_id, version)
    )""",
    """CREATE TABLE session (
        id TEXT NOT NULL PRIMARY KEY,
        project_id TEXT REFERENCES project(id),
        transcript_path TEXT,
        cwd TEXT,
        branch TEXT,
        started_at REAL NOT NULL,
        last_seen_at REAL NOT NULL,
        ended_at REAL,
        cursor_offset INTEGER NOT NULL DEFAULT 0,
        cursor_uuid TEXT,
        cursor_digest TEXT,
        carry_offset INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX session_open ON session (last_seen_at) WHERE ended_at IS NULL",
    "CREATE TABLE project (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at REAL NOT NULL)",
    "CREATE TABLE project_key (key TEXT NOT NULL PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project(id))",
    "CREATE INDEX project_key_project ON project_key (project_id)",
    """CREATE TABLE delivery (
        session_id TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        event TEXT NOT NULL,
        chars INTEGER NOT NULL,
        delivered_at REAL NOT NULL,
        PRIMARY KEY (session_id, memory_id)
    )""",
    """CREATE TABLE audit (
        seq INTEGER NOT NULL PRIMARY KEY,
        at REAL NOT NULL,
        actor TEXT NOT NULL,
        op TEXT NOT NULL,
        memory_id TEXT,
        session_id TEXT,
        details TEXT NOT NULL
    )""",
    "CREATE TABLE setting (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE VIRTUAL TABLE memory_fts USING fts5(
        title, content, content='memory', content_rowid='seq', tokenize='porter unicode61')""",
    """CREATE TRIGGER memory_fts_insert AFTER INSERT ON memory BEGIN
        INSERT INTO memory_fts(rowid, title, content) VALUES (new.seq, new.title, new.content);
    END""",
    """CREATE TRIGGER memory_fts_delete AFTER DELETE ON memory BEGIN
        INSERT INTO memory_fts(memory_fts, rowid, title, content) VALUES ('delete', old.seq, old.title, old.content);
    END""",
    """CREATE TRIGGER memory_fts_update AFTER UPDATE OF title, content ON memory BEGIN
        INSERT INTO memory_fts(memory_fts, rowid, title, content) VALUES ('delete', old.seq, old.title, old.content);
        INSERT INTO memory_fts(rowid, title, content) VALUES (new.seq, new.title, new.content);
    END""",
    """CREATE VIRTUAL TABLE evidence_fts USING fts5(
        excerpt, content='evidence', content_rowid='seq', tokenize='porter unicode61')""",
    """CREATE TRIGGER evidence_fts_insert AFTER INSERT ON evidence BEGIN
        INSERT INTO evidence_fts(rowid, excerpt) VALUES (new.seq, new.excerpt);
    END""",
    """CREATE TRIGGER evidence_fts_delete AFTER DELETE ON evidence BEGIN
        INSERT INTO evidence_fts(evidence_fts, rowid, excerpt) VALUES ('delete', old.seq, old.excerpt);
    END""",
    """CREATE TRIGGER evidence_fts_update AFTER UPDATE OF excerpt ON evidence BEGIN
        INSERT INTO evidence_fts(evidence_fts, rowid, excerpt) VALUES ('delete', old.seq, old.excerpt);
        INSERT INTO evidence_fts(rowid, excerpt) VALUES (new.seq, new.excerpt);
    END""",
    "INSERT INTO setting (key, value) VALUES ('min_reader', '1')",
)
