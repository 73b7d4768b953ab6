"""Runs the worker on this machine's memories: drains the spool, runs due jobs, renews what hooks read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

from ..capture.observe import drain_observations
from ..capture.open_capture import open_capture
from ..config import runtime
from ..context import Context
from ..db.open import migrate
from ..db.sessions_read import folders
from ..db.writer import Writer
from ..freshness import anchors_sql
from ..freshness.verify import tie, verify
from ..graph.find_links import relate
from ..lib import files
from ..lib.errors import KeepstoneError
from ..lib.fuzzy import ratio
from ..lib.limits import COPY_DAYS, COPY_SECONDS, DAY_SECONDS
from ..lib.text import digest
from ..lifecycle.history_sql import took_back
from ..lifecycle.store_request import store_request
from ..recall.complete_memories import complete
from ..recall.embeddings import vectors_sql
from ..recall.embeddings.fill_vectors import agree, fill, fill_turns
from ..recall.open_embedder import embedder_of, lens_of
from ..redaction.redact import redact
from ..remote.read_copy_sql import renewed
from ..spool import jobs_sql, queue
from ..transfer.adopt_shared import adopt
from ..transfer.share import shared
from .drain_spool import EVENTS, Worked, drain_spool
from .maintain import run_due

VERIFY_SECONDS = 3_600.0  # a project's files are checked for this long after its last session
LINK_SECONDS = 20.0  # for linking memories in one run of the worker
FEW_TAKEN_BACK = 5  # by one session in a run of the worker; people change their mind on two or three things a day
SHARED_SECONDS = 86_400.0  # shared pages are read for folders with a session in the last day

Once = Callable[[], Worked]


def work(context: Context, *, wait: bool = False, retry: bool = False, held: int | None = None) -> Worked | None:
    """Drains the spool now. Returns None if another process holds the worker's lock and `wait` is false. With `retry`,
    dead letters are tried again. `held` is the worker's lock, if the caller holds it.
    """
    return drained(context, lambda: _run(context), wait=wait, retry=retry, held=held)


def drained(context: Context, once: Once, *, wait: bool, retry: bool, held: int | None) -> Worked | None:
    """Runs `once` under the worker's lock until nothing is due. Returns the result of the last run, with `done` of all
    runs. Returns None if another process holds the lock and `wait` is false.
    """
    if retry:
        queue.retry_dead(context.home)
    done = None
    while True:
        held = files.lock(context.home, wait) if held is None else held
        if held is None:
            return done
        try:
            before, done = done, once()
            done.done += before.done if before else 0
        finally:
            files.unlock(held)
            held = None
        # A job that arrived during the run found the lock taken: look again.
        if not queue.due(context.home, context.clock(), EVENTS):
            return done


def _run(context: Context) -> Worked:
    migrate(context.home, context.database)
    store = Writer(context.database, ratio)
    store.policies = context.policies
    began = context.clock()
    try:
        worked = drain_spool(
            context.home,
            store,
            open_capture(context, store),
            lambda given: store_request(context, store, given, digest(repr(given["at"]), given["text"])),
            observe=lambda: drain_observations(context.home, store, redact, context.log),
            find=context.caller.transcript,
            now=context.clock,
            log=context.log,
        )
        _tell_what_was_taken_back(context, store, began)
        tie(store, store.written)
        with store.transaction() as tx:
            roots = anchors_sql.roots(tx, context.clock() - VERIFY_SECONDS)
        for project, root in roots:
            if os.path.isdir(root):
                verify(store, project, root, context.clock())
        catch_up(context, store)
        complete(context, store)
        until = context.clock() + LINK_SECONDS
        link(context, store, until)
        with store.transaction() as tx:
            jobs_sql.release(tx)
        _take_shared(context)
        for ran in run_due(context.home, store, context.settings.values, context.clock):
            context.log(f"{ran.name}: {ran.problem or ran.brief}")
        complete(context, store)  # also completes what the jobs have made
        link(context, store, until)
        if not context.is_file:
            renew_copy(context, store)
    finally:
        store.close()
    return worked


def _tell_what_was_taken_back(context: Context, store: Writer, since: float) -> None:
    """Leaves the user a message if a session took back so many memories that it may have been misunderstood."""
    with store.transaction() as tx:
        found = took_back(tx, since, FEW_TAKEN_BACK)
    for session, count in found[:1]:
        told = f"what was said in one session took back {count} memories. Not meant so? keepstone undo {session}"
        files.write(runtime.taken_back_file(context.home), told)


def catch_up(context: Context, store: Writer) -> None:
    """Rebuilds a missing or stale word table, then adds missing vectors."""
    try:
        if context.settings["embedder"] == "static" and not os.path.exists(runtime.table_file(context.home)):
            from ..recall.embeddings.build_table import make  # needs numpy, which is optional

            make(context.home)
        embedder = embedder_of(context)
        if embedder and agree(store, context.home, context.environ, embedder):
            embedder = embedder_of(context)
        if embedder:
            fill(store, embedder)
            fill_turns(store, embedder, context.clock() + LINK_SECONDS, context.clock)
            vectors_sql.index(store.where, embedder.model, embedder.dims)
    except (KeepstoneError, ImportError, OSError, ValueError) as problem:
        context.log(f"vectors wait: {type(problem).__name__}: {problem}")


def link(context: Context, store: Writer, until: float = math.inf) -> None:
    """Finds relationships of memories that were not linked yet, until a time."""
    with context.backend.reading(context.database) as reader:
        try:
            relate(store, reader, lens_of(context), context.clock, until)
        except Exception as problem:  # noqa: BLE001  a damaged row, which doctor names, must not stop everything else
            context.log(f"relationships wait: {type(problem).__name__}: {problem}")


def _take_shared(context: Context) -> None:
    """Reads the pages that others have shared in the repositories of the last sessions. New memories need review."""
    with context.backend.reading(context.database) as reader:
        there = [one for one in folders(reader, context.clock() - SHARED_SECONDS) if os.path.isdir(one)]
    roots = {identity.root: identity for one in there if (identity := context.caller.project_of(one, ""))}
    for root, identity in roots.items():
        if context.settings.is_off(identity):
            continue
        try:
            adopt(context, shared(root), identity)
        except (KeepstoneError, OSError) as problem:
            context.log(f"what is shared in {root} waits: {problem}")


def renew_copy(context: Context, store: Writer) -> None:
    """Updates the copy that this machine's hooks read, for the projects of sessions on this machine. Schedules the next
    update, because other machines write, too.
    """
    now = context.clock()
    with context.backend.reading(context.database) as server:
        there = [one for one in folders(server, now - COPY_DAYS * DAY_SECONDS) if os.path.isdir(one)]
        found = [server.project_of(context.caller.project_of(one, "")) for one in there]
        projects = sorted({project for project in found if project})
        told, taken = renewed(runtime.database_file(context.home, context.environ), store, server, projects, now)
    if told or taken:
        context.log(f"read copy: {told} deliveries told, {taken} memories taken over")
    runtime.schedule_worker(context.home, now + COPY_SECONDS)
