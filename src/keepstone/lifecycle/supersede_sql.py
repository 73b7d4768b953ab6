"""Relates memories by their statements: one supersedes another, contradicts it, or was merged from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..db.records import MemoryRecord, RelationshipRecord
from ..db.sql import Sql
from ..db.writer import Transaction
from ..language import duplicates
from ..language.claims import common
from ..language.denial import is_unsure
from ..language.phrases import phrases
from ..language.reversal import TAKES_BACK, SameWords, ends, reverses, swaps, verdict
from ..language.reversal_subjects import states
from ..language.withdrawals import Withdrawal
from ..lib.fast_json import dump
from ..lib.text import query_terms
from ..model.candidate import BY_CLAUDE, CHOSEN, PROGRAM, REPEATS, Candidate
from ..model.memory import KINDS, SUPERSEDED, WORKER, WORKING, StoredMemory, group_of
from ..model.relationship import BY_MODEL, CONTRADICTS, HEURISTICS, MANUAL, SUPERSEDES, SYMMETRIC
from ..model.tiers import BY_HAND
from . import tiers_sql, versions_sql

MODEL_WEIGHT = 0.9  # factor on the confidence in a relationship that a model names
# Statements that a new one is compared with, the most similar in words. Of 454 pairs of which one takes the other back
# (benchmarks/capture), among 12,000 statements, 453 have the other within the first 50, as within the first 100.
SETTLED_WITH = 50
SETTLED_ROWS = 1_000  # memories of any project that share a word with it, among which the comparable are found

BY_RULE = "rules"  # the method of a relationship that follows from a memory's own words
# A statement of any of these groups can supersede one of any other: the line between them is not sharp.
GROUPS = ("preference", "decision", "fact", "pattern")
STATED = [kind for kind in KINDS if group_of(kind) in GROUPS]
# Methods of evidence in a person's own words, or that they have chosen; and of a program that speaks for them: what it
# says waits otherwise, and so acts on nothing.
PERSON_METHODS = ("user", CHOSEN, "manual", PROGRAM)
_GUESSES = frozenset(("hedge", "hypothesis"))
_WORDS = (('"{}"', " OR "), ("'{}'", " | "))  # the form of a word, and the operator between two: SQLite, PostgreSQL
_MOST_SHARED_WORDS = Sql(
    sqlite="SELECT rowid FROM memory_fts WHERE memory_fts MATCH :asked ORDER BY rank LIMIT :rows",
    postgres="""SELECT seq FROM memory WHERE words @@ to_tsquery('keepstone.words', :asked)
        ORDER BY ts_rank(words, to_tsquery('keepstone.words', :asked)) DESC, seq LIMIT :rows""",
)
_STATED_BY = f"""WHERE t.id IN (
    SELECT memory_id FROM evidence WHERE session_id = :session AND record_uuid = :by AND method IN {PERSON_METHODS})
