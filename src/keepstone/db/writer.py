"""Writes to the database: one connection, one transaction at a time, in plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ..lib.errors import StoreError
from ..lib.limits import BUSY_SECONDS
from ..model.memory import PERSON, decoded
from ..model.policies import DEFAULT, Policies
from .engines import is_address, postgres
from .reader import SCHEMA, is_busy, quoted_path
from .records import Record
from .sql import Sql

if TYPE_CHECKING:
    from .sql import Statement

FILE = "mode=rw"  # the URI parameters for opening a database file
PRAGMAS = ("foreign_keys=ON", "secure_delete=ON", "synchronous=FULL")
Values = Mapping[str, Any]
R = TypeVar("R", bound=Record)


class Transaction:
    """An open transaction. `run`, `all`, `one` and `value` take a statement with `:name` parameters.

    `written` collects the ids of memories with new text: they need vectors and anchors afterwards.
    """

    def __init__(self, connection: Any, writer: Writer) -> None:
        self._connection = connection
        self.where = writer.where
        self.is_postgres = writer.is_postgres
        self.policies = writer.policies
        self.session = writer.session
        self.actor = writer.actor
        self.ratio = writer.ratio
        self.written = writer.written

    def run(self, sql: Statement, values: Values | None = None) -> int:
        """Runs a statement. Returns the number of changed rows."""
        return int(self._execute(sql, values).rowcount)

    def many(self, sql: Statement, rows: Iterable[Values]) -> None:
        """Runs a statement once for each row of values."""
        cursor = self._connection.cursor()
        cursor.executemany(self._text(sql), list(rows))

    def all(self, sql: Statement, values: Values | None = None) -> list[tuple[Any, ...]]:
        return self._execute(sql, values).fetchall()  # type: ignore[no-any-return]

    def one(self, sql: Statement, values: Values | None = None) -> tuple[Any, ...] | None:
        """Returns the first row, None if there is none."""
        return self._execute(sql, values).fetchone()  # type: ignore[no-any-return]

    def value(self, sql: Statement, values: Values | None = None) -> Any:
        """Returns the first column of the first row, None if there is no row."""
        row = self.one(sql, values)
        return row[0] if row else None

    def column(self, sql: Statement, values: Values | None = None) -> list[Any]:
        """Returns the first column of every row."""
        return [row[0] for row in self.all(sql, values)]

    def insert(self, table: str, values: Values) -> None:
        self.run(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({_parameters(values)})", values)

    def update(self, table: str, key: Values, values: Values) -> int:
        """Sets `values` in the rows with these key columns. Returns the number of rows."""
        sets = ", ".join(f"{name} = :{name}" for name in values)
        return self.run(f"UPDATE {table} SET {sets} WHERE {_equal(key)}", {**values, **_keyed(key)})

    def delete(self, table: str, key: Values) -> int:
        """Deletes the rows with these key columns. Returns the number of rows."""
        return self.run(f"DELETE FROM {table} WHERE {_equal(key)}", _keyed(key))

    # Rows as records

    def records(self, kind: type[R], rest: str, values: Values | None = None) -> list[R]:
        """Returns records of a table `t`. `rest` is the rest of the SELECT statement ("WHERE t.x = :x")."""
        columns = [column.name for column in kind.COLUMNS]
        rows = self.all(f"SELECT {', '.join(f't.{name}' for name in columns)} FROM {kind.TABLE} t {rest}", values)
        return [kind(**dict(zip(columns, row, strict=True))) for row in rows]

    def record(self, kind: type[R], rest: str, values: Values | None = None) -> R | None:
        """Returns the first matching record, or None."""
        return next(iter(self.records(kind, f"{rest} LIMIT 1", values)), None)

    def add(self, record: Record) -> None:
        """Inserts a record. Sets `seq` if the database numbers the row."""
        values = dict(vars(record))
        numbered = record.KEY == ("seq",) and values["seq"] is None
        if numbered:
            del values["seq"]
        sql = f"INSERT INTO {record.TABLE} ({', '.join(values)}) VALUES ({_parameters(values)})"
        if not numbered:
            self.run(sql, values)
        elif self.is_postgres:
            record.seq = self.value(sql + " RETURNING seq", values)  # type: ignore[attr-defined]
        else:  # RETURNING needs SQLite 3.35
            record.seq = self._execute(sql, values).lastrowid  # type: ignore[attr-defined]

    def change(self, record: Record, **values: Any) -> None:
        """Sets columns of a record and of its row."""
        self.update(record.TABLE, {name: getattr(record, name) for name in record.KEY}, values)
        for name, value in values.items():
            setattr(record, name, value)

    def remove(self, record: Record) -> None:
        """Deletes a record's row."""
        self.delete(record.TABLE, {name: getattr(record, name) for name in record.KEY})

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Rolls back the writes of the block if it raises."""
        self.run("SAVEPOINT within")
        try:
            yield
        except BaseException:
            self.run("ROLLBACK TO within")
            self.run("RELEASE within")
            raise
        self.run("RELEASE within")

    def _text(self, sql: Statement) -> str:
        if isinstance(sql, Sql):
            sql = sql.postgres if self.is_postgres else sql.sqlite
        return postgres().placeholders(sql) if self.is_postgres else sql

    def _execute(self, sql: Statement, values: Values | None) -> Any:
        return self._connection.execute(self._text(sql), values or {})


class Writer:
    """A database that is open for writing. Its methods raise StoreError if the database is locked, read-only, damaged
    or newer than this code. `policies` are the tier policies; `session` is the session that changes by hand belong
    to, `actor` who makes them: a person or a model.
    """

    policies: Policies = DEFAULT
    session: str | None = None
    actor: str = PERSON

    def __init__(
        self, where: str, ratio: Callable[[str, str], float], busy: float = BUSY_SECONDS, mode: str = FILE
    ) -> None:
        """`where` is a file's path or a PostgreSQL address. `ratio` returns the similarity of two normalised texts,
        0..100. `busy` is the number of seconds that a transaction waits for another writer.
        """
        self.where = self.path = where
        self.ratio = ratio
        self.busy = busy
        self.written: list[str] = []
        self.is_postgres = is_address(where)
        self._dry = False
        if self.is_postgres:
            self.path = postgres().shown(where)
            self._connection: Any = postgres().taken(where)
        else:
            self._connection = self._opened(mode)

    def _opened(self, mode: str) -> sqlite3.Connection:
        with self._as_store_error():
            connection = sqlite3.connect(
                f"file:{quoted_path(self.path)}?{mode}", self.busy, uri=True, check_same_thread=False
            )
            try:
                connection.text_factory = decoded
                connection.isolation_level = None  # this class begins the transactions, not the driver
                for pragma in PRAGMAS:
                    connection.execute(f"PRAGMA {pragma}")
                schema = connection.execute("PRAGMA user_version").fetchone()[0]
            except BaseException:
                connection.close()
                raise
        if schema != SCHEMA:
            connection.close()
            older = schema and schema < SCHEMA
            raise StoreError(
                f"{self.path} is of schema {schema}, this Keepstone writes {SCHEMA}",
                "keepstone worker run --wait"
                if older
                else "update the plugin: claude plugin update keepstone@keepstone",
            )
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Commits the writes of the block, or rolls them back if it raises. Only one transaction is open at a time."""
        with self._as_store_error():
            tx = Transaction(self._connection, self)
            if self._dry:
                with tx.savepoint():
                    yield tx
                return
            self._begin()
            try:
                yield tx
                self._connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    def _begin(self) -> None:
        if self.is_postgres:
            postgres().begin(self._connection, self.busy)
        else:  # a deferred transaction fails at its first write if another process has written since it began
            self._connection.execute("BEGIN IMMEDIATE")

    def _roll_back(self) -> None:
        if self.is_postgres:
            if not self._connection.broken:
                self._connection.rollback()
        elif self._connection.in_transaction:  # SQLite ends a transaction on its own if the disk is full
            self._connection.execute("ROLLBACK")

    def dry_run(self) -> None:
        """Rolls back everything that is written from now on, when this writer is closed."""
        with self._as_store_error():
            self._begin()
            self._dry = True

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        """Turns database errors into StoreError with a readable message."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as problem:  # SQLite quotes damaged text in its messages
            if is_busy(problem):
                raise StoreError(f"{self.path} is being written by other processes", "try again") from problem
            raise StoreError(f"{self.path} can't be written: {problem}", "keepstone doctor") from problem
        except Exception as problem:
            if self.is_postgres and postgres().is_driver_error(problem):
                raise postgres().unreachable(self.where, problem) from problem
            raise

    def owner(self) -> tuple[str, ...]:
        """Returns the user and the workspace of a PostgreSQL address, or () for a file."""
        return tuple(postgres().owner(self.where)) if self.is_postgres else ()

    def close(self) -> None:
        if self.is_postgres:
            self._roll_back()
            postgres().give_back(self.where, self._connection)
        else:
            self._connection.close()


def _parameters(values: Values) -> str:
    return ", ".join(f":{name}" for name in values)


def _equal(key: Values) -> str:
    return " AND ".join(f"{name} IS NULL" if value is None else f"{name} = :key_{name}" for name, value in key.items())


def _keyed(key: Values) -> dict[str, Any]:
    return {f"key_{name}": value for name, value in key.items() if value is not None}
