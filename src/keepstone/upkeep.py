"""Looking after a data home: whether all is well, capture, past sessions, the jobs and the backups. What `Memory` adds
to `Leaving` beside memories themselves.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from . import runtime, settings, spool
from .core.defaults import LOOK_SECONDS, PAGE_LIMIT
from .core.errors import BadInput, KeepstoneError, StoreError
from .core.text import digest, session_key
from .leaving import Leaving
from .project import text_of

if TYPE_CHECKING:
    from .core.health import Check
    from .core.observation import Observation
    from .ops.capture import CaptureReport
    from .ops.explain import Explained
    from .ops.ingest import Ingested, Sources
    from .ops.maintain import JobResult
    from .ops.scrub import Scrubbed
    from .store.records import JobRecord
    from .store.repair import Repaired
    from .store.seen import Delivery, Project, Seen


class Upkeep(Leaving):
    """What is done for a data home, seen from one folder's project."""

    def doctor(self) -> list[Check]:
        """Every check of this installation. Changes nothing, and works when nothing else does."""
        from .ops.doctor import doctor

        model = self.embedder.model if self.embedder else ""
        lacks = {"extractor": self.extractor_lacks, "embedder": self.embedder_lacks}
        return doctor(self.home, self.database, self.settings, self.is_off, lacks, model, self.environ, self.clock())

    def repair(self) -> Repaired:
        """Puts a damaged database right: what can be read of it is in a new one then. Sessions that run read on; the
        worker waits. Raises StoreError, and then it stands as it was.
        """
        from .store import repair

        self._need_file("put right", "restore it from the server's own backups, see docs/team.md")
        if not os.path.lexists(self.database):
            raise StoreError(f"there is no database yet at {self.database}", "keepstone store 'what to remember'")
        with spool.Alone(self.home, "worker"):
            return repair.repair(self.database, self.backups, self.clock())

    @property
    def is_off(self) -> bool:
        return self.settings.is_off(self.identity)

    @property
    def extractor_lacks(self) -> str:
        from .extract import lacks

        return lacks(self.settings["extractor"], self.environ)

    # Capture

    def capture(self, path: str) -> CaptureReport:
        """Captures a transcript in the foreground: when it returns, the rows are there. Raises BadInput as `ingest`."""
        self._need_client_s([path])
        with self._writer() as to:
            return self._capture(to)(path)

    def capture_text(self, text: str, session: str = "") -> CaptureReport:
        """Captures a transcript that a program sends, or a conversation as text; the session is known by the text where
        it is not named. Nothing of the text stays behind but what is learned.
        """
        from .ops.told import records
        from .redact import redact

        key = session_key(session) if session else "told-" + digest(text)[:16]
        spool.make_folders(self.home)
        scratch = os.path.join(self.home, "spool", "tmp")  # what a killed process leaves there the worker removes
        with self._writer() as to, NamedTemporaryFile(prefix="told-", suffix=".jsonl", dir=scratch) as file:
            file.write(records(redact(text), key, text_of(self.folder), self.clock()).encode())
            file.flush()
            return self._capture(to)(file.name, key, self.folder)

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
        Keepstone's own, which is not kept. The session is this one of Claude Code's where none is named.
        """
        from .core.observation import UNPLACED, Observation
        from .ops.observe import Digest, observe
        from .redact import redact

        session = session or self._session
        if not session:
            raise BadInput("it is not said which session this is of", "keepstone observe --session ID ...")
        if self.is_off:
            raise KeepstoneError("Keepstone is turned off here", "keepstone config off")
        call_id, at = uuid.uuid4().hex, self.clock()
        raw = Observation(call_id, redact(tool), command, tuple(files), state, reasoning, call_id, UNPLACED, at)
        digest = Digest(redact, self.folder, self.identity.root if self.identity else "")
        with self._writer() as to:
            return observe(to, session_key(session), raw, digest, self.identity)

    def start_session(self, session: str, branch: str = "") -> Seen:
        """Begins a session of a client without hooks (NL-9). Raises KeepstoneError for one that is known already."""
        from .ops.sessions import start

        with self._writer() as to, self._reader() as reader:
            return start(to, reader, session, self.identity, self.folder, branch, self.clock())

    def session(self, session: str) -> Seen:
        """Raises NotFound for one that is not known."""
        from .ops.sessions import require_session

        with self._reader() as reader:
            return require_session(reader, session)

    def sessions(self, *, limit: int = PAGE_LIMIT, offset: int = 0, everything: bool = False) -> tuple[list[Seen], int]:
        """So many sessions from one on, the newest first, and how many there are."""
        from .store.seen import page

        with self._reader() as reader:
            return page(reader, reader.project_of(self.identity), everything, limit, offset)

    def projects(self) -> list[Project]:
        """The projects of which a folder is still there, those with the most memories first."""
        from .store.seen import projects

        with self._reader() as reader:
            there = [one for one in projects(reader, self.clock()) if os.path.isdir(one.folder)]
        first = {one.id: one for one in reversed(there)}
        return [one for one in there if first[one.id] is one]

    def deliveries(self, memory_id: str = "", *, limit: int = PAGE_LIMIT, everything: bool = False) -> list[Delivery]:
        """What sessions were shown, or when this memory was, the latest first."""
        from .store.seen import deliveries

        with self._reader() as reader:
            whole = reader.get(memory_id).id if memory_id else ""
            return deliveries(reader, reader.project_of(self.identity), everything, whole, limit)

    def explain(self, path: str) -> Explained:
        """What the rules would keep of a transcript, turn by turn, and why. Writes nothing."""
        from .ops.explain import explain
        from .redact import redact

        return explain(path, redact)

    def past(self) -> Sources:
        """What `ingest` without paths would read."""
        from .ops import ingest

        with self._writer() as to:
            return ingest.find(to, [path for path in [self.past_sessions] if os.path.exists(path)])

    def ingest(
        self,
        paths: Sequence[str] = (),
        *,
        begin: Callable[[Sources], None] = lambda sources: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Ingested:
        """Captures transcripts, or all in folders; without any, the client's past sessions. What is done stays done.

        `begin` is told what there is before it is read, `watch` how many bytes are behind. Raises BadInput for a path
        that does not exist, and within a session for one that is not of the client's own.
        """
        from .ops import ingest

        self._need_client_s(paths)
        with self._writer() as to:
            sources = ingest.find(to, paths or [path for path in [self.past_sessions] if os.path.exists(path)])
            begin(sources)
            done = ingest.ingest(to, self._capture(to), sources, now=self.clock(), watch=watch)
            self._catch_up(to)
            return done

    def _need_client_s(self, paths: Sequence[str]) -> None:
        """Raises BadInput where a session's model would have anybody's file learned from as what the user has said."""
        own = os.path.realpath(os.path.join(settings.client_home(self.environ), "projects")) + os.sep
        for path in paths if self._by_model else ():
            if not (os.path.realpath(path) + os.sep).startswith(own):
                says = f"{path} is no transcript of Claude Code's own, and only a person has others learned from"
                raise BadInput(says, f"let the user type: keepstone ingest {path}")

    def scrub(self, *, dry_run: bool = False) -> Scrubbed:
        """Redacts everything that was stored before as it would be today, or with `dry_run` only counts it."""
        from .ops.observe import drain
        from .ops.scrub import scrub
        from .redact import redact

        self._need_file("scrubbed", "keepstone export, then keepstone import into a new database: both redact")
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

    def reindex(
        self, *, begin: Callable[[int], None] = lambda total: None, watch: Callable[[int], None] = lambda done: None
    ) -> int:
        """Makes the indexes and every vector anew; how many memories there are. `begin` is told how many, `watch` how
        many vectors are behind. Raises KeepstoneError where the embedder of the settings can't be had.
        """
        from .ops.vectorise import fill, recount
        from .store import vectors

        with self._writer() as to:
            with to.transaction() as tx:
                count = vectors.count(tx)
            begin(count)
            with to.transaction() as tx:
                vectors.rebuild(tx)
            if self.embedder:
                with to.transaction() as tx:
                    vectors.drop_vectors(tx)
                if self.settings["embedder"] == "static":
                    recount(to, self.home, self.environ)
                    self.__dict__.pop("embedder")
                fill(to, self.embedder, watch=watch)
                vectors.index(to.where, self.embedder.model, self.embedder.dims)
            elif self.embedder_lacks:
                raise KeepstoneError(f"there are no vectors: {self.embedder_lacks}", "keepstone doctor")
        return count

    @property
    def past_sessions(self) -> str:
        """The folder in which the client keeps its transcripts. Raises BadInput where the environment names none."""
        if not (self.environ.get("CLAUDE_CONFIG_DIR") or self.environ.get("HOME")):
            raise BadInput("HOME is not set: it is not known where past sessions are", "keepstone ingest FOLDER")
        return os.path.join(settings.client_home(self.environ), "projects")

    # Jobs and backups

    def jobs(self) -> list[tuple[JobRecord, JobResult]]:
        """Every job with when it is due, and what came of it last."""
        from .ops.maintain import last_run
        from .store import jobs

        with self._writer() as to, to.transaction() as tx:
            return [(job, last_run(job)) for job in jobs.schedule(tx)]

    def maintain(self, *, watch: Callable[[str], None] = lambda name: None) -> list[JobResult]:
        """Runs every job here and now; `watch` is told the name of each before it runs. Waits for a worker that is at
        it.
        """
        from .ops.maintain import run_due
        from .store import jobs

        with self._reader():
            pass  # creates and migrates what has to be
        with spool.Alone(self.home, "worker"), self._writer() as to:
            self._relate(to, self.clock() + LOOK_SECONDS)
            with to.transaction() as tx:
                jobs.release(tx)
                jobs.all_due(tx)
            return run_due(self.home, to, self.settings.values, self.clock, watch)

    @property
    def backups(self) -> str:
        """The folder that copies of the database are in."""
        return os.path.join(self.home, "backups")

    def backup(self, to: str = "") -> str:
        """Copies the database, here or to a path that is not there yet; the copy's path. Other processes go on."""
        from .store import backups

        self._need_file("copied", "pg_dump, see docs/team.md, or keepstone export")
        with self._reader():
            pass
        if to and os.path.exists(to):
            raise BadInput(f"{to} is there already", "keepstone backup ANOTHER-PATH")
        if to and not os.path.isdir(os.path.dirname(os.path.abspath(to))):
            raise BadInput(f"there is no folder {os.path.dirname(os.path.abspath(to))}", "mkdir it first")
        if to and os.path.realpath(to).startswith(os.path.realpath(self.home) + os.sep):
            raise BadInput(
                "that is in the data home, where erasing would not find it", "keepstone backup, without a path"
            )
        try:
            if not to:
                return backups.by_hand(self.database, self.backups, self.clock())
            backups.copy(self.database, os.path.abspath(to))
        except backups.Error as problem:
            raise KeepstoneError(f"no copy can be made: {problem}", "keepstone doctor") from problem
        return to

    def backup_list(self) -> list[tuple[str, int]]:
        """(name, bytes) of every copy."""
        from .store import backups

        return [(name, os.path.getsize(os.path.join(self.backups, name))) for name in backups.names_in(self.backups)]

    def restore_backup(self, name: str) -> str:
        """Puts a copy in the database's place; the name of the copy made of what was there. The worker waits. What was
        erased since the copy was made is erased again, and that copy with it.
        """
        from .ops.erase import erase_again
        from .store import backups, tombstones

        self._need_file("put back", "pg_restore, see docs/team.md")
        graves = tombstones.saved(self.database)
        with spool.Alone(self.home, "worker"):
            before = backups.restore(self.database, self.backups, name, self.clock())
        with self._reader():
            pass  # brings an older schema up to date
        with spool.Alone(self.home, "worker"):
            erase_again(self.database, graves, os.path.join(self.backups, os.path.basename(name)), self.clock())
        return before