ORDER BY t.seq"""
_DENIED_AT = """
SELECT max(CAST(json_extract(details, '$.said_at') AS DOUBLE PRECISION)) FROM audit
WHERE memory_id = :id AND op = 'supersede'
"""
_OTHERS = """t.id <> :id AND t.scope = :scope AND t.project_id {project} AND t.status = 'active' AND t.trust = 'trusted'
    AND t.tier <> 'working' AND t.kind IN (SELECT value FROM json_each(:kinds))"""
_LAST_SAID = f"""
SELECT e.memory_id, max(e.created_at) FROM json_each(:ids) j CROSS JOIN evidence e
WHERE e.memory_id = j.value AND e.method IN {PERSON_METHODS} GROUP BY e.memory_id
"""
_AUDIT_SUPERSEDED = """
INSERT INTO audit (at, actor, op, memory_id, session_id, details)
VALUES (:at, :actor, 'supersede', :id, :session, :details)
"""
_SUPERSEDING = "target_id = :id AND type = 'supersedes'"
CONSOLIDATED = "consolidated"  # the reason of a memory that was archived because it was merged
_MERGED_INTO = f"""JOIN merged_from f ON f.memory_id = t.id
WHERE f.source_id = :id AND (t.status = 'active' OR t.status_reason = '{CONSOLIDATED}')
ORDER BY CASE t.status WHEN 'active' THEN 0 ELSE 1 END, t.seq DESC"""

DENIED = "denied by the user"  # the reason of a version that ended because a prompt denies it
RELATE, UNRELATE, NOTE = "relate", "unrelate", "note"  # audit operations; the first is also a kind of proposal


def may_act(memory: MemoryRecord | StoredMemory, now: float) -> bool:
    """Tells whether a memory may change others: supersede, contradict, be summed up or merged with them. Nothing may
    that waits for review, or that has ended.
    """
    is_over = memory.expires_at is not None and memory.expires_at <= now
    return memory.status == "active" and memory.trust == "trusted" and not is_over


def relate(
    tx: Transaction,
    source: str,
    target: str,
    type: str,
    method: str,
    now: float,
    weight: float = 1.0,
    notes: str | None = None,
) -> None:
    """Adds a stated relationship, which replaces those found for the two memories."""
    rows = between(tx, source, target)
    for row in rows:
        if row.method in HEURISTICS:
            tx.remove(row)
    stated = {(row.source_id, row.type) for row in rows if row.method not in HEURISTICS}
    if source != target and (source, type) not in stated and not (type in SYMMETRIC and (target, type) in stated):
        link = RelationshipRecord(
            source_id=source, target_id=target, type=type, method=method, created_at=now, weight=weight, notes=notes
        )
        tx.add(link)


def touching(tx: Transaction, memory_id: str) -> list[RelationshipRecord]:
    """Returns every relationship of a memory."""
    return tx.records(RelationshipRecord, "WHERE t.source_id = :id OR t.target_id = :id", {"id": memory_id})


def between(tx: Transaction, one: str, other: str) -> list[RelationshipRecord]:
    """Returns the relationships of two memories, in either direction."""
    return tx.records(
        RelationshipRecord,
        "WHERE (t.source_id = :one AND t.target_id = :other) OR (t.source_id = :other AND t.target_id = :one)",
        {"one": one, "other": other},
    )


def apply_supersession(
    tx: Transaction, memory: MemoryRecord, candidate: Candidate, session: str | None, now: float
) -> None:
    """Applies the effects of a new or renewed statement in a session: archives the memories that it supersedes, or the
    statement itself if a later one supersedes it, and relates possible contradictions. A statement that waits for
    review has no effects until `take_effect`.
    """
    if candidate.suspect or not may_act(memory, now):
        return
    if candidate.relation not in ("", REPEATS):
        _apply_model(tx, memory, candidate, session, now)
    if candidate.method in (*PERSON_METHODS, BY_CLAUDE):
        take_effect(tx, memory, candidate.related_id, session, now)


def take_effect(
    tx: Transaction, memory: MemoryRecord, related: str, session: str | None, now: float, is_accepted: bool = False
) -> None:
    """Applies the effects of a statement, as its words tell them. `related` is the id of a memory whose relation a
    model has named; `is_accepted` tells that a person has just accepted the statement, whoever made it.
    """
    alike = duplicates.same_words(tx.ratio)
    if not _counts(tx, memory, alike):
        return
    if memory.tier == WORKING:
        tiers_sql.confirm_tier(tx, memory, now)
    for later, earlier, is_clear in _rivals(tx, memory, alike):
        if is_clear and ((is_accepted and later is memory) or not _is_claudes_alone(tx, later)):
            supersede(tx, later, earlier, BY_RULE, session, now)
        elif related not in (later.id, earlier.id):  # a relation that a model names is more precise than this
            relate(tx, later.id, earlier.id, CONTRADICTS, BY_RULE, now)


def disputes(tx: Transaction, memory: MemoryRecord) -> bool:
    """Tells whether a statement takes back or contradicts a known memory. Changes nothing."""
    alike = duplicates.same_words(tx.ratio)
    return _counts(tx, memory, alike) and bool(_rivals(tx, memory, alike))


def would_supersede(tx: Transaction, memory: MemoryRecord, now: float) -> list[str]:
    """Returns the ids of the memories that `settle` would archive if this one were accepted. Changes nothing."""
    accepted = memory.but(trust="trusted")
    alike = duplicates.same_words(tx.ratio)
    if not may_act(accepted, now) or not _counts(tx, accepted, alike):
        return []
    found = []
    for later, earlier, is_clear in _rivals(tx, accepted, alike):
        if is_clear and earlier.id == memory.id:
            break  # it is archived itself, and what is archived archives nothing
        if is_clear and later.id == memory.id:
            found.append(earlier.id)
    return found


def correct(tx: Transaction, made: Withdrawal, project: str | None, session: str, now: float) -> None:
    """Archives the statements that a prompt denies, of whatever session, as superseded by what it states instead, if it
    states anything. One that was said again since holds.
    """
    newer = [
        memory
        for memory in tx.records(MemoryRecord, _STATED_BY, {"session": session, "by": made.by})
        if may_act(memory, now) and memory.kind in STATED
    ]
    said_at = now if made.said_at is None else min(now, made.said_at)
    details = {"record": made.by, "said_at": said_at}
    places = dict.fromkeys([("project", project), *((memory.scope, memory.project_id) for memory in newer)])
    for older, is_over in _corrected(tx, made, places):
        if older.id in {memory.id for memory in newer} or _last_said(tx, [older])[older.id] > said_at:
            continue
        by = max(newer, key=lambda memory: common(older.content, memory.content), default=None)
        if by and (common(older.content, by.content) >= 1 or swaps(by.content, older.content)):
            supersede(tx, by, older, BY_RULE, session, now, DENIED, **details)
        elif is_over:
            _archive(tx, older, WORKER, session, now, DENIED, **details)


def _corrected(
    tx: Transaction, made: Withdrawal, places: Iterable[tuple[str, str | None]]
) -> Iterator[tuple[MemoryRecord, bool]]:
    """Yields the statements that a prompt corrects, each with whether it is over, whatever the prompt states."""
    alike = duplicates.same_words(tx.ratio)
    for scope, project in places:
        for text in made.denied:
            yield from ((one, True) for one in _others(tx, text, scope, project) if states(text, one.content))
        for text in (one for one in made.holds if not _is_guess(one)):
            for one in _others(tx, text, scope, project):
                is_over = ends(text, one.content, alike)
                if is_over or swaps(text, one.content):
                    yield one, is_over


def _rivals(tx: Transaction, memory: MemoryRecord, alike: SameWords) -> list[tuple[MemoryRecord, MemoryRecord, bool]]:
    """Returns (the later one, the earlier one, whether that is superseded) of a statement and each that it may
    contradict.
    """
    judged = [
        (other, verdict(memory.content, other.content, alike), verdict(other.content, memory.content, alike))
        for other in _others_than(tx, memory)
    ]
    rivals = [(other, takes, taken) for other, takes, taken in judged if takes or taken]
    last = _last_said(tx, [memory, *(other for other, _, _ in rivals)]) if rivals else {}
    found = []
    for other, takes, taken in rivals:
        if last[memory.id] >= last[other.id]:
            later, earlier, sure = memory, other, takes == TAKES_BACK
        else:  # an older session may be read after a younger one
            known = other.created_at <= memory.created_at
            later, earlier, sure = other, memory, taken == TAKES_BACK or (known and takes == TAKES_BACK)
        is_clear = sure and (not _is_kept_by_person(earlier) or reverses(later.content, earlier.content, alike))
        found.append((later, earlier, is_clear))
    return found


def _is_kept_by_person(memory: MemoryRecord) -> bool:
    """Tells whether a person stored a memory on purpose. Only a rule's clear case supersedes it, not a
    model's guess.
    """
    return bool(memory.pinned) or memory.origin in BY_HAND


def _is_claudes_alone(tx: Transaction, memory: MemoryRecord) -> bool:
    """Tells whether only a session's model has stored a memory: no person has said it, and it takes nothing back."""
    methods = set(tx.column("SELECT method FROM evidence WHERE memory_id = :id", {"id": memory.id}))
    return BY_CLAUDE in methods and methods.isdisjoint(PERSON_METHODS)


