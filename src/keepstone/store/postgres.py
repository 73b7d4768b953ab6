"""PostgreSQL in SQLite's place: connections, the reader, what a writer does at a transaction's beginning."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from ..core.defaults import BUSY_SECONDS, DATABASE_SECONDS, POSTGRES_CONNECTIONS, VECTORS_COMPARED
from ..core.errors import BadInput, StoreError
from . import pgvector
from .dialect import placeholders, translated
from .matches_pg import PgMatches
from .migrations import postgres as migrations
from .reader import SCHEMA, Reader
from .sql import Sql

if TYPE_CHECKING:
    from .sql import Statement

ENGINES: dict[tuple[str, int], Engine] = {}
COMPARING: set[str] = set()  # databases whose server compares vectors
_NO_NAME = re.compile(r"[^\w.@-]+")
WRITER = 0x6B65657073746F6E  # the advisory lock of who writes: "keepston" in bytes, which no other program uses
BUSY = ("55P03", "40001", "40P01")  # SQLSTATE: not available in time, and two that waited for each other
ERASED = ("memory", "evidence", "memory_window", "memory_version", "memory_facet", "vector", "observation", "rating")
OPTIONS = (
    # some hosts have pgvector in the last of these schemas
    "-c search_path=keepstone_mine,keepstone,public,extensions -c timezone=UTC"
    # of the RANK_DEPTH nearest 400 lead to 0.99 in a usual store, 800 to 0.69 among many copies (make bench-postgres)
    " -c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=800"
)
HINTS = {
    "password": "put it into ~/.pgpass, which only you may read, and look at the user's name in KEEPSTONE_DATABASE_URL",
    "SSL": "the server offers no TLS: sslmode=prefer in KEEPSTONE_DATABASE_URL, in a network that you trust",
    "does not exist": "look at the names in KEEPSTONE_DATABASE_URL, or createdb",
    "permission denied": "have the owner of the database GRANT it",
}
USER, WORKSPACE = "keepstone_user", "keepstone_workspace"  # in an address: whose memories are seen and stored


def shown(url: str) -> str:
    """A database's address without what nobody is to read."""
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):
        return "the database of KEEPSTONE_DATABASE_URL"
    return f"postgresql://{parts.host or ''}{f':{parts.port}' if parts.port else ''}/{parts.database or ''}"


def parsed(url: str, given: str = "KEEPSTONE_DATABASE_URL") -> URL:
    """An address in its parts. Raises BadInput, naming what it was `given` by."""
    try:
        address = make_url(url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError) as problem:
        raise BadInput(f"{given} is no address of PostgreSQL", f"{given}=postgresql://user@host/name") from problem
    if "@" in (address.host or ""):
        raise BadInput(f"{given} has an @ in its password", "write it as %40, or put the password into ~/.pgpass")
    return address


def engine(url: str) -> Engine:
    """The connections of this process to a database; a fork has its own."""
    key = (url, os.getpid())
    if key not in ENGINES:
        ENGINES[key] = _engine(url)
    return ENGINES[key]


def _engine(url: str) -> Engine:
    address = parsed(url)
    who = {name: str(address.query.get(name, "")) for name in (USER, WORKSPACE)}
    if odd := [value for value in who.values() if _NO_NAME.search(value)]:
        raise BadInput(f"nobody and no workspace is called {odd[0]!r} here", "letters, digits, and . @ - _ in between")
    asked = [f"-c {name.replace('_', '.')}={value}" for name, value in who.items() if value]
    made = create_engine(
        address.difference_update_query(who),
        pool_size=POSTGRES_CONNECTIONS,
        max_overflow=POSTGRES_CONNECTIONS,
        pool_pre_ping=True,  # a server that was started anew is no error
        connect_args={
            "connect_timeout": DATABASE_SECONDS,
            "options": " ".join((OPTIONS, *asked)),
            "prepare_threshold": None,  # a pooler in between may give another server each time
            "application_name": "keepstone",
        },
    )
    event.listen(made, "before_cursor_execute", _translate, retval=True)
    return made


def _translate(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> tuple[str, Any]:
    first = parameters[0] if isinstance(parameters, list | tuple) and parameters else parameters
    return translated(statement, first if isinstance(first, dict) else {}), parameters


def whose(url: str) -> tuple[str, ...]:
    """The user and the workspace that an address names."""
    query = make_url(url).query
    return tuple(str(query.get(name, "")) for name in (USER, WORKSPACE))


def connected(url: str) -> Engine:
    """The connections to a database whose schema is ours, which is made where it is missing. Raises StoreError."""
    found = engine(url)
    try:
        schema = migrations.ensure(found)
    except DBAPIError as problem:
        raise unreachable(url, problem) from problem
    if schema > SCHEMA:
        says = f"{shown(url)} is of schema {schema}, this Keepstone writes {SCHEMA}"
        raise StoreError(says, "update the plugin: claude plugin update keepstone@keepstone")
    return found


def schema_of(url: str) -> int:
    """The schema that a database has, 0 for none yet; changes nothing. Raises StoreError, as where none can be made."""
    try:
        with engine(url).connect() as connection:
            found = migrations.version(connection)
            if not found:
                migrations.need_room(connection)
            return found
    except DBAPIError as problem:
        raise unreachable(url, problem) from problem


def unreachable(url: str, problem: DBAPIError | psycopg.Error) -> StoreError:
    """What a failure means to a person."""
    says = problem.orig if isinstance(problem, DBAPIError) else problem
    if isinstance(says, psycopg.DataError):
        return StoreError("PostgreSQL can't hold this: " + " ".join(str(says).split())[:200], "leave that out")
    if getattr(says, "sqlstate", None) in BUSY:
        return StoreError(f"{shown(url)} is being written by other processes", "try again")
    line = " ".join(str(says).split())[:200]
    if secret := make_url(url).password:
        line = line.replace(str(secret), "...")
    return StoreError(f"{shown(url)} can't be used: {line}", _advice(line))


def _advice(line: str) -> str:
    """What to type. For who can't connect the driver has no code, only words: of a server that speaks English."""
    for sign, typed in HINTS.items():
        if sign in line:
            return typed
    return "look whether the server runs, then keepstone doctor"


def begin(connection: Connection, busy: float = BUSY_SECONDS) -> None:
    """One writer at a time, as in SQLite: what a writer reads first is what it changes."""
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(busy * 1000)}")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")


