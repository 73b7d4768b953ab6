"""Stores projects and sessions."""

from __future__ import annotations

from ..lib.limits import DAY_SECONDS
from ..model.cursor import Cursor
from ..project.identity import Identity
from . import projects
from .reader import Reader
from .writer import Transaction

CURSOR_COLUMNS = "cursor_offset, cursor_uuid, cursor_digest, carry_offset"
# A value that is not given (NULL) keeps the stored one.
NOTE_SESSION = """
INSERT INTO session (id, project_id, transcript_path, cwd, branch, started_at, last_seen_at, cursor_offset,
    carry_offset)
VALUES (:id, :project, :transcript, :cwd, :branch, :now, :now, 0, 0)
ON CONFLICT (id) DO UPDATE SET
    project_id = coalesce(excluded.project_id, session.project_id),
    transcript_path = coalesce(excluded.transcript_path, session.transcript_path),
    cwd = coalesce(excluded.cwd, session.cwd),
    branch = coalesce(excluded.branch, session.branch),
    last_seen_at = CASE WHEN session.last_seen_at > :wrong THEN excluded.last_seen_at
        WHEN session.last_seen_at > excluded.last_seen_at THEN session.last_seen_at
        ELSE excluded.last_seen_at END
"""
PROJECT_AT = """
SELECT project_id FROM session WHERE cwd = :cwd AND project_id IS NOT NULL ORDER BY last_seen_at DESC, id LIMIT 1
"""
TRANSCRIPT_OF = "SELECT transcript_path FROM session WHERE id = :id"
OPEN_SESSIONS = """
SELECT id, coalesce(transcript_path, ''), coalesce(cwd, ''), cursor_offset, last_seen_at FROM session
WHERE ended_at IS NULL AND last_seen_at < :before ORDER BY id
"""


def project(tx: Transaction, identity: Identity | None, root: str, now: float) -> str | None:
    """Returns the id of a folder's project, or None without an identity. Creates the project if it is new. `root` is
    the hash of its first commit, or "" if it was not looked up. If several projects turn out to be one, they are
    merged: the project of the strongest key keeps its id, and the rows of the others move to it.
    """
    return projects.resolve_project(tx, identity, root, now) if identity else None


def cursor(tx: Transaction, session_id: str) -> Cursor:
    """Returns the position up to which a session's transcript has been captured."""
    row = tx.one(f"SELECT {CURSOR_COLUMNS} FROM session WHERE id = :id", {"id": session_id})
    return _cursor(*row) if row else Cursor()


def cursors(tx: Transaction) -> dict[str, tuple[str, Cursor]]:
    """Returns the transcript's path and the cursor of every session, by session id."""
    rows = tx.all(f"SELECT id, transcript_path, {CURSOR_COLUMNS} FROM session")
    return {session_id: (path or "", _cursor(*stands)) for session_id, path, *stands in rows}


def project_at(tx: Transaction, cwd: str) -> str | None:
    """Returns the project of the last session that ran in a folder, or None."""
    found: str | None = tx.value(PROJECT_AT, {"cwd": cwd})
    return found


def note_session(
    tx: Transaction,
    session_id: str,
    *,
    project_id: str | None,
    transcript_path: str,
    cwd: str,
    branch: str,
    now: float,
) -> None:
    """Adds or refreshes a session. Values that are not given keep the stored ones. A last-seen time more than a day
    after `now` comes from a wrong clock and is set back to `now`.
    """
    values = {"project": project_id or None, "transcript": transcript_path or None, "cwd": cwd or None}
    values["branch"] = branch or None
    tx.run(NOTE_SESSION, {**values, "id": session_id, "now": now, "wrong": now + DAY_SECONDS})


def transcript_of(reader: Reader, session: str) -> str:
    """Returns the path of a session's transcript, "" if it is unknown."""
    rows = reader.rows(TRANSCRIPT_OF, {"id": session})
    return (rows[0][0] or "") if rows else ""


def open_sessions(tx: Transaction, before: float) -> list[tuple[str, str, str, int, float]]:
    """Returns (id, transcript, cwd, cursor offset, last seen at) of open sessions that were last seen
    before `before`.
    """
    return tx.all(OPEN_SESSIONS, {"before": before})


def end(tx: Transaction, session_id: str, at: float) -> bool:
    """Ends a session. Returns False if it was seen after `at`: it was resumed before its end was processed."""
    row = tx.one("SELECT ended_at, last_seen_at FROM session WHERE id = :id", {"id": session_id})
    if row is None or row[0] is not None:
        return True
    if row[1] > at:
        return False
    tx.update("session", {"id": session_id}, {"ended_at": at})
    return True


def _cursor(offset: int, record_uuid: str | None, digest: str | None, carry: int) -> Cursor:
    return Cursor(offset, record_uuid or "", digest or "", carry)
