"""All that a database holds, row by row, as it stood when the reading began: what an export is made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from ..core.errors import StoreError
from ..core.model import decoded
from .check import as_text, opened
from .reader import SCHEMA
from .rows import Redaction, Row, tables


class Dump:
    """A database read in one transaction, redacted. Raises StoreError for one of another schema, or damaged."""

    def __init__(self, path: str, redact: Callable[[str], str]) -> None:
        self.path = path
        self.redaction = Redaction(redact)
        self.database = opened(path)
        self.database.isolation_level = None
        self.database.row_factory = sqlite3.Row
        self.database.text_factory = decoded
        try:
            self.database.execute("BEGIN")
            schema = self._number("PRAGMA user_version")
        except sqlite3.Error as problem:
            raise self._unreadable(problem) from problem
        if schema != SCHEMA:
            self.close()
            raise StoreError(f"{path} is of schema {schema}, this Cairn exports {SCHEMA}", "cairn doctor")

    def __len__(self) -> int:
        return sum(self._number(f"SELECT count(*) FROM {table}") for table in tables())

    def _number(self, sql: str) -> int:
        return int(self.database.execute(sql).fetchone()[0])

    def rows(self) -> Iterator[tuple[str, Row]]:
        """(table, row) of every row, in the order in which they came; memories before what belongs to them."""
        try:
            for table, columns in tables().items():
                named = ", ".join(column.name for column in columns)
                for row in self.database.execute(f"SELECT {named} FROM {table} ORDER BY rowid"):
                    held = {of.name: row[of.name] if of.type is bytes else as_text(row[of.name]) for of in columns}
                    if not self.redaction.is_stale(table, held):
                        yield table, self.redaction(table, held)
        except sqlite3.Error as problem:
            raise self._unreadable(problem) from problem

    def _unreadable(self, problem: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path} can't be read: {problem}", "cairn doctor")

    def close(self) -> None:
        self.database.close()
