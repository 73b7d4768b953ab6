"""A pool in front of the database: to open and close a reader or writer takes longer than most requests do."""

from __future__ import annotations

import os
from threading import RLock, local
from typing import TYPE_CHECKING, Any

from ..db.engines import is_address
from ..db.open import READ_BUSY, Backend
from ..db.reader import Reader
from ..db.writer import Writer
from ..lib.fuzzy import ratio
from ..recall.embeddings.choose_embedder import new_vector_cache

if TYPE_CHECKING:
    from ..recall.embeddings.vector_cache import VectorCache

KEPT_KILOBYTES = 32_000  # of pages that each thread keeps; measured: with SQLite's 2,000 a search takes a third longer

State = tuple[Any, ...]  # which file a path leads to


class PooledBackend(Backend):
    """Keeps readers and the writer of an SQLite file open while the path leads to the same file: a backup put in its
    place is opened anew. Writers take turns here, instead of waiting for each other in the database.
    """

    def __init__(self) -> None:
        self._readers = local()
        self._vector_caches: dict[State, VectorCache | None] = {}
        self._turn = RLock()
        self._store: Writer | None = None
        self._state: State = ()
        self._taken = False

    def reader(self, where: str) -> Reader:
        if is_address(where):
            return super().reader(where)  # its connections are pooled already
        free, lent = self._of_thread()
        while free:
            reader, state = free.pop()
            if reader.path == where and state == file_of(where):
                lent[id(reader)] = state
                return reader
            reader.close()
        state = file_of(where)
        reader = Reader(where, READ_BUSY)
        reader.hold(KEPT_KILOBYTES)
        reader.vector_cache_of = lambda model, dims: self._vector_cache(state, model, dims)
        lent[id(reader)] = state
        return reader

    def _of_thread(self) -> tuple[list[tuple[Reader, State]], dict[int, State]]:
        """Returns this thread's free readers, and the files of those that are lent."""
        kept = self._readers.__dict__
        return kept.setdefault("free", []), kept.setdefault("lent", {})

    def _vector_cache(self, *of: Any) -> VectorCache | None:
        """Returns the vectors of a model that stay in memory. Those of a replaced file go with the next one's."""
        caches = self._vector_caches
        if of not in caches:  # another thread may put others in their place meanwhile
            self._vector_caches = caches = {of: new_vector_cache(of[-1])}
        return caches[of]

    def writer(self, where: str) -> Writer:
        if is_address(where):
            return super().writer(where)
        self._turn.acquire()
        if self._taken:  # by this very thread, whose turn goes on: it gets another store
            self._turn.release()
            return super().writer(where)
        try:
            state = file_of(where)
            if self._store and (self._store.path, self._state) != (where, state):
                self._store.close()
                self._store = None
            self._store = self._store or Writer(where, ratio, READ_BUSY)
            self._state = state
        except BaseException:
            self._turn.release()
            raise
        self._taken = True
        return self._store

    def release(self, opened: Reader | Writer) -> None:
        if opened is self._store:
            self._store.written.clear()
            self._taken = False
            self._turn.release()
        elif isinstance(opened, Reader):
            free, lent = self._of_thread()
            state = lent.pop(id(opened), None)
            if state is None or not opened.can_count:  # read as immutable it may be out of date at once
                opened.close()
            else:
                free.append((opened, state))
        else:
            opened.close()


def file_of(path: str) -> State:
    """Returns which file a path leads to just now."""
    found = os.stat(path)
    return found.st_dev, found.st_ino
