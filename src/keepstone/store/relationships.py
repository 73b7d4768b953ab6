"""What memories are to each other: one takes another back, contradicts it, or was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlmodel import Session as Transaction
from sqlmodel import and_, col, func, or_, select, text

from ..core import dedupe
from ..core.candidate import REPEATS, Candidate
from ..core.defaults import MODEL_WEIGHT, SETTLED_ROWS, SETTLED_WITH
from ..core.denial import is_unsure
from ..core.fastjson import dump
from ..core.lifecycle import BY_HAND
from ..core.model import KINDS, SUPERSEDED, WORKING, group_of
from ..core.phrases import phrases
from ..core.relate import BY_MODEL, CONTRADICTS, HEURISTICS, MANUAL, SUPERSEDES, SYMMETRIC
from ..core.reversal import SameWords, reverses, verdict
from ..core.text import query_terms
from . import versions
from .engines import is_postgres
from .tables import Audit, Evidence, Memory, MergedFrom, Relationship

if TYPE_CHECKING:
    from .keep import Keeper

CONSOLIDATED = "consolidated"  # why a memory is archived that others were merged with
BY_RULE = "rules"  # a memory's own words say it
# What can be taken back by a statement of any of these: the line between them is soft.
GROUPS = ("preference", "decision", "fact", "pattern")
STATED = [kind for kind in KINDS if group_of(kind) in GROUPS]
# how a word is written, what stands between two, and what finds the memories that share most of them
_RANKED = (
    ('"{}"', " OR ", "SELECT rowid FROM memory_fts WHERE memory_fts MATCH :asked ORDER BY rank LIMIT :rows"),
    (
        "'{}'",
        " | ",
        """SELECT seq FROM memory WHERE words @@ to_tsquery('keepstone.words', :asked)
            ORDER BY ts_rank(words, to_tsquery('keepstone.words', :asked)) DESC, seq LIMIT :rows""",
    ),
)
_GUESSES = frozenset(("hedge", "hypothesis"))
SAID = ("user", "manual")  # methods of evidence in which a person speaks


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
    """Notes what somebody says that one memory is to another, in place of what was found for the two."""
    rows = between(tx, source, target)
    for row in rows:
        if row.method in HEURISTICS:
            tx.delete(row)
    tx.flush()
    said = {(row.source_id, row.type) for row in rows if row.method not in HEURISTICS}
    if source != target and (source, type) not in said and not (type in SYMMETRIC and (target, type) in said):
        made = Relationship(source_id=source, target_id=target, type=type, method=method, created_at=now)
        made.weight, made.notes = weight, notes
        tx.add(made)


def touching(tx: Transaction, memory_id: str) -> list[Relationship]:
    """Every relationship of a memory."""
    of_it = or_(Relationship.source_id == memory_id, Relationship.target_id == memory_id)
    return list(tx.exec(select(Relationship).where(of_it)))


def between(tx: Transaction, one: str, other: str) -> list[Relationship]:
    there = and_(Relationship.source_id == one, Relationship.target_id == other)
    back = and_(Relationship.source_id == other, Relationship.target_id == one)
    return list(tx.exec(select(Relationship).where(or_(there, back))))


def settle(
    store: Keeper, tx: Transaction, memory: Memory, candidate: Candidate, session: str | None, now: float
) -> None:
    """Draws what follows from a statement that is new or renewed in a session: what it takes back is out, unless that
    was said later.
    """
    if candidate.relation not in ("", REPEATS):
        _by_model(tx, memory, candidate, session, now)
    alike = dedupe.same_words(store.ratio)
    if candidate.method not in SAID or memory.kind not in STATED or not _is_sure(store, tx, memory, alike, now):
        return
    judged = [
        (other, verdict(memory.content, other.content, alike), verdict(other.content, memory.content, alike))
        for other in _others(tx, memory)
    ]
    rivals = [(other, takes, taken) for other, takes, taken in judged if takes or taken]
    last = _last_said(tx, [memory, *(other for other, _, _ in rivals)]) if rivals else {}
    for other, takes, taken in rivals:
        if last[memory.id] >= last[other.id]:
            later, earlier, sure = memory, other, takes == SUPERSEDES
        else:  # an older session may be read after a younger one
            known = other.created_at <= memory.created_at
            later, earlier, sure = other, memory, taken == SUPERSEDES or (known and takes == SUPERSEDES)
        if sure and (not _is_kept(earlier) or reverses(later.content, earlier.content, alike)):
            supersede(tx, later, earlier, BY_RULE, session, now)
        elif other.id != candidate.related_id:  # what a model names of the two is more precise than "may contradict"
            relate(tx, later.id, earlier.id, CONTRADICTS, BY_RULE, now)


def _is_kept(memory: Memory) -> bool:
    """Whether a person has put it here: then a rule's plain case takes it back, not what a model finds likely."""
    return bool(memory.pinned) or memory.origin in BY_HAND


def _is_sure(store: Keeper, tx: Transaction, memory: Memory, alike: SameWords, now: float) -> bool:
    """Whether a statement counts: who takes back what is known states something, however unsure it looks by itself."""
    if memory.tier != WORKING:
        return True
    guessed = is_unsure(memory.content) or not _GUESSES.isdisjoint(phrases(memory.content))
    others = [] if guessed else _others(tx, memory)
    if not any(verdict(memory.content, other.content, alike) == SUPERSEDES for other in others):
        return False
    store.confirm_tier(tx, memory, now)
    return True


