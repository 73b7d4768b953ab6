"""Defines `Memory`, the synchronous public API that every interface uses: everyday verbs, and a namespace for the rest.

    memory = Memory()
    memory.store("Deploys need the VPN: the registry is internal", kind="fact")
    for hit in memory.search("deploy").found:
        print(hit.memory.content)
    memory.graph.explore("deploy")

Writing loads the comparison of statements, which takes a tenth of a second, so only the first write imports it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from ..claude_code import memory_state
from ..context import Context, open_context
from ..db.filter_sql import RECALLABLE, STATES
from ..db.hits import ratings
from ..graph.edges_sql import STRONG_LINK, Edges, related
from ..lib import limits
from ..lib.errors import BadInput, StoreError
from ..lib.limits import BRIEF_LIMIT_MAX
from ..lifecycle.forgotten_sql import GONE_FOR_GOOD
from ..lifecycle.store_request import asked_at_now, request_of, store_request, untrusted_reason_now
from ..model.filter import NO_FILTER, Filter
from ..model.hit import Hit
from ..model.memory import QUARANTINED, VOTES
from ..recall import brief as brief_op
from ..recall import search as search_op
from ..recall.brief import Brief
from ..recall.open_embedder import lens_of
from ..recall.search import Results
from ..remote.codec import IntRange
from ..remote.protocol import local, remote
from .common import decided, edited, hits_of, require_asked, scope_of, weighed, writing

if TYPE_CHECKING:
    from ..caller import Caller
    from ..db.writer import Writer
    from ..model.policies import Policies
    from .admin import Admin
    from .archive import Archive
    from .backups import Backups
    from .capture import Capture
    from .focus import Focus
    from .graph import Graph
    from .history import History
    from .lifecycle import Lifecycle
    from .maintenance import Maintenance
    from .privacy import Privacy
    from .review import Review
    from .sessions import Sessions
    from .transfer import Transfer


class Memory:
    """The memories of one data home, seen from one folder's project."""

    def __init__(
        self,
        home: str | None = None,
        folder: str | None = None,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.time,
        policies: Policies | None = None,
        caller: Caller | None = None,
    ) -> None:
        """Opens this machine's memories; for the parameters see `context.open_context`.

        Raises BadInput if there is no place for memories or the folder does not exist.
        """
        self.context = open_context(home, folder, environ, clock, policies, caller)

    @classmethod
    def of_context(cls, context: Context) -> Memory:
        """Returns the memories of a context."""
        memory = cls.__new__(cls)
        memory.context = context
        return memory

    # Namespaces, each imported at its first use

    @cached_property
    def admin(self) -> Admin:
        from .admin import Admin

        return Admin(self.context)

    @cached_property
    def archive(self) -> Archive:
        from .archive import Archive

        return Archive(self.context)

    @cached_property
    def backups(self) -> Backups:
        from .backups import Backups

        return Backups(self.context)

    @cached_property
    def capture(self) -> Capture:
        from .capture import Capture

        return Capture(self.context)

    @cached_property
    def focus(self) -> Focus:
        from .focus import Focus

        return Focus(self.context)

    @cached_property
    def graph(self) -> Graph:
        from .graph import Graph

        return Graph(self.context)

    @cached_property
    def history(self) -> History:
        from .history import History

        return History(self.context)

    @cached_property
    def lifecycle(self) -> Lifecycle:
        from .lifecycle import Lifecycle

        return Lifecycle(self.context)

    @cached_property
    def maintenance(self) -> Maintenance:
        from .maintenance import Maintenance

        return Maintenance(self.context)

    @cached_property
    def privacy(self) -> Privacy:
        from .privacy import Privacy

        return Privacy(self.context)

    @cached_property
    def review(self) -> Review:
        from .review import Review

        return Review(self.context)

    @cached_property
    def sessions(self) -> Sessions:
        from .sessions import Sessions

        return Sessions(self.context)

    @cached_property
    def transfer(self) -> Transfer:
        from .transfer import Transfer

        return Transfer(self.context)

    # Reading

    @remote(answers=Results)
    def search(
        self,
        query: str,
        *,
        kind: str | None = None,
        limit: int = limits.SEARCH_LIMIT,
        everything: bool = False,
        narrow: Filter = NO_FILTER,
        count: bool = True,
    ) -> Results:
        """Returns the best matches of a query in this project and user scope, or everywhere. Counts what it returns,
        except for a person who searches.
        """
        with self.context.reader() as reader:
            scope = scope_of(self.context, reader, kind, everything, narrow)
            found = search_op.search(reader, query, scope, limit, self.context.clock(), lens_of(self.context), count)
            weighed(self.context, found.found)
            return found

    @remote(answers=Results)
    def about(
        self,
        topic: str,
        *,
        kind: str | None = None,
        limit: int = limits.ABOUT_LIMIT,
        everything: bool = False,
        narrow: Filter = NO_FILTER,
    ) -> Results:
        """Returns everything known on a topic."""
        with self.context.reader() as reader:
            scope = scope_of(self.context, reader, kind, everything, narrow)
            edges = Edges(reader, scope.project, scope.everything, self.context.clock())
            found = search_op.about(
                reader,
                topic,
                scope,
                limit,
                self.context.clock(),
                lens_of(self.context),
                lambda ids: edges.strong(ids, STRONG_LINK),
            )
            weighed(self.context, found.found)
            return found

    @remote(answers=list[Hit])
    def recent(
        self,
        *,
        kind: str | None = None,
        limit: int = limits.RECENT_LIMIT,
        offset: int = 0,
        everything: bool = False,
        which: str = "",
        narrow: Filter = NO_FILTER,
    ) -> list[Hit]:
        """Returns the newest memories, from `offset` on. `which` is "forgotten" or "archived" for hidden ones."""
        state = STATES.get(which, RECALLABLE)
        with self.context.reader() as reader:
            scope = scope_of(self.context, reader, kind, everything, narrow)
            return weighed(self.context, search_op.recent(reader, scope, limit, self.context.clock(), state, offset))

    @remote(answers=tuple[Hit, list[tuple[int, str, float, float, str]]])
    def show(self, memory_id: str, *, count: bool = True) -> tuple[Hit, list[tuple[int, str, float, float, str]]]:
        """Returns a memory with its evidence and ratings, and its earlier texts. With `count`, counts as a use."""
        with self.context.reader() as reader:
            hit, versions = search_op.show(
                reader, memory_id, scope_of(self.context, reader, None, True), self.context.clock(), count
            )
            hit.ratings = ratings(reader, hit.memory.id)
            hit.related = related(reader, hit.memory.id)
            return weighed(self.context, [hit])[0], versions

    @remote(answers=list[Hit])
    def get(self, ids: Iterable[str]) -> list[Hit]:
        """Returns memories by their ids. Counts nothing."""
        return hits_of(self.context, ids)

    @remote(answers=Brief, takes={"limit": IntRange(1, BRIEF_LIMIT_MAX, none=True)})
    def brief(self, limit: int | None = None, kind: str | None = None) -> Brief:
        """Returns the brief that the next session here gets at its start. Counts nothing."""
        identity = self.context.caller.identity
        with self.context.reader() as reader:
            scope = scope_of(self.context, reader, kind)
            return brief_op.brief(
                reader,
                scope.project,
                identity.name if identity else "",
                limit=limit or self.context.settings["brief_limit"],
                budget=self.context.settings["brief_tokens"],
                now=self.context.clock(),
                kinds=scope.kinds,
                index=memory_state.index(self.context.caller.notes, self.context.environ),
                near=brief_op.Near(identity.root if identity else "", self.context.caller.below),
                worth=self._worth(),
            )

    def _worth(self) -> brief_op.Worth:
        """Returns the function that orders a brief: by the policies of this context, or as the settings say."""
        if self.context.settings["brief_order"] == "relevance":
            return brief_op.by_relevance
        return brief_op.by_importance(self.context.policies, self.context.clock())

    # Writing

    @remote(answers=tuple[Hit, bool], takes={"origin": Literal["manual", "api"]}, text="text")
    def store(
        self,
        text: str,
        *,
        kind: str = "fact",
        relevance: float | None = limits.MANUAL_RELEVANCE,
        tags: Sequence[str] = (),
        user: bool = False,
        ttl: str = "",
        until: str = "",
        tier: str = "",
        agent: str = "",
        origin: str = "manual",
        seed: str = "",
    ) -> tuple[Hit, bool]:
        """Stores a person's memory, for this project or, with `user`, for every one. Returns it and whether it is new.

        Without a `relevance` (None) it is scored from its text. It expires after `ttl` (30d, 12h) or at the end of the
        day `until`. `tier` defaults to that of its kind; `origin` is "api" if no person asked for it. Storing again
        with the same `seed` changes nothing.
        """
        more = {"ttl": ttl, "until": until, "tier": tier, "agent": agent, "origin": origin}
        given = request_of(self.context, text, kind=kind, relevance=relevance, tags=tags, user=user, **more)
        with writing(self.context) as to:
            memory_id, new = store_request(self.context, to, given, seed or os.urandom(16).hex())
        return hits_of(self.context, [memory_id])[0], new

    @local(about_client=True)
    def spool_store(
        self,
        text: str,
        *,
        kind: str,
        relevance: float,
        tags: Sequence[str],
        user: bool,
        ttl: str = "",
        until: str = "",
    ) -> str:
        """Queues a person's memory for the worker, if the packages that `store` needs are missing. Returns its text."""
        from ..capture.spool_memory import accept

        if self.context.server is not None:
            says = f"the memories are at {self.context.server.url}: storing there needs Keepstone's packages"
            raise StoreError(says, "keepstone bootstrap")
        more = {"ttl": ttl, "until": until}
        return accept(
            self.context.home,
            request_of(self.context, text, kind=kind, relevance=relevance, tags=tags, user=user, **more),
        )

    @remote(answers=Hit, text="text")
    def revise(
        self,
        memory_id: str,
        text: str | None = None,
        *,
        kind: str | None = None,
        relevance: float | None = None,
        tags: Sequence[str] = (),
    ) -> Hit:
        """Corrects a memory; `show` keeps its earlier text. Raises BadInput within a session for a text that needs
        review, and if a session's model changes a memory that waits for review.
        """
        redact = _redact()
        given: dict[str, Any] = {"text": text, "kind": kind, "relevance": relevance, "tags": tags}
        given["outside"] = untrusted_reason_now(self.context, text or "")
        given["asked_at"] = asked_at_now(self.context, text or "")

        def change(edit: ModuleType, to: Writer, whole: str, now: float) -> None:
            edit.revise(to, whole, redact=redact, now=now, **given)

        return edited(self.context, memory_id, change)

    @remote(answers=Hit, text="note")
    def rate(self, memory_id: str, vote: str, note: str = "") -> Hit:
        """Votes on a memory: up, down or outdated; `note` says why. The last vote of a session counts."""
        if vote not in VOTES:
            raise BadInput(f"a memory is rated {', '.join(VOTES)}; not {vote[:20]!r}", "keepstone rate ID up")
        session = self.context.session or ""
        return edited(
            self.context,
            memory_id,
            lambda edit, to, whole, now: edit.rate(to, whole, vote, note, session, redact=_redact(), now=now),
        )

    @remote(answers=Hit)
    def pin(self, memory_id: str, pinned: bool = True) -> Hit:
        """Puts a memory first in every brief, or undoes that."""
        return edited(self.context, memory_id, lambda edit, to, whole, now: edit.pin(to, whole, pinned, now))

    @remote(answers=Hit)
    def forget(self, memory_id: str) -> Hit:
        """Hides a memory; `restore` brings it back."""
        return edited(self.context, memory_id, lambda edit, to, whole, now: edit.forget(to, whole, now))

    @remote(answers=Hit, accepts=True)
    def restore(self, memory_id: str) -> Hit:
        """Brings a forgotten, archived or expired memory back. Raises StateError for an active one, and BadInput if a
        session's model brings back what was forgotten or waits, and the user's last message did not ask for it.
        """
        (hit,) = hits_of(self.context, [memory_id])
        if hit.memory.trust == QUARANTINED or hit.memory.status_reason in GONE_FOR_GOOD:
            require_asked(self.context, "restore", (hit.memory.id, hit.short_id))
        return decided(self.context, memory_id, lambda edit, to, whole, now: edit.restore(to, whole, now))


def _redact() -> Callable[[str], str]:
    from ..redaction.redact import redact

    return redact
