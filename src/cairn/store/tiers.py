"""Tiers as rows: what ends, what is lifted, what makes room. Which and why is `core.lifecycle`'s to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, TypeVar

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core import lifecycle
from ..core.candidate import tier_at_birth
from ..core.defaults import DECISION_SECONDS, EVICTED_PART, JOB_READS, JOB_WRITES, REPEATED_SESSIONS
from ..core.errors import StoreError
from ..core.fastjson import dump
from ..core.lifecycle import Standing
from ..core.model import StoredMemory
from ..core.policies import DEFAULT, Policies
from . import versions
from .database import Database
from .reader import FACETS, ROW, Reader
from .tables import Memory

Row = TypeVar("Row")
EXPIRED, EVICTED, CAP = "expired", "evicted", "retention_cap"
SESSIONS = """
SELECT e.memory_id, count(DISTINCT e.session_id) FROM json_each(:ids) j CROSS JOIN evidence e ON e.memory_id = j.value
GROUP BY 1
"""
TRUSTED = "status = 'active' AND trust = 'trusted'"
NAMED = f"SELECT {ROW} FROM json_each(:ids) j CROSS JOIN memory m ON m.id = j.value ORDER BY m.id"
NOTED = "INSERT INTO audit (at, actor, op, memory_id, details) VALUES (:at, :actor, :op, :id, :details)"
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
        gone = [row.id for row in going]
        self._end(tx, gone, EVICTED, now, reason=CAP)
        return gone

    @staticmethod
    def _end(tx: Transaction, ids: list[str], why: str, now: float, **details: Any) -> None:
        tx.flush()
        versions.end_all(tx, dump(ids), why, now)
        op = "expire" if why == EXPIRED else "evict"
        audit(tx, op, [(memory_id, details) for memory_id in ids], now)

    def in_tiers(self, tiers: Iterable[str]) -> list[str]:
        """The ids of the active, trusted memories of some tiers."""
        return self._ids(f"tier IN (SELECT value FROM json_each(:tiers)) AND {TRUSTED}", tiers=dump(list(tiers)))

    def habits(self, tiers: Iterable[str]) -> list[str]:
        """Those of some tiers whose kind can become procedural, stated in several sessions."""
        where = f"""kind IN (SELECT value FROM json_each(:kinds)) AND {TRUSTED}
            AND tier IN (SELECT value FROM json_each(:tiers)) AND id IN (SELECT memory_id FROM evidence
            GROUP BY memory_id HAVING count(DISTINCT session_id) >= {REPEATED_SESSIONS})"""
        return self._ids(where, kinds=dump(list(lifecycle.HABITS)), tiers=dump(list(tiers)))

    def ending(self, now: float) -> list[str]:
        """What ends within a day, or has ended and was not looked at since."""
        where = "expires_at IS NOT NULL AND status = 'active' AND expires_at <= :until"
        return self._ids(where, until=now + DECISION_SECONDS)

    def _ids(self, where: str, **values: Any) -> list[str]:
        return [row[0] for row in self._read(f"SELECT id FROM memory WHERE {where} ORDER BY id", values)]

    def _read(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Rows as they are committed, without the writer's lock: what is long to read holds nobody up."""
        with closing(Reader(self.path)) as reader:
            return reader.rows(sql, values)

    def standings(self, ids: Sequence[str], now: float) -> Iterator[list[Standing]]:
        """What the promotion of memories is decided by, some at a time."""
        weigh = self.policies.importance
        for some in batches(ids, JOB_READS):
            named = {"ids": dump(some)}
            sessions: dict[str, int] = dict(self._read(SESSIONS, named))
            held = [StoredMemory(row) for row in self._read(NAMED, named)]
            yield [Standing(memory, weigh(memory, now), sessions.get(memory.id, 0)) for memory in held]

    def expire(self, now: float) -> list[str]:
        """Ends what has had its time: hidden, restorable, kept for the audit (Z3-12); their ids."""
        ended = self._ids("expires_at <= :now AND status = 'active'", now=now)
        done = []
        for some in batches(ended, JOB_WRITES):
            with self._transaction() as tx:
                query = select(Memory.id).where(col(Memory.expires_at) <= now, Memory.status == "active")
                over = list(tx.exec(query.where(col(Memory.id).in_(some)).order_by(Memory.id)))
                self._end(tx, over, EXPIRED, now, reason="ttl")
                done += over
        return done

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

    def lift(
        self, ids: Sequence[str], tier: str, why: Mapping[str, str], now: float, actor: str = "worker"
    ) -> list[str]:
        """Moves memories to another tier, each in one row (requirements K17), and says `why` for each; the ids of
        those for which that is a change. Raises StoreError where the tier is full, and moves none.
        """
        with self._transaction() as tx:
            where = "m.id IN (SELECT value FROM json_each(:ids)) AND m.status = 'active' AND m.tier <> :tier"
            held = stored(tx, where, ids=dump(list(ids)), tier=tier)
            if actor == "worker":  # a person may have lifted one further meanwhile
                held = [memory for memory in held if lifecycle.may_promote(memory.tier, tier)]
            for agent_id, count in Counter(memory.agent_id for memory in held).items():
                self.make_room(tx, tier, agent_id, now, count)
            ends: dict[float | None, list[str]] = {}
            for memory in held:
                origin = memory.origin if actor == "worker" else "manual"
                ends.setdefault(self.ends_at(tier, origin, now), []).append(memory.id)
            for at, moved in ends.items():
                versions.move_all(tx, dump(moved), tier, at, now)
            told = [(one.id, {"from": one.tier, "to": tier, "why": why[one.id]}) for one in held]
            audit(tx, "promote", told, now, actor)
            return [memory.id for memory in held]


def audit(
    tx: Transaction, op: str, about: Iterable[tuple[str, Mapping[str, Any]]], now: float, actor: str = "worker"
) -> None:
    """Notes what was done to memories: (id, details) of each."""
    rows = [
        {"at": now, "actor": actor, "op": op, "id": memory_id, "details": dump(dict(more))} for memory_id, more in about
    ]
    if rows:
        tx.connection().execute(text(NOTED), rows)


def batches(rows: Sequence[Row], size: int) -> Iterator[list[Row]]:
    for start in range(0, len(rows), size):
        yield list(rows[start : start + size])


def stored(tx: Transaction, where: str, **values: Any) -> list[StoredMemory]:
    """The memories (`m`) that a condition holds for, in the order of their ids."""
    rows = tx.connection().execute(text(f"SELECT {ROW} FROM memory m WHERE {where} ORDER BY m.id"), values)
    return [StoredMemory(row) for row in rows]
