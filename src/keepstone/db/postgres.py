"""The PostgreSQL engine: connections, the reader, and the start of a writer's transaction."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ..lib.errors import BadInput, StoreError
from ..lib.limits import BUSY_SECONDS, DATABASE_SECONDS, POSTGRES_CONNECTIONS, VECTORS_COMPARED
from . import pgvector
from .migrations import postgres as migrations
from .placeholders import placeholders as placeholders
from .reader import SCHEMA, Reader
from .sql import Sql

if TYPE_CHECKING:
    from .sql import Statement

IDLE: dict[tuple[str, int], list[Any]] = {}  # idle connections by address and process id: a fork must not share them
COMPARING: set[str] = set()  # addresses whose server compares vectors
_NO_NAME = re.compile(r"[^\w.@-]+")
WRITER = 0x6B65657073746F6E  # the advisory lock for writers: "keepston" in bytes, which no other program uses
BUSY = ("55P03", "40001", "40P01")  # SQLSTATE: lock not available, serialization failure, deadlock
ERASED = (
    *("memory", "evidence", "memory_window", "memory_version", "memory_facet", "vector", "observation", "rating"),
    *("suggestion", "turn"),
)
OPTIONS = (
    # some hosts install pgvector in the schema `extensions`
    "-c search_path=keepstone_mine,keepstone,public,extensions -c timezone=UTC"
    # recall of the RANK_DEPTH nearest: 0.99 in a usual store with 400, 0.69 among many copies with 800
    # (make bench-postgres)
    " -c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=800"
)
HINTS = {
    "password": "put it into ~/.pgpass, which only you may read, and look at the user's name in KEEPSTONE_DATABASE_URL",
    "SSL": "the server offers no TLS: sslmode=prefer in KEEPSTONE_DATABASE_URL, in a network that you trust",
    "does not exist": "look at the names in KEEPSTONE_DATABASE_URL, or createdb",
    "permission denied": "have the owner of the database GRANT it",
}
USER, WORKSPACE = "keepstone_user", "keepstone_workspace"  # parameters of an address


def shown(url: str) -> str:
    """Returns a database's address without its user, password and options."""
    place = url.rpartition("@")[2].partition("://")[2] if "@" not in url else url.rpartition("@")[2]
    host, _, name = place.partition("?")[0].partition("/")
    return f"postgresql://{host}/{name}"


