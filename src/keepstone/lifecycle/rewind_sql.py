"""Takes back what was learned from prompts that their user has taken back, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..db.records import AuditRecord, MemoryRecord
from ..db.writer import Transaction
from ..language.withdrawals import Withdrawal
from ..lib.fast_json import dump
from ..model.memory import QUARANTINED, REWOUND, WORKER
from . import add_sql, suggestions_sql, undo_sql, versions_sql
from .add_sql import Origin
from .forgotten_sql import GONE_FOR_GOOD
from .history_sql import details_of
from .note_files_sql import METHOD
from .supersede_sql import CONSOLIDATED

OP, WHY, UNSAID = "rewind", "the user took the prompt back", "the user took it back in a later prompt"
TAKEN_BACK = "taken back by the user"
# A file that the assistant wrote is still there when the prompt is taken back.
_STATED = f"session_id = :session AND method <> '{METHOD}'"
_LEFT = f"{_STATED} AND record_uuid IN (SELECT value FROM json_each(:left))"
_OTHERS = f"(session_id IS NULL OR session_id <> :session OR method = '{METHOD}')"
_RECORDS = f"SELECT DISTINCT record_uuid FROM evidence WHERE {_STATED} ORDER BY 1"
_BORN = f"""
SELECT e.memory_id FROM evidence e WHERE {_LEFT} AND NOT EXISTS (
    SELECT 1 FROM audit a WHERE a.op = 'reinforce' AND a.memory_id = e.memory_id
    AND json_extract(a.details, '$.record') = e.record_uuid
)
"""
_STATED_BESIDES = f"""
SELECT DISTINCT record_uuid FROM evidence WHERE {_STATED}
    AND record_uuid NOT IN (SELECT value FROM json_each(:left))
    AND memory_id IN ({_BORN}) AND memory_id NOT IN (SELECT memory_id FROM evidence WHERE {_OTHERS})
ORDER BY 1
"""
_HIT = f"SELECT id, content FROM memory WHERE id IN (SELECT memory_id FROM evidence WHERE {_LEFT}) ORDER BY seq DESC"
_OF_MEMORY = f"""
SELECT record_uuid, CASE WHEN {_LEFT} THEN 1 ELSE 0 END, CASE WHEN {_OTHERS} THEN 1 ELSE 0 END
FROM evidence WHERE memory_id = :id
"""
_DROP_LEFT = f"DELETE FROM evidence WHERE memory_id = :id AND {_LEFT}"
_REINFORCEMENTS = "WHERE t.memory_id = :id AND t.op = 'reinforce' ORDER BY t.seq"
_SUPERSESSIONS = "WHERE t.session_id = :session AND t.op = 'supersede' ORDER BY t.seq DESC"


def stated_in(tx: Transaction, session_id: str) -> list[str]:
    """Returns the records of a session's transcript that are evidence of memories, or that suggestions come from."""
    found = tx.column(_RECORDS, {"session": session_id})
    return sorted({*found, *suggestions_sql.records_in(tx, session_id)})


def stated_besides(tx: Transaction, session_id: str, left: Sequence[str]) -> list[str]:
    """Returns the session's other records that are evidence of what `take_back` ends: they have to be read again."""
    return tx.column(_STATED_BESIDES, {"session": session_id, "left": dump(list(left))})


def hand_over(tx: Transaction, session_id: str, held: Mapping[str, str]) -> None:
    """Makes records that a session has left the evidence of forks that still hold them: (record, the fork's id)."""
    for record, fork in held.items():
        values = {"session": session_id, "left": dump([record]), "fork": fork}
        tx.run(f"UPDATE evidence SET session_id = :fork WHERE {_LEFT}", values)
        suggestions_sql.hand_over(tx, session_id, record, fork)


def unsay(tx: Transaction, session_id: str, withdrawals: Sequence[Withdrawal], now: float) -> None:
    """Takes back what a session's later prompts take back in words of what its earlier ones have stated."""
    for made in withdrawals:
        if made.corrects:
            continue  # it needs what its prompt states: see `supersede_sql.correct`
        records = stated_in(tx, session_id) if made.things else [made.before]
        earlier = [record for record in records if record not in ("", made.by)]
        if not made.things:
            _unhide_denied(tx, session_id, earlier, now)
        take_back(tx, session_id, earlier, now, made.means, UNSAID, f"{TAKEN_BACK}: “{made.words}”")


def leave(tx: Transaction, session_id: str, left: Sequence[str], now: float) -> None:
    """Takes back all that a session's records have stated and denied, which the conversation has `left`."""
    _unhide_denied(tx, session_id, left, now)
    take_back(tx, session_id, left, now)


def _unhide_denied(tx: Transaction, session_id: str, records: Sequence[str], now: float) -> None:
    rows = tx.records(AuditRecord, _SUPERSESSIONS, {"session": session_id})
    undo_sql.unhide_denied(tx, records, rows, now)


