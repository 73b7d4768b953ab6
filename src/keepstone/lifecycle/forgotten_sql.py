"""Recognises what was forgotten when a model brings it back: in any kind, order and scope that the project sees."""

from __future__ import annotations

from collections.abc import Sequence

from ..db.writer import Transaction
from ..language.duplicates import normalise, resembles
from .tombstones_sql import Tombstones

FORGOTTEN = "says what was forgotten, and nobody asked for it"
GONE_FOR_GOOD = ("forgotten", "undone")  # reasons of deletion after which the same turn does not bring the memory back
_TEXTS = f"SELECT m.content FROM memory m WHERE m.status = 'deleted' AND m.status_reason IN {GONE_FOR_GOOD}"
_SEEN = " AND (m.project_id = :project OR m.project_id IS NULL)"


def was_forgotten(tx: Transaction, project_id: str | None, texts: Sequence[str]) -> bool:
    """Tells whether one of the texts resembles what was forgotten in a project or for all of them. What holds in every
    project (None) is compared with what was forgotten in any.
    """
    gone = tx.column(_TEXTS + _SEEN, {"project": project_id}) if project_id else tx.column(_TEXTS)
    return any(resembles(text, one, tx.ratio) for one in gone for text in texts)


def was_erased(tx: Transaction, texts: Sequence[str]) -> bool:
    """Tells whether one of the texts is or quotes what was erased: only its digests are kept, so in other words or
    another order it is not known again.
    """
    gone = Tombstones(tx)
    return bool(gone) and (bool(gone.among(map(normalise, texts))) or gone.hold(texts, None))
