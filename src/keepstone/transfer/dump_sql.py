"""Reads all rows of a database as of one moment. Exports and migrations use it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from ..db.engines import is_address, postgres
from ..db.integrity import as_text, opened
from ..db.reader import SCHEMA
from ..db.records import TABLES
from ..db.rows import Row
from ..lib.errors import StoreError
from ..model.memory import decoded
from ..privacy.redact_rows import Redaction

SCHEMA_OF = ("SELECT value FROM setting WHERE key = 'schema'", "PRAGMA user_version")


class Dump:
    """A database that is read in one transaction, with its rows redacted. Raises StoreError if it is damaged or has
    another schema.
    """

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
            raise StoreError(f"{self.path} is of schema {schema}, this Keepstone exports {SCHEMA}", "keepstone doctor")

    def __len__(self) -> int:
        return sum(map(self.count, TABLES))

    def count(self, table: str) -> int:
        return self._number(f"SELECT count(*) FROM {table}")

    def _number(self, sql: str) -> int:
        return int(self.database.execute(sql).fetchall()[0][0])

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Yields (table, row) of every row in the order of insertion, memories before the rows that belong to them."""
        for table in TABLES:
            for row in self.held(table):
                if not self.redaction.is_stale(table, row):
                    yield table, self.redaction(table, row)

    def held(self, table: str) -> Iterator[Row]:
        """Yields a table's rows, not redacted, in the order of insertion."""
        columns = TABLES[table]
        names = [column.name for column in columns]
        order = "rowid" if self.is_file else "seq" if "seq" in names else ", ".join(names[:3])
        try:
            for values in self.database.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY {order}"):
                row = dict(zip(names, values, strict=True))
                yield {of.name: row[of.name] if of.type is bytes else as_text(row[of.name]) for of in columns}
        except sqlite3.Error as problem:
            raise self._unreadable(problem) from problem

    def ids(self) -> set[str]:
        return {row[0] for row in self._all("SELECT id FROM memory")}

    def last(self, table: str) -> int:
        """Returns the highest number of a row in a table of numbered rows."""
        return self._number(f"SELECT coalesce(max(seq), 0) FROM {table}")

    def records(self) -> dict[str, list[str]]:
        """Returns the record uuids of each memory's evidence, by the memory's id."""
        found: dict[str, list[str]] = {}
        for memory_id, record in self._all("SELECT memory_id, record_uuid FROM evidence"):
            found.setdefault(memory_id, []).append(record)
        return found

    def earlier(self, memory_id: str, version: int) -> list[tuple[Any, ...]]:
        """Returns (title, content, kind) of an earlier version of a memory."""
        sql = "SELECT title, content, kind FROM memory_version WHERE memory_id = ? AND version = ?"
        return self._all(sql, (memory_id, version))

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return list(self.database.execute(sql, values))
        except sqlite3.Error as problem:
            raise self._unreadable(problem) from problem

    def _unreadable(self, problem: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path} can't be read: {problem}", "keepstone doctor")

    def close(self) -> None:
        self.database.close()


def _opened(path: str) -> sqlite3.Connection:
    database = opened(path)
    database.isolation_level = None
    database.text_factory = decoded
    database.execute("BEGIN")
    return database
