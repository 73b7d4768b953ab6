"""Sessions of clients without hooks: started and ended by word, and looked at."""

from __future__ import annotations

from ..core.errors import KeepstoneError, NotFound
from ..core.text import session_key
from ..project import Identity, text_of
from ..store.reader import Reader
from ..store.seen import Seen, left_open, seen
from ..store.store import Store


def start(
    to: Store, reader: Reader, session: str, identity: Identity | None, folder: str, branch: str, now: float
) -> Seen:
    """Begins a session (NL-9). One of the same project that somebody has left open ends. Raises KeepstoneError for one
    that is known already.
    """
    key = session_key(session)
    if seen(reader, key):
        raise KeepstoneError(f"there is a session {key} already", "a new session has a new id")
    project = to.project(identity, "", now)
    for other in left_open(reader, project):
        to.finish(other, now)
    to.note_session(key, project_id=project, transcript_path="", cwd=text_of(folder), branch=branch, now=now)
    return need(reader, session)


def need(reader: Reader, session: str) -> Seen:
    """A session by its id. Raises NotFound."""
    found = seen(reader, session_key(session))
    if found is None:
        raise NotFound(f"no session is known as {session[:40]!r}", "keepstone audit shows sessions")
    return found
