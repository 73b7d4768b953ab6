"""Runs the worker if the memories are on a server: sends queued memories, captures, renews what hooks read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeVar

from ..capture.observe import drain_observations
from ..capture.open_capture import open_capture
from ..config import runtime
from ..context import Context
from ..db.engines import open_reader
from ..db.open import migrate
from ..db.sessions_read import folders
from ..db.writer import Writer
from ..lib.errors import KeepstoneError
from ..lib.fuzzy import ratio
from ..lib.limits import COPY_DAYS, COPY_SECONDS, DAY_SECONDS
from ..lib.text import counted, digest
from ..lifecycle.store_request import store_request
from ..project.identity import Identity
from ..redaction.redact import redact
from ..remote.client import Client
from ..remote.read_copy_sql import exchanged, opened, ready
from ..remote.relay_sql import Relay
from ..remote.sync import Courier
from ..spool import spool
from .drain_spool import Worked, drain_spool
from .run import drained

WORKER_SEND_SECONDS = 60.0  # the worker's limit for sending queued memories

T = TypeVar("T")


def work(context: Context, *, wait: bool = False, retry: bool = False, held: int | None = None) -> Worked | None:
    """Drains this machine's spool into the server, and renews what hooks read. What the server does not accept stays
    queued.
    """
    own = replace(context, server=None)
    client = Client(own)
    typed = held is None
    if typed:
        client.peer.reset_breaker()
    seconds = math.inf if typed else WORKER_SEND_SECONDS
    sent, waits = _tried(client, lambda: client.send(seconds, retry))
    if sent:
        own.log(f"{counted(sent, 'memory', 'memories')} sent to the server")
    worked, why = _tried(client, lambda: drained(own, lambda: _run(client, own), wait=wait, retry=retry, held=held))
    if why:
        worked = Worked(waiting=len(spool.list_jobs(own.home, "new")))
    if worked is not None:
        worked.sent, worked.unsent, worked.unsent_why = sent or 0, client.unsent, why or waits
    return worked


def _tried(client: Client, act: Callable[[], T]) -> tuple[T | None, str]:
    """Returns the result of `act` and "", or None and the problem."""
    try:
        return act(), ""
    except KeepstoneError as problem:
        context = client.context
        context.log(f"what is kept for {client.url} waits: {problem.message}")
        runtime.schedule_worker(context.home, context.clock() + COPY_SECONDS)
        return None, problem.message


def _run(client: Client, context: Context) -> Worked:
    """Runs the spool's jobs. Renews the copy first, which fails if the server is unreachable, before any job is taken
    from the spool.
    """
    path = runtime.database_file(context.home, context.environ, client.url)
    ready(path)
    store = Writer(path, ratio)
    relay = Relay(store, _courier(client, {}), lambda: _renew_copy(client, relay, path))
    try:
        _renew_copy(client, relay, path)
        worked = drain_spool(
            context.home,
            store,
            open_capture(context, store, relay),
            lambda given: _keep(context, given),
            observe=lambda: drain_observations(context.home, store, redact, context.log),
            find=context.caller.transcript,
            now=context.clock,
            log=context.log,
        )
        if worked.done:
            _renew_copy(client, relay, path)
    finally:
        store.close()
    return worked


def _renew_copy(client: Client, relay: Relay, path: str) -> None:
    """Uploads deliveries and downloads changes for recently used projects."""
    context = client.context
    now = context.clock()
    with closing(open_reader(path)) as reader:
        seen = folders(reader, now - COPY_DAYS * DAY_SECONDS)
    places: dict[str, Identity] = {}
    for folder in seen:
        if (identity := _identity(context, folder)) and (project := relay.project(identity, "", now)):
            keys = places[project].keys if project in places else ()
            places[project] = Identity((*keys, *identity.keys), identity.name, identity.root)
    courier = _courier(client, places)
    with opened(path) as copy:
        told, taken = exchanged(
            copy,
            lambda shown: courier.count_shown(_identity(context, shown.folder), shown),
            courier,
            list(places),
            now,
        )
    if told or taken:
        context.log(f"read copy: {told} deliveries told, {taken} memories taken over")
    runtime.schedule_worker(context.home, now + COPY_SECONDS)


def _identity(context: Context, folder: str) -> Identity | None:
    return context.caller.project_of(folder, "") if os.path.isdir(folder) else None


def _courier(client: Client, places: Mapping[str, Identity]) -> Courier:
    return Courier(client.peer, client.machine, places, client.context.clock())


def _keep(own: Context, given: Mapping[str, Any]) -> tuple[str, bool]:
    """Stores a memory that was spooled before a server was set: it belongs to this machine."""
    migrate(own.home, own.database)
    with own.backend.writing(own.database) as store:
        return store_request(own, store, given, digest(repr(given["at"]), given["text"]))
