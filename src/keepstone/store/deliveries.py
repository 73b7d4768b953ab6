"""What sessions were shown, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.utility import CONTRADICTED, RANK, USED, Delivered
from .database import Database
from .reader import COUNT_ACCESS, DELIVER
from .tables import Delivery, Memory, Session

COUNT_DETECTED_USE = "UPDATE memory SET use_count = use_count + 1, used_at = :now WHERE id = :id"


class Deliveries(Database):
    """Deliveries as rows."""

    def count_deliveries(self, session_id: str, event_name: str, ids: Iterable[str], chars: int, at: float) -> None:
        """Counts what a hook showed while the store was busy; the same delivery again counts nothing."""
        with self._transaction() as tx:
            for memory_id in ids:
                known = tx.get(Delivery, (session_id, memory_id))
                if known is not None and known.delivered_at >= at:
                    continue
                tx.connection().execute(text(COUNT_ACCESS), {"id": memory_id, "now": at})
                shown = {"session": session_id, "id": memory_id, "event": event_name, "chars": chars, "now": at}
                tx.connection().execute(text(DELIVER), shown)

    def delivered(self, session_id: str) -> tuple[float, list[Delivered]]:
        """When a session began, and what it was shown that is not contradicted yet."""
        with self._transaction() as tx:
            row = tx.get(Session, session_id)
            query = select(Memory).join(Delivery, Delivery.memory_id == Memory.id)  # type: ignore[arg-type]
            query = query.where(Delivery.session_id == session_id, text("verdict IS NOT :final"))
            rows = tx.exec(query.order_by(Memory.id), params={"final": CONTRADICTED})
            return row.started_at if row else 0.0, [Delivered(m.id, m.kind, m.content) for m in rows]

    def shown(self, session_id: str) -> list[str]:
        """What the memories say that a session was shown."""
        with self._transaction() as tx:
            query = select(Memory.content).join(Delivery, Delivery.memory_id == Memory.id)  # type: ignore[arg-type]
            return list(tx.exec(query.where(Delivery.session_id == session_id)))


def mark(tx: Transaction, session_id: str, verdicts: Mapping[str, str], now: float) -> None:
    """Writes verdicts that are higher than those there are; a memory is counted as used once a session."""
    for memory_id, verdict in verdicts.items():
        row = tx.get(Delivery, (session_id, memory_id))
        if row is None or RANK[verdict] <= RANK.get(row.verdict or "", -1):
            continue
        row.verdict, row.verdict_at = verdict, now
        tx.add(row)
        if verdict == USED:
            tx.connection().execute(text(COUNT_DETECTED_USE), {"id": memory_id, "now": now})