def _counts(tx: Transaction, memory: MemoryRecord, alike: SameWords) -> bool:
    """Tells whether a memory is a statement that can supersede others. A note of a session counts if it takes back a
    known memory; then it enters the tier of its kind.
    """
    if memory.kind not in STATED or memory.tier != WORKING:
        return memory.kind in STATED
    return _takes_back(tx, memory, alike)


def takes_back(tx: Transaction, memory: MemoryRecord) -> bool:
    """Tells whether a statement takes back a known memory: it counts then, however unsure it looks. A guess does
    not.
    """
    return memory.kind in STATED and _takes_back(tx, memory, duplicates.same_words(tx.ratio))


def _takes_back(tx: Transaction, memory: MemoryRecord, alike: SameWords) -> bool:
    others = [] if _is_guess(memory.content) else _others_than(tx, memory)
    return any(verdict(memory.content, other.content, alike) == TAKES_BACK for other in others)


def _is_guess(text: str) -> bool:
    return is_unsure(text) or not _GUESSES.isdisjoint(phrases(text))


def said_at(tx: Transaction, memory: MemoryRecord) -> float:
    """Returns when a person last stated a memory."""
    return _last_said(tx, [memory])[memory.id]


def _last_said(tx: Transaction, memories: Sequence[MemoryRecord]) -> dict[str, float]:
    """Returns when a person last stated each memory, by id."""
    last = dict(tx.all(_LAST_SAID, {"ids": dump([memory.id for memory in memories])}))
    return {memory.id: max(memory.created_at, last.get(memory.id, 0.0)) for memory in memories}


