"""All that a database holds, row by row, as it stood when the reading began: what an export is made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from ..core.errors import StoreError
from ..core.model import decoded
from .check import as_text, opened
from .engines import is_address, postgres
from .reader import SCHEMA
from .rows import Redaction, Row, tables

SCHEMA_OF = ("SELECT value FROM setting WHERE key = 'schema'", "PRAGMA user_version")


class Dump:
    """A database read in one transaction, redacted. Raises StoreError for one of another schema, or damaged."""

    def __init__(self, path: str, redact: Callable[[str], str]) -> None:
        self.redaction = Redaction(redact)
        self.is_file = not is_address(path)
        self.path = path if self.is_file else postgres().shown(path)
        try:
            self.database: Any = _opened(path) if self.is_file else postgres().Snapshot(path)
            schema = self._number(SCHEMA_OF[self.is_file])
        except sqlite3.Error as problem:
            raise self._unreadable(problem) from problem
        if schema != SCHEMA:
            self.close()
            raise StoreError(f"{self.path} is of schema {schema}, this Cairn exports {SCHEMA}", "cairn doctor")

    def __len__(self) -> int:
        return sum(self._number(f"SELECT count(*) FROM {table}") for table in tables())

    def _number(self, sql: str) -> int:
        return int(self.database.execute(sql).fetchall()[0][0])

    def rows(self) -> Iterator[tuple[str, Row]]:
        """(table, row) of every row, in the order in which they came; memories before what belongs to them."""
        try:
            for table, columns in tables().items():
                names = [column.name for column in columns]
                order = "rowid" if self.is_file else "seq" if "seq" in names else ", ".join(names[:3])
                for values in self.database.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY {order}"):
                    row = dict(zip(names, values, strict=True))
                    held = {of.name: row[of.name] if of.type is bytes else as_text(row[of.name]) for of in columns}
                    if not self.redaction.is_stale(table, held):
                        yield table, self.redaction(table, held)
        except sqlite3.Error as problem:
            raise self._unreadable(problem) from problem

    def _unreadable(self, problem: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path} can't be read: {problem}", "cairn doctor")

    def close(self) -> None:
        self.database.close()


def _opened(path: str) -> sqlite3.Connection:
    database = opened(path)
    database.isolation_level = None
    database.text_factory = decoded
    database.execute("BEGIN")
    return database