def take_back(
    tx: Transaction,
    session_id: str,
    left: Sequence[str],
    now: float,
    is_meant: Callable[[str], bool] = lambda content: True,
    why: str = WHY,
    reason: str = REWOUND,
) -> None:
    """Takes back what a session's `left` records have stated, as far as it `is_meant`. A memory that began with one of
    them is deleted, and what it superseded holds again, unless another session states it as well; one that they only
    stated again is as it was before. One that a person has changed or confirmed stays, and what was forgotten stays
    forgotten. A second time does nothing. Their suggestions go, and one that they only said again waits again. What was
    held back because a memory said it is said again where that memory is trusted no more. `why` is the reason in the
    audit, `reason` that in the history.
    """
    named = {"session": session_id}
    values = {**named, "left": dump(list(left))}
    superseded = tx.records(AuditRecord, _SUPERSESSIONS, named)
    born: list[str] = []
    hit = [memory_id for memory_id, content in tx.all(_HIT, values) if is_meant(content)]
    for memory_id in hit:
        memory = _memory(tx, memory_id)
        is_over = memory is None or memory.status_reason in (*GONE_FOR_GOOD, CONSOLIDATED)
        if memory is None or is_over or undo_sql.is_a_persons(tx, memory):
            continue
        evidence = tx.all(_OF_MEMORY, {**values, "id": memory_id})
        gone = {record for record, is_left, _ in evidence if is_left}
        again = _reinforcements(tx, memory, [record for record, _, _ in evidence])
        is_last = memory.origin == "hook" and all(is_left for _, is_left, _ in evidence)
        is_born = not gone <= again.keys() or is_last
        suggested = suggestions_sql.behind(tx, memory_id) if is_born else None
        if suggested and {record for record, is_left, _ in evidence if not is_left} == {suggested.record_uuid}:
            suggestions_sql.wait_again(tx, suggested, now)
            born.append(memory_id)
            continue
        if is_born and memory.origin == "hook" and not any(other for _, _, other in evidence):
            born.append(memory_id)
            continue
        if is_born and all(is_left or other for _, is_left, other in evidence):
            undo_sql.restore_confidence(tx, memory, session_id, now)
        elif not is_born:
            _weaken(tx, memory, gone, again, superseded, now)
        tx.run(_DROP_LEFT, {**values, "id": memory_id})
        undo_sql.doubt(tx, memory_id, now)
        _audit(tx, memory_id, session_id, now, why)
    suggestions_sql.take_back(tx, session_id, left, now, is_meant)
    for memory_id in born:  # last: one that was stated again may hold no longer because of one of these
        _end(tx, memory_id, session_id, superseded, now, why, reason)
    _say_again(tx, hit, now)


def _memory(tx: Transaction, memory_id: str) -> MemoryRecord | None:
    """Returns a memory as the change before has left it."""
    return tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})


def _reinforcements(tx: Transaction, memory: MemoryRecord, records: Sequence[str]) -> dict[str, AuditRecord]:
    """Returns, in order, the last audit row of each of a memory's records that stated it again."""
    rows: dict[str, AuditRecord] = {}
    for row in tx.records(AuditRecord, _REINFORCEMENTS, {"id": memory.id}):
        record = str(details_of(row.details).get("record"))
        if record in records:
            rows.pop(record, None)
            rows[record] = row
    if memory.origin == "hook" and rows.keys() == set(records):  # what it began with was taken back
        rows.pop(next(iter(rows)))
    return rows


def _weaken(
    tx: Transaction,
    memory: MemoryRecord,
    gone: set[str],
    again: Mapping[str, AuditRecord],
    superseded: Sequence[AuditRecord],
    now: float,
) -> None:
    """Takes the effects from a memory that records had when they stated it again: all of them if nothing has stated it
    since, otherwise the confidence.
    """
    later: list[Mapping[str, Any]] = []
    for record, row in reversed(list(again.items())):
        was = details_of(row.details).get("was", {})
        if record not in gone:
            later.append(was)
        elif not later and was:
            made = [one for one in superseded if (one.seq or 0) > (row.seq or 0)]
            undo_sql.restore_state(tx, memory, was, REWOUND, now)
            undo_sql.unhide_superseded(tx, memory.id, made, now)
        else:
            raised = max(0.0, later[-1].get("confidence", 0.0) - was.get("confidence", 0.0))
            tx.change(memory, confidence=max(0.0, memory.confidence - raised))


def _end(
    tx: Transaction,
    memory_id: str,
    session_id: str,
    superseded: Sequence[AuditRecord],
    now: float,
    why: str,
    reason: str,
) -> None:
    memory = _memory(tx, memory_id)
    if memory is None:
        return
    versions_sql.apply_change(tx, memory, now, reason, status="deleted", status_reason=REWOUND, pinned=0)
    tx.delete("evidence", {"memory_id": memory.id, "session_id": session_id})
    _audit(tx, memory.id, session_id, now, why)
    undo_sql.unhide_superseded(tx, memory.id, superseded, now)


def _say_again(tx: Transaction, memory_ids: Sequence[str], now: float) -> None:
    for one in suggestions_sql.held_back(tx, memory_ids):
        memory = _memory(tx, one.memory_id or "")
        if memory is not None and (memory.trust == QUARANTINED or memory.status_reason == REWOUND):
            origin = Origin("hook", one.project_id, one.session_id, one.branch, one.agent_id)
            list(add_sql.add_all(tx, origin, [suggestions_sql.release(tx, one, now)], now))


def _audit(tx: Transaction, memory_id: str, session_id: str, now: float, why: str) -> None:
    details = dump({"why": why})
    tx.add(AuditRecord(at=now, actor=WORKER, op=OP, memory_id=memory_id, session_id=session_id, details=details))
