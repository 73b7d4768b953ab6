"""Stores suggestions: statements that are likely to last, and wait for somebody's word. Each write has an audit row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..db.filter_sql import is_project
from ..db.records import SuggestionRecord
from ..db.writer import Transaction
from ..language import duplicates
from ..lib.errors import BadInput
from ..lib.fast_json import dump
from ..lib.limits import DAY_SECONDS
from ..lib.text import digest
from ..model.candidate import PROGRAM, Candidate
from ..model.memory import QUARANTINED, WORKER, group_of, kinds_of
from ..model.suggestion import ASKED_MOST, IGNORED, KEPT, REFUSED, REPEATED, WAITING, WAITING_DAYS

SUGGEST, SETTLE = "suggest", "settle"  # audit operations: a suggestion is made, and it is one no more
_SAME = """
WHERE t.scope = :scope AND (t.scope = 'user' OR t.project_id {project})
    AND t.kind IN (SELECT value FROM json_each(:kinds)) AND t.said_at BETWEEN :low AND :high
    AND length(t.text) BETWEEN :shortest AND :longest AND lower(t.text) LIKE lower(:pattern)
    AND (t.state <> 'repeated' OR t.memory_id IS NULL)
"""
_OF_MEMORIES = "t.memory_id IN (SELECT value FROM json_each(:ids))"
_HELD_BACK = f"WHERE t.state = 'repeated' AND {_OF_MEMORIES} ORDER BY t.said_at, t.id"
_WAITING = "WHERE t.state = 'waiting' AND t.expires_at > :now"
_LEFT = "session_id = :session AND record_uuid IN (SELECT value FROM json_each(:left))"
_OVER = "SELECT count(*) FROM suggestion WHERE expires_at <= :now"
_EXPIRE = "DELETE FROM suggestion WHERE expires_at <= :now"
_NAMED = "SELECT id FROM suggestion WHERE id >= :low AND id < :high ORDER BY id"
_IGNORED = f"WHERE t.state = 'waiting' AND t.asked >= {ASKED_MOST} AND (t.asked_in = :session OR t.asked_at <= :before)"


def alike(tx: Transaction, project_id: str | None, candidate: Candidate) -> list[SuggestionRecord]:
    """Returns the suggestions that say the same as a candidate, in any state: first the one that stands for all, one
    that may be trusted if there is any. What was said longer ago than a suggestion waits is none any more.
    """
    length, at = len(candidate.content), candidate.said_at or 0.0
    where = _SAME.format(project="IS NULL" if project_id is None else "= :project")
    values = {
        "scope": candidate.scope,
        "project": project_id,
        "kinds": dump(list(kinds_of(group_of(candidate.kind)))),
        "pattern": duplicates.pattern(candidate.content),
        "shortest": length * duplicates.LIKE_LENGTH,
        "longest": length / duplicates.LIKE_LENGTH,
        "low": at - WAITING_DAYS * DAY_SECONDS,
        "high": at + WAITING_DAYS * DAY_SECONDS,
    }
    rows = tx.records(SuggestionRecord, where, values)
    found = [row for row in rows if duplicates.same(candidate.content, row.text, tx.ratio)]
    return sorted(found, key=lambda row: (row.state == REPEATED, row.trust == QUARANTINED, row.said_at, row.id))


def is_again(known: Sequence[SuggestionRecord], session_id: str | None, candidate: Candidate) -> bool:
    """Tells whether a candidate makes a suggestion sure, of which all alike are `known`: its user says the same again
    in another session. A copy of the same words of the same moment does not, nor does what may be somebody else's.
    """
    if not known or known[0].state == REFUSED or _is_others(candidate) or _is_copy(known, candidate):
        return False
    return any(one.trust != QUARANTINED and one.session_id != session_id for one in known)


def _is_others(candidate: Candidate) -> bool:
    return bool(candidate.suspect) or candidate.by_program


def _is_copy(known: Sequence[SuggestionRecord], candidate: Candidate) -> bool:
    return any((one.excerpt, one.said_at) == (candidate.excerpt, candidate.said_at) for one in known)


def suggest(
    tx: Transaction,
    candidate: Candidate,
    known: Sequence[SuggestionRecord],
    now: float,
    *,
    session_id: str | None,
    actor: str,
    **place: Any,
) -> None:
    """Stores a candidate as a suggestion, of a `place` (project_id, agent_id and branch). Of all that are `known` to
    say the same, one waits: the others only tell how often it was said.
    """
    if known and (known[0].state == REFUSED or _is_others(candidate) or _is_copy(known, candidate)):
        return
    state = REPEATED if known and known[0].trust != QUARANTINED else WAITING
    made = _record_of(candidate, session_id, state, now, place)
    if _is_there(tx, made):
        return
    if made.state == WAITING:
        for one in known:  # what may be somebody else's words
            tx.remove(one)
    tx.add(made)
    audit(tx, SUGGEST, made, actor, session_id, now)


def hold_back(
    tx: Transaction,
    candidate: Candidate,
    memory_id: str,
    now: float,
    *,
    session_id: str | None,
    actor: str,
    **place: Any,
) -> None:
    """Keeps what may be somebody else's words and only says again what a trusted memory says, for as long as a
    suggestion waits: it counts once that memory is taken back.
    """
    made = _record_of(candidate, session_id, REPEATED, now, {**place, "memory_id": memory_id})
    if not _is_there(tx, made) and not _is_copy(held_back(tx, [memory_id]), candidate):
        tx.add(made)
        audit(tx, SUGGEST, made, actor, session_id, now)


def _is_there(tx: Transaction, made: SuggestionRecord) -> bool:
    return tx.one("SELECT 1 FROM suggestion WHERE id = :id", {"id": made.id}) is not None


def held_back(tx: Transaction, memory_ids: Sequence[str]) -> list[SuggestionRecord]:
    """Returns what was held back because these memories say it."""
    return tx.records(SuggestionRecord, _HELD_BACK, {"ids": dump(list(memory_ids))})


def release(tx: Transaction, one: SuggestionRecord, now: float) -> Candidate:
    """Returns the statement of a suggestion that is one no more, because it is said again."""
    tx.remove(one)
    audit(tx, SETTLE, one, WORKER, one.session_id, now, state="said")
    return candidate_of(one)


def _record_of(
    candidate: Candidate, session_id: str | None, state: str, now: float, place: Mapping[str, Any]
) -> SuggestionRecord:
    said_at = min(now, now if candidate.said_at is None else candidate.said_at)
    return SuggestionRecord(
        id="sug-" + digest(session_id or "", candidate.record_uuid, candidate.kind, candidate.content)[:16],
        session_id=session_id,
        record_uuid=candidate.record_uuid,
        scope=candidate.scope,
        kind=candidate.kind,
        text=candidate.content,
        excerpt=candidate.excerpt,
        method=candidate.method,
        relevance=candidate.relevance,
        confidence=candidate.confidence,
        trust=QUARANTINED if candidate.suspect else "trusted",
        trust_reason=candidate.suspect or None,
        state=state,
        said_at=said_at,
        deadline_at=candidate.deadline_at,
        expires_at=said_at + WAITING_DAYS * DAY_SECONDS,
        **place,
    )


def candidate_of(one: SuggestionRecord) -> Candidate:
    """Returns the statement of a suggestion, as sure as any."""
    return Candidate(
        kind=one.kind,
        content=one.text,
        relevance=one.relevance,
        record_uuid=one.record_uuid,
        excerpt=one.excerpt,
        method=one.method,
        confidence=one.confidence,
        scope=one.scope,
        said_at=one.said_at,
        suspect=one.trust_reason or "" if one.trust == QUARANTINED else "",
        deadline_at=one.deadline_at,
        branch=one.branch or "",
        by_program=one.method == PROGRAM,
    )


def change_state(
    tx: Transaction,
    one: SuggestionRecord,
    state: str,
    now: float,
    memory_id: str | None = None,
    actor: str = WORKER,
    session: str | None = None,
) -> None:
    """Ends the waiting of a suggestion: it was kept as a memory, ignored or turned down."""
    tx.change(one, state=state, memory_id=memory_id)
    audit(tx, SETTLE, one, actor, session, now, state=state)


def audit(
    tx: Transaction, op: str, one: SuggestionRecord, actor: str, session: str | None, now: float, **details: Any
) -> None:
    """Adds an audit row about a suggestion, and about the memory that it has become."""
    became = one.memory_id if one.state == KEPT else None
    row = {"at": now, "actor": actor, "op": op, "memory_id": became, "session_id": session}
    tx.insert("audit", {**row, "details": dump({"suggestion": one.id, **details})})


def behind(tx: Transaction, memory_id: str) -> SuggestionRecord | None:
    """Returns the suggestion that has become a memory."""
    return tx.record(SuggestionRecord, "WHERE t.memory_id = :id AND t.state = 'kept'", {"id": memory_id})


def wait_again(tx: Transaction, one: SuggestionRecord, now: float) -> None:
    """Makes a suggestion wait again: what had made a memory of it was taken back."""
    change_state(tx, one, WAITING, now)


def records_in(tx: Transaction, session_id: str) -> list[str]:
    """Returns the records of a session's transcript that suggestions come from."""
    return tx.column("SELECT DISTINCT record_uuid FROM suggestion WHERE session_id = :id", {"id": session_id})


