"""Searches and shows what was said in sessions."""

from __future__ import annotations

from ..context import Context
from ..lib import limits
from ..lib.text import session_key
from ..model.filter import NO_FILTER, Filter
from ..recall import search_archive
from ..recall.match_archive_sql import ArchiveScope
from ..recall.open_embedder import lens_of
from ..recall.search_archive import Quote, ToldTurn
from ..remote.protocol import remote


class Archive:
    """The archive of this data home."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=list[Quote])
    def search_sessions(
        self,
        query: str,
        *,
        limit: int = limits.QUOTES_LIMIT,
        everything: bool = False,
        narrow: Filter = NO_FILTER,
    ) -> list[Quote]:
        """Returns what was said about something in this project, or everywhere, best first. What others may have
        written is left out within a session, whose model would read it. A turn has no tag, file or tier: with a
        filter by those nothing is found.
        """
        if narrow.tag or narrow.file or narrow.tier:
            return []
        with self.context.reader() as reader:
            project = reader.project_of(self.context.caller.identity)
            session = session_key(narrow.of_session) if narrow.of_session else ""
            scope = ArchiveScope(
                project, everything, session, narrow.since, narrow.before, not self.context.caller.session
            )
            return search_archive.search(reader, query, scope, limit, lens_of(self.context))

    @remote(answers=list[ToldTurn])
    def turns_around(self, turn_id: str, *, limit: int = limits.AROUND_TURNS) -> list[ToldTurn]:
        """Returns a turn between up to `limit` turns on each side, within a session without what others may have
        written. Raises NotFound.
        """
        with self.context.reader() as reader:
            return search_archive.around(reader, turn_id, limit, not self.context.caller.session)

    @remote(answers=list[ToldTurn])
    def conversation(self, session: str) -> list[ToldTurn]:
        """Returns what the archive holds of a session, in order."""
        with self.context.reader() as reader:
            return search_archive.session(reader, session_key(session), not self.context.caller.session)
