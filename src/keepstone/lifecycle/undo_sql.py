"""Reverts what a session did to memories, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..db.records import AuditRecord, MemoryRecord, MemoryVersionRecord, RelationshipRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump
from ..lib.limits import RESTATED_CONFIDENCE
from ..model.memory import PERSON, QUARANTINED, REWOUND
from ..model.relationship import HEURISTICS, SUPERSEDES
from . import review_sql, suggestions_sql, versions_sql
from .history_sql import details_of
from .ratings_sql import take_back
from .supersede_sql import BY_RULE, RELATE, UNRELATE, members_of, relate

UNDONE = "undone"
_CHANGED = "WHERE t.id IN (SELECT a.memory_id FROM audit a WHERE a.session_id = :session)"
_CHANGED_BY_OTHERS = """
SELECT 1 FROM audit WHERE memory_id = :id AND (session_id IS NULL OR session_id <> :session) AND
"""
_CHANGE_TIMES = "SELECT at FROM audit WHERE session_id = :session AND memory_id = :id"
_MOVES = """
SELECT details FROM audit WHERE session_id = :session AND memory_id = :id AND op IN ('promote', 'demote')
ORDER BY seq LIMIT 1
"""
_REINFORCEMENTS = "SELECT session_id, details FROM audit WHERE memory_id = :id AND op = 'reinforce' ORDER BY seq"
_TRUSTS = "SELECT DISTINCT trust FROM evidence WHERE memory_id = :id"
_SUPERSEDED_BY = "WHERE t.op = 'supersede' AND json_extract(t.details, '$.by') = :id ORDER BY t.seq DESC"
_A_PERSONS = f"""
SELECT 1 FROM audit WHERE memory_id = :id AND actor = '{PERSON}' AND op NOT IN ('rate_down', 'rate_outdated') LIMIT 1
"""
_RELATIONSHIP = "WHERE t.source_id = :source AND t.target_id = :target AND t.type = :type"


@dataclass(slots=True)
class Undone:
    """The result of an undo, as ids of memories: forgotten, active again, without the session's evidence, reverted
    (text, tier, pin), without a rating, with a reverted relationship, and left alone because they were changed since or
    are also hidden for another reason; and the ids of suggestions that were turned down.
    """

    forgotten: list[str] = field(default_factory=list)
    revived: list[str] = field(default_factory=list)
    weakened: list[str] = field(default_factory=list)
    reverted: list[str] = field(default_factory=list)
    unrated: list[str] = field(default_factory=list)
    reconnected: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def revert_session(tx: Transaction, session_id: str, now: float) -> Undone:
    """Reverts a session's changes. Memories that it stored are forgotten unless a person has changed them since.
    Memories that it superseded or forgot hold again. Those that it only repeated get their earlier confidence. Those
    that it revised, moved or pinned get their earlier state unless they were changed since. Its ratings no longer
    count. Relationships that it drew or removed are reverted. The same session's turns do not bring anything back. A
    second undo does nothing. What it has suggested is turned down.
    """
    done = Undone()
    named = {"session": session_id}
    rows = tx.records(AuditRecord, "WHERE t.session_id = :session ORDER BY t.seq DESC", named)
    memories = {memory.id: memory for memory in tx.records(MemoryRecord, _CHANGED, named)}
    for row in rows:
        memory = memories.get(row.memory_id or "")
        if memory is not None:
            _take_back(tx, row, memory, session_id, now, done)
    done.refused = suggestions_sql.refuse_session(tx, session_id, now)
    settled = {memory_id for name, ids in asdict(done).items() if name != "left" for memory_id in ids}
    done.left = [memory_id for memory_id in dict.fromkeys(done.left) if memory_id not in settled]
    counts = {name: len(ids) for name, ids in asdict(done).items()}
    if settled:
        tx.add(AuditRecord(at=now, actor=tx.actor, op="undo", session_id=session_id, details=dump(counts)))
    return done


def _take_back(
    tx: Transaction, row: AuditRecord, memory: MemoryRecord, session_id: str, now: float, done: Undone
) -> None:
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


def _unlink(tx: Transaction, memory: MemoryRecord, details: Mapping[str, Any], at: float) -> bool:
    """Removes a relationship that the session drew, unless it was drawn again since. The worker finds the earlier link
    again.
    """
    key = {"source": memory.id, "target": details.get("target"), "type": details.get("type")}
    made = tx.record(RelationshipRecord, _RELATIONSHIP, key)
    if made is None or made.created_at != at:
        return False
    tx.remove(made)
    if details.get("denied"):
        members = members_of(memory.id, str(details["target"]))
        answer = {"kind": RELATE, "members": members, "answer": review_sql.REJECTED, "now": made.created_at}
        tx.run(review_sql.ANSWER, answer)
    tx.change(memory, related_at=None)
    return True


def _relink(tx: Transaction, memory: MemoryRecord, details: Mapping[str, Any], now: float) -> bool:
    """Puts back the relationships that the session removed, unless the two are related again."""
    other = str(details.get("target"))
    if not tx.value("SELECT 1 FROM memory WHERE id = :id", {"id": other}):
        return False
    if not tx.delete("proposal", {"kind": RELATE, "members": members_of(memory.id, other)}):
        return False
    for source, target, type, method, weight in details.get("was", ()):
        if method not in HEURISTICS:
            relate(tx, source, target, type, method, now, weight)
    tx.change(memory, related_at=None)
    return True


def _is_a_persons_now(tx: Transaction, memory: MemoryRecord, session_id: str) -> bool:
    """Tells whether anybody but the worker has changed, outside the session, a memory that the session stored."""
    sql = _CHANGED_BY_OTHERS + "actor <> 'worker' LIMIT 1"
    return tx.one(sql, {"id": memory.id, "session": session_id}) is not None


def _weakened(tx: Transaction, row: AuditRecord, memory: MemoryRecord, session_id: str, own: bool, now: float) -> bool:
    return row.op == "reinforce" and not own and _weaken(tx, memory, session_id, now)


def _unstore(tx: Transaction, memory: MemoryRecord, session_id: str, now: float, done: Undone) -> None:
    if _is_a_persons_now(tx, memory, session_id):
        done.left.append(memory.id)
        return
    if _weaken(tx, memory, session_id, now):  # other sessions have stated it, too
        done.weakened.append(memory.id)
        return
    versions_sql.apply_change(tx, memory, now, UNDONE, status="deleted", status_reason=UNDONE, pinned=0)
    done.forgotten.append(memory.id)


def _unhide(tx: Transaction, row: AuditRecord, memory: MemoryRecord, own: bool, now: float, done: Undone) -> None:
    if not _is_to_hold(tx, row, memory, own):
        done.left += [] if own else [memory.id]
        return
    was = {"status": "active", "status_reason": None, **details_of(row.details).get("was", {})}
    versions_sql.apply_change(tx, memory, now, UNDONE, **was)
    (done.revived if memory.status == "active" else done.reverted).append(memory.id)


def unhide_superseded(tx: Transaction, newer: str, rows: Sequence[AuditRecord], now: float) -> None:
    """Makes the memories hold again that one superseded, by audit rows of a session, unless something else hides
    them.
    """
    for row in rows:
        if details_of(row.details).get("by") == newer:
            _unhide_older(tx, row, now)


def unhide_denied(tx: Transaction, records: Sequence[str], rows: Sequence[AuditRecord], now: float) -> None:
    """Makes the memories hold again that the prompts of these records denied, by audit rows of their session, unless
    something else hides them.
    """
    for row in rows:
        if details_of(row.details).get("record") in records:
            _unhide_older(tx, row, now)


def _unhide_older(tx: Transaction, row: AuditRecord, now: float) -> None:
    older = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": row.memory_id})
    if older is not None and older.status != "active":
        _unhide(tx, row, older, False, now, Undone())


def _is_to_hold(tx: Transaction, row: AuditRecord, memory: MemoryRecord, own: bool) -> bool:
    """Tells whether a memory that the session hid holds again, because nothing else hides it now."""
    if row.op == "forget":
        return memory.status_reason == "forgotten" and not own
    return memory.status_reason == "superseded" and _let_go(tx, str(details_of(row.details).get("by", "")), memory.id)


def _reverted(tx: Transaction, row: AuditRecord, memory: MemoryRecord, session_id: str, now: float) -> bool:
    was = details_of(row.details).get("was", {})
    if row.op in ("pin", "unpin") and memory.pinned == (row.op == "pin") and memory.status == "active":
        return versions_sql.apply_change(tx, memory, now, UNDONE, **{"pinned": 1 - memory.pinned, **was})
    if row.op in ("restore", "trust") and was and memory.status == "active" and not _since(tx, row, session_id):
        return versions_sql.apply_change(tx, memory, now, UNDONE, **was)
    if row.op not in ("revise", "promote", "demote") or not _revert(tx, memory, session_id, now):
        return False
    if row.op == "revise" and "status_reason" in was:
        tx.change(memory, status_reason=was["status_reason"])
    return True


def _since(tx: Transaction, row: AuditRecord, session_id: str) -> bool:
    """Tells whether another session or person has changed the memory since."""
    values = {"id": row.memory_id, "session": session_id, "seq": row.seq}
    return tx.one(_CHANGED_BY_OTHERS + "seq > :seq LIMIT 1", values) is not None


def _revert(tx: Transaction, memory: MemoryRecord, session_id: str, now: float) -> bool:
    """Restores a memory's text and tier from before the session's changes, if these are the last changes."""
    before = _before_session(tx, memory, session_id, now)
    if before is None:
        return False
    was = {name: getattr(before, name) for name in ("title", "content", "kind", "tier", "relevance")}
    if was["tier"] != memory.tier:
        was["expires_at"] = _end_before(tx, memory.id, session_id)
    is_new = versions_sql.is_sound(memory) or before.content != memory.content
    if not versions_sql.apply_change(tx, memory, now, UNDONE, **was):
        return False
    if is_new:
        versions_sql.sign(tx, memory, now)
    return True


def _before_session(tx: Transaction, memory: MemoryRecord, session_id: str, now: float) -> MemoryVersionRecord | None:
    """Returns the version from before the session's changes, if these are the last changes."""
    own = set(tx.column(_CHANGE_TIMES, {"session": session_id, "id": memory.id}))
    before = None
    for version in tx.records(
        MemoryVersionRecord, "WHERE t.memory_id = :id ORDER BY t.version DESC", {"id": memory.id}
    ):
        if version.reason == UNDONE and version.valid_to == now:
            continue  # made by this undo
        if version.valid_to not in own:
            break
        before = version
    return before


