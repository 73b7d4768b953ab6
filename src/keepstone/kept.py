"""Stores that stay open between requests: to open and close one takes longer than most requests do."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import RLock, local
from typing import TYPE_CHECKING, Any

from .core.defaults import KEPT_KILOBYTES
from .embed import new_shelf
from .similar import ratio
from .store.engines import is_address
from .store.reader import Reader
from .store.writer import Writer
from .stores import READ_BUSY, Backend

if TYPE_CHECKING:
    from .embed.shelf import Shelf


class KeptReader(Reader):
    """A reader that is not closed but kept for the next request of its thread."""

    def __init__(
        self, path: str, keep: Callable[[KeptReader], None], shelf_of: Callable[[str, int], Shelf | None]
    ) -> None:
        super().__init__(path, READ_BUSY)
        self.hold(KEPT_KILOBYTES)
        self.keep = keep
        self.shelf_of = shelf_of
        self.file = file_of(path)

    def close(self) -> None:
        self.keep(self)


class KeptStore(Writer):
    """A writer that is not closed but kept; meanwhile it is nobody's."""

    def __init__(self, path: str, release: Callable[[], None]) -> None:
        super().__init__(path, ratio, READ_BUSY)
        self.release_to_next = release
        self.file = file_of(path)

    def close(self) -> None:
        self.written.clear()
        self.release_to_next()


class Kept(Backend):
    """SQLite files, open as long as they are the same: a backup that is put in their place is opened anew. Writers take
    turns here, instead of waiting for each other in the database.
    """

    def __init__(self) -> None:
        self._readers = local()
        self._shelves: dict[tuple[Any, ...], Shelf | None] = {}
        self._turn = RLock()
        self._store: KeptStore | None = None
        self._taken = False

    def reader(self, path: str) -> Reader:
        if is_address(path):
            return super().reader(path)  # its connections are kept already
        free: list[KeptReader] = self._readers.__dict__.setdefault("free", [])
        while free:
            kept = free.pop()
            if kept.path == path and kept.file == file_of(path):
                return kept
            Reader.close(kept)
        file = file_of(path)
        return KeptReader(path, free.append, lambda model, dims: self._shelf(file, model, dims))

    def _shelf(self, *of: Any) -> Shelf | None:
        """Those of a file that another one has taken the place of go with the next one's."""
        if of not in self._shelves:
            self._shelves = {of: new_shelf(of[-1])}
        return self._shelves[of]

    def writer(self, path: str) -> Writer:
        if is_address(path):
            return super().writer(path)
        self._turn.acquire()
        if self._taken:  # by this very thread, whose turn goes on: it gets another store
            self._turn.release()
            return super().writer(path)
        try:
            if self._store and (self._store.path, self._store.file) != (path, file_of(path)):
                Writer.close(self._store)
                self._store = None
            self._store = self._store or KeptStore(path, self._release)
        except BaseException:
            self._turn.release()
            raise
        self._taken = True
        return self._store

    def _release(self) -> None:
        self._taken = False
        self._turn.release()


def file_of(path: str) -> tuple[Any, ...]:
    """Which file that is just now."""
    found = os.stat(path)
    return found.st_dev, found.st_ino
