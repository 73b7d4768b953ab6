"""What was erased, as keyed digests: enough to know it when it comes again, and not enough to guess what it was."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core.dedupe import normalise
from ..core.quotes import runs
from ..core.text import digest
from .tables import Setting, Tombstone

KEY = "tombstone_key"


def _key(tx: Transaction) -> str:
    """This database's own, made with the first tombstone."""
    row = tx.get(Setting, KEY)
    if row is None:
        row = Setting(key=KEY, value=secrets.token_hex(16))
        tx.add(row)
        tx.flush()
    return row.value


def quotes_erased(tx: Transaction, texts: Iterable[str]) -> bool:
    """Whether one of the texts quotes what was erased."""
    return bool(erased(tx, {run for text in texts for run in runs(text)}))


def bury(tx: Transaction, records: Iterable[str], texts: Iterable[str], ids: Iterable[str], now: float) -> None:
    """Notes turns, texts and memories' ids that must not come back."""
    key = _key(tx)
    marks = {digest(key, record) for record in records} | {digest(key, memory_id) for memory_id in ids}
    for text in texts:
        marks |= {digest(key, normalise(text)), *(digest(key, run) for run in runs(text))}
    for mark in marks:
        if tx.get(Tombstone, mark) is None:
            tx.add(Tombstone(digest=mark, erased_at=now))
    tx.flush()


def erased(tx: Transaction, values: Iterable[str]) -> set[str]:
    """Which of these turns, normalised texts or ids were erased."""
    row = tx.get(Setting, KEY)
    if row is None:
        return set()
    marks = {digest(row.value, value): value for value in values}
    found = tx.exec(select(Tombstone.digest).where(col(Tombstone.digest).in_(list(marks))))
    return {marks[mark] for mark in found}
