"""Holds SQL that differs between SQLite and PostgreSQL. Hot module.

Most statements are plain strings that both engines understand, with `:name` parameters. If the engines differ, an `Sql`
holds both statements side by side.
"""

from __future__ import annotations

TYPE_CHECKING = False


class Sql:
    """A statement with its text for each engine."""

    __slots__ = ("sqlite", "postgres")

    def __init__(self, sqlite: str, postgres: str) -> None:
        self.sqlite = sqlite
        self.postgres = postgres


if TYPE_CHECKING:
    Statement = str | Sql
