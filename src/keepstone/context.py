"""The context that all operations work with: a data home, seen by one caller. It opens readers and transactions, and
does nothing else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .caller import Caller
from .config import settings
from .config.provenance import is_missing, note_home, require_home
from .db.engines import is_address
from .db.open import Backend, database_of, open_current, open_to_write
from .lib.errors import BadInput
from .lib.text import session_key
from .model.memory import MODEL, PERSON
from .model.policies import Policies
from .model.tiers import tiers_of
from .spool import spool

if TYPE_CHECKING:
    from .config.settings import Loaded
    from .db.reader import Reader
    from .db.writer import Writer


class Server(Protocol):
    """Another machine's server, which holds the memories."""

    url: str

    def ask(self, method: str, given: Mapping[str, Any]) -> Any:
        """Returns the result of a method on the server. Raises KeepstoneError as the method does."""


@dataclass(frozen=True, slots=True)
class Context:
    """A data home, seen from one caller's folder and session."""

    home: str
    environ: Mapping[str, str]
    clock: Callable[[], float]
    settings: Loaded
    caller: Caller
    policies: Policies
    backend: Backend
    server: Server | None = None  # if set, the memories are on that server, and no database is opened here
    for_programs: bool = False  # texts come from programs, and are checked as if said within a session
    for_model: bool = False  # a model calls, outside of any session that is known here
    link_before_read: bool = True  # link new memories before reading the graph; otherwise the worker links them

    @property
    def database(self) -> str:
        """Returns the path of the database file, or the address of the PostgreSQL database."""
        return database_of(self.home, self.environ)

    @property
    def is_file(self) -> bool:
        return not is_address(self.database)

    @property
    def session(self) -> str | None:
        """Returns the key of the caller's session, or None outside a session."""
        return session_key(self.caller.session) if self.caller.session else None

    @property
    def actor(self) -> str:
        """Returns who changes memories by hand here, as the audit names them: person or model."""
        return MODEL if self.for_model or self.caller.by_model else PERSON

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Opens the database for reading. Creates or migrates it first if needed."""
        if self.server is not None:
            raise elsewhere(self.server, "that")
        with self._noted():
            reader = open_current(self.backend, self.home, self.database)
        reader.policies = self.policies
        try:
            yield reader
        finally:
            self.backend.release(reader)

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """Opens the database for writing. Creates or migrates it first if needed."""
        if self.server is not None:
            raise elsewhere(self.server, "that")
        with self._noted():
            store = open_to_write(self.backend, self.home, self.database)
        try:
            store.policies = self.policies
            store.session, store.actor = self.session, self.actor
            yield store
        finally:
            self.backend.release(store)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Notes that the user has opened the data home, if it is missing before the `with` block. A file's is made
        with it, that of a shared database for the note.
        """
        is_new = is_missing(self.home)
        yield
        if is_new:
            note_home(self.home, self.environ, makes=not self.is_file)

    def prepare(self) -> None:
        """Creates or migrates the database if needed."""
        with self.reader():
            pass

    def log(self, line: str) -> None:
        """Adds a line to the worker's log."""
        spool.log(self.home, "worker", line, self.clock())


def open_context(
    home: str | None = None,
    folder: str | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Callable[[], float] = time.time,
    policies: Policies | None = None,
    caller: Caller | None = None,
) -> Context:
    """Opens the context of a data home. `home` defaults to the environment's, `folder` to the current one, `policies`
    to those of the settings. If `caller` is on another machine, no folder is read.

    Raises BadInput if the environment names no data home or the folder does not exist.
    """
    home = home or require_home(environ)
    note_home(home, environ)
    caller = caller or Caller(folder, environ)
    loaded = settings.load(home, environ)
    return Context(home, environ, clock, loaded, caller, policies or Policies(tiers_of(loaded.values)), Backend())


def elsewhere(server: Server, command: str) -> BadInput:
    """Returns the error for a command that has to run on the server's machine."""
    says = f"the memories are at {server.url}, and `keepstone {command}` is done on that machine"
    return BadInput(says, f"KEEPSTONE_SERVER_URL= keepstone {command} is about this machine's own memories")