def _end_before(tx: Transaction, memory_id: str, session_id: str) -> float | None:
    """Returns when a memory was to expire before a session moved it."""
    details = tx.value(_MOVES, {"session": session_id, "id": memory_id})
    ends: float | None = details_of(details).get("ends") if details else None
    return ends


def _let_go(tx: Transaction, newer: str, older: str) -> bool:
    """Removes the relationship by which the session superseded a memory. Tells whether no other memory
    supersedes it.
    """
    tx.delete("relationship", {"source_id": newer, "target_id": older, "type": SUPERSEDES})
    others = "SELECT 1 FROM relationship WHERE target_id = :id AND type = 'supersedes' LIMIT 1"
    return tx.one(others, {"id": older}) is None


def _weaken(tx: Transaction, memory: MemoryRecord, session_id: str, now: float) -> bool:
    """Removes a session's evidence of a memory, and its effects, if other sessions have also stated the memory."""
    sessions = set(tx.column("SELECT DISTINCT session_id FROM evidence WHERE memory_id = :id", {"id": memory.id}))
    if session_id not in sessions or len(sessions) < 2:
        return False
    restore_confidence(tx, memory, session_id, now)
    tx.delete("evidence", {"memory_id": memory.id, "session_id": session_id})
    doubt(tx, memory.id, now)
    return True


