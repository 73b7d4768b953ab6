"""`Memory`, the synchronous public API and the only door for the faces: one use case a method.

    memory = Memory()
    memory.store("Deploys need the VPN: the registry is internal", kind="fact")
    for shown in memory.search("deploy").found:
        print(shown.memory.content)

What writes needs SQLModel, which costs a third of a second to import, and is imported by the first write.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from . import native, onboarding
from .core import defaults
from .core.errors import BadInput, StoreError
from .core.model import QUARANTINED
from .core.profile import TOPICS, line
from .core.text import session_key
from .core.view import Hit
from .life import Life
from .ops import brief as brief_op
from .ops import search as search_op
from .ops.brief import Brief
from .ops.search import Results, Scope
from .project import text_of
from .store.engines import open_reader
from .store.filter_sql import RECALLABLE, STATES
from .store.narrow import WHOLE, Narrow
from .store.reader import UNFOCUS, Reader

if TYPE_CHECKING:
    from .core.health import Check as Check
    from .core.observation import Observation as Observation
    from .ops.account import Worth as Worth
    from .ops.anchor import Verified as Verified
    from .ops.explain import Explained as Explained
    from .ops.explore import Subgraph as Subgraph
    from .ops.export import Exported as Exported
    from .ops.import_foreign import Imported as Imported
    from .ops.ingest import Ingested as Ingested
    from .ops.ingest import Sources as Sources
    from .ops.maintain import JobResult as JobResult
    from .ops.prove import Proof as Proof
    from .ops.review import Proposal as Proposal
    from .ops.scrub import Scrubbed as Scrubbed
    from .ops.status import Spending as Spending
    from .ops.status import Status as Status
    from .ops.week import Named as Named
    from .ops.week import Week as Week
    from .ops.why import Why as Why
    from .store.repair import Repaired as Repaired
    from .store.seen import Seen as Seen
    from .store.trail import Entry as Entry
    from .store.writer import Writer

__all__ = ["Memory", "Narrow", "Results"]


class Memory(Life):
    """The memories of one data home, seen from one folder's project."""

    def _scope(self, reader: Reader, kind: str | None, everything: bool, narrow: Narrow = WHOLE) -> Scope:
        root = self.identity.root if self.identity else ""
        return Scope(reader.project_of(self.identity), everything, kind, narrow, root)

    # Reading

    def search(
        self,
        query: str,
        *,
        kind: str | None = None,
        limit: int = defaults.SEARCH_LIMIT,
        everything: bool = False,
        narrow: Narrow = WHOLE,
        count: bool = True,
    ) -> Results:
        """The best matches of a query in this project and user scope, or everywhere. Counts what it returns, but not
        for a person who types and looks.
        """
        with self._reader() as reader:
            scope = self._scope(reader, kind, everything, narrow)
            found = search_op.search(reader, query, scope, limit, self.clock(), self._lens, count)
            self._weighed(found.found)
            return found

    def about(
        self,
        topic: str,
        *,
        kind: str | None = None,
        limit: int = defaults.ABOUT_LIMIT,
        everything: bool = False,
        narrow: Narrow = WHOLE,
    ) -> Results:
        """Everything known on a topic."""
        with self._reader() as reader:
            scope = self._scope(reader, kind, everything, narrow)
            found = search_op.about(reader, topic, scope, limit, self.clock(), self._lens)
            self._weighed(found.found)
            return found

    def recent(
        self,
        *,
        kind: str | None = None,
        limit: int = defaults.RECENT_LIMIT,
        offset: int = 0,
        everything: bool = False,
        which: str = "",
        narrow: Narrow = WHOLE,
    ) -> list[Hit]:
        """The newest memories, from one on; `which` is "forgotten" or "archived" for the newest of those."""
        state = STATES.get(which, RECALLABLE)
        with self._reader() as reader:
            scope = self._scope(reader, kind, everything, narrow)
            return self._weighed(search_op.recent(reader, scope, limit, self.clock(), state, offset))

    def why(self, memory_id: str, query: str, *, everything: bool = False) -> Why:
        """Why a search for the query finds this memory here, or does not; counts nothing."""
        from .ops.why import why
        from .store.matches import matches_in

        with self._reader() as reader:
            scope = self._scope(reader, None, everything)
            matches = matches_in(reader, scope.project, scope.everything, scope.kinds, self.clock())
            return why(reader, matches, memory_id, query, self._lens)

    def show(self, memory_id: str, *, count: bool = True) -> tuple[Hit, list[tuple[int, str, float, float, str]]]:
        """A memory with its evidence and ratings, and its earlier texts. Counts as a use, unless a person looks."""
        from .store.trail import ratings

        with self._reader() as reader:
            hit, versions = search_op.show(reader, memory_id, self._scope(reader, None, True), self.clock(), count)
            hit.ratings = ratings(reader, hit.memory.id)
            return self._weighed([hit])[0], versions

    def around(self, shown: Hit) -> list[dict[str, Any]]:
        """Of each piece of a memory's evidence its day, its session, and what was said before and after it there, while
        the client still has the transcript; redacted as of today.
        """
        from .ops.around import around
        from .redact import redact

        with self._reader() as reader:
            return around(reader.transcript_of, shown, redact)

    def verify(self, ids: Sequence[str] = ()) -> Verified:
        """Looks whether the files of this project still say what its memories quote of them; of `ids` a person's word
        is noted that they hold as they are.
        """
        from .ops.anchor import Verified, tie, verify
        from .store import anchors

        with self._reader() as reader:
            whole = [reader.get(memory_id).id for memory_id in ids]
            project = reader.project_of(self.identity)
        with self._writer() as to:
            for memory_id in whole:
                with to.transaction() as tx:
                    anchors.confirm(tx, memory_id, self.clock())
            tie(to, whole, self.folder)
            if whole or project is None or self.identity is None:
                return Verified(len(whole))
            return verify(to, project, self.identity.root, self.clock())

    @property
    def _worth(self) -> brief_op.Worth:
        """What memories are worth here: by the policies of this `Memory`, or as the settings say."""
        if self.settings["brief_order"] == "relevance":
            return brief_op.by_relevance
        return brief_op.by_importance(self.policies, self.clock())

    @property
    def _near(self) -> brief_op.Near:
        return brief_op.Near(self.identity.root if self.identity else "", self.caller.below)

    # Working memory

    def focus(self, ids: Sequence[str] = (), *, words: str = "", session: str = "") -> list[tuple[Hit, float]]:
        """What a session is about: memories with their relevance, 0..1, the most relevant first. `ids` are put there by
        hand, and what `words` find is merged in (NC-5). The session is this one of Claude Code's where none is named.
        """
        from .ops import focus as op

        session = session or self._session
        if not session:
            raise BadInput("it is not said which session this is of", "keepstone focus --session ID")
        with self._reader() as reader:
            scope = self._scope(reader, None, False)
            held = op.focus(reader, session_key(session), scope, ids, words, self.clock(), self._lens)
        return [(self.get([memory_id])[0], relevance) for memory_id, relevance in held]

    def unfocus(self, session: str) -> None:
        """Empties what a session is about."""
        with self._reader() as reader:
            reader.count([(UNFOCUS, {"session": session_key(session), "most": 0})])

    def prompt_context(
        self,
        *,
        session: str = "",
        max_memories: int = defaults.CONTEXT_MEMORIES,
        max_tokens: int = defaults.CONTEXT_TOKENS,
        min_relevance: float = 0.0,
    ) -> list[str]:
        """What a session is about, as texts of at most `max_tokens` each, cut at a sentence's end (NC-6)."""
        from .ops.focus import context

        held = self.focus(session=session)
        found = [(hit.memory, relevance) for hit, relevance in held if relevance >= min_relevance]
        return context(found[:max_memories], max_tokens)

    def brief(self, limit: int | None = None, kind: str | None = None) -> Brief:
        """What the next session here receives at its start. Counts nothing."""
        with self._reader() as reader:
            scope = self._scope(reader, kind, False)
            return brief_op.brief(
                reader,
                scope.project,
                self.identity.name if self.identity else "",
                limit=limit or self.settings["brief_limit"],
                budget=self.settings["brief_tokens"],
                now=self.clock(),
                kinds=scope.kinds,
                index=native.index(self.caller.notes, self.environ),
                near=self._near,
                worth=self._worth,
            )

    def status(self, *, everything: bool = False) -> Status:
        from .ops.status import status

        with self._reader() as reader:
            name = self.identity.name if self.identity else None
            scope = self._scope(reader, None, everything)
            return status(reader, self.home, scope, name, {**self.settings.values, "off": self.is_off}, self.clock())

    def week(self, *, everything: bool = False) -> Week:
        """What the last seven days' sessions here were shown, used, corrected and learned. Counts nothing."""
        from .ops.week import week
        from .store.report import Report as Sums

        with self._reader() as reader, closing(Sums(self.database)) as sums:
            name = self.identity.name if self.identity else None
            return week(reader, sums, self._scope(reader, None, everything), name, self.clock())

    def total(self) -> int | None:
        """How many memories there are in all projects, None where they can't be counted. Changes nothing."""
        if self._is_file and not os.path.exists(self.database):
            return 0
        try:
            with closing(open_reader(self.database)) as reader:
                return 0 if reader.empty else reader.count_in_scope(None, True, "", self.clock())
        except StoreError:
            return None

    def prove(self, watch: Callable[[str], None] = lambda what: None) -> Proof:
        """Proves on a scratch machine that a memory reaches the model and that what is said is learned; takes seconds.

        The real client takes part where it is installed, with a scripted API on loopback. Changes nothing here.
        """
        from .extract.claude_cli import find
        from .ops.prove import prove

        def plant(home: str, folder: str, environ: Mapping[str, str], text: str) -> None:
            Memory(home, folder, environ).store(text)

        return prove(self.home, self.environ, find(self.environ), plant, watch)

    # Writing

    def store(
        self,
        text: str,
        *,
        kind: str = "fact",
        relevance: float | None = defaults.MANUAL_RELEVANCE,
        tags: Sequence[str] = (),
        user: bool = False,
        ttl: str = "",
        until: str = "",
        tier: str = "",
        agent: str = "",
        origin: str = "manual",
        seed: str = "",
    ) -> tuple[Hit, bool]:
        """Stores a person's memory, for this project or, with `user`, for every one: (memory, whether it is new).

        Without a `relevance` (None) it is scored from its text. It ends after `ttl` (30d, 12h) or with the day `until`;
        `tier` is that of its kind unless given, `origin` is api for what no person asked for. A `seed` is this storing:
        the same again changes nothing.
        """
        more = {"ttl": ttl, "until": until, "tier": tier, "agent": agent, "origin": origin}
        given = self._given(text, kind=kind, relevance=relevance, tags=tags, user=user, **more)
        with self._writer() as to:
            memory_id, new = self._store(to, given, seed or uuid.uuid4().hex)
        return self.get([memory_id])[0], new

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
        """Accepts a person's memory for the worker, where the packages that `store` needs are missing; what is kept."""
        from .ops.accept import accept

        more = {"ttl": ttl, "until": until}
        return accept(self.home, self._given(text, kind=kind, relevance=relevance, tags=tags, user=user, **more))

    def _given(self, text: str, **more: object) -> dict[str, Any]:
        """A memory that a person gives, and where and when: what a job of the spool can hold."""
        session = self._session
        where = {
            "cwd": text_of(self.folder),
            "project_dir": text_of(self.project_dir),
            "session": session_key(session) if session else "",
        }
        more["by_model"] = self._by_model
        more["agent"] = more.get("agent") or self.caller.agent
        return {"text": text, **more, **where, "at": self.clock()}

    def onboard(self, answers: Mapping[str, str]) -> list[Hit]:
        """Keeps what a newcomer answers, by topic (`core.profile.TOPICS`), for every project; nobody is asked again.

        An answer that was given before is revised; without any, only that the offer was taken is noted.
        """
        from .ops.onboard import onboard
        from .redact import redact

        known = onboarding.state(self.home).get("answers") or {}
        with self._reader() as reader:
            known = {topic: known[topic] for topic in known if reader.is_active(known[topic])}
        with self._writer() as to:
            seed = uuid.uuid4().hex
            ids = onboard(to, answers, known, self._given, redact=redact, seed=seed, outside=self._outside_here)
        onboarding.settle(self.home, onboarding.ACCEPTED, ids)
        return self.get(ids[topic] for topic in answers)

    def share(self, ids: Sequence[str]) -> tuple[str, int]:
        """Adds memories to the page that this project's people share in its repository; its path, and how many were not
        there. Raises BadInput for what is not to be shared.
        """
        from .ops.share import page_of, share
        from .redact import redact
        from .store import edit

        if self.identity is None:
            raise BadInput("there is no project here to share with", "cd to a project's folder")
        with self._reader() as reader:
            memories = [reader.get(memory_id) for memory_id in ids]
            count = share(self.identity.root, memories, reader.project_of(self.identity), redact)
        with self._writer() as to, to.transaction() as tx:
            edit.note_shared(tx, [memory.id for memory in memories], self.clock())
        return page_of(self.identity.root), count

    def profile(self) -> list[str]:
        """What a newcomer has answered and not taken back, a line an answer."""
        known = onboarding.state(self.home).get("answers") or {}
        with self._reader() as reader:
            ids = [known[topic] for topic in TOPICS if topic in known and reader.is_active(known[topic])]
        return [line(hit.memory.content) for hit in self.get(ids)]

    def decline(self) -> None:
        """Notes that the newcomer wants no onboarding: nobody is asked again."""
        onboarding.settle(self.home, onboarding.DECLINED, onboarding.state(self.home).get("answers") or {})

    def revise(
        self,
        memory_id: str,
        text: str | None = None,
        *,
        kind: str | None = None,
        relevance: float | None = None,
        tags: Sequence[str] = (),
    ) -> Hit:
        """Corrects a memory; its earlier text stays readable in `show`. Raises BadInput within a session for what would
        have to wait, and where a session's model changes what waits.
        """
        from .ops import edit
        from .redact import redact

        if self._by_model and self.get([memory_id])[0].memory.trust == QUARANTINED:
            says = f"{memory_id} waits for a person's word, and only a person changes what it says"
            raise BadInput(says, "keepstone store 'the sentence', beside it")
        given: dict[str, Any] = {"text": text, "kind": kind, "relevance": relevance, "tags": tags}
        given["outside"] = self._outside_here(text or "")

        def change(to: Writer, whole: str, now: float) -> None:
            edit.revise(to, whole, redact=redact, now=now, **given)

        return self._edit(memory_id, change)