def _apply_model(tx: Transaction, memory: MemoryRecord, candidate: Candidate, session: str | None, now: float) -> None:
    """Applies a relation that a model names to a known memory. Only a person's words supersede a memory."""
    other = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": candidate.related_id})
    if other is None:
        return
    if candidate.relation == SUPERSEDES and candidate.method in PERSON_METHODS and _is_in_scope(memory, other):
        supersede(tx, memory, other, BY_MODEL, session, now)
    else:
        type = CONTRADICTS if candidate.relation == SUPERSEDES else candidate.relation
        relate(tx, memory.id, other.id, type, BY_MODEL, now, MODEL_WEIGHT * candidate.confidence)


def _is_in_scope(memory: MemoryRecord, other: MemoryRecord) -> bool:
    return memory.scope == other.scope and memory.project_id == other.project_id and other.status == "active"


def _others_than(tx: Transaction, memory: MemoryRecord) -> list[MemoryRecord]:
    return _others(tx, memory.content, memory.scope, memory.project_id, memory.id)


def _others(tx: Transaction, text: str, scope: str, project: str | None, besides: str = "") -> list[MemoryRecord]:
    """Returns statements of a place that may be about the same as a text, `besides` the memory of that id. If there are
    many, returns those that share the most words with it, because each comparison takes a millisecond.
    """
    others = _OTHERS.format(project="IS NULL" if project is None else "= :project")
    values = {"id": besides, "scope": scope, "project": project, "kinds": dump(STATED)}
    enough = f"SELECT count(*) FROM (SELECT 1 FROM memory t WHERE {others} LIMIT :most) s"
    if tx.value(enough, {**values, "most": SETTLED_WITH + 1}) <= SETTLED_WITH:
        return tx.records(MemoryRecord, f"WHERE {others} ORDER BY t.id", values)
    terms = query_terms(text)
    if not terms:  # a text without words supersedes nothing
        return []
    word, either = _WORDS[tx.is_postgres]
    asked = either.join(word.format(term) for term in terms)
    near = tx.column(_MOST_SHARED_WORDS, {"asked": asked, "rows": SETTLED_ROWS})
    among = "SELECT t.seq FROM json_each(:seqs) j CROSS JOIN memory t WHERE t.seq = CAST(j.value AS BIGINT) AND "
    allowed = set(tx.column(among + others, {**values, "seqs": dump(near)}))
    nearest = [seq for seq in near if seq in allowed][:SETTLED_WITH]
    place = {seq: number for number, seq in enumerate(nearest)}
    these = "WHERE t.seq IN (SELECT CAST(value AS BIGINT) FROM json_each(:seqs))"
    found = tx.records(MemoryRecord, these, {"seqs": dump(nearest)})
    return sorted(found, key=lambda other: place[other.seq or 0])


