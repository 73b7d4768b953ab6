"""Ratings as rows: what a person or an agent says of a memory, once a session, with a note."""

from __future__ import annotations

from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.defaults import HELPFUL_CONFIDENCE, OUTDATED_CONFIDENCE
from ..core.fastjson import dump
from ..core.model import OUTDATED
from .database import Database
from .tables import Audit, Memory, Rating

UP, DOWN = "up", "down"
# What a vote does to a memory's confidence.
SWAY = {UP: HELPFUL_CONFIDENCE, DOWN: 0.0, OUTDATED: -OUTDATED_CONFIDENCE}


class Ratings(Database):
    """What is said of memories."""

    def rate(self, memory_id: str, vote: str, note: str, session_id: str | None, now: float) -> bool:
        """Adds a vote and its note; whether it counts. In one session a memory is rated once: another vote takes the
        first one's place (requirements 2.5). `outdated` is a vote down that labels the memory.
        """
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).one()
            before = self._of_session(tx, memory_id, session_id)
            if before and before.vote == vote:
                before.note = note or before.note
                tx.add(before)
                return False
            if before:
                note = note or before.note
                _count(memory, before.vote, -1)
                tx.delete(before)
            _count(memory, vote, 1)
            if vote == UP:
                memory.use_count += 1  # a helpful rating is a use (requirements K8)
                memory.used_at = now
            if vote != DOWN and memory.status == "active":
                memory.status_reason = OUTDATED if vote == OUTDATED else None
                memory.updated_at = now
            tx.add(memory)
            tx.add(Rating(memory_id=memory_id, session_id=session_id, vote=vote, note=note, rated_at=now))
            details = dump({"noted": bool(note)})
            op = f"rate_{vote}"
            tx.add(Audit(at=now, actor="person", op=op, memory_id=memory_id, session_id=session_id, details=details))
            return True

    @staticmethod
    def _of_session(tx: Transaction, memory_id: str, session_id: str | None) -> Rating | None:
        if not session_id:
            return None
        query = select(Rating).where(Rating.memory_id == memory_id, Rating.session_id == session_id)
        return tx.exec(query).first()


def take_back(tx: Transaction, memory: Memory, session_id: str, now: float) -> bool:
    """Lets what a session said of a memory count no more; whether it had said anything."""
    query = select(Rating).where(Rating.memory_id == memory.id, Rating.session_id == session_id)
    rating = tx.exec(query).first()
    if rating is None:
        return False
    _count(memory, rating.vote, -1)
    if rating.vote == UP:
        memory.use_count = max(0, memory.use_count - 1)
    if rating.vote == OUTDATED and memory.status_reason == OUTDATED:
        memory.status_reason = None
        memory.updated_at = now
    tx.delete(rating)
    tx.add(memory)
    tx.flush()
    return True


def _count(memory: Memory, vote: str, by: int) -> None:
    if vote == UP:
        memory.up_votes += by
    else:
        memory.down_votes += by
    memory.confidence = min(1.0, max(0.0, memory.confidence + by * SWAY[vote]))
