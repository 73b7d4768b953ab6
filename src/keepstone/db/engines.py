"""Which engine a database is of: a file is SQLite's, an address PostgreSQL's."""

from __future__ import annotations

from types import ModuleType
from urllib.parse import quote

from ..lib.errors import StoreError
from ..lib.limits import COUNTER_BUSY_SECONDS
from .reader import Reader

SCHEMES = ("postgresql://", "postgres://")


def is_address(where: str) -> bool:
    return where.startswith(SCHEMES)


def addressed(url: str, user: str, workspace: str) -> str:
    """An address that says whose memories are meant."""
    sign = "&" if "?" in url else "?"
    return f"{url}{sign}keepstone_user={quote(user, safe='')}&keepstone_workspace={quote(workspace, safe='')}"


def postgres() -> ModuleType:
    """What talks to PostgreSQL. Raises StoreError where its package is missing."""
    try:
        from . import postgres as found
    except ImportError as problem:
        raise StoreError(
            "psycopg is not installed, which talks to PostgreSQL", "keepstone bootstrap --all"
        ) from problem
    return found


def open_reader(where: str, busy: float = COUNTER_BUSY_SECONDS) -> Reader:
    """A database to read and to count, by its path or address. Raises StoreError."""
    if is_address(where):
        return postgres().PgReader(where)  # type: ignore[no-any-return]
    return Reader(where, busy)
