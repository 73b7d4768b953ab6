"""What was erased, as keyed digests: enough to know it when it comes again, and not enough to guess what it was."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace

from sqlalchemy import text
from sqlmodel import Session as Transaction

from ..core import quotes
from ..core.candidate import Candidate
from ..core.dedupe import normalise
from ..core.fastjson import dump
from ..core.text import digest
from .check import opened
from .tables import Setting, Tombstone

KEY = "tombstone_key"
KNOWN = "SELECT digest, erased_at FROM tombstone WHERE digest IN (SELECT value FROM json_each(:marks))"


def bury(tx: Transaction, records: Iterable[str], texts: Iterable[str], ids: Iterable[str], now: float) -> None:
    """Notes turns, texts and memories' ids that must not come back."""
    row = tx.get(Setting, KEY)
    if row is None:  # this database's own, made with the first tombstone
        row = Setting(key=KEY, value=secrets.token_hex(16))
        tx.add(row)
        tx.flush()
    marks = {*records, *ids}
    for said in texts:
        marks |= {normalise(said), *quotes.runs(said, quotes.weight(said))}
    for mark in {digest(row.value, mark) for mark in marks}:
        if tx.get(Tombstone, mark) is None:
            tx.add(Tombstone(digest=mark, erased_at=now))
    tx.flush()


Saved = tuple[str, list[tuple[str, float]]]  # a database's key, "" for none, and its tombstones


def saved(path: str) -> Saved:
    """The tombstones of a database, none of one that can't be read or has no such table yet."""
    try:
        with closing(opened(path)) as database:
            key = database.execute("SELECT value FROM setting WHERE key = ?", (KEY,)).fetchone()
            return (key[0], database.execute("SELECT digest, erased_at FROM tombstone").fetchall()) if key else ("", [])
    except sqlite3.Error:
        return "", []


def put_back(tx: Transaction, graves: Saved) -> None:
    """Adds tombstones of another state of this database. One that has another key was never this one: then its own
    count, as digests of two keys do not mix.
    """
    key, rows = graves
    row = tx.get(Setting, KEY)
    if not key or (row is not None and row.value != key):
        return
    if row is None:
        tx.add(Setting(key=KEY, value=key))
    for mark, erased_at in rows:
        if tx.get(Tombstone, mark) is None:
            tx.add(Tombstone(digest=mark, erased_at=erased_at))
    tx.flush()


def erased(tx: Transaction, values: Iterable[str]) -> set[str]:
    """Which of these turns, normalised texts or ids were erased."""
    return Graves(tx).among(values)


class Graves:
    """What a transaction knows of what was erased. False where nothing was, and then nothing is looked up."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        row = tx.get(Setting, KEY)
        self.key = row.value if row else ""

    def __bool__(self) -> bool:
        return bool(self.key)

    def among(self, values: Iterable[str], since: float | None = None) -> set[str]:
        """Which of these were erased; with `since` only then or later."""
        if not self.key:
            return set()
        marks = {digest(self.key, value): value for value in values}
        rows = self.tx.connection().execute(text(KNOWN), {"marks": dump(list(marks))})
        return {marks[mark] for mark, erased_at in rows if since is None or erased_at >= since}

    def hold(self, texts: Iterable[str], said_at: float | None) -> bool:
        """Whether one of some texts quotes what was erased after it was said: what is said anew comes in again."""
        if not self.key:
            return False
        sizes = range(quotes.LEAST, quotes.MOST + 1)
        return bool(self.among({run for said in texts for size in sizes for run in quotes.runs(said, size)}, said_at))

    def cut(self, said: str, said_at: float | None) -> str:
        """A text without the sentences that quote what was erased after it was said."""
        return quotes.cut(said, lambda part: self.hold([part], said_at)) if self.key else said


def without_erased(gone: Graves, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates that say nothing of what was erased, without what their turns quote of it."""
    return [_rid(gone, candidate) for candidate in candidates if not _says(gone, candidate)] if gone else candidates


def _says(gone: Graves, made: Candidate) -> bool:
    return bool(gone.among([normalise(made.content)])) or gone.hold([made.title, made.content], made.said_at)


def _rid(gone: Graves, made: Candidate) -> Candidate:
    facets = tuple((facet, value) for facet, value in made.facets if not gone.hold([value], made.said_at))
    return replace(made, excerpt=gone.cut(made.excerpt, made.said_at), facets=facets)
