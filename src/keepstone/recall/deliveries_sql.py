"""Stores deliveries: the memories that sessions were shown, and the verdicts on their use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..db.reader import COUNT_ACCESS, DELIVER
from ..db.writer import Transaction
from ..lib.fast_json import dump
from ..model.delivery import CONTRADICTED, RANK, USED, Delivered

COUNT_DETECTED_USE = "UPDATE memory SET use_count = use_count + 1, used_at = :now WHERE id = :id"
DELIVERED_AT = """
SELECT memory_id, delivered_at FROM delivery
WHERE session_id = :session AND memory_id IN (SELECT value FROM json_each(:ids))
"""
NOT_CONTRADICTED = """
SELECT m.id, m.kind, m.content FROM delivery d JOIN memory m ON m.id = d.memory_id
WHERE d.session_id = :session AND (d.verdict IS NULL OR d.verdict <> :final) ORDER BY m.id
"""
SHOWN = "SELECT m.content FROM delivery d JOIN memory m ON m.id = d.memory_id WHERE d.session_id = :session"
IS_MEMORY = "SELECT count(*) FROM memory WHERE id >= :low AND id < :high"
VERDICTS = """
SELECT memory_id, verdict FROM delivery
WHERE session_id = :session AND memory_id IN (SELECT value FROM json_each(:ids))
"""
JUDGE = """
UPDATE delivery SET verdict = :verdict, verdict_at = :now WHERE session_id = :session AND memory_id = :id
"""


def count_deliveries(
    tx: Transaction, session_id: str, event_name: str, ids: Iterable[str], chars: int, at: float
) -> None:
    """Counts the memories that a hook showed while the database was busy. A repeated delivery is not counted again."""
    shown = list(dict.fromkeys(ids))
    known = dict(tx.all(DELIVERED_AT, {"session": session_id, "ids": dump(shown)}))
    new = [one for one in shown if known.get(one) is None or known[one] < at]
    delivery = {"session": session_id, "event": event_name, "chars": chars, "now": at}
    tx.many(COUNT_ACCESS, [{"id": one, "now": at} for one in new])
    tx.many(DELIVER, [{**delivery, "id": one} for one in new])


def delivered(tx: Transaction, session_id: str) -> tuple[float, list[Delivered]]:
    """Returns when a session began, and the memories that it was shown and has not contradicted yet."""
    started_at = tx.value("SELECT started_at FROM session WHERE id = :id", {"id": session_id})
    rows = tx.all(NOT_CONTRADICTED, {"session": session_id, "final": CONTRADICTED})
    return started_at or 0.0, [Delivered(*row) for row in rows]


def shown(tx: Transaction, session_id: str) -> list[str]:
    """Returns the texts of the memories that a session was shown."""
    return tx.column(SHOWN, {"session": session_id})


def is_memory(tx: Transaction, beginning: str) -> bool:
    """Tells whether an id begins that of a memory."""
    return bool(tx.value(IS_MEMORY, {"low": f"mem-{beginning}", "high": f"mem-{beginning}g"}))


def mark(tx: Transaction, session_id: str, verdicts: Mapping[str, str], now: float) -> None:
    """Stores verdicts that are higher than the present ones. A memory counts as used once in a session."""
    if not verdicts:
        return
    known = dict(tx.all(VERDICTS, {"session": session_id, "ids": dump(list(verdicts))}))
    rising = {
        memory_id: verdict
        for memory_id, verdict in verdicts.items()
        if memory_id in known and RANK[verdict] > RANK.get(known[memory_id] or "", -1)
    }
    tx.many(JUDGE, [{"session": session_id, "id": one, "verdict": to, "now": now} for one, to in rising.items()])
    tx.many(COUNT_DETECTED_USE, [{"id": one, "now": now} for one, to in rising.items() if to == USED])
