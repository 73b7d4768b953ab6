"""Tells SQLite files from PostgreSQL addresses, and opens a reader for either."""

from __future__ import annotations

from types import ModuleType

from ..lib.errors import StoreError
from ..lib.limits import COUNTER_BUSY_SECONDS
from ..lib.url import quoted
from .reader import Reader

SCHEMES = ("postgresql://", "postgres://")


def is_address(where: str) -> bool:
    return where.startswith(SCHEMES)


def addressed(url: str, user: str, workspace: str) -> str:
    """Returns a PostgreSQL address that also names the user and the workspace."""
    sign = "&" if "?" in url else "?"
    return f"{url}{sign}keepstone_user={quoted(user)}&keepstone_workspace={quoted(workspace)}"


def postgres() -> ModuleType:
    """Returns the module for PostgreSQL. Raises StoreError if psycopg is not installed."""
    try:
        from . import postgres as found
    except ImportError as problem:
        raise StoreError(
            "psycopg is not installed, which talks to PostgreSQL", "keepstone bootstrap --all"
        ) from problem
    return found


def open_reader(where: str, busy: float = COUNTER_BUSY_SECONDS) -> Reader:
    """Opens a database for reading and counting, by its path or address. `busy` is the wait for a lock in seconds.
    Raises StoreError.
    """
    if is_address(where):
        return postgres().PgReader(where)  # type: ignore[no-any-return]
    return Reader(where, busy)
