"""`Memory`, the synchronous public API and the only door for the faces: one use case a method.

    memory = Memory()
    memory.store("Deploys need the VPN: the registry is internal", kind="fact")
    for shown in memory.search("deploy").found:
        print(shown.memory.content)

What writes needs SQLModel, which costs a third of a second to import, and is imported by the first write.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import native, settings, spool
from .core import defaults
from .core.errors import BadInput, StoreError
from .core.text import digest, session_key
from .core.view import Hit
from .ops import brief as brief_op
from .ops import search as search_op
from .ops.brief import Brief
from .ops.search import Results, Scope
from .project import Identity, identify
from .store.reader import SCHEMA, Reader

if TYPE_CHECKING:
    from .core.health import Check
    from .ops.capture import Capture, Report
    from .ops.ingest import Ingested as Ingested
    from .ops.ingest import Sources as Sources
    from .ops.status import Spending as Spending
    from .ops.status import Status
    from .ops.work import Worked
    from .store.store import Store

__all__ = ["Memory", "Results"]

READ_BUSY = 5.0  # seconds a person's command waits for the database; perf.md 4


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise BadInput("the folder you are in no longer exists", "cd to a project's folder") from None


class Memory:
    """The memories of one data home, seen from one folder's project."""

    def __init__(
        self,
        home: str | None = None,
        folder: str | None = None,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`home` is the data home (default: as the environment says), `folder` the one whose project this is about.

        Raises BadInput where there is no place for memories or the folder does not exist.
        """
        self.home = home or settings.need_home(environ)
        self.environ = environ
        self.clock = clock
        if folder is not None and not os.path.isdir(folder):
            raise BadInput(f"there is no folder {folder}", "--project takes the path of a project's folder")
        self.folder = os.path.abspath(folder) if folder else _here()
        self.project_dir = "" if folder else environ.get("CLAUDE_PROJECT_DIR", "")
        self.identity = self._identity(self.folder, self.project_dir)
        self.settings = settings.load(self.home, environ)

    def _identity(self, folder: str, project_dir: str) -> Identity | None:
        return identify(folder, project_dir, self.environ.get("HOME", ""))

    @property
    def database(self) -> str:
        return os.path.join(self.home, "cairn.db")

    @contextmanager
    def _reader(self) -> Iterator[Reader]:
        if not os.path.exists(self.database) or os.path.getsize(self.database) == 0:
            self._create()
        reader = Reader(self.database, READ_BUSY)
        if reader.empty or reader.schema < SCHEMA:
            reader.close()
            self._create()
            try:
                self.work(wait=True)
            except ImportError:
                pass  # without the packages nothing migrates: an older schema is read as it is, as hooks do
            reader = Reader(self.database, READ_BUSY)
        try:
            yield reader
        finally:
            reader.close()

    def _create(self) -> None:
        from .store import migrations

        try:
            os.makedirs(self.home, mode=0o700, exist_ok=True)
        except OSError as problem:
            says = f"{self.home} can't be made: {problem.strerror}"
            raise StoreError(says, "export CAIRN_HOME=/a/folder/that/can/be/written") from problem
        migrations.ensure(self.database)

    @contextmanager
    def _writer(self) -> Iterator[Store]:
        from .similar import ratio
        from .store.store import Store

        with self._reader():
            pass  # creates and migrates what has to be
        store = Store(self.database, ratio)
        try:
            yield store
        finally:
            store.close()

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
        with self._reader() as reader:
            scope = self._scope(reader, kind, everything)
            return search_op.recent(reader, scope, limit, self.clock(), forgotten)

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

    def doctor(self) -> list[Check]:
        """Every check of this installation. Changes nothing, and works when nothing else does."""
        from .ops.doctor import doctor

        return doctor(self.home, self.settings, self.is_off, self.extractor_lacks, self.clock())

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

    def _store(self, to: Store, given: Mapping[str, Any], seed: str) -> tuple[str, bool]:
        """Stores what `_given` made; the same seed again makes no second memory."""
        from .ops import edit
        from .redact import redact

        return edit.store(to, given, self._identity(given["cwd"], given["project_dir"]), redact=redact, seed=seed)

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

    @property
    def past_sessions(self) -> str:
        """The folder in which the client keeps its transcripts. Raises BadInput where the environment names none."""
        if not (self.environ.get("CLAUDE_CONFIG_DIR") or self.environ.get("HOME")):
            raise BadInput("HOME is not set: it is not known where past sessions are", "cairn ingest FOLDER")
        return os.path.join(settings.client_home(self.environ), "projects")

    def _capture(self, to: Store) -> Capture:
        from .extract import choose
        from .ops.capture import Capture
        from .redact import redact

        extractor = choose(
            self.settings.values,
            environ=self.environ,
            home=self.home,
            ledger=to.ledger,
            redact=redact,
            clock=self.clock,
        )
        return Capture(
            to,
            extractor,
            redact=redact,
            clock=self.clock,
            user_home=self.environ.get("HOME", ""),
            is_off=self.settings.is_off,
            alone=lambda: spool.Alone(self.home, "extractor"),
        )

    def work(self, *, wait: bool = False, retry: bool = False, held: int | None = None) -> Worked | None:
        """Drains the spool here and now; None when another process is at it and `wait` is false.

        With `retry`, jobs that stand aside are tried again. `held` is the worker's lock where the caller has it.
        """
        from .ops.work import EVENTS

        if retry:
            spool.bring_back(self.home)
        done = None
        while True:
            held = spool.lock(self.home, wait) if held is None else held
            if held is None:
                return done
            try:
                done = self._work(done)
            finally:
                spool.unlock(held)
                held = None
            # what came in during the drain found the lock taken: look again
            if not spool.due(self.home, self.clock(), EVENTS):
                return done

    def _work(self, before: Worked | None) -> Worked:
        from .ops.work import work
        from .similar import ratio
        from .store import migrations
        from .store.store import Store

        self._create()
        try:
            migrations.migrate(self.database, os.path.join(self.home, "backups"))
        except (OSError, migrations.Error) as problem:
            raise StoreError(f"{self.database} can't be migrated: {problem}", "cairn doctor") from problem
        store = Store(self.database, ratio)
        try:
            worked = work(
                self.home,
                store,
                self._capture(store),
                lambda given: self._store(store, given, digest(repr(given["at"]), given["text"])),
                now=self.clock,
                log=lambda line: spool.log(self.home, "worker", line, self.clock()),
            )
        finally:
            store.close()
        if before is not None:
            worked.done += before.done
        return worked