def parsed(url: str, given: str = "KEEPSTONE_DATABASE_URL") -> tuple[str, tuple[str, str]]:
    """Splits an address into the one for the driver, and the user and the workspace that it names. Raises BadInput that
    names `given`, the setting or option that the address came from.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError if it is not a number
        query = parse_qsl(parts.query)
        owned = {USER, WORKSPACE}
        plain = urlencode([(name, value) for name, value in query if name not in owned])
        address = urlunsplit(parts._replace(query=plain))
        conninfo_to_dict(address)
    except (psycopg.ProgrammingError, ValueError) as problem:
        raise BadInput(f"{given} is no address of PostgreSQL", f"{given}=postgresql://user@host/name") from problem
    for sign, written in (("@", "%40"), ("/", "%2F"), ("?", "%3F")):
        if sign in url.partition("://")[2].rpartition("@")[0]:
            raise BadInput(
                f"{given} has {'an @' if sign == '@' else 'a ' + sign} in its password",
                f"write it as {written}, or put the password into ~/.pgpass",
            )
    named = dict(query)
    return address, (named.get(USER, ""), named.get(WORKSPACE, ""))


def owner(url: str) -> tuple[str, ...]:
    """Returns the user and the workspace that an address names."""
    named = dict(parse_qsl(url.partition("?")[2]))
    return tuple(named.get(name, "") for name in (USER, WORKSPACE))


def taken(url: str) -> Any:
    """Returns a connection in autocommit mode, and creates or migrates the schema first. Raises StoreError."""
    try:
        connection = _connected(url)
        try:
            schema = migrations.ensure(connection, url)
        except BaseException:
            connection.close()
            raise
    except psycopg.Error as problem:
        raise unreachable(url, problem) from problem
    if schema > SCHEMA:
        connection.close()
        says = f"{shown(url)} is of schema {schema}, this Keepstone writes {SCHEMA}"
        raise StoreError(says, "update the plugin: claude plugin update keepstone@keepstone")
    return connection


def give_back(url: str, connection: Any) -> None:
    """Keeps a connection for the next caller. Closes it if it is broken or enough are idle."""
    idle = IDLE.setdefault((url, os.getpid()), [])
    if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        connection.close()
    if not connection.closed and len(idle) < POSTGRES_CONNECTIONS:
        idle.append(connection)
    else:
        connection.close()


@contextmanager
def connection(url: str) -> Iterator[Any]:
    """Lends a connection in autocommit mode. Raises StoreError if the server refuses a statement."""
    lent = taken(url)
    try:
        yield lent
    except psycopg.Error as problem:
        raise unreachable(url, problem) from problem
    finally:
        give_back(url, lent)


def close_idle() -> None:
    """Closes the idle connections."""
    while IDLE:
        for connection in IDLE.popitem()[1]:
            connection.close()


def _connected(url: str) -> Any:
    """Returns an idle connection that still answers, otherwise a new one."""
    idle = IDLE.get((url, os.getpid()), [])
    while idle:
        found = idle.pop()
        try:
            found.execute("SELECT 1")
            return found
        except psycopg.Error:  # the server was restarted
            found.close()
    return _connect(url)


def _connect(url: str) -> Any:
    address, named = parsed(url)
    for name in named:
        if _NO_NAME.search(name):
            raise BadInput(
                f"nobody and no workspace is called {name!r} here", "letters, digits, and . @ - _ in between"
            )
    owned = zip((USER, WORKSPACE), named, strict=True)
    asked = [f"-c {name.replace('_', '.')}={value}" for name, value in owned if value]
    return psycopg.connect(
        address,
        autocommit=True,
        connect_timeout=DATABASE_SECONDS,
        options=" ".join((OPTIONS, *asked)),
        prepare_threshold=None,  # a pooler in between may use another server connection each time
        application_name="keepstone",
    )


def schema_of(url: str) -> int:
    """Returns the schema of a database, 0 if it has none yet. Changes nothing. Raises StoreError, also if the tables
    cannot be created there.
    """
    try:
        with _connect(url) as connection:
            found = migrations.version(connection)
            if not found:
                migrations.require_room(connection)
            return found
    except psycopg.Error as problem:
        raise unreachable(url, problem) from problem


def is_driver_error(problem: BaseException) -> bool:
    return isinstance(problem, psycopg.Error)


def is_integrity_error(problem: BaseException) -> bool:
    """Tells whether a row violates a unique or foreign key."""
    return isinstance(problem, psycopg.IntegrityError)


def unreachable(url: str, problem: BaseException) -> StoreError:
    """Returns a StoreError that explains a driver error to the user, without the password."""
    if isinstance(problem, psycopg.DataError):
        return StoreError("PostgreSQL can't hold this: " + " ".join(str(problem).split())[:200], "leave that out")
    if getattr(problem, "sqlstate", None) in BUSY:
        return StoreError(f"{shown(url)} is being written by other processes", "try again")
    line = " ".join(str(problem).split())[:200]
    if secret := urlsplit(url).password:
        for written in (secret, unquote(secret)):
            line = line.replace(written, "...")
    return StoreError(f"{shown(url)} can't be used: {line}", _advice(line))


def _advice(line: str) -> str:
    """Returns the advice for an error. The driver has no code for a failed connection, only the server's
    English text.
    """
    for sign, typed in HINTS.items():
        if sign in line:
            return typed
    return "look whether the server runs, then keepstone doctor"


def begin(connection: Any, busy: float = BUSY_SECONDS) -> None:
    """Begins a transaction. Only one process writes at a time, as in SQLite, so that what a writer reads cannot change
    before it writes.
    """
    connection.execute("BEGIN")
    connection.execute(f"SET LOCAL lock_timeout = {int(busy * 1000)}")
    connection.execute(f"SELECT pg_advisory_xact_lock({WRITER})")


def vacuum(url: str) -> str:
    """Rewrites the tables without deleted rows; nothing can read them meanwhile. Returns "", or a warning if the server
    skipped tables that the user does not own. Raises StoreError.
    """
    skipped: list[str] = []

    def warned(said: psycopg.errors.Diagnostic) -> None:
        skipped.extend([str(said.message_primary)] if said.severity_nonlocalized == "WARNING" else [])

    with connection(url) as lent:
        lent.add_notice_handler(warned)
        try:
            for table in ERASED:
                lent.execute(f"VACUUM (FULL, ANALYZE) keepstone.{table}")
        finally:
            lent.remove_notice_handler(warned)
    if not skipped:
        return ""
    return f"its rows are gone, its bytes are not: {skipped[0]}; whoever owns the tables has to type VACUUM FULL"


def index_vectors(url: str, model: str, dims: int, most: int = VECTORS_COMPARED) -> bool:
    """Sets up pgvector, and creates an index of a model's vectors if there are more than `most`. Returns whether it
    created the index. Raises StoreError.
    """
    with connection(url) as lent:
        return pgvector.take_up(lent) and pgvector.make_index(lent, model, dims, most)


class Snapshot:
    """Reads a database as of one moment, row by row."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connection = taken(url)
        self.found: Any = None
        self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def execute(self, sql: str) -> Any:
        """Runs a statement and returns its rows, fetched on demand. Closes the previous statement's cursor."""
        self._give_up()
        self.found = self.connection.cursor(name="snapshot")
        self.found.itersize = 1_000
        try:
            return self.found.execute(sql)
        except psycopg.Error as problem:
            raise unreachable(self.url, problem) from problem

    def _give_up(self) -> None:
        if self.found is not None:
            self.found.close()

    def close(self) -> None:
        self._give_up()
        self.connection.rollback()
        give_back(self.url, self.connection)


class PgReader(Reader):
    """A PostgreSQL database for reading and counting."""

    is_postgres = True

    def __init__(self, url: str) -> None:
        """Raises StoreError if the server cannot be reached."""
        self.path, self.url, self.owner = shown(url), url, owner(url)
        self.database: Any = taken(url)
        self.schema, self.can_count, self.empty = SCHEMA, True, False

    def close(self) -> None:
        give_back(self.url, self.database)

    @property
    def compares(self) -> bool:
        """Tells whether the server compares vectors itself."""
        if self.url not in COMPARING and self.rows(pgvector.HAS, {}):
            COMPARING.add(self.url)
        return self.url in COMPARING

    def has_index(self, model: str, dims: int) -> bool:
        """Tells whether a model's vectors have an index."""
        return bool(self.rows(pgvector.IS_MADE, {"name": f"keepstone.{pgvector.index_name(model, dims)}"}))

    def size(self) -> int:
        return int(self.rows("SELECT pg_database_size(current_database())", {})[0][0])

    def hold(self, kilobytes: int) -> None:
        """Does nothing: the server has its own cache."""

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