def supersede(
    tx: Transaction,
    newer: MemoryRecord,
    older: MemoryRecord,
    method: str,
    session: str | None,
    now: float,
    why: str = SUPERSEDED,
    **details: Any,
) -> None:
    """Archives the older memory, which stays readable but is no longer recalled, as an act of the `session`. Does
    nothing if the newer one may not change others. `why` is kept with its version, `details` in the audit.
    """
    if not may_act(newer, now):
        return
    relate(tx, newer.id, older.id, SUPERSEDES, method, now)
    _archive(tx, older, tx.actor if method == MANUAL else WORKER, session, now, why, by=newer.id, **details)


def _archive(
    tx: Transaction, older: MemoryRecord, actor: str, session: str | None, now: float, why: str, **details: Any
) -> None:
    was = {"pinned": older.pinned, "status_reason": older.status_reason}
    if versions_sql.apply_change(tx, older, now, why, status="archived", status_reason=SUPERSEDED, pinned=0):
        done = dump({**details, "was": was})
        tx.run(_AUDIT_SUPERSEDED, {"at": now, "actor": actor, "id": older.id, "session": session, "details": done})


def let_go(tx: Transaction, memory_id: str) -> None:
    """Removes every relationship that supersedes a memory, because a person wants to keep it."""
    tx.run(f"DELETE FROM relationship WHERE {_SUPERSEDING}", {"id": memory_id})


def superseded_at(tx: Transaction, memory_id: str) -> float | None:
    """Returns when the memories that supersede one were last stated, or else when it was denied; None if neither."""
    newer = [newer for newer, _ in _superseding(tx, memory_id)]
    return max(_last_said(tx, newer).values()) if newer else tx.value(_DENIED_AT, {"id": memory_id})


def revive(tx: Transaction, memory: MemoryRecord, is_stored: bool, session: str | None, now: float) -> None:
    """Makes a memory that was stated again supersede those that had superseded it. One that a person keeps on purpose
    stays beside it, unless the person has stored this one again, or its words plainly take the other back.
    """
    alike = duplicates.same_words(tx.ratio)
    for newer, made in _superseding(tx, memory.id):
        tx.remove(made)
        if newer.status != "active":
            continue
        if not is_stored and _is_kept_by_person(newer) and not reverses(memory.content, newer.content, alike):
            relate(tx, memory.id, newer.id, CONTRADICTS, made.method, now)
        else:
            supersede(tx, memory, newer, made.method, session, now)


def superseded_by(tx: Transaction, memory_id: str) -> list[str]:
    """Returns the ids of the memories that supersede one."""
    return tx.column(f"SELECT source_id FROM relationship WHERE {_SUPERSEDING}", {"id": memory_id})


def _superseding(tx: Transaction, memory_id: str) -> list[tuple[MemoryRecord, RelationshipRecord]]:
    made = tx.records(RelationshipRecord, f"WHERE {_SUPERSEDING}", {"id": memory_id})
    if not made:
        return []
    ids = dump([row.source_id for row in made])
    newer = tx.records(MemoryRecord, "WHERE t.id IN (SELECT value FROM json_each(:ids))", {"ids": ids})
    by_id = {memory.id: memory for memory in newer}
    return [(by_id[row.source_id], row) for row in made]


def current(tx: Transaction, memory: MemoryRecord | None) -> MemoryRecord | None:
    """Returns the active memory that this one was merged into, directly or through others, or the memory itself."""
    seen: set[str] = set()
    into = memory
    while into is not None and into.status_reason == CONSOLIDATED and into.id not in seen:
        seen.add(into.id)
        into = tx.record(MemoryRecord, _MERGED_INTO, {"id": into.id})
    return into if into is not None and into.status == "active" else memory


def members_of(one: str, other: str) -> str:
    """Returns the key of a proposal about a pair."""
    return dump(sorted((one, other)))
