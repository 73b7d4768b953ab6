"""Opens the `Memory` that a request is about: that of a project's folder, by default the folder of the server."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock

from fastapi import Request

from ..api.memory import Memory
from ..caller import RemoteCaller
from ..config import runtime
from ..context import open_context
from ..lib.errors import BadInput
from .pool import PooledBackend
from .reply import require_name

PROJECTS_CACHED = 64  # projects whose settings stay in memory between requests


class MemoryCache:
    """One `Memory` a folder, cached between requests until the settings change."""

    def __init__(self, home: str, folder: str, environ: Mapping[str, str], clock: Callable[[], float]) -> None:
        self.home = home
        self.folder = folder
        self.environ = {name: value for name, value in environ.items() if name not in runtime.OF_A_SESSION}
        self.clock = clock
        self._cached: OrderedDict[tuple[str, str, bool], Memory] = OrderedDict()
        self._lock = Lock()
        self._backend = PooledBackend()

    def of_folder(self, folder: str, session: str = "", by_person: bool = False) -> Memory:
        """Returns the memory of a folder's project. Its writes belong to `session`; they count as a person's own if
        `by_person`. Raises BadInput if the folder is not an absolute path or does not exist.
        """
        if folder and not os.path.isabs(folder):
            raise BadInput("a project is named by its folder's path from the root on", "project=/home/ann/shop")
        if "\0" in folder:
            raise BadInput("no path holds that character")
        if session:
            require_name(session)
            environ = {**self.environ, runtime.SESSION: session, runtime.TYPED: "1"}
            return self._made(folder or self.folder, environ, by_person)
        key = (folder or self.folder, self._settings(), by_person)
        with self._lock:
            if key in self._cached:
                self._cached.move_to_end(key)
                return self._cached[key]
        made = self._made(key[0], self.environ, by_person)
        with self._lock:
            self._cached[key] = made
            if len(self._cached) > PROJECTS_CACHED:
                self._cached.popitem(last=False)
        return made

    def of_caller(self, caller: RemoteCaller, at: float | None) -> Memory:
        """Returns the memory of a caller on another machine. A call that waited there runs as of `at`, but never in the
        future.
        """
        now = self.clock()
        clock = self.clock if at is None else lambda: min(at, now)
        context = open_context(self.home, environ=self.environ, clock=clock, caller=caller)
        return Memory.of_context(replace(context, backend=self._backend))

    def _made(self, folder: str, environ: Mapping[str, str], by_person: bool) -> Memory:
        context = open_context(self.home, folder, environ, self.clock)
        for_programs = not by_person
        return Memory.of_context(
            replace(context, backend=self._backend, for_programs=for_programs, link_before_read=for_programs)
        )

    def _settings(self) -> str:
        """Returns what identifies this version of the settings file."""
        try:
            found = os.stat(os.path.join(self.home, "config.json"))
        except OSError:
            return ""
        return f"{found.st_mtime_ns} {found.st_ino}"


def memory_of(request: Request, folder: str = "", session: str = "") -> Memory:
    """Returns the memory that a program's request is about; its writes belong to `session`."""
    memories: MemoryCache = request.app.state.memories
    return memories.of_folder(folder, session)
