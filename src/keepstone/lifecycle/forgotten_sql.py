"""Recognises what was forgotten when a model brings it back: in any kind, order and scope that the project sees."""

from __future__ import annotations

from collections.abc import Sequence

from ..db.writer import Transaction
from ..language.duplicates import normalise, resembles
from ..lib.limits import ASKED_NOW, UNASKED
from .tombstones_sql import Tombstones

FORGOTTEN = "says what was forgotten, and nobody asked for it"
GONE_FOR_GOOD = ("forgotten", "undone")  # reasons of deletion after which the same turn does not bring the memory back
_TEXTS = f"""
SELECT m.content FROM memory m
WHERE m.status = 'deleted' AND m.status_reason IN {GONE_FOR_GOOD} AND m.updated_at >= :since
"""
_SEEN = " AND (m.project_id = :project OR m.project_id IS NULL)"


def was_forgotten(tx: Transaction, project_id: str | None, texts: Sequence[str], since: float = UNASKED) -> bool:
    """Tells whether one of the texts resembles what was forgotten, since a time, in a project or for all of them. What
    holds in every project (None) is compared with what was forgotten in any.
    """
    if since == ASKED_NOW:
        return False
    values = {"since": since}
    gone = tx.column(_TEXTS + _SEEN, {**values, "project": project_id}) if project_id else tx.column(_TEXTS, values)
    return any(resembles(text, one, tx.ratio) for one in gone for text in texts)


def was_erased(tx: Transaction, texts: Sequence[str], since: float = UNASKED) -> bool:
    """Tells whether one of the texts is or quotes what was erased since a time: only its digests are kept, so in other
    words or another order it is not known again.
    """
    gone = Tombstones(tx)
    return bool(gone) and (bool(gone.among(map(normalise, texts), since)) or gone.hold(texts, since))
