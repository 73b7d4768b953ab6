"""Taking back what a session did to memories, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlmodel import Session as Transaction
from sqlmodel import col, delete, select

from ..core.candidate import SUPERSEDES
from ..core.defaults import RESTATED_CONFIDENCE
from ..core.fastjson import dump, parse
from . import versions
from .tables import Audit, Evidence, Memory, Relationship

UNDONE = "undone"


@dataclass(slots=True)
class Undone:
    """The ids of memories that are gone, that are active again, and that lost what the session said for them."""

    forgotten: list[str] = field(default_factory=list)
    revived: list[str] = field(default_factory=list)
    weakened: list[str] = field(default_factory=list)


def undo(tx: Transaction, session_id: str, now: float) -> Undone:
    """What the session stored is forgotten, what it took back holds again, what it only repeated is as sure as before.
    The same session's turns bring nothing of it back. A second time there is nothing to undo.
    """
    done = Undone()
    rows = tx.exec(select(Audit).where(Audit.session_id == session_id).order_by(col(Audit.seq).desc())).all()
    for row in rows:
        memory = tx.exec(select(Memory).where(Memory.id == row.memory_id)).first()
        if memory is not None:
            _take_back(tx, row, memory, session_id, now, done)
    counts = {"forgotten": len(done.forgotten), "revived": len(done.revived), "weakened": len(done.weakened)}
    if any(counts.values()):
        tx.add(Audit(at=now, actor="person", op="undo", session_id=session_id, details=dump(counts)))
    return done


def _take_back(tx: Transaction, row: Audit, memory: Memory, session_id: str, now: float, done: Undone) -> None:
    if row.op == "store" and memory.status == "active" and memory.session_id == session_id:
        if _weaken(tx, memory, session_id):  # others have said it too
            done.weakened.append(memory.id)
            return
        versions.turn(tx, memory, now, UNDONE, status="deleted", status_reason=UNDONE, pinned=0)
        done.forgotten.append(memory.id)
    elif row.op == "supersede" and memory.status_reason == "superseded":
        if _let_go(tx, str(parse(row.details).get("by", "")), memory.id):
            versions.turn(tx, memory, now, UNDONE, status="active", status_reason=None)
            done.revived.append(memory.id)
    elif row.op == "reinforce" and memory.session_id != session_id and _weaken(tx, memory, session_id):
        done.weakened.append(memory.id)


def _let_go(tx: Transaction, newer: str, older: str) -> bool:
    """Whether nothing takes a memory back any more, once the one that the session stated does not."""
    made = tx.get(Relationship, (newer, older, SUPERSEDES))
    if made is not None:
        tx.delete(made)
        tx.flush()
    query = select(Relationship).where(Relationship.target_id == older, Relationship.type == SUPERSEDES)
    return tx.exec(query).first() is None


def _weaken(tx: Transaction, memory: Memory, session_id: str) -> bool:
    query = select(Evidence).where(Evidence.memory_id == memory.id)
    if not tx.exec(query.where(Evidence.session_id == session_id)).all():
        return False
    if len(set(tx.exec(select(Evidence.session_id).where(Evidence.memory_id == memory.id)))) > 1:
        memory.confidence = max(0.0, memory.confidence - RESTATED_CONFIDENCE)
        gone = delete(Evidence).where(col(Evidence.memory_id) == memory.id, col(Evidence.session_id) == session_id)
        tx.exec(gone)
        tx.add(memory)
        return True
    return False
