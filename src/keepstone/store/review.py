"""What a review is made of: rows that may be pruned, pairs that may be one, and what a person has answered before."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlmodel import select

from ..core.defaults import MERGE_HUB, MERGE_PAIRS, PRUNE_IDLE_DAYS
from ..core.fastjson import dump, parse
from ..core.lifecycle import DAY
from ..core.model import StoredMemory
from .tables import Proposal
from .tiers import Tiers, audit, stored

CONFIRMED, REJECTED = "confirmed", "rejected"  # a person's answers
STALE = """m.status = 'active' AND m.trust = 'trusted' AND m.pinned = 0 AND m.created_at < :cutoff
    AND max(m.created_at, coalesce(m.used_at, 0)) < :idle AND m.tier <> 'working'
    AND (m.expires_at IS NULL OR m.expires_at > :now)"""
# A file that half of everything came of ties nothing together (W-NL3).
NEAR = """
SELECT DISTINCT a.memory_id, b.memory_id FROM memory_facet a
JOIN memory_facet b ON b.facet = 'file' AND b.value = a.value AND b.memory_id > a.memory_id
JOIN memory m ON m.id = a.memory_id AND m.status = 'active' AND m.trust = 'trusted'
JOIN memory n ON n.id = b.memory_id AND n.status = 'active' AND n.trust = 'trusted'
    AND n.kind = m.kind AND n.scope = m.scope AND n.project_id IS m.project_id
WHERE a.facet = 'file' AND m.tier <> 'working' AND n.tier <> 'working'
    AND (m.expires_at IS NULL OR m.expires_at > :now) AND (n.expires_at IS NULL OR n.expires_at > :now)
    AND (SELECT count(*) FROM memory_facet c WHERE c.facet = 'file' AND c.value = a.value) <= :hub
LIMIT :pairs
"""


class Reviews(Tiers):
    """Proposals, computed from the rows as they are; only answers are kept."""

    def stale(self, retention: float, now: float) -> list[StoredMemory]:
        """What is old and idle; whether it is of little worth is not looked at here."""
        idle = min(PRUNE_IDLE_DAYS, retention) * DAY
        with self._transaction() as tx:
            return stored(tx, STALE, cutoff=now - retention * DAY, idle=now - idle, now=now)

    def near_pairs(self, now: float) -> list[tuple[str, str]]:
        """Pairs of memories of one kind and place that came of the same file."""
        with self._transaction() as tx:
            rows = tx.connection().execute(text(NEAR), {"hub": MERGE_HUB, "pairs": MERGE_PAIRS, "now": now})
            return [(one, other) for one, other in rows]

    def held(self, ids: Sequence[str]) -> dict[str, StoredMemory]:
        with self._transaction() as tx:
            found = stored(tx, "m.id IN (SELECT value FROM json_each(:ids))", ids=dump(list(ids)))
            return {memory.id: memory for memory in found}

    def vectors_of(self, model: str, ids: Sequence[str]) -> dict[str, bytes]:
        """The packed vectors of some memories."""
        sql = """SELECT memory_id, data FROM vector WHERE model = :model
            AND memory_id IN (SELECT value FROM json_each(:ids))"""
        with self._transaction() as tx:
            rows = tx.connection().execute(text(sql), {"model": model, "ids": dump(list(ids))})
            return {memory_id: data for memory_id, data in rows}

    def answered(self) -> set[tuple[str, str]]:
        """(kind, members) of every proposal that was turned down."""
        with self._transaction() as tx:
            return {(row.kind, row.members) for row in tx.exec(select(Proposal)) if row.answer == REJECTED}

    def answer(self, kind: str, members: str, answer: str, now: float) -> None:
        """Keeps a person's answer: what was turned down is not proposed again."""
        with self._transaction() as tx:
            row = tx.get(Proposal, (kind, members)) or Proposal(
                kind=kind, members=members, answer=answer, answered_at=now
            )
            row.answer, row.answered_at = answer, now
            tx.add(row)
            if answer == REJECTED:
                audit(tx, "reject", [(one, {"kind": kind}) for one in parse(members)], now, "person", self.session)
