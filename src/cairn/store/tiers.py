"""Tiers as rows: what ends, what is lifted, what makes room. Which and why is `core.lifecycle`'s to say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core import lifecycle
from ..core.candidate import tier_at_birth
from ..core.defaults import DECISION_SECONDS, EVICTED_PART, REPEATED_SESSIONS
from ..core.errors import StoreError
from ..core.fastjson import dump
from ..core.lifecycle import Standing
from ..core.model import StoredMemory
from ..core.policies import DEFAULT, Policies
from . import versions
from .database import Database
from .reader import FACETS, ROW
from .tables import Audit, Memory

EXPIRED, EVICTED, CAP = "expired", "evicted", "retention_cap"
SESSIONS = """
SELECT e.memory_id, count(DISTINCT e.session_id) FROM json_each(:ids) j CROSS JOIN evidence e ON e.memory_id = j.value
GROUP BY 1
"""


FULL = "SELECT agent_id, tier, count(*) FROM memory WHERE status = 'active' GROUP BY agent_id, tier"


class Weighed:
    """A row that eviction is decided by."""

    __slots__ = ("id", "pinned", "origin", "created_at", "accessed_at", "confidence", "importance")

    def __init__(self, memory: StoredMemory, importance: float) -> None:
        self.id = memory.id
        self.pinned = memory.pinned
        self.origin = memory.origin
        self.created_at = memory.created_at
        self.accessed_at = memory.accessed_at
        self.confidence = memory.confidence
        self.importance = importance


class Tiers(Database):
    """The life of rows. `policies` decides; whoever makes a store may set others."""

    policies: Policies = DEFAULT

    def ends_at(self, tier: str, origin: str, now: float) -> float | None:
        """When a memory that enters a tier now ends by itself."""
        policy = self.policies.tiers.get(tier)
        return lifecycle.expires_at(policy, origin, now) if policy else None

    def confirm_tier(self, tx: Transaction, memory: Memory, now: float) -> None:
        """What was unsure is sure: it enters the tier of its kind."""
        tier = tier_at_birth(memory.kind, memory.confidence)
        ends = self.ends_at(tier, memory.origin, now)
        self.make_room(tx, tier, memory.agent_id, now)
        versions.turn(tx, memory, now, "confirm", tier=tier, expires_at=ends)
        versions.seal(memory, now)

    def make_room(self, tx: Transaction, tier: str, agent_id: str, now: float, coming: int = 1) -> list[str]:
        """Evicts what has to go before `coming` more memories enter a full tier (Z3-15); their ids. Raises StoreError
        where nothing may go.
        """
        policy = self.policies.tiers.get(tier)
        if policy is None:
            return []
        where = {"agent": agent_id, "tier": tier}
        count = "SELECT count(*) FROM memory WHERE agent_id = :agent AND tier = :tier AND status = 'active'"
        over = tx.connection().execute(text(count), where).scalar_one() - policy.cap + coming
        if over <= 0:
            return []
        held = stored(tx, "m.agent_id = :agent AND m.tier = :tier AND m.status = 'active'", **where)
        weighed = [Weighed(memory, self.policies.importance(memory, now)) for memory in held]
        going = lifecycle.evicted(weighed, policy, max(over, policy.cap // EVICTED_PART), now)
        if len(going) < over and coming:
            says = f"the {tier} tier is full: its {policy.cap} memories are pinned or a person's own"
            raise StoreError(says, f"cairn config tiers {tier}.cap={2 * policy.cap}, or cairn review")
        for row in going:
            self._end(tx, row.id, EVICTED, now, reason=CAP)
        return [row.id for row in going]

    @staticmethod
    def _end(tx: Transaction, memory_id: str, why: str, now: float, **details: Any) -> None:
        memory = tx.exec(select(Memory).where(Memory.id == memory_id)).one()
        if versions.turn(tx, memory, now, why, status="deleted", status_reason=why):
            op = "expire" if why == EXPIRED else "evict"
            tx.add(Audit(at=now, actor="worker", op=op, memory_id=memory_id, details=dump(details)))

    def standing(self, tiers: Iterable[str], now: float) -> list[Standing]:
        """Every active, trusted memory of some tiers, with what its promotion is decided by."""
        with self._transaction() as tx:
            where = "m.tier IN (SELECT value FROM json_each(:tiers)) AND m.status = 'active' AND m.trust = 'trusted'"
            return self._standing(tx, stored(tx, where, tiers=dump(list(tiers))), now)

    def habits(self, now: float) -> list[Standing]:
        """The active semantic memories of a kind that can become procedural, stated in several sessions."""
        with self._transaction() as tx:
            where = f"""m.kind IN (SELECT value FROM json_each(:kinds)) AND m.tier = 'semantic' AND m.status = 'active'
                AND m.trust = 'trusted' AND m.id IN (SELECT memory_id FROM evidence GROUP BY memory_id
                HAVING count(DISTINCT session_id) >= {REPEATED_SESSIONS})"""
            return self._standing(tx, stored(tx, where, kinds=dump(list(lifecycle.HABITS))), now)

    def ending(self, now: float) -> list[Standing]:
        """What ends within a day, or has ended and was not looked at since."""
        with self._transaction() as tx:
            where = "m.expires_at IS NOT NULL AND m.status = 'active' AND m.expires_at <= :until"
            return self._standing(tx, stored(tx, where, until=now + DECISION_SECONDS), now)

    def _standing(self, tx: Transaction, held: list[StoredMemory], now: float) -> list[Standing]:
        ids = dump([memory.id for memory in held])
        sessions: dict[str, int] = dict(tx.connection().execute(text(SESSIONS), {"ids": ids}).all())
        weigh = self.policies.importance
        return [Standing(memory, weigh(memory, now), sessions.get(memory.id, 0)) for memory in held]

    def expire(self, now: float) -> list[str]:
        """Ends what has had its time: hidden, restorable, kept for the audit (Z3-12); their ids."""
        with self._transaction() as tx:
            query = select(Memory.id).where(col(Memory.expires_at) <= now, Memory.status == "active")
            ended = list(tx.exec(query.order_by(Memory.id)))
            for memory_id in ended:
                self._end(tx, memory_id, EXPIRED, now, reason="ttl")
            return ended

    def next_end(self) -> float | None:
        """When the next active memory comes to its decision, None where none ends by itself."""
        query = "SELECT min(expires_at) FROM memory WHERE expires_at IS NOT NULL AND status = 'active'"
        with self._transaction() as tx:
            first: float | None = tx.connection().execute(text(query)).scalar()
            return None if first is None else first - DECISION_SECONDS

    def keep_caps(self, now: float) -> list[str]:
        """Evicts what is over the caps, which may have been lowered; the ids."""
        with self._transaction() as tx:
            full = tx.connection().execute(text(FULL)).all()
            over = [(a, t) for a, t, count in full if t in self.policies.tiers and count > self.policies.tiers[t].cap]
        evicted = []
        for agent_id, tier in over:
            with self._transaction() as tx:
                evicted += self.make_room(tx, tier, agent_id, now, coming=0)
        return evicted

    def subjects(self, ids: Iterable[str], facets: Iterable[str]) -> dict[str, list[str]]:
        """What memories are about, by their facets of some sorts."""
        found: dict[str, list[str]] = {}
        with self._transaction() as tx:
            values = {"ids": dump(list(ids)), "facets": dump(list(facets))}
            for memory_id, value in tx.connection().execute(text(FACETS), values):
                found.setdefault(memory_id, []).append(value)
        return found

    def lift(self, memory_id: str, tier: str, why: str, now: float, actor: str = "worker") -> bool:
        """Moves a memory to another tier, in one row (requirements K17); whether that is a change."""
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).one()
            if memory.tier == tier or memory.status != "active":
                return False
            self.make_room(tx, tier, memory.agent_id, now)
            origin = memory.origin if actor == "worker" else "manual"
            before = memory.tier
            versions.turn(tx, memory, now, "promote", tier=tier, expires_at=self.ends_at(tier, origin, now))
            details = dump({"from": before, "to": tier, "why": why})
            tx.add(Audit(at=now, actor=actor, op="promote", memory_id=memory_id, details=details))
            return True


def stored(tx: Transaction, where: str, **values: Any) -> list[StoredMemory]:
    """The memories (`m`) that a condition holds for, in the order of their ids."""
    rows = tx.connection().execute(text(f"SELECT {ROW} FROM memory m WHERE {where} ORDER BY m.id"), values)
    return [StoredMemory(row) for row in rows]
