"""Reads the data for reviews: memories that may be pruned, pairs that may be merged, and a person's answers."""

from __future__ import annotations

from collections.abc import Sequence

from ..db.records import MemoryRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump, parse
from ..lib.limits import PRUNE_IDLE_DAYS
from ..model.memory import StoredMemory
from ..model.tiers import DAY
from .tiers_sql import audit, stored

MERGE_HUB = 100  # a file of more memories makes no pairs
MERGE_PAIRS = 5_000  # pairs that one review examines

CONFIRMED, REJECTED = "confirmed", "rejected"  # a person's answers
STALE = """m.status = 'active' AND m.trust = 'trusted' AND m.pinned = 0 AND m.created_at < :cutoff
    AND m.created_at < :idle AND coalesce(m.used_at, 0) < :idle AND m.tier <> 'working'
    AND (m.expires_at IS NULL OR m.expires_at > :now)"""
# A file that half of all memories came from makes no pairs.
NEAR = """
SELECT DISTINCT a.memory_id, b.memory_id FROM memory_facet a
JOIN memory_facet b ON b.facet = 'file' AND b.value = a.value AND b.memory_id > a.memory_id
JOIN memory m ON m.id = a.memory_id AND m.status = 'active' AND m.trust = 'trusted'
JOIN memory n ON n.id = b.memory_id AND n.status = 'active' AND n.trust = 'trusted'
    AND n.kind = m.kind AND n.scope = m.scope AND coalesce(n.project_id, '') = coalesce(m.project_id, '')
WHERE a.facet = 'file' AND m.tier <> 'working' AND n.tier <> 'working'
    AND (m.expires_at IS NULL OR m.expires_at > :now) AND (n.expires_at IS NULL OR n.expires_at > :now)
    AND (SELECT count(*) FROM memory_facet c WHERE c.facet = 'file' AND c.value = a.value) <= :hub
LIMIT :pairs
"""
VECTORS = """
SELECT memory_id, data FROM vector WHERE model = :model AND memory_id IN (SELECT value FROM json_each(:ids))
"""
ANSWERED = "SELECT kind, members FROM proposal WHERE answer = :answer"
ANSWER = """
INSERT INTO proposal (kind, members, answer, answered_at) VALUES (:kind, :members, :answer, :now)
ON CONFLICT (kind, members) DO UPDATE SET answer = excluded.answer, answered_at = excluded.answered_at
"""


def stale(tx: Transaction, retention: float, now: float) -> list[StoredMemory]:
    """Returns old and idle memories, whatever their importance."""
    idle = min(PRUNE_IDLE_DAYS, retention) * DAY
    return stored(tx, STALE, cutoff=now - retention * DAY, idle=now - idle, now=now)


def near_pairs(tx: Transaction, now: float) -> list[tuple[str, str]]:
    """Returns pairs of memories of one kind and project that came from the same file."""
    return [(one, other) for one, other in tx.all(NEAR, {"hub": MERGE_HUB, "pairs": MERGE_PAIRS, "now": now})]


def held(tx: Transaction, ids: Sequence[str]) -> dict[str, StoredMemory]:
    """Returns memories by id."""
    found = stored(tx, "m.id IN (SELECT value FROM json_each(:ids))", ids=dump(list(ids)))
    return {memory.id: memory for memory in found}


def records(tx: Transaction, ids: Sequence[str]) -> dict[str, MemoryRecord]:
    """Returns the rows of memories by id."""
    found = tx.records(MemoryRecord, "WHERE t.id IN (SELECT value FROM json_each(:ids))", {"ids": dump(list(ids))})
    return {one.id: one for one in found}


def vectors_of(tx: Transaction, model: str, ids: Sequence[str]) -> dict[str, bytes]:
    """Returns the packed vectors of memories, by id."""
    return dict(tx.all(VECTORS, {"model": model, "ids": dump(list(ids))}))


def answered(tx: Transaction) -> set[tuple[str, str]]:
    """Returns (kind, members) of every proposal that was rejected."""
    return {(kind, members) for kind, members in tx.all(ANSWERED, {"answer": REJECTED})}


def answer(tx: Transaction, kind: str, members: str, answer: str, now: float) -> None:
    """Stores a person's answer. A rejected proposal is not made again."""
    tx.run(ANSWER, {"kind": kind, "members": members, "answer": answer, "now": now})
    if answer == REJECTED:
        audit(tx, "reject", [(one, {"kind": kind}) for one in parse(members)], now, tx.actor, tx.session)
