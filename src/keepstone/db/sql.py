"""SQL that SQLite and PostgreSQL do not share. Hot module.

Most statements are plain strings in what both engines understand, with `:name` parameters. Where the engines differ,
both statements stand side by side in an `Sql`.
"""

from __future__ import annotations

TYPE_CHECKING = False


class Sql:
    """One statement in the words of each engine."""

    __slots__ = ("sqlite", "postgres")

    def __init__(self, sqlite: str, postgres: str) -> None:
        self.sqlite = sqlite
        self.postgres = postgres


if TYPE_CHECKING:
    Statement = str | Sql