def said_at(tx: Transaction, memory: Memory) -> float:
    """When a person said it last."""
    return _last_said(tx, [memory])[memory.id]


def _last_said(tx: Transaction, memories: Sequence[Memory]) -> dict[str, float]:
    """The same of each, by id."""
    query = select(Evidence.memory_id, func.max(Evidence.created_at)).where(col(Evidence.method).in_(SAID))
    of_these = col(Evidence.memory_id).in_([memory.id for memory in memories])
    last = dict(tx.exec(query.where(of_these).group_by(Evidence.memory_id)).all())
    return {memory.id: max(memory.created_at, last.get(memory.id, 0.0)) for memory in memories}


def _by_model(tx: Transaction, memory: Memory, candidate: Candidate, session: str | None, now: float) -> None:
    """What a model says of a known memory; only a person's words take one out."""
    other = tx.exec(select(Memory).where(Memory.id == candidate.related_id)).first()
    if other is None:
        return
    if candidate.relation == SUPERSEDES and candidate.method in SAID and _in_scope(memory, other):
        supersede(tx, memory, other, BY_MODEL, session, now)
    else:
        type = CONTRADICTS if candidate.relation == SUPERSEDES else candidate.relation
        relate(tx, memory.id, other.id, type, BY_MODEL, now, MODEL_WEIGHT * candidate.confidence)


def _in_scope(memory: Memory, other: Memory) -> bool:
    return memory.scope == other.scope and memory.project_id == other.project_id and other.status == "active"


def _others(tx: Transaction, memory: Memory) -> list[Memory]:
    """The statements that a memory may be about too: where there are many, those that share most words with it, as each
    costs a millisecond to compare.
    """
    query = select(Memory).where(
        Memory.id != memory.id,
        Memory.scope == memory.scope,
        Memory.project_id == memory.project_id,
        Memory.status == "active",
        Memory.tier != WORKING,
        Memory.kind.in_(STATED),  # type: ignore[attr-defined]
    )
    found = list(tx.exec(query.order_by(Memory.id).limit(SETTLED_WITH + 1)))
    if len(found) <= SETTLED_WITH:
        return found
    terms = query_terms(memory.content)
    if not terms:  # a text without a word takes nothing back
        return []
    form, either, ranked = _RANKED[is_postgres(tx)]
    asked = either.join(form.format(term) for term in terms)
    near = tx.connection().execute(text(ranked), {"asked": asked, "rows": SETTLED_ROWS}).scalars().all()
    place = {seq: number for number, seq in enumerate(near)}
    there = tx.exec(query.where(Memory.seq.in_(near)))  # type: ignore[union-attr]
    return sorted(there, key=lambda other: place[other.seq or 0])[:SETTLED_WITH]


def supersede(tx: Transaction, newer: Memory, older: Memory, method: str, session: str | None, now: float) -> None:
    """The older is out of every recall, and stays readable; that is the `session`'s doing."""
    relate(tx, newer.id, older.id, SUPERSEDES, method, now)
    was = {"pinned": older.pinned, "status_reason": older.status_reason}
    if versions.turn(tx, older, now, SUPERSEDED, status="archived", status_reason=SUPERSEDED, pinned=0):
        details = dump({"by": newer.id, "was": was})
        actor = "person" if method == MANUAL else "worker"
        tx.add(Audit(at=now, actor=actor, op="supersede", memory_id=older.id, session_id=session, details=details))


def let_go(tx: Transaction, memory_id: str) -> None:
    """Nothing takes a memory back any more: a person wants it all the same."""
    for _, made in _superseding(tx, memory_id):
        tx.delete(made)
    tx.flush()


def superseded_at(tx: Transaction, memory_id: str) -> float | None:
    """When what takes a memory back was said last."""
    return max((said_at(tx, newer) for newer, _ in _superseding(tx, memory_id)), default=None)


def revive(tx: Transaction, memory: Memory, session: str | None, now: float) -> None:
    """The other way round: what was said again takes back what had taken it back."""
    for newer, made in _superseding(tx, memory.id):
        tx.delete(made)
        if newer.status == "active":
            supersede(tx, memory, newer, made.method, session, now)


def superseded_by(tx: Transaction, memory_id: str) -> list[str]:
    """The ids of what takes a memory back."""
    return [newer.id for newer, _ in _superseding(tx, memory_id)]


def _superseding(tx: Transaction, memory_id: str) -> list[tuple[Memory, Relationship]]:
    query = select(Memory, Relationship).join(Relationship, Relationship.source_id == Memory.id)  # type: ignore[arg-type]
    return list(tx.exec(query.where(Relationship.target_id == memory_id, Relationship.type == SUPERSEDES)).all())


def current(tx: Transaction, memory: Memory | None) -> Memory | None:
    """The memory that one was merged into, and so on; itself where it was not."""
    seen = set()
    while memory is not None and memory.status_reason == CONSOLIDATED and memory.id not in seen:
        seen.add(memory.id)
        query = select(Memory).join(MergedFrom, col(MergedFrom.memory_id) == Memory.id)
        query = query.where(MergedFrom.source_id == memory.id, Memory.status == "active")
        after = tx.exec(query.order_by(col(Memory.seq).desc())).first()
        if after is None:
            break
        memory = after
    return memory