def hand_over(tx: Transaction, session_id: str, record: str, fork: str) -> None:
    """Makes what a record has suggested a suggestion of another session, which holds it as well."""
    tx.update("suggestion", {"session_id": session_id, "record_uuid": record}, {"session_id": fork})


def take_back(
    tx: Transaction,
    session_id: str,
    left: Sequence[str],
    now: float,
    is_meant: Callable[[str], bool],
) -> None:
    """Deletes the suggestions of records that were taken back, as far as each `is_meant`, unless they have become
    memories. What was said in another record too waits on as that one.
    """
    values = {"session": session_id, "left": dump(list(left))}
    rows = tx.records(SuggestionRecord, f"WHERE {_LEFT} AND state <> '{KEPT}' ORDER BY t.said_at", values)
    for one in (row for row in rows if is_meant(row.text)):
        tx.remove(one)
        audit(tx, SETTLE, one, WORKER, session_id, now, state="rewound")
        others = alike(tx, one.project_id, candidate_of(one)) if one.state == WAITING else []
        if others and others[0].state == REPEATED and others[0].record_uuid not in left:
            change_state(tx, others[0], WAITING, now)


def refuse_session(tx: Transaction, session_id: str, now: float) -> list[str]:
    """Turns down what a session has suggested, unless it became a memory. Returns the ids of these suggestions."""
    where = "WHERE t.session_id = :session AND t.state IN ('waiting', 'ignored', 'repeated')"
    found = tx.records(SuggestionRecord, where, {"session": session_id})
    for one in found:
        change_state(tx, one, REFUSED, now, actor=tx.actor, session=session_id)
    return [one.id for one in found]


