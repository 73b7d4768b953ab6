"""Whose memory a request is about: that of a project's folder, or of the one that the server was started in."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Annotated

from fastapi import Query, Request

from ..api.memory import Memory
from ..caller import RemoteCaller
from ..config import runtime
from ..context import open_context
from ..lib.errors import BadInput
from .pool import PooledBackend
from .reply import need_name

PROJECTS_HELD = 64  # projects whose settings are kept between requests


class Places:
    """A `Memory` for each folder, kept between requests until the settings change."""

    def __init__(self, home: str, folder: str, environ: Mapping[str, str], clock: Callable[[], float]) -> None:
        self.home = home
        self.folder = folder
        self.environ = {name: value for name, value in environ.items() if name not in runtime.OF_A_SESSION}
        self.clock = clock
        self._held: OrderedDict[tuple[str, str, bool], Memory] = OrderedDict()
        self._lock = Lock()
        self._backend = PooledBackend()

    def at(self, folder: str, session: str = "", by_person: bool = False) -> Memory:
        """Raises BadInput for a path that is no folder's, from the root on. What is written belongs to `session`; it is
        a person's own word, or that of a program.
        """
        if folder and not os.path.isabs(folder):
            raise BadInput("a project is named by its folder's path from the root on", "project=/home/ann/shop")
        if "\0" in folder:
            raise BadInput("no path holds that character")
        if session:
            need_name(session)
            environ = {**self.environ, runtime.SESSION: session, runtime.TYPED: "1"}
            return self._made(folder or self.folder, environ, by_person)
        key = (folder or self.folder, self._settings(), by_person)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = self._made(key[0], self.environ, by_person)
        with self._lock:
            self._held[key] = made
            if len(self._held) > PROJECTS_HELD:
                self._held.popitem(last=False)
        return made

    def asked(self, caller: RemoteCaller, at: float | None) -> Memory:
        """That of somebody at another machine. What had to wait there is done as of then, never as of a day to come."""
        now = self.clock()
        clock = self.clock if at is None else lambda: min(at, now)
        context = open_context(self.home, environ=self.environ, clock=clock, caller=caller)
        return Memory.of(replace(context, backend=self._backend))

    def _made(self, folder: str, environ: Mapping[str, str], by_person: bool) -> Memory:
        context = open_context(self.home, folder, environ, self.clock)
        for_programs = not by_person
        return Memory.of(
            replace(context, backend=self._backend, for_programs=for_programs, link_before_read=for_programs)
        )

    def _settings(self) -> str:
        """What changes with the settings."""
        try:
            found = os.stat(os.path.join(self.home, "config.json"))
        except OSError:
            return ""
        return f"{found.st_mtime_ns} {found.st_ino}"


def at(request: Request, folder: str, session: str = "") -> Memory:
    places: Places = request.app.state.places
    return places.at(folder, session)


ProjectOption = Annotated[
    str,
    Query(
        max_length=4096,
        description="The path of a project's folder; the one that the server was started in where none is given.",
        examples=["/home/ann/shop"],
    ),
]
AllOption = Annotated[bool, Query(alias="all", description="Every project, not only this one.")]
