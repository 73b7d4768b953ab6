"""Taking back what a session did to memories, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlmodel import Session as Transaction
from sqlmodel import col, delete, select

from ..core.defaults import RESTATED_CONFIDENCE
from ..core.fastjson import dump
from ..core.relate import HEURISTICS, SUPERSEDES
from . import versions
from .graph import RELATE, UNRELATE, members_of
from .ratings import take_back
from .relationships import BY_RULE, relate
from .review import REJECTED
from .tables import Audit, Evidence, Memory, MemoryVersion, Proposal, Relationship
from .trail import details_of

UNDONE = "undone"


@dataclass(slots=True)
class Undone:
    """The ids of memories that are gone, that are active again, that lost what the session said for them, that are as
    they were before (text, tier, pin), that lost a rating, of which a relationship is as it was, and that stay as they
    are: changed again since, or hidden by something else too.
    """

    forgotten: list[str] = field(default_factory=list)
    revived: list[str] = field(default_factory=list)
    weakened: list[str] = field(default_factory=list)
    reverted: list[str] = field(default_factory=list)
    unrated: list[str] = field(default_factory=list)
    reconnected: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def undo(tx: Transaction, session_id: str, now: float) -> Undone:
    """What the session stored is forgotten unless a person has changed it since, what it took back or forgot holds
    again, what it only repeated is as sure as before, what it revised, moved or pinned is as it was unless that was
    changed since, its ratings count no more, what it drew or took away in the graph is as it was. The same session's
    turns bring nothing of it back. A second time there is nothing to undo.
    """
    done = Undone()
    rows = tx.exec(select(Audit).where(Audit.session_id == session_id).order_by(col(Audit.seq).desc())).all()
    for row in rows:
        memory = tx.exec(select(Memory).where(Memory.id == row.memory_id)).first()
        if memory is not None:
            _take_back(tx, row, memory, session_id, now, done)
    settled = {memory_id for name, ids in asdict(done).items() if name != "left" for memory_id in ids}
    done.left = [memory_id for memory_id in dict.fromkeys(done.left) if memory_id not in settled]
    counts = {name: len(ids) for name, ids in asdict(done).items()}
    if settled:
        tx.add(Audit(at=now, actor="person", op="undo", session_id=session_id, details=dump(counts)))
    return done


def _take_back(tx: Transaction, row: Audit, memory: Memory, session_id: str, now: float, done: Undone) -> None:
    own = memory.session_id == session_id
    if row.op == "store" and own and memory.status == "active":
        _unstore(tx, memory, session_id, now, done)
    elif row.op in ("supersede", "forget") and memory.status != "active":
        _unhide(tx, row, memory, own, now, done)
    elif _weakened(tx, row, memory, session_id, own, now):
        done.weakened.append(memory.id)
    elif row.op.startswith("rate_") and take_back(tx, memory, session_id, now):
        done.unrated.append(memory.id)
    elif row.op == RELATE and _unlink(tx, memory, details_of(row.details), row.at):
        done.reconnected.append(memory.id)
    elif row.op == UNRELATE and _relink(tx, memory, details_of(row.details), now):
        done.reconnected.append(memory.id)
    elif _reverted(tx, row, memory, session_id, now):
        done.reverted.append(memory.id)


def _unlink(tx: Transaction, memory: Memory, said: Mapping[str, Any], at: float) -> bool:
    """Takes away what the session drew, if it is that still. The worker finds again what stood there before."""
    made = tx.get(Relationship, (memory.id, said.get("target"), said.get("type")))
    if made is None or made.created_at != at:
        return False
    tx.delete(made)
    if said.get("denied"):
        members = members_of(memory.id, str(said["target"]))
        tx.merge(Proposal(kind=RELATE, members=members, answer=REJECTED, answered_at=made.created_at))
    _look_again(tx, memory)
    return True


def _relink(tx: Transaction, memory: Memory, said: Mapping[str, Any], now: float) -> bool:
    """Puts back what the session took away, unless something stands there again."""
    other = str(said.get("target"))
    denied = tx.get(Proposal, (RELATE, members_of(memory.id, other)))
    if denied is None or not tx.exec(select(Memory).where(Memory.id == other)).first():
        return False
    tx.delete(denied)
    for source, target, type, method, weight in said.get("was", ()):
        if method not in HEURISTICS:
            relate(tx, source, target, type, method, now, weight)
    _look_again(tx, memory)
    return True


def _look_again(tx: Transaction, memory: Memory) -> None:
    memory.related_at = None
    tx.add(memory)


def _is_a_persons_now(tx: Transaction, memory: Memory, session_id: str) -> bool:
    """Whether a person has done something to what a session stored, outside of that session."""
    since = select(Audit).where(Audit.memory_id == memory.id, Audit.actor == "person")
    return any(row.session_id != session_id for row in tx.exec(since))


def _weakened(tx: Transaction, row: Audit, memory: Memory, session_id: str, own: bool, now: float) -> bool:
    return row.op == "reinforce" and not own and _weaken(tx, memory, session_id, now)


def _unstore(tx: Transaction, memory: Memory, session_id: str, now: float, done: Undone) -> None:
    if _is_a_persons_now(tx, memory, session_id):
        done.left.append(memory.id)
        return
    if _weaken(tx, memory, session_id, now):  # others have said it too
        done.weakened.append(memory.id)
        return
    versions.turn(tx, memory, now, UNDONE, status="deleted", status_reason=UNDONE, pinned=0)
    done.forgotten.append(memory.id)


def _unhide(tx: Transaction, row: Audit, memory: Memory, own: bool, now: float, done: Undone) -> None:
    if not _is_to_hold(tx, row, memory, own):
        done.left += [] if own else [memory.id]
        return
    was = {"status": "active", "status_reason": None, **details_of(row.details).get("was", {})}
    versions.turn(tx, memory, now, UNDONE, **was)
    (done.revived if memory.status == "active" else done.reverted).append(memory.id)


def _is_to_hold(tx: Transaction, row: Audit, memory: Memory, own: bool) -> bool:
    """Whether a memory that the session hid holds again, now that nothing else hides it."""
    if row.op == "forget":
        return memory.status_reason == "forgotten" and not own
    return memory.status_reason == "superseded" and _let_go(tx, str(details_of(row.details).get("by", "")), memory.id)


def _reverted(tx: Transaction, row: Audit, memory: Memory, session_id: str, now: float) -> bool:
    was = details_of(row.details).get("was", {})
    if row.op in ("pin", "unpin") and memory.pinned == (row.op == "pin") and memory.status == "active":
        return versions.turn(tx, memory, now, UNDONE, **{"pinned": 1 - memory.pinned, **was})
    if row.op in ("restore", "trust") and was and memory.status == "active" and not _since(tx, row, session_id):
        return versions.turn(tx, memory, now, UNDONE, **was)
    if row.op not in ("revise", "promote", "demote") or not _revert(tx, memory, session_id, now):
        return False
    if row.op == "revise" and "status_reason" in was:
        memory.status_reason = was["status_reason"]
    return True


def _since(tx: Transaction, row: Audit, session_id: str) -> bool:
    """Whether somebody else has done something to the memory after that."""
    later = select(Audit).where(Audit.memory_id == row.memory_id, col(Audit.seq) > row.seq)
    return any(one.session_id != session_id for one in tx.exec(later))


def _revert(tx: Transaction, memory: Memory, session_id: str, now: float) -> bool:
    """Gives a memory the text and tier from before the session's changes, where they are the last ones."""
    own = set(tx.exec(select(Audit.at).where(Audit.session_id == session_id, Audit.memory_id == memory.id)))
    query = select(MemoryVersion).where(MemoryVersion.memory_id == memory.id)
    before = None
    for version in tx.exec(query.order_by(col(MemoryVersion.version).desc())):
        if version.reason == UNDONE and version.valid_to == now:
            continue  # this very undoing's
        if version.valid_to not in own:
            break
        before = version
    if before is None:
        return False
    was = {name: getattr(before, name) for name in ("title", "content", "kind", "tier", "relevance")}
    if was["tier"] != memory.tier:
        was["expires_at"] = _end_before(tx, memory.id, session_id)
    is_new = versions.is_sound(memory) or before.content != memory.content
    if not versions.turn(tx, memory, now, UNDONE, **was):
        return False
    if is_new:
        versions.seal(memory, now)
    return True


