"""What deliveries, verdicts and changes add up to, read with the bare driver."""

from __future__ import annotations

import sqlite3

from ..core.errors import StoreError
from .check import opened


class Report:
    """A database, to read only. Raises StoreError when it can't be read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.database = opened(path)

    def close(self) -> None:
        self.database.close()

    def verdicts(self, session_id: str) -> dict[str, str | None]:
        """What became of each memory that a session was shown, by its id."""
        sql = "SELECT memory_id, verdict FROM delivery WHERE session_id = :session ORDER BY memory_id"
        return dict(self.database.execute(sql, {"session": session_id}).fetchall())
