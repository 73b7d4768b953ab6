"""Reads the audit log and earlier states, and undoes a session."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..context import Context
from ..db import sessions
from ..db.hits import shown
from ..lib import limits
from ..lib.errors import NotFound
from ..lifecycle import edit_sql, history_sql
from ..lifecycle.explain_worth import Diff, as_of, diff, require_session
from ..lifecycle.history_sql import AuditQuery, Entry, Version
from ..lifecycle.undo_sql import Undone
from ..model.hit import Hit
from ..model.scope import Scope
from ..recall.context_turns import around
from ..recall.search_archive import around_record
from ..redaction.redact import redact
from ..remote.codec import IntRange, Lazy
from ..remote.protocol import local, remote
from .common import require_asked, weighed, writing

if TYPE_CHECKING:
    from ..lifecycle.undo_sql import Undone


EVER = 1e12  # in Unix seconds: later than any entry


def _undone() -> Any:
    return Undone


class History:
    """The history of memories."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=list[Entry], takes={"page": IntRange(1, 10**6)})
    def audit(
        self,
        *,
        op: str = "",
        memory: str = "",
        session: str = "",
        actor: str = "",
        agent: str = "",
        tier: str = "",
        since: float = 0.0,
        before: float = EVER,
        limit: int = limits.PAGE_LIMIT,
        page: int = 1,
    ) -> list[Entry]:
        """Returns entries of the audit log, newest first. They never contain content."""
        asked = AuditQuery(op, memory, session, actor, agent, tier, since, before, limit, page)
        with self.context.reader() as reader:
            return history_sql.audit(reader, asked)

    @remote(answers=str)
    def audited(self, given: str) -> str:
        """Returns the whole id of an audited memory, even an erased one, by a prefix of it. Raises BadInput or
        NotFound.
        """

        with self.context.reader() as reader:
            try:
                return reader.get(given).id
            except NotFound:
                found = history_sql.audited(reader, given)
                if len(found) != 1:
                    raise
                return found[0]

    @remote(answers=tuple[Hit, list[Version], list[Entry]])
    def history(self, memory_id: str) -> tuple[Hit, list[Version], list[Entry]]:
        """Returns a memory, its earlier states, and its audit entries, oldest first. Counts nothing."""

        with self.context.reader() as reader:
            whole = reader.get(memory_id).id
            done = history_sql.audit(reader, AuditQuery(memory=whole, limit=limits.LISTING_LIMIT_MAX))
            return (
                weighed(self.context, [shown(reader, whole)])[0],
                history_sql.history(reader, whole),
                done[::-1],
            )

    @remote(answers=list[Hit])
    def as_of(
        self, query: str, then: float, *, everything: bool = False, limit: int = limits.SEARCH_LIMIT
    ) -> list[Hit]:
        """Returns what a search would have found at a time, with the texts that memories had then. Counts nothing."""

        with self.context.reader() as reader:
            return as_of(reader, query, Scope(reader.project_of(self.context.caller.identity), everything), then, limit)

    @remote(answers=Diff)
    def diff(self, session: str) -> Diff:
        """Returns what a session changed. Raises NotFound for an unknown session."""

        with self.context.reader() as reader:
            return diff(reader, session)

    @remote(answers=Lazy(_undone), accepts=True)
    def undo(self, session: str) -> Undone:
        """Reverts what a session changed. Raises NotFound for an unknown session, and BadInput if a session's model
        would bring back what was forgotten, or change what waits, and the user's last message did not ask for it.
        """

        with self.context.reader() as reader:
            whole = require_session(reader, session)
            delicate = history_sql.brings_back(reader, whole)
        if delicate:
            require_asked(self.context, "undo", (whole, whole[:8]))
        with writing(self.context) as to, to.transaction() as tx:
            return edit_sql.undo(tx, whole, self.context.clock())

    @local(about_client=True)
    def around(self, shown: Hit) -> list[dict[str, Any]]:
        """Returns, for each source quote, the date, the session and the turns around it, if the archive holds them or
        the client still has the transcript. The turns are redacted with today's rules.
        """
        if self.context.server is not None:  # only for sessions whose transcripts are on this machine
            return around(self.context.caller.transcript, lambda record: [], shown, redact)
        with self.context.reader() as reader:
            archived = partial(around_record, reader, untrusted=not self.context.caller.session)
            return around(partial(sessions.transcript_of, reader), archived, shown, redact)
