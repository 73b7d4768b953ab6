"""Starts sessions of clients without hooks, which start and end them explicitly."""

from __future__ import annotations

from ..db import sessions
from ..db.reader import Reader
from ..db.sessions_read import Seen, left_open, seen
from ..db.writer import Writer
from ..lib.errors import KeepstoneError, NotFound
from ..lib.text import session_key
from ..project.identity import Identity, text_of
from . import session_end_sql


def start(
    writer: Writer, reader: Reader, session: str, identity: Identity | None, folder: str, branch: str, now: float
) -> Seen:
    """Starts a session, and ends open ones of the same project. Raises KeepstoneError if the id is already known."""
    key = session_key(session)
    if seen(reader, key):
        raise KeepstoneError(f"there is a session {key} already", "a new session has a new id")
    with writer.transaction() as tx:
        project = sessions.project(tx, identity, "", now)
    for other in left_open(reader, project):
        with writer.transaction() as tx:
            session_end_sql.finish(tx, other, now)
    seen_in = {"cwd": text_of(folder), "branch": branch}
    with writer.transaction() as tx:
        sessions.note_session(tx, key, project_id=project, transcript_path="", now=now, **seen_in)
    return require_session(reader, session)


def require_session(reader: Reader, session: str) -> Seen:
    """Returns a session by its id. Raises NotFound."""
    found = seen(reader, session_key(session))
    if found is None:
        raise NotFound(f"no session is known as {session[:40]!r}", "keepstone audit shows sessions")
    return found
