"""Rows of any table as plain values: what the schema's columns are, and what redaction leaves of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlmodel import SQLModel

from ..core import dedupe
from ..core.archive import Column
from ..core.text import digest
from .scrub import OF_ROWS, cut_from, redacted
from .tables import Memory
from .versions import memory_digest

Row = dict[str, Any]
FIRST = ("project", "project_key", "memory")  # before all others, which may be of a project or a memory


def tables() -> dict[str, tuple[Column, ...]]:
    """Every table with its columns, each behind those that it refers to."""
    found = SQLModel.metadata.sorted_tables
    ordered = sorted(found, key=lambda table: FIRST.index(table.name) if table.name in FIRST else len(FIRST))
    return {
        table.name: tuple(
            Column(
                column.name,
                column.type.python_type if column.type.python_type in (int, float, bytes) else str,
                column.nullable or (column.name == "seq" and column.primary_key),
                getattr(column.default, "arg", None),
            )
            for column in table.columns
        )
        for table in ordered
    }


class Redaction:
    """Redacts rows as `scrub` would, memories before what belongs to them. A digest that did not fit is left so."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self.redact = redact
        self.changed = 0
        self._wholes: dict[str, str] = {}  # what the memories said of which something was taken out

    def __call__(self, table: str, row: Row) -> Row:
        news = self._news(table, row)
        if not news:
            return row
        self.changed += 1
        return {**row, **news}

    def is_stale(self, table: str, row: Row) -> bool:
        """Whether a row was made of what is redacted now: a vector of the text before."""
        return table == "vector" and row["memory_id"] in self._wholes

    def _news(self, table: str, row: Row) -> Row:
        """The columns that change."""
        if table == "memory":
            return self._memory(row)
        if table == "evidence":
            return self._evidence(row)
        if table == "memory_version":
            return self._said(row)
        columns = ("value",) if table == "memory_facet" else OF_ROWS.get(table, ())
        return _differing(row, {column: redacted(row[column], self.redact) for column in columns if row[column]})

    def _said(self, row: Row) -> Row:
        content = redacted(row["content"], self.redact)
        if content == row["content"] and redacted(row["title"], self.redact) == row["title"]:
            return {}
        return _differing(row, {"content": content, "title": cut_from(row["content"], row["title"], self.redact)})

    def _memory(self, row: Row) -> Row:
        news = self._said(row)
        if not news:
            return {}
        self._wholes[row["id"]] = row["content"]
        sealed = {"content_hash": content_hash(str(news.get("content", row["content"])))}
        if fits(row):
            sealed["row_digest"] = memory_digest(Memory(**{**row, **news}))
        return {**news, **_differing(row, sealed)}

    def _evidence(self, row: Row) -> Row:
        whole = self._wholes.get(row["memory_id"])
        excerpt = row["excerpt"]
        made = redacted(excerpt, self.redact) if whole is None else cut_from(whole, excerpt, self.redact)
        if made == excerpt:
            return {}
        sound = row["row_digest"] == digest(excerpt)
        return {"excerpt": made, **({"row_digest": digest(made)} if sound else {})}


def _differing(row: Row, news: Row) -> Row:
    return {column: value for column, value in news.items() if value != row[column]}


def fits(memory: Row) -> bool:
    """Whether a memory's digest is that of what it says."""
    return bool(memory["row_digest"] == memory_digest(Memory(**memory)))


def content_hash(content: str) -> str:
    return digest(dedupe.normalise(content))


def content(row: Row) -> str:
    """What stands for all that a row says, but its number."""
    return digest(repr(sorted((name, value) for name, value in row.items() if name != "seq")))
