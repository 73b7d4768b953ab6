"""Schema 4, SQLite: vectors; dates as words in the text index, and no title twice; an index of windows, each of which
is a memory with the two before and after it in its session. Frozen.
"""


def _month(at: str) -> str:
    names = "January February March April May June July August September October November December".split()
    cases = " ".join(f"WHEN '{number:02}' THEN '{name}'" for number, name in enumerate(names, start=1))
    return f"CASE strftime('%m', {at}, 'unixepoch') {cases} ELSE '' END"


def _texts(row: str) -> str:
    """Returns SQL for a memory's index columns: its title unless the content begins with it, its content, its date."""
    return f"""CASE WHEN rtrim({row}.title, '…') = substr({row}.content, 1, length(rtrim({row}.title, '…')))
        THEN '' ELSE {row}.title END,
        {row}.content,
        coalesce({_month(f"{row}.created_at")} || strftime(' %d %Y', {row}.created_at, 'unixepoch'), '')"""


def windows(session: str, seq: str) -> tuple[str, str]:
    """Returns statements that remake the windows of a session that contain a memory: its own and those of its
    neighbours.
    """
    held = "n.status = 'active' AND n.trust = 'trusted' AND n.tier <> 'working'"
    before = f"SELECT n.seq FROM memory n WHERE n.session_id = %s AND n.seq < %s AND {held} ORDER BY n.seq DESC LIMIT 2"
    after = f"SELECT n.seq FROM memory n WHERE n.session_id = %s AND n.seq > %s AND {held} ORDER BY n.seq LIMIT 2"
    near = f"""SELECT {seq} UNION ALL SELECT * FROM ({before % (session, seq)})
        UNION ALL SELECT * FROM ({after % (session, seq)})"""
    around = f"""SELECT m.seq UNION ALL SELECT * FROM ({before % ("m.session_id", "m.seq")})
        UNION ALL SELECT * FROM ({after % ("m.session_id", "m.seq")})"""
    return (
        f"DELETE FROM window_fts WHERE rowid IN ({near});",
        f"""INSERT INTO window_fts (rowid, text)
            SELECT m.seq, (SELECT group_concat(o.content, char(10)) FROM memory o WHERE o.seq IN ({around}))
            FROM memory m WHERE m.seq IN ({near})
            AND m.status = 'active' AND m.trust = 'trusted' AND m.tier <> 'working';""",
    )


STATEMENTS = (
    """CREATE TABLE vector (
        memory_id TEXT NOT NULL REFERENCES memory(id),
        model TEXT NOT NULL,
        dims INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (memory_id, model)
    )""",
    "CREATE INDEX memory_session ON memory (session_id, seq) WHERE session_id IS NOT NULL",
    "DROP TRIGGER memory_fts_insert",
    "DROP TRIGGER memory_fts_delete",
    "DROP TRIGGER memory_fts_update",
    "DROP TABLE memory_fts",
    f"CREATE VIEW memory_text (seq, title, content, day) AS SELECT m.seq, {_texts('m')} FROM memory m",
    """CREATE VIRTUAL TABLE memory_fts USING fts5(
        title, content, day, content='memory_text', content_rowid='seq', tokenize='porter unicode61')""",
    f"""CREATE TRIGGER memory_fts_insert AFTER INSERT ON memory BEGIN
        INSERT INTO memory_fts(rowid, title, content, day) VALUES (new.seq, {_texts("new")});
    END""",
    f"""CREATE TRIGGER memory_fts_delete AFTER DELETE ON memory BEGIN
        INSERT INTO memory_fts(memory_fts, rowid, title, content, day) VALUES ('delete', old.seq, {_texts("old")});
    END""",
    f"""CREATE TRIGGER memory_fts_update AFTER UPDATE OF title, content, created_at ON memory BEGIN
        INSERT INTO memory_fts(memory_fts, rowid, title, content, day) VALUES ('delete', old.seq, {_texts("old")});
        INSERT INTO memory_fts(rowid, title, content, day) VALUES (new.seq, {_texts("new")});
    END""",
    "INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')",
    # A vector is made from the text: it is deleted if the text changes.
    """CREATE TRIGGER vector_stale AFTER UPDATE OF title, content ON memory
        WHEN old.title <> new.title OR old.content <> new.content BEGIN
        DELETE FROM vector WHERE memory_id = new.id;
    END""",
    "CREATE TRIGGER vector_gone AFTER DELETE ON memory BEGIN DELETE FROM vector WHERE memory_id = old.id; END",
    "CREATE VIRTUAL TABLE window_fts USING fts5(text, tokenize='porter unicode61')",
    f"""CREATE TRIGGER window_insert AFTER INSERT ON memory WHEN new.session_id IS NOT NULL BEGIN
        {" ".join(windows("new.session_id", "new.seq"))}
    END""",
    f"""CREATE TRIGGER window_update AFTER UPDATE OF content, status, trust, tier ON memory
        WHEN new.session_id IS NOT NULL BEGIN
        {" ".join(windows("new.session_id", "new.seq"))}
    END""",
    f"""CREATE TRIGGER window_delete AFTER DELETE ON memory WHEN old.session_id IS NOT NULL BEGIN
        {" ".join(windows("old.session_id", "old.seq"))}
    END""",
    f"""INSERT INTO window_fts (rowid, text)
        SELECT m.seq, (SELECT group_concat(o.content, char(10)) FROM memory o WHERE o.seq IN (
            SELECT m.seq
            UNION ALL SELECT * FROM (SELECT n.seq FROM memory n WHERE n.session_id = m.session_id AND n.seq < m.seq
                AND {"n.status = 'active' AND n.trust = 'trusted' AND n.tier <> 'working'"} ORDER BY n.seq DESC LIMIT 2)
            UNION ALL SELECT * FROM (SELECT n.seq FROM memory n WHERE n.session_id = m.session_id AND n.seq > m.seq
                AND {"n.status = 'active' AND n.trust = 'trusted' AND n.tier <> 'working'"} ORDER BY n.seq LIMIT 2)))
        FROM memory m WHERE m.session_id IS NOT NULL
        AND m.status = 'active' AND m.trust = 'trusted' AND m.tier <> 'working'""",
)
