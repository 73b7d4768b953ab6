"""Maintains a data home: its health, its worker, its jobs and its indexes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ..admin.doctor import doctor
from ..admin.prove import prove
from ..admin.status import Status, status
from ..admin.week import Week, week
from ..admin.week_sql import WeekReader
from ..capture.extractors.choose_extractor import lacks
from ..capture.extractors.claude_cli import find
from ..context import Context, open_context
from ..db import repair
from ..db.engines import open_reader
from ..freshness import anchors_sql
from ..freshness.verify import Verified, tie, verify
from ..jobs import run
from ..jobs.maintain import last_run, run_due
from ..jobs.run import link
from ..lib import files
from ..lib.errors import KeepstoneError, StoreError
from ..lib.limits import LOOK_SECONDS, MANUAL_RELEVANCE
from ..lifecycle.store_request import request_of, store_request
from ..recall.embeddings import vectors_sql
from ..recall.embeddings.fill_vectors import fill, fill_turns, recount
from ..recall.open_embedder import embedder_of, embedder_problem
from ..remote.protocol import local, remote
from ..spool import jobs_sql
from .common import backups_of, require_file, require_not_waiting, scope_of, writing

if TYPE_CHECKING:
    from ..admin.health_report import Check
    from ..admin.prove import Proof
    from ..db.records import JobRecord
    from ..db.repair import Repaired
    from ..freshness.verify import Verified
    from ..jobs.drain_spool import Worked
    from ..jobs.maintain import JobResult

PLANTED = {"kind": "fact", "relevance": MANUAL_RELEVANCE, "tags": (), "user": False, "ttl": "", "until": "", "tier": ""}


class Maintenance:
    """The maintenance of a data home."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=Status)
    def status(self, *, everything: bool = False) -> Status:
        """Returns a summary of the memories and the pending work."""
        values = {**self.context.settings.values, "off": self.context.settings.is_off(self.context.caller.identity)}
        with self.context.reader() as reader:
            name = self.context.caller.identity.name if self.context.caller.identity else None
            scope = scope_of(self.context, reader, None, everything)
            return status(reader, self.context.home, scope, name, values, self.context.clock())

    @remote(answers=Week)
    def week(self, *, everything: bool = False) -> Week:
        """Returns what the sessions of the last seven days were shown, used, corrected and learned. Counts nothing."""
        with self.context.reader() as reader, closing(WeekReader(self.context.database)) as sums:
            name = self.context.caller.identity.name if self.context.caller.identity else None
            return week(reader, sums, scope_of(self.context, reader, None, everything), name, self.context.clock())

    @remote(answers=int | None)
    def total(self) -> int | None:
        """Returns the number of memories in all projects, None if they cannot be counted. Changes nothing."""
        if self.context.is_file and not os.path.exists(self.context.database):
            return 0
        try:
            with closing(open_reader(self.context.database)) as reader:
                return 0 if reader.empty else reader.count_in_scope(None, True, "", self.context.clock())
        except StoreError:
            return None

    @local("verify")
    def verify(self, ids: Sequence[str] = ()) -> Verified:
        """Checks whether the files of this project still contain what its memories quote. Marks `ids` as confirmed by a
        person. Raises BadInput if a session's model names one that waits for review.
        """
        require_not_waiting(self.context, ids)
        with self.context.reader() as reader:
            whole = [reader.get(memory_id).id for memory_id in ids]
            project = reader.project_of(self.context.caller.identity)
        with writing(self.context) as to:
            with to.transaction() as tx:
                for memory_id in whole:
                    anchors_sql.confirm(tx, memory_id, self.context.clock())
            tie(to, whole, self.context.caller.folder)
            if whole or project is None or self.context.caller.identity is None:
                return Verified(len(whole))
            return verify(to, project, self.context.caller.identity.root, self.context.clock())

    @local("doctor", about_client=True)
    def doctor(self) -> list[Check]:
        """Runs every check of this installation. Changes nothing, and works even if other commands do not."""
        context, embedder = self.context, embedder_of(self.context)
        extractor_lacks = lacks(context.settings.values, context.environ)
        problem = embedder_problem(context)
        missing = {"extractor": extractor_lacks}
        missing["embedder"], missing["embedder_fix"] = (problem.message, problem.hint) if problem else ("", "")
        here, model = context.caller.identity, embedder.model if embedder else ""
        home, database = context.home, context.database
        return doctor(home, database, context.settings, here, missing, model, context.environ, context.clock())

    @local("doctor --prove", about_client=True)
    def prove(self, watch: Callable[[str], None] = lambda what: None) -> Proof:
        """Proves in a sandbox that a memory reaches the model and that statements are learned. Takes seconds.

        The real client takes part if it is installed, with a scripted API on loopback. Changes nothing here.
        """

        def plant(home: str, folder: str, environ: Mapping[str, str], text: str) -> None:
            context = open_context(home, folder, environ)
            with writing(context) as to:
                store_request(context, to, request_of(context, text, **PLANTED), os.urandom(16).hex())

        return prove(self.context.home, self.context.environ, find(self.context.environ), plant, watch)

    @local("doctor")
    def repair(self) -> Repaired:
        """Repairs a damaged database: copies everything that can still be read into a new one. Running sessions can
        read meanwhile; the worker waits. Raises StoreError, with the database unchanged.
        """
        require_file(self.context, "put right", "restore it from the server's own backups, see docs/team.md")
        if not os.path.lexists(self.context.database):
            raise StoreError(
                f"there is no database yet at {self.context.database}", "keepstone store 'what to remember'"
            )
        with files.FileLock(self.context.home, "worker"):
            return repair.repair(self.context.database, backups_of(self.context), self.context.clock())

    @local("reindex")
    def reindex(
        self, *, begin: Callable[[int], None] = lambda total: None, watch: Callable[[int], None] = lambda done: None
    ) -> tuple[int, str]:
        """Rebuilds the indexes and every vector. Returns the number of memories and the model of the vectors, "" for
        none. `begin` is called with that number, `watch` with the number of vectors made. Raises KeepstoneError if the
        embedder of the settings cannot be loaded.
        """
        with writing(self.context) as to:
            with to.transaction() as tx:
                count = vectors_sql.count(tx)
            begin(count)
            with to.transaction() as tx:
                vectors_sql.rebuild(tx)
            embedder = embedder_of(self.context)
            if embedder is None:
                if problem := embedder_problem(self.context):
                    raise KeepstoneError(f"there are no vectors: {problem.message}", problem.hint)
                return count, ""
            with to.transaction() as tx:
                vectors_sql.drop_vectors(tx)
            if self.context.settings["embedder"] == "static":
                recount(to, self.context.home, self.context.environ)
                embedder = embedder_of(self.context) or embedder
            fill(to, embedder, watch=watch)
            fill_turns(to, embedder, math.inf, self.context.clock)
            vectors_sql.index(to.where, embedder.model, embedder.dims)
            return count, embedder.model

    @local("worker jobs")
    def jobs(self) -> list[tuple[JobRecord, JobResult]]:
        """Returns every job with its due time, and the result of its last run."""
        with writing(self.context) as to:
            with to.transaction() as tx:
                scheduled = jobs_sql.schedule(tx)
            return [(job, last_run(job)) for job in scheduled]

    @local("worker run-all")
    def maintain(self, *, watch: Callable[[str], None] = lambda name: None) -> list[JobResult]:
        """Runs every job now. `watch` is called with the name of each job before it runs. Waits for a
        running worker.
        """
        self.context.prepare()
        with files.FileLock(self.context.home, "worker"), writing(self.context) as to:
            link(self.context, to, self.context.clock() + LOOK_SECONDS)
            with to.transaction() as tx:
                jobs_sql.release(tx)
                jobs_sql.all_due(tx)
            return run_due(self.context.home, to, self.context.settings.values, self.context.clock, watch)

    @local("worker run", about_client=True)
    def work(self, *, wait: bool = False, retry: bool = False, held: int | None = None) -> Worked | None:
        """Drains the spool now. Returns None if another process is doing it and `wait` is false.

        With `retry`, dead letters are tried again. `held` is the worker's lock, if the caller holds it.
        """
        if self.context.server is not None:
            from ..jobs import run_remote

            return run_remote.work(self.context, wait=wait, retry=retry, held=held)
        return run.work(self.context, wait=wait, retry=retry, held=held)