def _end_before(tx: Transaction, memory_id: str, session_id: str) -> float | None:
    """When a memory was to end before a session moved it."""
    moves = select(Audit).where(Audit.session_id == session_id, Audit.memory_id == memory_id)
    first = tx.exec(moves.where(col(Audit.op).in_(("promote", "demote"))).order_by(col(Audit.seq))).first()
    ends: float | None = details_of(first.details).get("ends") if first else None
    return ends


def _let_go(tx: Transaction, newer: str, older: str) -> bool:
    """Whether nothing takes a memory back any more, once the one that the session stated does not."""
    made = tx.get(Relationship, (newer, older, SUPERSEDES))
    if made is not None:
        tx.delete(made)
        tx.flush()
    query = select(Relationship).where(Relationship.target_id == older, Relationship.type == SUPERSEDES)
    return tx.exec(query).first() is None


def _weaken(tx: Transaction, memory: Memory, session_id: str, now: float) -> bool:
    query = select(Evidence).where(Evidence.memory_id == memory.id)
    if not tx.exec(query.where(Evidence.session_id == session_id)).all():
        return False
    if len(set(tx.exec(select(Evidence.session_id).where(Evidence.memory_id == memory.id)))) > 1:
        _as_before(tx, memory, session_id, now)
        gone = delete(Evidence).where(col(Evidence.memory_id) == memory.id, col(Evidence.session_id) == session_id)
        tx.exec(gone)
        tx.add(memory)
        return True
    return False


def _as_before(tx: Transaction, memory: Memory, session_id: str, now: float) -> None:
    """What a session's saying it again gave a memory is taken off; what others gave it since stays."""
    rows = select(Audit).where(Audit.session_id == session_id, Audit.memory_id == memory.id, Audit.op == "reinforce")
    noted = [details_of(row.details).get("was") for row in tx.exec(rows.order_by(col(Audit.seq)))]
    said = [was for was in noted if was]
    last = select(Audit).where(Audit.memory_id == memory.id, Audit.op == "reinforce").order_by(col(Audit.seq).desc())
    newest = tx.exec(last).first()
    if not said or newest is None or newest.session_id != session_id:
        memory.confidence = max(0.0, memory.confidence - RESTATED_CONFIDENCE)
        return
    was, sound = said[0], versions.is_sound(memory)
    held = {name: was.pop(name) for name in ("status", "status_reason")}
    for newer in was.pop("by", ()):
        relate(tx, newer, memory.id, SUPERSEDES, BY_RULE, now)
    for name, value in was.items():
        setattr(memory, name, value)
    if held["status"] != "active" == memory.status:
        versions.turn(tx, memory, now, UNDONE, **held)
    if sound:
        versions.seal(memory, now)
