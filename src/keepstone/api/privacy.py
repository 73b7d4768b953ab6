"""Erases memories, and redacts stored data."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..capture.observe import drain_observations
from ..config import runtime
from ..context import Context
from ..jobs.run import renew_copy, work
from ..lib import files
from ..lib.errors import BadInput, NotFound
from ..lifecycle import suggestions_sql
from ..model.hit import Hit
from ..model.suggestion import is_suggestion
from ..privacy import erase_sql
from ..privacy.erase import erase
from ..privacy.scrub import scrub
from ..privacy.scrub_sql import purge_file
from ..redaction.redact import redact
from ..remote.protocol import local
from ..spool import spool
from .common import hits_of, require_file, require_not_waiting, whole_ids, writing
from .history import History
from .lifecycle import Lifecycle

if TYPE_CHECKING:
    from ..privacy.erase import Erasure
    from ..privacy.scrub import Scrubbed


class Privacy:
    """Erasing and redacting."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @local(about_client=True)
    def require_person(self, does: str, typed: str) -> None:
        """Raises BadInput if a session's model attempts what only a person may do."""
        if self.context.caller.by_model:
            raise BadInput(f"only a person {does}", f"let the user type in a terminal: {typed}")

    @local("erase")
    def quoting(self, ids: Sequence[str]) -> list[Hit]:
        """Returns other memories that quote these, and stay if only these are erased: summaries go with them."""
        whole = whole_ids(self.context, [one for one in ids if not is_suggestion(one)])
        with self.context.writer() as writer, writer.transaction() as tx:
            quoting = erase_sql.quoting(tx, erase_sql.quotes(tx, whole), whole)
            going = erase_sql.derived(tx, quoting)
            found = [one for one in quoting if one not in going]
        return hits_of(self.context, found)

    @local("erase")
    def erase(
        self, ids: Sequence[str], *, cascade: bool = False, watch: Callable[[str], None] = lambda what: None
    ) -> Erasure:
        """Erases memories, and suggestions, from every file of the data home; with `cascade`, also memories that quote
        them. It succeeded if the result has no `problems`. For an id that was erased before, removes what is left.
        """
        known = [one for one in ids if not is_suggestion(one)]
        require_not_waiting(self.context, [hit.memory.id for hit in Lifecycle(self.context).still_there(known)])
        work(self.context, wait=True)  # spooled jobs may concern the same turn
        whole: list[str] = []
        for memory_id in ids:
            if is_suggestion(memory_id):
                whole += self._suggestions(memory_id)
                continue
            try:
                whole += whole_ids(self.context, [memory_id])
            except NotFound:
                History(self.context).audited(memory_id)  # raises NotFound if it was never erased either
        with files.FileLock(self.context.home, "worker"):
            done = erase(self.context.home, self.context.database, whole, cascade, self.context.clock(), watch)
            return done if self.context.is_file else _erased_here(self.context, done)

    def _suggestions(self, name: str) -> list[str]:
        with self.context.writer() as writer, writer.transaction() as tx:
            found = suggestions_sql.whole_ids(tx, name)
        if not found:
            raise NotFound(f"there is no suggestion {name[:40]}: each waits 14 days at most", "keepstone review")
        if len(found) > 1:
            raise BadInput(f"several suggestions have a name that begins with {name[:40]}", "give more of its digits")
        return found

    @local("scrub")
    def scrub(self, *, dry_run: bool = False) -> Scrubbed:
        """Redacts all stored data with today's rules. With `dry_run`, only counts it."""
        require_file(
            self.context, "scrubbed", "keepstone export, then keepstone import into a new database: both redact"
        )
        self.context.prepare()

        def merge(log: Callable[[str], None]) -> None:
            with writing(self.context) as store:
                drain_observations(self.context.home, store, redact, log)

        with files.FileLock(self.context.home, "worker"):
            done = scrub(self.context.home, self.context.database, redact, self.context.clock(), dry_run, merge)
        if spool.count(self.context.home, "new"):
            runtime.start_worker(self.context.home)  # a job that arrived meanwhile found the lock taken
        return done


def _erased_here(context: Context, done: Erasure) -> Erasure:
    """Removes from this machine's copy what was erased on a server, or notes the problem."""
    copy = runtime.database_file(context.home, context.environ)
    if os.path.exists(copy):
        with context.backend.writing(context.database) as store:
            renew_copy(context, store)
        problem = purge_file(copy)
        done.problems += [problem] if problem else []
    return done
