"""Creates or migrates the schema of a PostgreSQL database. Only one process does so at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...lib.errors import StoreError
from . import postgres_0001, postgres_0002, postgres_0003

LOCK = 0x6B65657073746F6E + 1  # the advisory lock for migrating
# Each migration with the schema that it produces. The first one contains SQLite's migrations 1 to 7.
MIGRATIONS: tuple[tuple[int, Sequence[str]], ...] = (
    (7, postgres_0001.STATEMENTS),
    (8, postgres_0002.STATEMENTS),
    (9, postgres_0003.STATEMENTS),
)
_SCHEMA = "SELECT value FROM keepstone.setting WHERE key = 'schema'"
_known: set[str] = set()  # addresses that this process has seen at the current schema


def ensure(connection: Any, url: str) -> int:
    """Migrates the database at an address. Returns its schema. Raises the driver's error."""
    if url in _known:
        return MIGRATIONS[-1][0]
    found = version(connection)
    if not found:
        require_room(connection)
    if found < MIGRATIONS[-1][0]:
        with connection.transaction():
            connection.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
            connection.execute("CREATE SCHEMA IF NOT EXISTS keepstone")
            found = _apply(connection, version(connection))
    if found == MIGRATIONS[-1][0]:
        _known.add(url)
    return found


def version(connection: Any) -> int:
    """Returns the schema of a database, 0 if it has none. Raises StoreError if the tables exist but the number is
    missing.
    """
    if not connection.execute("SELECT to_regclass('keepstone.setting')").fetchone()[0]:
        if connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'keepstone'").fetchone():
            raise StoreError("the schema 'keepstone' at the server belongs to another program", "createdb another one")
        return 0
    row = connection.execute(_SCHEMA).fetchone()
    said = str(row[0] if row else "")
    if not said.isdecimal():
        raise StoreError("keepstone.setting at the server does not say which schema this is", "restore its backup")
    return int(said)


def require_room(connection: Any) -> None:
    """Raises StoreError if the tables cannot be created in this database."""
    asks = "SELECT has_database_privilege(current_database(), 'CREATE'), current_setting('server_encoding')"
    may_create, encoding = connection.execute(asks).fetchone()
    if encoding != "UTF8":
        raise StoreError(f"the database at the server is in {encoding}, not in UTF8", "createdb -T template0 -E UTF8")
    if not may_create:
        raise StoreError("its tables are not made yet, and you may not", "have its owner GRANT CREATE ON DATABASE")


def _apply(connection: Any, found: int) -> int:
    for number, statements in MIGRATIONS:
        if number > found:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"UPDATE setting SET value = '{number}' WHERE key = 'schema'")
            found = number
    return found
