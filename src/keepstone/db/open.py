"""Opens, creates and migrates the database of a data home: an SQLite file or a PostgreSQL database.

The writer and the migrations are imported only when needed, so that reading starts fast.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from ..config import runtime
from ..lib import files
from ..lib.errors import BadInput, StoreError
from .engines import addressed, is_address, open_reader
from .reader import SCHEMA, Reader, is_busy

if TYPE_CHECKING:
    from .writer import Writer

READ_BUSY = 5.0  # seconds that a person's command waits for a locked database


class Backend:
    """Opens readers and writers for `Context`. A replacement must return objects with the same methods."""

    def reader(self, where: str) -> Reader:
        return open_reader(where, READ_BUSY)

    def writer(self, where: str) -> Writer:
        from ..lib.fuzzy import ratio
        from .writer import Writer

        return Writer(where, ratio)

    def release(self, opened: Reader | Writer) -> None:
        """Closes what `reader` or `writer` opened."""
        opened.close()

    @contextmanager
    def reading(self, where: str) -> Iterator[Reader]:
        """Opens a reader for a `with` block."""
        reader = self.reader(where)
        try:
            yield reader
        finally:
            self.release(reader)

    @contextmanager
    def writing(self, where: str) -> Iterator[Writer]:
        """Opens a writer for a `with` block."""
        store = self.writer(where)
        try:
            yield store
        finally:
            self.release(store)


def database_of(home: str, environ: Mapping[str, str]) -> str:
    """Returns the path of the database file, or the PostgreSQL address with this data home's user. Raises BadInput if
    the address is malformed or was set by the repository.
    """
    given = runtime.address_of(home, environ)
    if not given:
        return runtime.database_file(home, environ)
    if given == runtime.REFUSED:
        says = f"{runtime.ADDRESS} may be a repository's, and your memories are at another address"
        raise BadInput(says, f"set it in ~/.claude/settings.json (env), or: env -u {runtime.ADDRESS} keepstone ...")
    if not is_address(given):
        says = f"{runtime.ADDRESS} is no address of PostgreSQL"
        raise BadInput(says, f"export {runtime.ADDRESS}=postgresql://user@host/name")
    return owned(given, environ)


def owned(address: str, environ: Mapping[str, str]) -> str:
    """Returns a PostgreSQL address that names the user and the workspace of this environment."""
    return addressed(address, *runtime.owner(environ))


def open_current(backend: Backend, home: str, database: str) -> Reader:
    """Opens a reader. Creates a missing database first, and migrates an older one under the worker's lock."""
    if not is_address(database) and not (
        os.path.lexists(database) and (not os.path.isfile(database) or os.path.getsize(database))
    ):
        create(home, database)
    reader = backend.reader(database)
    if not reader.empty and reader.schema >= SCHEMA:
        return reader
    backend.release(reader)
    create(home, database)
    with files.FileLock(home, "worker"):
        if is_address(database):
            _bring_up_to_date(backend, database)
        else:
            migrate(home, database)
    return backend.reader(database)


def open_to_write(backend: Backend, home: str, database: str) -> Writer:
    """Opens a writer. Creates a missing database first, and migrates an older one under the worker's lock."""
    if not is_address(database) and files.size_of(database):
        try:
            return backend.writer(database)
        except StoreError as problem:
            if is_busy(problem.__cause__):
                raise
            # it is older, or what follows says what is wrong with it
    backend.release(open_current(backend, home, database))
    return backend.writer(database)


def _bring_up_to_date(backend: Backend, address: str) -> None:
    """Connects for writing, which migrates PostgreSQL. If the packages are missing, the older schema is
    read as it is.
    """
    try:
        with backend.writing(address):
            pass
    except ImportError:
        pass


def create(home: str, database: str) -> None:
    """Creates the data home and the database if they are missing. Raises StoreError."""
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
    except OSError as problem:
        says = f"{home} can't be made: {problem.strerror}"
        raise StoreError(says, "export KEEPSTONE_HOME=/a/folder/that/can/be/written") from problem
    _migrations().ensure(database)


def migrate(home: str, database: str) -> None:
    """Migrates a database file to the current schema. Call it under the worker's lock. Does nothing for PostgreSQL,
    which is migrated on connecting. Raises StoreError.
    """
    if is_address(database):
        return
    create(home, database)
    run = _migrations()
    try:
        run.migrate(database, os.path.join(home, "backups"))
    except (OSError, run.Error) as problem:
        raise StoreError(f"{database} can't be migrated: {problem}", "keepstone doctor") from problem


def _migrations() -> ModuleType:
    from .migrations import run

    return run
