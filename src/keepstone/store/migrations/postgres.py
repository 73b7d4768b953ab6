"""The schema of a PostgreSQL database: made where it is missing, brought up to date where it is older; one process at a
time, whatever many ask at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine

from ...core.errors import StoreError
from . import postgres_0001

LOCK = 0x6B65657073746F6E + 1  # the advisory lock of who migrates
# each with the schema that it leads to; what SQLite came to step by step the first one holds
MIGRATIONS: tuple[tuple[int, Sequence[str]], ...] = ((7, postgres_0001.STATEMENTS),)
_SCHEMA = "SELECT value FROM keepstone.setting WHERE key = 'schema'"
_known: set[str] = set()  # databases that this process has seen up to date


def ensure(engine: Engine) -> int:
    """Brings a database up to date; its schema. Raises the driver's error."""
    url = engine.url.render_as_string(hide_password=False)
    if url in _known:
        return MIGRATIONS[-1][0]
    with engine.connect() as connection:
        found = version(connection)
        if not found:
            need_room(connection)
    if found < MIGRATIONS[-1][0]:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
            connection.exec_driver_sql("CREATE SCHEMA IF NOT EXISTS keepstone")
            found = _apply(connection, version(connection))
    if found == MIGRATIONS[-1][0]:
        _known.add(url)
    return found


def version(connection: Connection) -> int:
    """The schema a database has, 0 for none. Raises StoreError where that is not said."""
    there = connection.exec_driver_sql("SELECT to_regclass('keepstone.setting')").scalar()
    if not there:
        if connection.exec_driver_sql("SELECT 1 FROM pg_tables WHERE schemaname = 'keepstone'").first():
            raise StoreError(
                "the schema keepstone at the server has tables, and none of Keepstone's", "createdb another one"
            )
        return 0
    said = str(connection.exec_driver_sql(_SCHEMA).scalar())
    if not said.isdecimal():
        raise StoreError("keepstone.setting at the server does not say which schema this is", "restore its backup")
    return int(said)


def need_room(connection: Connection) -> None:
    """Raises StoreError for a database in which the tables can't be made."""
    asks = "SELECT has_database_privilege(current_database(), 'CREATE'), current_setting('server_encoding')"
    may_create, encoding = connection.exec_driver_sql(asks).one()
    if encoding != "UTF8":
        raise StoreError(f"the database at the server is in {encoding}, not in UTF8", "createdb -T template0 -E UTF8")
    if not may_create:
        raise StoreError("its tables are not made yet, and you may not", "have its owner GRANT CREATE ON DATABASE")


def _apply(connection: Connection, found: int) -> int:
    for number, statements in MIGRATIONS:
        if number > found:
            for statement in statements:
                connection.exec_driver_sql(statement.replace("%", "%%"))
            connection.exec_driver_sql(f"UPDATE setting SET value = '{number}' WHERE key = 'schema'")
            found = number
    return found
