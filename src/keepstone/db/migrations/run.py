"""Applies schema changes: numbered, frozen SQL for each engine. Each migration runs in one transaction together with
its number.

Uses the standard library only, because the worker migrates before it imports anything slow, and tests open old
databases.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain

from ...lib import files
from ...lib.errors import StoreError, away
from ...lib.limits import BUSY_SECONDS
from ..reader import FOREIGN, emptied, quoted_path
from . import (
    sqlite_0001,
    sqlite_0002,
    sqlite_0003,
    sqlite_0004,
    sqlite_0005,
    sqlite_0006,
    sqlite_0007,
    sqlite_0008,
    sqlite_0009,
)

LOG_PAUSE_SECONDS = 0.01  # between two attempts to switch to the write-ahead log

SQLITE: tuple[tuple[str, ...], ...] = (
    sqlite_0001.STATEMENTS,
    sqlite_0002.STATEMENTS,
    sqlite_0003.STATEMENTS,
    sqlite_0004.STATEMENTS,
    sqlite_0005.STATEMENTS,
    sqlite_0006.STATEMENTS,
    sqlite_0007.STATEMENTS,
    sqlite_0008.STATEMENTS,
    sqlite_0009.STATEMENTS,
)
Error = sqlite3.Error


def version(path: str) -> int:
    """Returns the schema of a database, 0 for a missing or empty file. Raises sqlite3.Error if the file is not a
    database.
    """
    if not os.path.exists(path):
        return 0
    with closing(sqlite3.connect(f"file:{quoted_path(path)}?mode=rw", uri=True)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def create(path: str) -> None:
    """Creates a missing database, completely or not at all. Does nothing if another process has just created it. Raises
    StoreError if the file is another program's database.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    is_new = not os.path.lexists(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        with closing(_connect(path)) as database:
            if database.execute(FOREIGN).fetchone():
                raise StoreError(f"{path} is another program's database", away(path))
            _keep_log(database)
            _fill(database)
    except sqlite3.Error:
        if is_new and files.size_of(path) == 0:  # on a full disk: an empty file would look as if it had held memories
            files.remove(path)
        raise


def _keep_log(database: sqlite3.Connection) -> None:
    """Switches to the write-ahead log. Retries, because SQLite refuses one of two simultaneous switches without
    waiting: each holds a lock that the other needs.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(LOG_PAUSE_SECONDS)


def migrate(path: str, backups: str = "", migrations: Sequence[Sequence[str]] = SQLITE) -> list[int]:
    """Migrates an existing database. First copies it into the folder `backups`, if given. Returns the numbers of the
    applied migrations. Call it under the worker's lock. If a migration fails, it raises, and the database stays at the
    last complete schema.
    """
    with closing(_connect(path)) as database:
        start = int(database.execute("PRAGMA user_version").fetchone()[0])
        if start >= len(migrations):
            return []
        if backups:
            back_up(database, backups, start)
        return apply(database, migrations)


def back_up(database: sqlite3.Connection, backups: str, schema: int) -> None:
    """Copies a database into `backups`, named after its schema."""
    os.makedirs(backups, mode=0o700, exist_ok=True)
    copy = os.path.join(backups, f"schema-{schema}.db")
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(copy)) as target:
        database.backup(target)


def apply(database: sqlite3.Connection, migrations: Sequence[Sequence[str]]) -> list[int]:
    """Applies the missing migrations, each in a transaction of its own. Returns their numbers."""
    done: list[int] = []
    for number, statements in enumerate(migrations, start=1):
        with _transaction(database) as current:
            if current < number:
                _run(database, statements, number)
                done.append(number)
    return done


def _fill(database: sqlite3.Connection) -> None:
    """Applies all migrations to an empty database, in one transaction."""
    with _transaction(database) as current:
        if not current:
            _run(database, chain.from_iterable(SQLITE), len(SQLITE))


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[int]:
    """Holds the lock for writing, and gives the number of the last migration applied."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield int(database.execute("PRAGMA user_version").fetchone()[0])
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _run(database: sqlite3.Connection, statements: Iterable[str], number: int) -> None:
    for statement in statements:
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {number}")


def _connect(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"file:{quoted_path(path)}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None
    )
    database.execute("PRAGMA synchronous=FULL")
    database.execute("PRAGMA secure_delete=ON")
    return database


def ensure(path: str) -> None:
    """Creates the database if it is missing or new. Raises StoreError if it exists but cannot be used, or is empty and
    held memories: a new one in its place would hide that.
    """
    if files.size_of(path) == 0 and (problem := emptied(path)):
        raise problem
    try:
        current = version(path)
        if current == 0:
            create(path)
    except (sqlite3.Error, UnicodeDecodeError, OSError) as problem:
        raise StoreError(f"{path} can't be used: {problem}", "keepstone doctor") from problem
