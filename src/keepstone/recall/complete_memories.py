"""Completes new memories: ties them to files, and makes their vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..config import runtime
from ..context import Context
from ..freshness.verify import tie
from ..lib.errors import KeepstoneError
from .embeddings.fill_vectors import fill
from .open_embedder import embedder_of

if TYPE_CHECKING:
    from ..db.writer import Writer


def complete(context: Context, store: Writer) -> None:
    """Ties new memories to their files and makes their vectors. If vectors cannot be made now, the worker makes them
    later.
    """
    tie(store, store.written, context.caller.folder)
    embedder = embedder_of(context) if store.written else None
    if embedder:
        try:
            fill(store, embedder, store.written)
        except KeepstoneError as problem:
            context.log(f"vectors wait: {problem}")


@contextmanager
def writing(context: Context) -> Iterator[Writer]:
    """Opens the database for writing, and completes what was written. Schedules the worker, which links new
    memories.
    """
    with context.writer() as store:
        yield store
        complete(context, store)
        if store.written and context.session:
            runtime.schedule_worker(context.home, context.clock())  # the session's next hook starts the worker
