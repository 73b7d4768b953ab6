"""Projects and sessions as rows."""

from __future__ import annotations

from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.defaults import DAY_SECONDS
from ..core.transcript import Cursor
from ..project import Identity
from . import projects
from .deliveries import Deliveries
from .tables import Session


class Sessions(Deliveries):
    """What is known of sessions, and the projects they belong to."""

    def project(self, identity: Identity | None, root: str, now: float) -> str | None:
        """The id of a folder's project, made when it is new; `root` is its first commit, or "" when not looked up.

        What turns out to be one project becomes one: the strongest key's keeps its id, the others' rows move to it.
        """
        if identity is None:
            return None
        with self._transaction() as tx:
            return projects.settle(tx, identity, root, now)

    def cursor(self, session_id: str) -> Cursor:
        with self._transaction() as tx:
            row = tx.get(Session, session_id)
            if row is None:
                return Cursor()
            return _cursor_of(row)

    def project_at(self, cwd: str) -> str | None:
        """The project of the last session that ran in a folder, or None."""
        with self._transaction() as tx:
            query = select(Session.project_id).where(Session.cwd == cwd, Session.project_id != None)  # noqa: E711
            return tx.exec(query.order_by(Session.last_seen_at.desc(), Session.id).limit(1)).first()  # type: ignore[attr-defined]

    def cursors(self) -> dict[str, tuple[str, Cursor]]:
        """Of each session the path of its transcript and where its capture stands."""
        with self._transaction() as tx:
            return {row.id: (row.transcript_path or "", _cursor_of(row)) for row in tx.exec(select(Session))}

    def note_session(
        self, session_id: str, *, project_id: str | None, transcript_path: str, cwd: str, branch: str, now: float
    ) -> None:
        """Makes or refreshes a session's row; what is already known of it is not emptied. One that was seen days after
        `now` was seen by a clock that was wrong.
        """
        with self._transaction() as tx:
            row = tx.get(Session, session_id) or Session(id=session_id, started_at=now, last_seen_at=now)
            row.project_id = project_id or row.project_id
            row.transcript_path = transcript_path or row.transcript_path
            row.cwd = cwd or row.cwd
            row.branch = branch or row.branch
            row.last_seen_at = now if row.last_seen_at > now + DAY_SECONDS else max(row.last_seen_at, now)
            tx.add(row)

    def open_sessions(self, before: float) -> list[tuple[str, str, str, int, float]]:
        """(id, transcript, cwd, cursor offset, last seen at) of sessions not ended and not seen since `before`."""
        with self._transaction() as tx:
            query = select(Session).where(Session.ended_at == None, Session.last_seen_at < before)  # noqa: E711
            rows = tx.exec(query.order_by(Session.id)).all()
            return [(r.id, r.transcript_path or "", r.cwd or "", r.cursor_offset, r.last_seen_at) for r in rows]


def end(tx: Transaction, session_id: str, at: float) -> bool:
    """Ends a session, and whether it has: not when it was seen after `at`, resumed before its end was worked on."""
    row = tx.get(Session, session_id)
    if row is not None and row.ended_at is None:
        if row.last_seen_at > at:
            return False
        row.ended_at = at
        tx.add(row)
    return True


def _cursor_of(row: Session) -> Cursor:
    return Cursor(row.cursor_offset, row.cursor_uuid or "", row.cursor_digest or "", row.carry_offset)
