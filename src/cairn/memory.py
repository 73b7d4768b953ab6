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
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from . import native, runtime, settings, spool
from .core import defaults
from .core.errors import BadInput, CairnError, StoreError
from .core.text import session_key
from .core.view import Hit
from .home import Home
from .ops import brief as brief_op
from .ops import search as search_op
from .ops.brief import Brief
from .ops.search import Results, Scope
from .store.reader import FORGOTTEN, RECALLABLE, SUSPECT, Reader

if TYPE_CHECKING:
    from .core.health import Check
    from .core.observation import Observation as Observation
    from .ops.capture import Report
    from .ops.explain import Explained as Explained
    from .ops.ingest import Ingested as Ingested
    from .ops.ingest import Sources as Sources
    from .ops.scrub import Scrubbed as Scrubbed
    from .ops.status import Spending as Spending
    from .ops.status import Status
    from .ops.week import Named as Named
    from .ops.week import Week as Week
    from .store.store import Store

__all__ = ["Memory", "Results"]


class Memory(Home):
    """The memories of one data home, seen from one folder's project."""

    def _scope(self, reader: Reader, kind: str | None, everything: bool) -> Scope:
        return Scope(reader.project_of(self.identity), everything, kind)

    # Reading

    def search(
        self, query: str, *, kind: str | None = None, limit: int = defaults.SEARCH_LIMIT, everything: bool = False
    ) -> Results:
        """The best matches of a query in this project and user scope, or everywhere. Counts what it returns."""
        with self._reader() as reader:
            return search_op.search(reader, query, self._scope(reader, kind, everything), limit, self.clock())

    def about(
        self, topic: str, *, kind: str | None = None, limit: int = defaults.ABOUT_LIMIT, everything: bool = False
    ) -> Results:
        """Everything known on a topic."""
        with self._reader() as reader:
            return search_op.about(reader, topic, self._scope(reader, kind, everything), limit, self.clock())

    def recent(
        self,
        *,
        kind: str | None = None,
        limit: int = defaults.RECENT_LIMIT,
        everything: bool = False,
        forgotten: bool = False,
    ) -> list[Hit]:
        """The newest memories, or the newest of those that were forgotten."""
        state = FORGOTTEN if forgotten else RECALLABLE
        with self._reader() as reader:
            return search_op.recent(reader, self._scope(reader, kind, everything), limit, self.clock(), state)

    def review(self, *, limit: int = defaults.LISTING_LIMIT_MAX, everything: bool = False) -> list[Hit]:
        """The memories that wait for a person's word before they are recalled."""
        with self._reader() as reader:
            return search_op.recent(reader, self._scope(reader, None, everything), limit, self.clock(), SUSPECT)

    def show(self, memory_id: str) -> tuple[Hit, list[tuple[int, str, float, float, str]]]:
        """A memory with its evidence, and its earlier texts. Counts as a use."""
        with self._reader() as reader:
            return search_op.show(reader, memory_id, self.clock())

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
                index=native.index(native.folder_of(settings.client_home(self.environ), self.folder), self.environ),
            )

    def get(self, ids: Iterable[str]) -> list[Hit]:
        """Memories by their ids, uncounted."""
        with self._reader() as reader:
            return [search_op.shown(reader, memory_id) for memory_id in ids]

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

    def doctor(self) -> list[Check]:
        """Every check of this installation. Changes nothing, and works when nothing else does."""
        from .ops.doctor import doctor

        return doctor(self.home, self.settings, self.is_off, self.extractor_lacks, self.clock())

    def total(self) -> int | None:
        """How many memories there are in all projects, None where they can't be counted. Changes nothing."""
        if not os.path.exists(self.database):
            return 0
        try:
            with closing(Reader(self.database)) as reader:
                return 0 if reader.empty else reader.count_in_scope(None, True, "", self.clock())
        except StoreError:
            return None

    @property
    def is_off(self) -> bool:
        return self.settings.is_off(self.identity)

    @property
    def extractor_lacks(self) -> str:
        from .extract import lacks

        return lacks(self.settings["extractor"], self.environ)

    # Writing

    def store(
        self,
        text: str,
        *,
        kind: str = "fact",
        relevance: float = defaults.MANUAL_RELEVANCE,
        tags: Sequence[str] = (),
        user: bool = False,
    ) -> tuple[Hit, bool]:
        """Stores a person's memory, for this project or, with `user`, for every one: (memory, whether it is new)."""
        given = self._given(text, kind=kind, relevance=relevance, tags=tags, user=user)
        with self._writer() as to:
            memory_id, new = self._store(to, given, uuid.uuid4().hex)
        return self.get([memory_id])[0], new

    def spool_store(self, text: str, *, kind: str, relevance: float, tags: Sequence[str], user: bool) -> str:
        """Accepts a person's memory for the worker, where the packages that `store` needs are missing; what is kept."""
        from .ops.accept import accept

        return accept(self.home, self._given(text, kind=kind, relevance=relevance, tags=tags, user=user))

    def _given(self, text: str, **more: object) -> dict[str, Any]:
        """A memory that a person gives, and where and when: what a job of the spool can hold."""
        session = self.environ.get("CLAUDE_CODE_SESSION_ID")
        where = {
            "cwd": self.folder,
            "project_dir": self.project_dir,
            "session": session_key(session) if session else "",
        }
        return {"text": text, **more, **where, "at": self.clock()}

    def revise(
        self,
        memory_id: str,
        text: str | None = None,
        *,
        kind: str | None = None,
        relevance: float | None = None,
        tags: Sequence[str] = (),
    ) -> Hit:
        """Corrects a memory; its earlier text stays readable in `show`."""
        from .ops import edit
        from .redact import redact

        def change(to: Store, whole: str, now: float) -> None:
            edit.revise(to, whole, text=text, kind=kind, relevance=relevance, tags=tags, redact=redact, now=now)

        return self._edit(memory_id, change)

    def rate(self, memory_id: str, vote: str) -> Hit:
        """Votes on a memory: up, down or outdated."""
        from .ops import edit

        if vote not in edit.VOTES:
            raise BadInput(f"a memory is rated {', '.join(edit.VOTES)}; not {vote[:20]!r}", "cairn rate ID up")
        return self._edit(memory_id, lambda to, whole, now: edit.rate(to, whole, vote, now))

    def pin(self, memory_id: str, pinned: bool = True) -> Hit:
        """Puts a memory first in every brief, or takes that back."""
        from .ops import edit

        return self._edit(memory_id, lambda to, whole, now: edit.pin(to, whole, pinned, now))

    def trust(self, memory_id: str) -> Hit:
        """Accepts a memory that waited for a person's word."""
        from .ops import edit

        return self._edit(memory_id, edit.trust)

    def forget(self, memory_id: str) -> Hit:
        from .ops import edit

        return self._edit(memory_id, edit.forget)

    def restore(self, memory_id: str) -> Hit:
        from .ops import edit

        return self._edit(memory_id, edit.restore)

    def _edit(self, memory_id: str, change: Callable[[Store, str, float], None]) -> Hit:
        with self._reader() as reader:
            whole = reader.get(memory_id).id
        with self._writer() as to:
            change(to, whole, self.clock())
        return self.get([whole])[0]

    # Capture

    def capture(self, path: str) -> Report:
        """Captures a transcript in the foreground: when it returns, the rows are there."""
        with self._writer() as to:
            return self._capture(to)(path)

    def observe(
        self,
        tool: str = "",
        *,
        command: str = "",
        state: str = "unknown",
        files: Sequence[str] = (),
        reasoning: str = "",
        session: str = "",
    ) -> Observation | None:
        """Notes what a client without hooks has done: a tool call, or without a tool what was said; None for a call of
        Cairn's own, which is not kept. The session is this one of Claude Code's where none is named.
        """
        from .core.observation import UNPLACED, Observation
        from .ops.observe import Digest, observe
        from .redact import redact

        session = session or self.environ.get("CLAUDE_CODE_SESSION_ID", "")
        if not session:
            raise BadInput("it is not said which session this is of", "cairn observe --session ID ...")
        if self.is_off:
            raise CairnError("Cairn is turned off here", "cairn config off")
        call_id, at = uuid.uuid4().hex, self.clock()
        raw = Observation(call_id, tool, command, tuple(files), state, reasoning, call_id, UNPLACED, at)
        digest = Digest(redact, self.folder, self.identity.root if self.identity else "")
        with self._writer() as to:
            return observe(to, session_key(session), raw, digest, self.identity)

    def explain(self, path: str) -> Explained:
        """What the rules would keep of a transcript, turn by turn, and why. Writes nothing."""
        from .ops.explain import explain
        from .redact import redact

        return explain(path, redact)

    def ingest(
        self,
        paths: Sequence[str] = (),
        *,
        begin: Callable[[Sources], None] = lambda sources: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Ingested:
        """Captures transcripts, or all in folders; without any, the client's past sessions. What is done stays done.

        `begin` is told what there is before it is read, `watch` how many bytes are behind. Raises BadInput for a path
        that does not exist.
        """
        from .ops import ingest

        with self._writer() as to:
            sources = ingest.find(to, paths or [path for path in [self.past_sessions] if os.path.exists(path)])
            begin(sources)
            return ingest.ingest(to, self._capture(to), sources, now=self.clock(), watch=watch)

    def scrub(self, *, dry_run: bool = False) -> Scrubbed:
        """Redacts everything that was stored before as it would be today, or with `dry_run` only counts it."""
        from .ops.observe import drain
        from .ops.scrub import scrub
        from .redact import redact

        with self._reader():
            pass  # creates and migrates what has to be

        def merge(log: Callable[[str], None]) -> None:
            with self._writer() as store:
                drain(self.home, store, redact, self.environ.get("HOME", ""), log)

        with spool.Alone(self.home, "worker"):
            done = scrub(self.home, self.database, redact, self.clock(), dry_run, merge)
        if spool.names(self.home, "new"):
            runtime.start_worker(self.home)  # one that came in between found the lock taken
        return done

    @property
    def past_sessions(self) -> str:
        """The folder in which the client keeps its transcripts. Raises BadInput where the environment names none."""
        if not (self.environ.get("CLAUDE_CONFIG_DIR") or self.environ.get("HOME")):
            raise BadInput("HOME is not set: it is not known where past sessions are", "cairn ingest FOLDER")
        return os.path.join(settings.client_home(self.environ), "projects")