def vacuum(url: str) -> str:
    """Writes the tables anew without what was deleted; nobody reads them meanwhile. What the server's files go on
    holding, "" for nothing: who does not own the tables is only warned. Raises StoreError.
    """
    skipped: list[str] = []

    def warned(said: psycopg.errors.Diagnostic) -> None:
        skipped.extend([str(said.message_primary)] if said.severity_nonlocalized == "WARNING" else [])

    try:
        with connected(url).connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            driver: Any = connection.connection.driver_connection
            driver.add_notice_handler(warned)
            try:
                for table in ERASED:
                    connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) keepstone.{table}")
            finally:
                driver.remove_notice_handler(warned)
    except DBAPIError as problem:
        raise unreachable(url, problem) from problem
    if not skipped:
        return ""
    return f"its rows are gone, its bytes are not: {skipped[0]}; whoever owns the tables has to type VACUUM FULL"


def index_vectors(url: str, model: str, dims: int, most: int = VECTORS_COMPARED) -> bool:
    """Has the server compare vectors, and find a model's nearest by an index where there are more than `most`; whether
    one was made. Raises StoreError.
    """
    found = connected(url)
    try:
        return pgvector.take_up(found) and pgvector.make_index(found, model, dims, most)
    except DBAPIError as problem:
        raise unreachable(url, problem) from problem


class Snapshot:
    """A database as it stands at one moment, read row by row."""

    def __init__(self, url: str) -> None:
        self.found: Any = None
        engine = connected(url)
        try:
            self.connection = engine.connect().execution_options(isolation_level="REPEATABLE READ", yield_per=1_000)
        except DBAPIError as problem:
            raise unreachable(url, problem) from problem

    def execute(self, sql: str) -> Any:
        """The rows of a statement, as they are asked for; those of the one before are given up."""
        self._give_up()
        self.found = self.connection.execute(text(sql))
        return self.found

    def _give_up(self) -> None:
        if self.found is not None:
            self.found.close()

    def close(self) -> None:
        self._give_up()
        self.connection.close()


class PgReader(Reader):
    """A database of PostgreSQL, to read and to count."""

    matcher = PgMatches

    def __init__(self, url: str) -> None:
        """Raises StoreError for a server that can't be reached."""
        self.path, self.url = shown(url), url
        found = connected(url)
        try:
            self._held: Any = found.raw_connection()
        except (DBAPIError, psycopg.Error) as problem:
            raise unreachable(url, problem) from problem
        self.database = self._held.driver_connection
        self.database.autocommit = True
        self.schema, self.can_count, self.empty = SCHEMA, True, False

    def close(self) -> None:
        if self.database.broken:
            self._held.invalidate()
        else:
            self.database.autocommit = False
            self._held.close()  # back to the others

    @property
    def compares(self) -> bool:
        """Whether the server compares vectors itself."""
        if self.url not in COMPARING and self.rows(pgvector.HAS, {}):
            COMPARING.add(self.url)
        return self.url in COMPARING

    def has_index(self, model: str, dims: int) -> bool:
        """Whether it finds a model's nearest by an index."""
        return bool(self.rows(pgvector.IS_MADE, {"name": f"keepstone.{pgvector.index_name(model, dims)}"}))

    @property
    def whose(self) -> tuple[str, ...]:
        return whose(self.url)

    def size(self) -> int:
        return int(self.rows("SELECT pg_database_size(current_database())", {})[0][0])

    def hold(self, kilobytes: int) -> None:
        """The server keeps what it likes."""

    def rows(self, sql: Statement, values: dict[str, Any]) -> list[Any]:
        try:
            return self._run(sql, values).fetchall()  # type: ignore[no-any-return]
        except psycopg.Error as problem:
            raise unreachable(self.url, problem) from problem

    def _run(self, sql: Statement, values: dict[str, Any]) -> Any:
        return self.database.execute(placeholders(sql.postgres if isinstance(sql, Sql) else sql), values)

    def count(self, statements: Sequence[tuple[Statement, dict[str, Any]]]) -> bool:
        try:
            with self.database.transaction():
                for sql, values in statements:
                    self._run(sql, values)
        except psycopg.Error:
            return False
        return True