def is_a_persons(tx: Transaction, memory: MemoryRecord) -> bool:
    """Tells whether a person has changed or confirmed a memory."""
    return bool(memory.pinned) or tx.one(_A_PERSONS, {"id": memory.id}) is not None


def doubt(tx: Transaction, memory_id: str, now: float) -> None:
    """Lets a memory wait again, and what it superseded hold again, if nothing that may be trusted is left of what has
    lifted its quarantine. Call it after evidence was removed.
    """
    key = {"id": memory_id}
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", key)
    if memory is None or memory.trust == QUARANTINED or tx.column(_TRUSTS, key) != [QUARANTINED]:
        return
    before = [details_of(details).get("was", {}) for _, details in tx.all(_REINFORCEMENTS, key)]
    waited = next((was for was in before if was.get("trust") == QUARANTINED), None)
    if waited is not None and not is_a_persons(tx, memory):
        reason = waited.get("status_reason") if waited.get("status") == "active" else versions_sql.WAITED
        state = {"status": "active", "status_reason": reason, "trust": QUARANTINED}
        restore_state(tx, memory, state, REWOUND, now)
        unhide_superseded(tx, memory_id, tx.records(AuditRecord, _SUPERSEDED_BY, key), now)


def restore_confidence(tx: Transaction, memory: MemoryRecord, session_id: str, now: float) -> None:
    """Removes the confidence that a session's repetition gave a memory. Keeps what others gave it since."""
    reinforced = tx.all(_REINFORCEMENTS, {"id": memory.id})
    own = [details_of(details).get("was") for session, details in reinforced if session == session_id]
    states = [was for was in own if was]
    if not states or reinforced[-1][0] != session_id:
        tx.change(memory, confidence=max(0.0, memory.confidence - RESTATED_CONFIDENCE))
        return
    states[0].pop("tier", None)  # a note of another session would end with that one
    restore_state(tx, memory, states[0], UNDONE, now)


def restore_state(tx: Transaction, memory: MemoryRecord, before: Mapping[str, Any], reason: str, now: float) -> None:
    """Gives a memory the state that it had `before` it was stated again, as the audit tells."""
    was, sound = dict(before), versions_sql.is_sound(memory)
    status = {name: was.pop(name) for name in ("status", "status_reason")}
    if status["status"] == "active" == memory.status:
        was["status_reason"] = status["status_reason"]
    for newer in was.pop("by", ()):
        relate(tx, newer, memory.id, SUPERSEDES, BY_RULE, now)
    if "tier" in was:
        versions_sql.apply_change(tx, memory, now, reason, tier=was.pop("tier"))
    if was:
        tx.change(memory, **was)
    if status["status"] != "active" == memory.status:
        versions_sql.apply_change(tx, memory, now, reason, **status)
    if sound:
        versions_sql.sign(tx, memory, now)
