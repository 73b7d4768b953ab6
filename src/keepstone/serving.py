"""What a server does for the hooks and the worker of another machine: they read a copy, and tell what they saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .core.defaults import COPY_ROWS
from .core.errors import BadInput
from .core.text import session_key
from .home import Home

if TYPE_CHECKING:
    from .core.copying import Changes, Page, Told
    from .store.keep import Origin
    from .store.writer import Writer


class Serving(Home):
    """A data home that other machines have copies of."""

    def settled(self) -> str | None:
        """The id of the project that this is, known from now on; None outside of any."""
        from .store import sessions

        with self._writer() as to, to.transaction() as tx:
            return sessions.project(tx, self.identity, "", self.clock())

    def changes(self, *, since: int, projects: Sequence[str], whole: bool) -> Changes:
        """What a copy of these projects lacks that knows the audit up to a number; with `whole` it lacks everything."""
        from .store import copied

        with self._reader() as reader:
            return copied.changes(reader, since, projects, whole)

    def rows_of(self, ids: Sequence[str], *, projects: Sequence[str]) -> Page:
        """All that there is of the first of these memories, where they are recalled in one of these projects."""
        from .store import copied

        if not 0 < len(ids) <= COPY_ROWS:
            raise BadInput(f"that is too much at once: {len(ids)} memories", f"at most {COPY_ROWS} at a time")
        with self._reader() as reader:
            return copied.page(reader, ids, projects)

    def count_shown(self, session: str, rows: Sequence[tuple[str, str, int, float]]) -> None:
        """Counts what a session was shown at another machine: (memory id, event, characters, when)."""
        from .ops.learn import count

        with self._writer() as to:
            count(to, self._origin(to, session, ""), rows, self.clock())

    def learn(self, session: str, told: Told, *, branch: str = "") -> tuple[list[str], list[str]]:
        """Keeps what another machine has found in a session of its own: (new ids, reinforced ids)."""
        from .ops.learn import learn
        from .redact import redact

        with self._writer() as to:
            return learn(to, self._origin(to, session, redact(branch)), told, redact, self.clock())

    def _origin(self, to: Writer, session: str, branch: str) -> Origin:
        from .store import sessions
        from .store.keep import Origin

        with to.transaction() as tx:
            project = sessions.project(tx, self.identity, "", self.clock())
        return Origin("hook", project, session_key(session), branch or None, self.caller.agent)
