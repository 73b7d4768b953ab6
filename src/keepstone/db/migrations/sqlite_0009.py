"""Schema 9, SQLite: the archive, what was said in sessions, with its text index and vectors. Frozen."""

from .sqlite_0004 import _month


def _day(row: str) -> str:
    """Returns SQL for the day on which a turn was said, in words."""
    at = f"{row}.said_at"
    return f"coalesce({_month(at)} || strftime(' %d %Y', {at}, 'unixepoch'), '')"


STATEMENTS = (
    """CREATE TABLE turn (
        seq INTEGER NOT NULL PRIMARY KEY,
        workspace TEXT NOT NULL DEFAULT 'default',
        user_id TEXT NOT NULL DEFAULT 'local',
        agent_id TEXT NOT NULL DEFAULT 'main',
        project_id TEXT REFERENCES project(id),
        session_id TEXT NOT NULL,
        place INTEGER NOT NULL,
        record_uuid TEXT NOT NULL UNIQUE,
        speaker TEXT NOT NULL,
        answers TEXT NOT NULL DEFAULT '',
        text TEXT NOT NULL,
        trust TEXT NOT NULL DEFAULT 'trusted',
        said_at REAL NOT NULL,
        model TEXT,
        vector BLOB
    )""",
    "CREATE INDEX turn_session ON turn (session_id, place)",
    "CREATE INDEX turn_said ON turn (said_at)",
    f"CREATE VIEW turn_text (seq, text, day) AS SELECT t.seq, t.text, {_day('t')} FROM turn t",
    """CREATE VIRTUAL TABLE turn_fts USING fts5(
        text, day, content='turn_text', content_rowid='seq', tokenize='porter unicode61')""",
    f"""CREATE TRIGGER turn_fts_insert AFTER INSERT ON turn BEGIN
        INSERT INTO turn_fts(rowid, text, day) VALUES (new.seq, new.text, {_day("new")});
    END""",
    f"""CREATE TRIGGER turn_fts_delete AFTER DELETE ON turn BEGIN
        INSERT INTO turn_fts(turn_fts, rowid, text, day) VALUES ('delete', old.seq, old.text, {_day("old")});
    END""",
    f"""CREATE TRIGGER turn_fts_update AFTER UPDATE OF text ON turn BEGIN
        INSERT INTO turn_fts(turn_fts, rowid, text, day) VALUES ('delete', old.seq, old.text, {_day("old")});
        INSERT INTO turn_fts(rowid, text, day) VALUES (new.seq, new.text, {_day("new")});
    END""",
    # A vector is made from the text: it goes if the text changes.
    """CREATE TRIGGER turn_vector_stale AFTER UPDATE OF text ON turn WHEN old.text <> new.text BEGIN
        UPDATE turn SET model = NULL, vector = NULL WHERE seq = new.seq;
    END""",
    "CREATE INDEX turn_lacking ON turn (seq) WHERE model IS NULL",
)
