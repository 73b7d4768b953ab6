"""Stores tombstones: keyed digests of erased text. They recognise the text if it returns, and do not allow
guessing it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace

from ..db.integrity import opened
from ..db.writer import Transaction
from ..language import quotation
from ..language.duplicates import normalise
from ..lib.errors import StoreError
from ..lib.fast_json import dump
from ..lib.text import digest
from ..model.candidate import Candidate

KEY = "tombstone_key"
FIND_KEY = "SELECT value FROM setting WHERE key = :key"
ADD_KEY = "INSERT INTO setting (key, value) VALUES (:key, :value)"
FIND_TOMBSTONES = "SELECT digest, erased_at FROM tombstone WHERE digest IN (SELECT value FROM json_each(:marks))"
ADD_TOMBSTONE = "INSERT INTO tombstone (digest, erased_at) VALUES (:digest, :at) ON CONFLICT (digest) DO NOTHING"


def add_tombstones(
    tx: Transaction, records: Iterable[str], texts: Iterable[str], ids: Iterable[str], now: float
) -> None:
    """Adds tombstones for turns, texts and memory ids that must not return."""
    key = _key(tx)
    if not key:  # this database's own key, made with its first tombstone
        key = os.urandom(16).hex()
        tx.run(ADD_KEY, {"key": KEY, "value": key})
    marks = {*records, *ids}
    for text in texts:
        marks |= {normalise(text), *quotation.runs(text, quotation.weight(text))}
    tx.many(ADD_TOMBSTONE, [{"digest": digest(key, mark), "at": now} for mark in marks])


Saved = tuple[str, list[tuple[str, float]]]  # a database's key, "" for none, and its tombstones


def saved(path: str) -> Saved:
    """Returns the tombstones of a database, none if it cannot be read or has no such table yet. Raises StoreError if
    another process holds it: what was erased would come back.
    """
    try:
        with closing(opened(path)) as database:
            key = database.execute("SELECT value FROM setting WHERE key = ?", (KEY,)).fetchone()
            return (key[0], database.execute("SELECT digest, erased_at FROM tombstone").fetchall()) if key else ("", [])
    except sqlite3.Error as problem:
        if "lock" in str(problem):
            raise StoreError(f"{path} is being written by other processes", "try again") from problem
        return "", []


def put_back(tx: Transaction, tombstones: Saved) -> None:
    """Adds the tombstones of another state of this database. Ignores those with another key: digests of two keys cannot
    be compared, and such a database was never this one.
    """
    key, rows = tombstones
    known = _key(tx)
    if not key or (known and known != key):
        return
    if not known:
        tx.run(ADD_KEY, {"key": KEY, "value": key})
    tx.many(ADD_TOMBSTONE, [{"digest": mark, "at": erased_at} for mark, erased_at in rows])


def erased(tx: Transaction, values: Iterable[str]) -> set[str]:
    """Returns the turns, normalised texts or ids among `values` that were erased."""
    return Tombstones(tx).among(values)


class Tombstones:
    """The tombstones that a transaction sees. False if there are none, so that nothing is looked up then."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.key = _key(tx)

    def __bool__(self) -> bool:
        return bool(self.key)

    def among(self, values: Iterable[str], since: float | None = None) -> set[str]:
        """Returns the values that were erased. With `since`, returns only those that were erased then or later."""
        if not self.key:
            return set()
        marks = {digest(self.key, value): value for value in values}
        rows = self.tx.all(FIND_TOMBSTONES, {"marks": dump(list(marks))}) if marks else []
        return {marks[mark] for mark, erased_at in rows if since is None or erased_at >= since}

    def hold(self, texts: Iterable[str], said_at: float | None) -> bool:
        """Tells whether a text quotes text that was erased after it was said. A newer statement may be stored again."""
        if not self.key:
            return False
        sizes = range(quotation.LEAST, quotation.MOST + 1)
        return bool(
            self.among({run for text in texts for size in sizes for run in quotation.runs(text, size)}, said_at)
        )

    def cut(self, text: str, said_at: float | None) -> str:
        """Returns a text without the sentences that quote text that was erased after it was said."""
        return quotation.cut(text, lambda part: self.hold([part], said_at)) if self.key else text


def without_erased(gone: Tombstones, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Returns the candidates that do not repeat erased text, with quotes of it removed from their excerpts."""
    return (
        [_cut(gone, candidate) for candidate in candidates if not _is_erased(gone, candidate)] if gone else candidates
    )


def _key(tx: Transaction) -> str:
    return str(tx.value(FIND_KEY, {"key": KEY}) or "")


def _is_erased(gone: Tombstones, made: Candidate) -> bool:
    return bool(gone.among([normalise(made.content)])) or gone.hold([made.title, made.content], made.said_at)


def _cut(gone: Tombstones, made: Candidate) -> Candidate:
    facets = tuple((facet, value) for facet, value in made.facets if not gone.hold([value], made.said_at))
    return replace(made, excerpt=gone.cut(made.excerpt, made.said_at), facets=facets)
