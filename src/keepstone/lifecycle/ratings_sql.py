"""Ratings: a person or an agent rates a memory, once a session, with a note."""

from __future__ import annotations

from typing import Any

from ..db.records import MemoryRecord, RatingRecord
from ..db.writer import Transaction
from ..lib.errors import NotFound
from ..lib.fast_json import dump
from ..model.memory import OUTDATED, QUARANTINED

# The gain of a helpful rating, and the loss of an outdated one.
HELPFUL_CONFIDENCE = 0.05
OUTDATED_CONFIDENCE = 0.15

UP, DOWN = "up", "down"
# The change of a memory's confidence by each vote.
CONFIDENCE_STEP = {UP: HELPFUL_CONFIDENCE, DOWN: 0.0, OUTDATED: -OUTDATED_CONFIDENCE}


def rate(tx: Transaction, memory_id: str, vote: str, note: str, session_id: str | None, now: float) -> bool:
    """Adds a vote and its note. Returns whether it counts. A session rates a memory once: another vote replaces the
    first one. `outdated` is a vote down that labels the memory, unless it waits for review. Raises NotFound.
    """
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    if memory is None:
        raise NotFound(f"there is no memory {memory_id}")
    before = _of_session(tx, memory_id, session_id) if session_id else None
    if before and before.vote == vote:
        if note:
            tx.change(before, note=note)
        return False
    if before:
        note = note or before.note
        tx.change(memory, **_counted(memory, before.vote, -1))
        tx.remove(before)
    values = _counted(memory, vote, 1)
    if vote == UP:
        values |= {"use_count": memory.use_count + 1, "used_at": now}  # a helpful rating counts as a use
    if vote != DOWN and memory.status == "active" and memory.trust != QUARANTINED:  # what waits keeps its reason
        values |= {"status_reason": OUTDATED if vote == OUTDATED else None, "updated_at": now}
    tx.change(memory, **values)
    tx.add(RatingRecord(memory_id=memory_id, session_id=session_id, vote=vote, note=note, rated_at=now))
    audited = {"at": now, "actor": tx.actor, "op": f"rate_{vote}", "memory_id": memory_id, "session_id": session_id}
    tx.insert("audit", {**audited, "details": dump({"noted": bool(note)})})
    return True


def take_back(tx: Transaction, memory: MemoryRecord, session_id: str, now: float) -> bool:
    """Removes a session's rating of a memory and its effects. Returns whether there was one."""
    rating = _of_session(tx, memory.id, session_id)
    if rating is None:
        return False
    values = _counted(memory, rating.vote, -1)
    if rating.vote == UP:
        values["use_count"] = max(0, memory.use_count - 1)
    if rating.vote == OUTDATED and memory.status_reason == OUTDATED:
        values |= {"status_reason": None, "updated_at": now}
    tx.change(memory, **values)
    tx.remove(rating)
    return True


def _of_session(tx: Transaction, memory_id: str, session_id: str | None) -> RatingRecord | None:
    return tx.record(
        RatingRecord,
        "WHERE t.memory_id = :id AND t.session_id = :session ORDER BY t.seq",
        {"id": memory_id, "session": session_id},
    )


def _counted(memory: MemoryRecord, vote: str, by: int) -> dict[str, Any]:
    """Returns a memory's columns after `by` further votes of this kind."""
    votes = "up_votes" if vote == UP else "down_votes"
    confidence = min(1.0, max(0.0, memory.confidence + by * CONFIDENCE_STEP[vote]))
    return {votes: getattr(memory, votes) + by, "confidence": confidence}
