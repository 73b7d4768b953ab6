"""Recognises what was forgotten when a model or a summary brings it back: in any kind, order and scope that the project
sees.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..db.writer import Transaction
from ..language.duplicates import normalise, resembles
from ..language.quotation import Quotes
from ..lib.fast_json import dump
from ..lib.limits import ASKED_NOW, UNASKED
from .tombstones_sql import Tombstones

FORGOTTEN = "says what was forgotten, and nobody asked for it"
GONE_FOR_GOOD = ("forgotten", "undone")  # reasons of deletion after which the same turn does not bring the memory back
_TEXTS = f"""
SELECT m.content FROM memory m
WHERE m.status = 'deleted' AND m.status_reason IN {GONE_FOR_GOOD} AND m.updated_at >= :since
"""
_SEEN = " AND (m.project_id = :project OR m.project_id IS NULL)"

# Forgotten memories that a session has stated, and those of its project or all that were forgotten since a time.
_GONE = f"""
SELECT m.id FROM memory m WHERE m.status = 'deleted' AND m.status_reason IN {GONE_FOR_GOOD} AND m.kind <> 'summary'
    AND (m.id IN (SELECT e.memory_id FROM evidence e WHERE e.session_id = :session)
        OR ((m.project_id = :project OR m.project_id IS NULL) AND m.updated_at >= :since))
"""
_ALL_TEXTS = """
SELECT m.content FROM memory m WHERE m.id IN (SELECT value FROM json_each(:ids))
UNION SELECT v.content FROM memory_version v WHERE v.memory_id IN (SELECT value FROM json_each(:ids))
UNION SELECT e.excerpt FROM evidence e WHERE e.memory_id IN (SELECT value FROM json_each(:ids))
"""
_SUMMARIES = """
SELECT s.id, s.title, s.content FROM memory m JOIN memory s ON s.kind = 'summary' AND s.status = 'active'
    AND (s.project_id = m.project_id OR m.project_id IS NULL)
WHERE m.id = :id AND m.kind <> 'summary'
"""


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


def brings_back(tx: Transaction, project_id: str | None, session_id: str, since: float, texts: Sequence[str]) -> bool:
    """Tells whether one of a session's texts quotes what it has stated and was forgotten, or what was forgotten in its
    project since a time: in today's words, earlier ones, or those in which it was said.
    """
    gone = tx.column(_GONE, {"session": session_id, "project": project_id, "since": since})
    return bool(gone) and any(map(_quotes(tx, gone).within, texts))


def summaries_of(tx: Transaction, memory_id: str) -> list[str]:
    """Returns the active summaries that quote a memory, unless it is one itself."""
    found = tx.all(_SUMMARIES, {"id": memory_id})
    quotes = _quotes(tx, [memory_id]) if found else Quotes(())
    return [summary for summary, *texts in found if any(map(quotes.within, texts))]


def still_says(tx: Transaction, memory_id: str, texts: Sequence[str]) -> bool:
    """Tells whether one of the texts quotes a memory: in today's words, earlier ones, or those in which it was said."""
    return any(map(_quotes(tx, [memory_id]).within, texts))


def _quotes(tx: Transaction, ids: Sequence[str]) -> Quotes:
    return Quotes(tx.column(_ALL_TEXTS, {"ids": dump(list(ids))}))
