"""Redacts rows of any table as values, and updates their digests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace

from ..db.rows import Row
from ..language import duplicates
from ..lib.text import digest
from ..lifecycle.versions_sql import memory_digest
from .scrub_sql import OF_NAMES, SCRUBBED, cut_from, redacted


class Redaction:
    """Redacts rows as `scrub` does. Memories must come before the rows that belong to them. A digest that did not match
    stays as it is.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self.redact = redact
        self.changed = 0
        self._originals: dict[str, str] = {}  # the original content of redacted memories, by id

    def __call__(self, table: str, row: Row) -> Row:
        news = self._news(table, row)
        if not news:
            return row
        self.changed += 1
        return {**row, **news}

    def is_stale(self, table: str, row: Row) -> bool:
        """Tells whether a row, such as a vector, was made from text that is redacted now."""
        return table == "vector" and row["memory_id"] in self._originals

    def _news(self, table: str, row: Row) -> Row:
        """Returns the columns that change."""
        if table == "memory":
            return {**self._memory(row), **self._columns(row, OF_NAMES["memory"])}
        if table == "evidence":
            return self._evidence(row)
        if table == "memory_version":
            return {**self._texts(row), **self._columns(row, ("reason",))}
        if table == "turn":  # its vector was made from the text
            news = self._columns(row, SCRUBBED["turn"])
            return {**news, "model": None, "vector": None} if "text" in news else news
        return self._columns(row, ("value",) if table == "memory_facet" else SCRUBBED.get(table, ()))

    def _columns(self, row: Row, columns: Sequence[str]) -> Row:
        return _differing(row, {column: redacted(row[column], self.redact) for column in columns if row.get(column)})

    def _texts(self, row: Row) -> Row:
        content = redacted(row["content"], self.redact)
        if content == row["content"] and redacted(row["title"], self.redact) == row["title"]:
            return {}
        return _differing(row, {"content": content, "title": cut_from(row["content"], row["title"], self.redact)})

    def _memory(self, row: Row) -> Row:
        news = self._texts(row)
        if not news:
            return {}
        self._originals[row["id"]] = row["content"]
        signed = {"content_hash": content_hash(str(news.get("content", row["content"])))}
        if fits(row):
            signed["row_digest"] = memory_digest(SimpleNamespace(**{**row, **news}))
        return {**news, **_differing(row, signed)}

    def _evidence(self, row: Row) -> Row:
        original = self._originals.get(row["memory_id"])
        excerpt = row["excerpt"]
        made = redacted(excerpt, self.redact) if original is None else cut_from(original, excerpt, self.redact)
        if made == excerpt:
            return {}
        sound = row["row_digest"] == digest(excerpt)
        return {"excerpt": made, **({"row_digest": digest(made)} if sound else {})}


def _differing(row: Row, news: Row) -> Row:
    return {column: value for column, value in news.items() if value != row[column]}


def fits(memory: Row) -> bool:
    """Tells whether a memory's digest matches its texts and states. The row may lack all other columns."""
    return bool(memory["row_digest"] == memory_digest(SimpleNamespace(**memory)))


def content_hash(content: str) -> str:
    return digest(duplicates.normalise(content))
