"""Tiers as rows: what ends, what is lifted, what makes room. Which and why is `core.lifecycle`'s to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, TypeVar

from sqlalchemy import text
from sqlmodel import Session as Transaction

from ..core import lifecycle
from ..core.candidate import tier_at_birth
from ..core.defaults import (
    DECISION_SECONDS,
    EVICTED_PART,
    JOB_READS,
    JOB_WRITES,
    NEWBORN_SECONDS,
    REPEATED_SESSIONS,
)
from ..core.errors import StoreError
from ..core.fastjson import dump
from ..core.lifecycle import Standing, Tier
from ..core.model import StoredMemory
from ..core.policies import DEFAULT, Policies
from . import versions
from .database import Database
from .engines import open_reader
from .reader import FACETS, ROW
from .tables import Memory

Row = TypeVar("Row")
EXPIRED, EVICTED = "expired", "evicted"
# how each way to end goes: what must still hold, the word in the audit, and its reason
ENDS = {EXPIRED: ("expires_at <= :now", "expire", "ttl"), EVICTED: ("pinned = 0", "evict", "retention_cap")}
STILL = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active' AND "
SESSIONS = """
SELECT e.memory_id, count(DISTINCT e.session_id) FROM json_each(:ids) j CROSS JOIN evidence e ON e.memory_id = j.value
GROUP BY 1
"""
TRUSTED = "status = 'active' AND trust = 'trusted'"
NAMED = f"SELECT {ROW} FROM json_each(:ids) j CROSS JOIN memory m ON m.id = j.value ORDER BY m.id"
OF_AGENT = f"SELECT {ROW} FROM memory m WHERE m.agent_id = :agent AND m.tier = :tier AND m.status = 'active'"
PLACES = """
SELECT DISTINCT tier, agent_id FROM memory WHERE status = 'active' AND id IN (SELECT value FROM json_each(:ids))
"""
NOTED = """
INSERT INTO audit (at, actor, op, memory_id, session_id, details) VALUES (:at, :actor, :op, :id, :session, :details)
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
    session: str | None = None  # that a person's doings belong to

    def ends_at(self, tier: str, origin: str, now: float) -> float | None:
        """When a memory that enters a tier now ends by itself."""
        policy = self.policies.tiers.get(tier)
        return lifecycle.expires_at(policy, origin, now) if policy else None

    def confirm_tier(self, tx: Transaction, memory: Memory, now: float) -> None:
        """What was unsure is sure: it enters the tier of its kind."""
        tier = tier_at_birth(memory.kind, memory.confidence)
        ends = self.ends_at(tier, memory.origin, now)
        self.make_room(tx, tier, memory.agent_id, now)
        sound = versions.is_sound(memory)
        versions.turn(tx, memory, now, "confirm", tier=tier, expires_at=ends)
        if sound:
            versions.seal(memory, now)

    def make_room(self, tx: Transaction, tier: str, agent_id: str, now: float, coming: int = 1) -> list[str]:
        """Evicts what has to go before `coming` more memories enter a full tier (Z3-15); their ids. A tier far above
        its cap is left to the job. Raises StoreError where nothing may go.
        """
        policy = self.policies.tiers.get(tier)
        if policy is None:
            return []
        where = {"agent": agent_id, "tier": tier}
        count = "SELECT count(*) FROM memory WHERE agent_id = :agent AND tier = :tier AND status = 'active'"
        over = tx.connection().execute(text(count), where).scalar_one() - policy.cap + coming
        room = max(over, policy.cap // EVICTED_PART)
        if over <= 0 or room > coming + max(JOB_WRITES, policy.cap // EVICTED_PART):
            return []
        held = stored(tx, "m.agent_id = :agent AND m.tier = :tier AND m.status = 'active'", **where)
        going = self._least(held, policy, room, now)
        born = {memory.id for memory in held if memory.created_at > now - NEWBORN_SECONDS}
        going = going[:over] + [one for one in going[over:] if one not in born]
        if len(going) < over:
            says = f"the {tier} tier is full: its {policy.cap} memories are pinned or a person's own"
            raise StoreError(says, f"keepstone config tiers {tier}.cap={2 * policy.cap}, or keepstone review")
        return self._end(tx, going, EVICTED, now)

    def fit(self, tx: Transaction, ids: Sequence[str], now: float) -> None:
        """Makes room where memories have come back to their tiers. Raises StoreError as `make_room`."""
        tx.flush()
        for tier, agent_id in tx.connection().execute(text(PLACES), {"ids": dump(list(ids))}).all():
            self.make_room(tx, tier, agent_id, now, 0)

    def _least(self, held: Iterable[StoredMemory], policy: Tier, room: int, now: float) -> list[str]:
        weighed = [Weighed(memory, self.policies.importance(memory, now)) for memory in held]
        return [row.id for row in lifecycle.evicted(weighed, policy, room, now)]

    @staticmethod
    def _end(tx: Transaction, ids: list[str], why: str, now: float) -> list[str]:
        """Ends those of the memories for which it still holds; their ids."""
        tx.flush()
        still = ENDS[why][0]
        held = tx.connection().execute(text(STILL + still), {"ids": dump(ids), "now": now}).scalars().all()
        versions.end_all(tx, dump(list(held)), why, now)
        audit(tx, *end_of(why, held), now)
        return list(held)

    def in_tiers(self, tiers: Iterable[str]) -> list[str]:
        """The ids of the active, trusted memories of some tiers."""
        return self._ids(f"tier IN (SELECT value FROM json_each(:tiers)) AND {TRUSTED}", tiers=dump(list(tiers)))

    def habits(self, tiers: Iterable[str]) -> list[str]:
        """Those of some tiers whose kind can become procedural, stated in several sessions."""
        where = f"""kind IN (SELECT value FROM json_each(:kinds)) AND {TRUSTED}
            AND tier IN (SELECT value FROM json_each(:tiers)) AND {REPEATED_SESSIONS} <=
            (SELECT count(DISTINCT e.session_id) FROM evidence e WHERE e.memory_id = memory.id)"""
        return self._ids(where, kinds=dump(list(lifecycle.HABITS)), tiers=dump(list(tiers)))

    def ending(self, now: float) -> list[str]:
        """What ends within a day, or has ended and was not looked at since."""
        where = "expires_at IS NOT NULL AND status = 'active' AND expires_at <= :until"
        return self._ids(where, until=now + DECISION_SECONDS)

    def _ids(self, where: str, **values: Any) -> list[str]:
        return [row[0] for row in self._read(f"SELECT id FROM memory WHERE {where} ORDER BY id", values)]

    def _read(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Rows as they are committed, without the writer's lock: what is long to read holds nobody up."""
        with closing(open_reader(self.where)) as reader:
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
        ended: list[str] = []
        for some in batches(self._ids("expires_at <= :now AND status = 'active'", now=now), JOB_WRITES):
            with self._transaction() as tx:
                ended += self._end(tx, some, EXPIRED, now)
        return ended

    def next_end(self) -> float | None:
        """When the next active memory comes to its decision, None where none ends by itself."""
        query = "SELECT min(expires_at) FROM memory WHERE expires_at IS NOT NULL AND status = 'active'"
        with self._transaction() as tx:
            first: float | None = tx.connection().execute(text(query)).scalar()
            return None if first is None else first - DECISION_SECONDS

    def keep_caps(self, now: float) -> list[str]:
        """Evicts what is over the caps, which may have been lowered; the ids."""
        evicted: list[str] = []
        for agent_id, tier, count in self._read(FULL, {}):
            policy = self.policies.tiers.get(tier)
            if policy is not None and count > policy.cap:
                held = [StoredMemory(row) for row in self._read(OF_AGENT, {"agent": agent_id, "tier": tier})]
                going = self._least(held, policy, count - policy.cap, now)
                for some in batches(going, JOB_WRITES):
                    with self._transaction() as tx:
                        evicted += self._end(tx, some, EVICTED, now)
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
            rows = tx.connection().execute(text(NAMED), {"ids": dump(list(ids))})
            held = [memory for memory in map(StoredMemory, rows) if memory.status == "active" and memory.tier != tier]
            if actor == "worker":  # a person may have lifted one further meanwhile
                held = [memory for memory in held if lifecycle.may_promote(memory.tier, tier)]
            for agent_id, count in Counter(memory.agent_id for memory in held).items():
                self.make_room(tx, tier, agent_id, now, count)
            ends: dict[float | None, list[str]] = {}
            for memory in held:
                origin = memory.origin if actor == "worker" else "manual"
                own = memory.expires_at if memory.origin in lifecycle.BY_HAND else None  # the end that a person set
                ends.setdefault(own or self.ends_at(tier, origin, now), []).append(memory.id)
            up = {memory.id for memory in held if lifecycle.may_promote(memory.tier, tier)}
            for at, moved in ends.items():
                versions.move_all(tx, dump(moved), tier, at, now, "promote" if up.issuperset(moved) else "demote")
            told = [
                (one.id, {"from": one.tier, "to": tier, "why": why[one.id], "ends": one.expires_at}) for one in held
            ]
            session = self.session if actor == "person" else None
            audit(tx, "promote", [one for one in told if one[0] in up], now, actor, session)
            audit(tx, "demote", [one for one in told if one[0] not in up], now, actor, session)
            return [memory.id for memory in held]


def end_of(why: str, ids: Iterable[str]) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """The audit's word for an end, and what it says of each memory."""
    _, op, reason = ENDS[why]
    return op, [(memory_id, {"reason": reason}) for memory_id in ids]


def audit(
    tx: Transaction,
    op: str,
    about: Iterable[tuple[str, Mapping[str, Any]]],
    now: float,
    actor: str = "worker",
    session: str | None = None,
) -> None:
    """Notes what was done to memories: (id, details) of each."""
    rows = [
        {"at": now, "actor": actor, "op": op, "id": memory_id, "session": session, "details": dump(dict(more))}
        for memory_id, more in about
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