def refuse_alike(tx: Transaction, project_id: str | None, text: str, now: float) -> None:
    """Turns down what waits and says what was forgotten: in its project, or in any if it held in all of them."""
    where = "WHERE t.state = 'waiting'" + (" AND t.project_id = :project" if project_id else "")
    for one in tx.records(SuggestionRecord, where, {"project": project_id} if project_id else {}):
        if duplicates.resembles(one.text, text, tx.ratio):
            change_state(tx, one, REFUSED, now, actor=tx.actor, session=tx.session)


def whole_ids(tx: Transaction, name: str) -> list[str]:
    """Returns the ids of the suggestions that a name is the beginning of, in any project and state. Raises BadInput for
    a name that is none.
    """
    digits = name.strip().lower().removeprefix("sug-").removeprefix("s")
    if not 2 <= len(digits) <= 16 or any(c not in "0123456789abcdef" for c in digits):
        raise BadInput(f"a suggestion has a name like s3fa2; this is none: {name[:40]}", "keepstone review shows names")
    return tx.column(_NAMED, {"low": "sug-" + digits, "high": "sug-" + digits + "g"})


def selected(tx: Transaction, project_id: str | None, scope: str, session_id: str, agent_id: str) -> list[str]:
    """Returns the ids of the suggestions that a bulk operation is about: those of a project, or in all (scope ""), or
    of user scope; of one session or agent if these are given.
    """
    where = ["TRUE"]
    if scope == "user":
        where.append("scope = 'user'")
    elif scope:
        where.append(is_project(project_id, "suggestion"))
    where += ["session_id = :session"] if session_id else []
    where += ["agent_id = :agent"] if agent_id else []
    values = {"session": session_id, "agent": agent_id, "project": project_id}
    return tx.column(f"SELECT id FROM suggestion WHERE {' AND '.join(where)} ORDER BY id", values)


def refuse(tx: Transaction, ids: Sequence[str], now: float) -> None:
    """Turns suggestions down, unless they became memories."""
    where = f"WHERE t.id IN (SELECT value FROM json_each(:ids)) AND t.state <> '{KEPT}'"
    for one in tx.records(SuggestionRecord, where, {"ids": dump(list(ids))}):
        change_state(tx, one, REFUSED, now, actor=tx.actor, session=tx.session)


def living(tx: Transaction, project_id: str | None, everything: bool, now: float) -> list[SuggestionRecord]:
    """Returns the suggestions that wait in a project, or in all, the newest first."""
    where = _WAITING if everything else f"{_WAITING} AND {is_project(project_id, 't')}"
    return tx.records(SuggestionRecord, where + " ORDER BY t.said_at DESC, t.id", {"now": now, "project": project_id})


def ignore(tx: Transaction, session_id: str, now: float) -> None:
    """Drops what a session that has ended was asked about as the last one."""
    _ignore(tx, session_id, 0.0, now)


def expire(tx: Transaction, now: float) -> int:
    """Deletes the suggestions that nobody has taken up in time. Returns how many there were. Drops those that were
    asked about often enough, a day ago or longer.
    """
    _ignore(tx, "", now - DAY_SECONDS, now)
    gone = int(tx.value(_OVER, {"now": now}))
    if gone:
        tx.run(_EXPIRE, {"now": now})
        row = {"at": now, "actor": WORKER, "op": "expire", "details": dump({"suggestions": gone})}
        tx.insert("audit", {**row, "memory_id": None, "session_id": None})
    return gone


def _ignore(tx: Transaction, session_id: str, before: float, now: float) -> None:
    for one in tx.records(SuggestionRecord, _IGNORED, {"session": session_id, "before": before}):
        change_state(tx, one, IGNORED, now, session=session_id or None)
