"""The database as an engine for writing: one connection, one transaction at a time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from sqlite3 import SQLITE_BUSY
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool
from sqlalchemy.util import LRUCache
from sqlmodel import Session as Transaction
from sqlmodel import create_engine

from ..core.defaults import BUSY_SECONDS
from ..core.errors import StoreError
from ..core.model import decoded
from .engines import is_address, is_postgres, postgres
from .reader import SCHEMA, quoted_path

# What fails is raised. A ^C that comes while a connection is closed would be printed besides, as a traceback.
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())
FILE = "mode=rw"  # how a database is opened, in the words of its URI
# Statements as they were compiled, for every database of this process: to compile them again whenever one is opened
# took more than all else that a store does.
COMPILED: LRUCache[Any, Any] = LRUCache(500)


class Database:
    """The database for writing. Raises StoreError when it is locked, read-only, damaged or newer than this code."""

    def __init__(self, path: str, busy: float = BUSY_SECONDS, mode: str = FILE) -> None:
        """`path` is a file's, or an address of PostgreSQL; `busy` is how many seconds a writer waits."""
        self.where = self.path = path
        self.busy = busy
        self.rehearsed: Connection | None = None
        if is_address(path):
            self.engine, self.path = postgres().connected(path), postgres().shown(path)
        else:
            self.engine = self._of_file(path, busy, mode)

    def _of_file(self, path: str, busy: float, mode: str) -> Engine:
        def opened() -> Any:
            return sqlite3.connect(f"file:{quoted_path(path)}?{mode}", busy, uri=True, check_same_thread=False)

        first = _first()
        pool = StaticPool(opened, dialect=first.dialect)  # one connection: this process writes from one thread
        engine = Engine(pool, first.dialect, first.url, execution_options={"compiled_cache": COMPILED})
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
        with self._as_store_error(), engine.begin() as connection:
            schema = connection.exec_driver_sql("PRAGMA user_version").scalar()
        if schema != SCHEMA:
            raise StoreError(
                f"{path} is of schema {schema}, this Keepstone writes {SCHEMA}",
                "keepstone work --wait"
                if schema and schema < SCHEMA
                else "update the plugin: claude plugin update keepstone@keepstone",
            )
        return engine

    @contextmanager
    def _transaction(self) -> Iterator[Transaction]:
        with self._as_store_error(), self._session() as tx, tx.begin():
            if self.rehearsed is None and is_postgres(tx):
                postgres().begin(tx.connection(), self.busy)
            yield tx

    def _session(self) -> Transaction:
        if self.rehearsed is None:
            return Transaction(self.engine)
        return Transaction(self.rehearsed, join_transaction_mode="create_savepoint")

    def rehearse(self) -> None:
        """From now on what is written is taken back when this is closed: what would come of it, on a server."""
        with self._as_store_error():
            self.rehearsed = self.engine.connect()
            self.rehearsed.begin()

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        """What the database refuses, as a person can understand it."""
        try:
            yield
        except (DBAPIError, UnicodeDecodeError) as problem:  # the latter where SQLite quotes damaged words
            if is_address(self.where) and isinstance(problem, DBAPIError):
                raise postgres().unreachable(self.where, problem) from problem
            says = problem.orig if isinstance(problem, DBAPIError) else problem
            if getattr(says, "sqlite_errorcode", 0) & 0xFF == SQLITE_BUSY:
                raise StoreError(f"{self.path} is being written by other processes", "try again") from problem
            raise StoreError(f"{self.path} can't be written: {says}", "keepstone doctor") from problem

    def whose(self) -> tuple[str, ...]:
        """Whose memories are seen, where several share a database."""
        return postgres().whose(self.where) if is_address(self.where) else ()

    def close(self) -> None:
        if self.rehearsed is not None:
            self.rehearsed.close()  # which rolls back
        if not is_address(self.where):  # those to a server are kept for the next who writes
            self.engine.dispose()


@cache
def _first() -> Engine:
    """An engine whose dialect every other shares, since what is compiled is compiled for a dialect."""
    engine = create_engine("sqlite://")
    engine.connect().close()  # this is when a dialect asks what SQLite can do
    engine.dispose()
    return engine


def _prepare(connection: Any, _: Any) -> None:
    connection.text_factory = decoded
    connection.isolation_level = None  # SQLAlchemy's begin event opens transactions, not the driver
    for pragma in ("foreign_keys=ON", "secure_delete=ON", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # IMMEDIATE: a deferred one fails at its first write as soon as another process has written (perf.md 4)
    connection.exec_driver_sql("BEGIN IMMEDIATE")
