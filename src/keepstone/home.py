"""A data home, opened from one folder: its reader, its writer, its worker. What `Memory`'s use cases stand on.

What writes needs SQLModel, which costs a third of a second to import, and is imported by the first write.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import embed, runtime, settings, spool
from .caller import Caller
from .core.defaults import COPY_DAYS, COPY_SECONDS, DAY_SECONDS, LINK_SECONDS, SHARED_SECONDS, VERIFY_SECONDS
from .core.errors import KeepstoneError
from .core.lifecycle import tiers_of
from .core.policies import Policies
from .core.text import digest, session_key
from .stores import Stores

if TYPE_CHECKING:
    from .core.foreign import Foreign
    from .embed import Embedder
    from .ops.capture import Capture, CaptureSink
    from .ops.erase import Erasure
    from .ops.work import Worked
    from .project import Identity
    from .store.writer import Writer


class Home(Stores):
    """A data home, seen from one folder's project."""

    for_programs = False  # whether what is given here comes from a program: then it is judged as within a session
    looks = True  # whether who looks at the graph finds first what nobody has looked for; else the worker does

    def __init__(
        self,
        home: str | None = None,
        folder: str | None = None,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.time,
        policies: Policies | None = None,
        caller: Caller | None = None,
    ) -> None:
        """`home` is the data home (default: as the environment says), `folder` the one whose project this is about.
        `policies` decide how memories live (default: as the settings say). `caller` is who asks from elsewhere, and of
        which project: then no folder is looked at.

        Raises BadInput where there is no place for memories or the folder does not exist.
        """
        self.home = home or settings.need_home(environ)
        self.environ = environ
        self.clock = clock
        self.caller = caller or Caller(folder, environ)
        self.folder, self.project_dir = self.caller.folder, self.caller.project_dir
        self.identity = self.caller.identity
        self.settings = settings.load(self.home, environ)
        self.policies = policies or Policies(tiers_of(self.settings["tiers"]))
        self.embedder_lacks = ""  # why there is no embedder, once it has been asked for

    @property
    def _session(self) -> str:
        return self.caller.session

    @property
    def _by_model(self) -> bool:
        return self.caller.by_model

    @cached_property
    def embedder(self) -> Embedder | None:
        """What makes vectors here; None where there is to be none, or `embedder_lacks` something."""
        try:
            self.embedder_lacks = ""
            return embed.choose(self.settings.values, self.environ, self.home)
        except KeepstoneError as problem:
            self.embedder_lacks = problem.message
            return None

    @property
    def _lens(self) -> embed.Lens | None:
        return embed.Lens(self.embedder, self._log) if self.embedder else None

    def _log(self, line: str) -> None:
        spool.log(self.home, "worker", line, self.clock())

    def _complete(self, store: Writer) -> None:
        """Ties what has just been written to its files, and makes its vectors. Vectors that can't be made now are made
        up for by the worker.
        """
        from .ops.anchor import tie
        from .ops.vectorise import fill

        tie(store, store.written, self.folder)
        if self.embedder and store.written:
            try:
                fill(store, self.embedder, store.written)
            except KeepstoneError as problem:
                self._log(f"vectors wait: {problem}")

    def _catch_up(self, store: Writer) -> None:
        """Makes what vectors are made by, where it is missing or outgrown, and every vector that is missing."""
        from .ops.vectorise import agree, fill
        from .store import vectors

        try:
            if self.settings["embedder"] == "static" and not os.path.exists(runtime.table_file(self.home)):
                from .embed.table import make

                make(self.home)
                self.__dict__.pop("embedder", None)
            if self.embedder and agree(store, self.home, self.environ, self.embedder):
                self.__dict__.pop("embedder", None)
            if self.embedder:
                fill(store, self.embedder)
                vectors.index(store.where, self.embedder.model, self.embedder.dims)
        except (KeepstoneError, ImportError, OSError, ValueError) as problem:
            self._log(f"vectors wait: {type(problem).__name__}: {problem}")

    def _relate(self, store: Writer, until: float = math.inf) -> None:
        """Finds what the memories hang together with that nobody has looked at."""
        from .ops.relate import relate

        with closing(self.backend.reader(self.database)) as reader:
            try:
                relate(store, reader, self._lens, self.clock, until)
            except Exception as problem:  # noqa: BLE001  a damaged row, which doctor names, must not keep all else waiting
                self._log(f"relationships wait: {type(problem).__name__}: {problem}")

    def _renew_copy(self, store: Writer) -> None:
        """Brings the copy up to date that this machine's hooks read, of the projects in which sessions were seen here;
        once more before long, as others write too.
        """
        from .store.read_copy import renewed
        from .store.seen import folders

        now = self.clock()
        with closing(self.backend.reader(self.database)) as server:
            there = [one for one in folders(server, now - COPY_DAYS * DAY_SECONDS) if os.path.isdir(one)]
            found = [server.project_of(self.caller.project_of(one, "")) for one in there]
            projects = sorted({project for project in found if project})
            told, taken = renewed(runtime.database_file(self.home, self.environ), store, server, projects, now)
        if told or taken:
            self._log(f"read copy: {told} deliveries told, {taken} memories taken over")
        runtime.wake(self.home, now + COPY_SECONDS)

    def _erased_here(self, done: Erasure) -> Erasure:
        """After an erasing at a server: it is gone from this machine's copy too, or that is said."""
        from .store.scrub import purge_file

        copy = runtime.database_file(self.home, self.environ)
        if os.path.exists(copy):
            with closing(self.backend.writer(self.database)) as store:
                self._renew_copy(store)
            problem = purge_file(copy)
            done.problems += [problem] if problem else []
        return done

    def _take_shared(self) -> None:
        """Takes in what others have shared in the repositories of the last sessions; it waits for a person's word."""
        from .ops.share import shared
        from .store.seen import folders

        with closing(self.backend.reader(self.database)) as reader:
            there = [one for one in folders(reader, self.clock() - SHARED_SECONDS) if os.path.isdir(one)]
        roots = {identity.root: identity for one in there if (identity := self.caller.project_of(one, ""))}
        for root, identity in roots.items():
            if self.settings.is_off(identity):
                continue
            try:
                self._adopt(shared(root), identity)
            except (KeepstoneError, OSError) as problem:
                self._log(f"what is shared in {root} waits: {problem}")

    def _adopt(self, items: list[Foreign], identity: Identity) -> None:
        """Takes in what is not known yet of what others have shared."""
        from .core.shared import SHARED
        from .ops.import_foreign import Imported, ImportTarget, import_foreign
        from .redact import redact
        from .store.seen import recorded

        with closing(self.backend.reader(self.database)) as reader:
            known = recorded(reader, (f"{SHARED}:{item.key}" for item in items))
        new = [item for item in items if f"{SHARED}:{item.key}" not in known]
        if not new:
            return
        place, done = ImportTarget(identity, identity.root), Imported(identity.root, SHARED)
        with self._loader(False) as to:
            given: dict[str, Any] = {"redact": redact, "now": self.clock(), "watch": lambda done: None}
            import_foreign(to, new, done, place, lambda folder: folder, **given)
        self._log(f"shared in {identity.name}: {done.new} new, {done.quarantined} of them wait")

    def _capture(self, to: Writer, sink: CaptureSink | None = None) -> Capture:
        from .extract import choose
        from .ops.capture import Capture
        from .redact import redact
        from .store.usage import BudgetLedger

        extractor = choose(
            self.settings.values,
            environ=self.environ,
            home=self.home,
            budget=BudgetLedger(to),
            redact=redact,
            clock=self.clock,
        )
        return Capture(
            to,
            extractor,
            sink=sink,
            redact=redact,
            clock=self.clock,
            user_home=self.environ.get("HOME", ""),
            is_off=self.settings.is_off,
            alone=lambda: spool.Alone(self.home, "extractor"),
        )

    def _store(self, to: Writer, given: Mapping[str, Any], seed: str) -> tuple[str, bool]:
        """Stores what `_given` made; the same seed again makes no second memory."""
        from .ops import edit
        from .redact import redact

        identity = self.caller.project_of(given["cwd"], given["project_dir"])
        origin = given.get("origin") or "manual"
        by_model = given.get("by_model", bool(given["session"]))
        outside = self._outside(str(given["text"]), given["session"], given["at"], by_model)
        return edit.store(to, given, identity, redact=redact, seed=seed, origin=origin, outside=outside)

    def _outside(self, text: str, session: str, at: float, by_model: bool) -> str | None:
        """Why what is said in a session may be the words of others, "" for what it may not be; None outside of any."""
        if not session:
            return "" if self.for_programs else None
        return self.caller.whose_order(text, session, at) if by_model else ""

    def _outside_here(self, text: str) -> str | None:
        """The same of what is said here and now."""
        session = session_key(self._session) if self._session else ""
        return self._outside(text, session, self.clock(), self._by_model)

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
        from .ops.anchor import tie, verify
        from .ops.maintain import run_due
        from .ops.observe import drain
        from .ops.work import work
        from .redact import redact
        from .similar import ratio
        from .store import anchors, jobs
        from .store.writer import Writer

        self._migrate()
        store = Writer(self.database, ratio)
        store.policies = self.policies
        try:
            worked = work(
                self.home,
                store,
                self._capture(store),
                lambda given: self._store(store, given, digest(repr(given["at"]), given["text"])),
                observe=lambda: drain(self.home, store, redact, self.environ.get("HOME", ""), self._log),
                now=self.clock,
                log=self._log,
            )
            tie(store, store.written)
            with store.transaction() as tx:
                roots = anchors.roots(tx, self.clock() - VERIFY_SECONDS)
            for project, root in roots:
                if os.path.isdir(root):
                    verify(store, project, root, self.clock())
            self._catch_up(store)
            self._complete(store)
            until = self.clock() + LINK_SECONDS
            self._relate(store, until)
            with store.transaction() as tx:
                jobs.release(tx)
            self._take_shared()
            for ran in run_due(self.home, store, self.settings.values, self.clock):
                self._log(f"{ran.name}: {ran.problem or ran.brief}")
            self._complete(store)  # and what the jobs have made
            self._relate(store, until)
            if not self._is_file:
                self._renew_copy(store)
        finally:
            store.close()
        if before is not None:
            worked.done += before.done
        return worked
