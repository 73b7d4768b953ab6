"""Applies expiry, promotion and eviction to rows. `model.tiers` decides which memories and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, TypeVar

from ..db.engines import open_reader
from ..db.reader import ROW
from ..db.records import MemoryRecord
from ..db.writer import Transaction, Writer
from ..lib.errors import StoreError
from ..lib.fast_json import dump
from ..lib.limits import DECISION_SECONDS, JOB_READS, JOB_WRITES, NEWBORN_SECONDS, REPEATED_SESSIONS
from ..model import tiers
from ..model.candidate import PROGRAM, tier_at_birth
from ..model.memory import WORKER, StoredMemory
from ..model.policies import Policies
from ..model.tiers import Standing, Tier
from . import versions_sql

EVICTED_PART = 100  # one in this many memories of a full tier is evicted at a time

Row = TypeVar("Row")
EXPIRED, EVICTED = "expired", "evicted"
# For each way of ending: the condition that must still hold, the audit's operation, and the reason in the audit.
EXPIRY_RULES = {EXPIRED: ("expires_at <= :now", "expire", "ttl"), EVICTED: ("pinned = 0", "evict", "retention_cap")}
SELECT_STILL_ACTIVE = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active' AND "
# Evidence that a memory was said again: a template is run any number of times, and what waits confirms nothing.
STATED = f"e.method <> '{PROGRAM}' AND e.trust = 'trusted'"
SESSIONS = f"""
SELECT e.memory_id, count(DISTINCT e.session_id) FROM json_each(:ids) j CROSS JOIN evidence e
WHERE e.memory_id = j.value AND {STATED} GROUP BY e.memory_id
"""
TRUSTED = "status = 'active' AND trust = 'trusted'"
NAMED = f"SELECT {ROW} FROM json_each(:ids) j CROSS JOIN memory m WHERE m.id = j.value ORDER BY m.id"
OF_AGENT = f"SELECT {ROW} FROM memory m WHERE m.agent_id = :agent AND m.tier = :tier AND m.status = 'active'"
COUNT_OF_AGENT = "SELECT count(*) FROM memory WHERE agent_id = :agent AND tier = :tier AND status = 'active'"
PLACES = """
SELECT DISTINCT tier, agent_id FROM memory WHERE status = 'active' AND id IN (SELECT value FROM json_each(:ids))
"""
ADD_AUDIT = """
INSERT INTO audit (at, actor, op, memory_id, session_id, details) VALUES (:at, :actor, :op, :id, :session, :details)
"""
COUNT_OF_ALL = "SELECT agent_id, tier, count(*) FROM memory WHERE status = 'active' GROUP BY agent_id, tier"
NEXT_END = "SELECT min(expires_at) FROM memory WHERE expires_at IS NOT NULL AND status = 'active'"
SUBJECTS = """
SELECT f.memory_id, f.value FROM json_each(:ids) j CROSS JOIN memory_facet f
WHERE f.memory_id = j.value AND f.facet IN (SELECT value FROM json_each(:facets)) ORDER BY f.memory_id, f.value
"""


class Weighed:
    """The columns of a memory that decide on eviction, and its importance."""

    __slots__ = ("id", "pinned", "origin", "created_at", "accessed_at", "confidence", "importance")

    def __init__(self, memory: StoredMemory, importance: float) -> None:
        self.id = memory.id
        self.pinned = memory.pinned
        self.origin = memory.origin
        self.created_at = memory.created_at
        self.accessed_at = memory.accessed_at
        self.confidence = memory.confidence
        self.importance = importance


def ends_at(tx: Transaction, tier: str, origin: str, now: float) -> float | None:
    """Returns when a memory that enters a tier now expires, None for never."""
    policy = tx.policies.tiers.get(tier)
    return tiers.expires_at(policy, origin, now) if policy else None


def confirm_tier(tx: Transaction, memory: MemoryRecord, now: float) -> None:
    """Moves a note of a session that is stated again to the tier of its kind."""
    tier = tier_at_birth(memory.kind, memory.confidence)
    ends = ends_at(tx, tier, memory.origin, now)
    make_room(tx, tier, memory.agent_id, now)
    sound = versions_sql.is_sound(memory)
    versions_sql.apply_change(tx, memory, now, "confirm", tier=tier, expires_at=ends)
    if sound:
        versions_sql.sign(tx, memory, now)


def make_room(tx: Transaction, tier: str, agent_id: str, now: float, coming: int = 1) -> list[str]:
    """Evicts memories until `coming` more fit into a full tier. Returns the ids of the evicted. Leaves a tier far above
    its cap to the job. Raises StoreError if nothing may be evicted.
    """
    policy = tx.policies.tiers.get(tier)
    if policy is None:
        return []
    place = {"agent": agent_id, "tier": tier}
    over = tx.value(COUNT_OF_AGENT, place) - policy.cap + coming
    room = max(over, policy.cap // EVICTED_PART)
    if over <= 0 or room > coming + max(JOB_WRITES, policy.cap // EVICTED_PART):
        return []
    active = [StoredMemory(row) for row in tx.all(OF_AGENT + " ORDER BY m.id", place)]
    going = _least_important(tx.policies, active, policy, room, now)
    born = {memory.id for memory in active if memory.created_at > now - NEWBORN_SECONDS}
    going = going[:over] + [one for one in going[over:] if one not in born]
    if len(going) < over:
        says = f"the {tier} tier is full: its {policy.cap} memories are pinned or a person's own"
        raise StoreError(says, f"keepstone config tier.{tier}.cap {2 * policy.cap}, or keepstone review")
    return _end(tx, going, EVICTED, now)


def evict_to_cap(tx: Transaction, ids: Sequence[str], now: float) -> None:
    """Makes room in the tiers that memories have returned to. Raises StoreError as `make_room` does."""
    if ids:
        for tier, agent_id in tx.all(PLACES, {"ids": dump(list(ids))}):
            make_room(tx, tier, agent_id, now, 0)


def _least_important(
    policies: Policies, active: Iterable[StoredMemory], policy: Tier, room: int, now: float
) -> list[str]:
    weighed = [Weighed(memory, policies.importance(memory, now)) for memory in active]
    return [row.id for row in tiers.evicted(weighed, policy, room, now)]


def _end(tx: Transaction, ids: list[str], why: str, now: float) -> list[str]:
    """Ends the memories that the condition still holds for. Returns their ids."""
    still = tx.column(SELECT_STILL_ACTIVE + EXPIRY_RULES[why][0], {"ids": dump(ids), "now": now})
    versions_sql.end_all(tx, dump(still), why, now)
    audit(tx, *end_of(why, still), now)
    return still


def in_tiers(writer: Writer, names: Iterable[str]) -> list[str]:
    """Returns the ids of the active, trusted memories of some tiers."""
    return _ids(writer, f"tier IN (SELECT value FROM json_each(:tiers)) AND {TRUSTED}", tiers=dump(list(names)))


def habits(writer: Writer, names: Iterable[str]) -> list[str]:
    """Returns the ids of memories of some tiers whose kind can become procedural, stated in several sessions."""
    where = f"""kind IN (SELECT value FROM json_each(:kinds)) AND {TRUSTED}
        AND tier IN (SELECT value FROM json_each(:tiers)) AND {REPEATED_SESSIONS} <=
        (SELECT count(DISTINCT e.session_id) FROM evidence e WHERE e.memory_id = memory.id AND {STATED})"""
    return _ids(writer, where, kinds=dump(list(tiers.HABITS)), tiers=dump(list(names)))


def ending(writer: Writer, now: float) -> list[str]:
    """Returns the ids of memories that expire within a day, or have expired and still await a decision."""
    where = "expires_at IS NOT NULL AND status = 'active' AND expires_at <= :until"
    return _ids(writer, where, until=now + DECISION_SECONDS)


def _ids(writer: Writer, where: str, **values: Any) -> list[str]:
    return [row[0] for row in _read(writer, f"SELECT id FROM memory WHERE {where} ORDER BY id", values)]


def _read(writer: Writer, sql: str, values: dict[str, Any]) -> list[Any]:
    """Reads committed rows without the writer's lock, so that a long read blocks no writer."""
    with closing(open_reader(writer.where)) as reader:
        return reader.rows(sql, values)


def standings(writer: Writer, ids: Sequence[str], now: float) -> Iterator[list[Standing]]:
    """Yields, in batches, the facts that decide whether memories are promoted."""
    weigh = writer.policies.importance
    for some in batches(ids, JOB_READS):
        named = {"ids": dump(some)}
        sessions: dict[str, int] = dict(_read(writer, SESSIONS, named))
        memories = [StoredMemory(row) for row in _read(writer, NAMED, named)]
        yield [Standing(memory, weigh(memory, now), sessions.get(memory.id, 0)) for memory in memories]


def expire(writer: Writer, now: float) -> list[str]:
    """Ends expired memories: hidden, restorable, kept for the audit. Returns their ids. Uses a transaction for each
    batch, so that other processes can write in between.
    """
    ended: list[str] = []
    for some in batches(_ids(writer, "expires_at <= :now AND status = 'active'", now=now), JOB_WRITES):
        with writer.transaction() as tx:
            ended += _end(tx, some, EXPIRED, now)
    return ended


def next_end(tx: Transaction) -> float | None:
    """Returns when the next active memory expires, None if none does."""
    first: float | None = tx.value(NEXT_END)
    return None if first is None else first - DECISION_SECONDS


def keep_caps(writer: Writer, now: float) -> list[str]:
    """Evicts memories above the caps, which may have been lowered. Returns their ids. Uses a transaction for each
    batch, as `expire` does.
    """
    evicted: list[str] = []
    for agent_id, tier, count in _read(writer, COUNT_OF_ALL, {}):
        policy = writer.policies.tiers.get(tier)
        if policy is not None and count > policy.cap:
            active = [StoredMemory(row) for row in _read(writer, OF_AGENT, {"agent": agent_id, "tier": tier})]
            going = _least_important(writer.policies, active, policy, count - policy.cap, now)
            for some in batches(going, JOB_WRITES):
                with writer.transaction() as tx:
                    evicted += _end(tx, some, EVICTED, now)
    return evicted


def subjects(tx: Transaction, ids: Iterable[str], facets: Iterable[str]) -> dict[str, list[str]]:
    """Returns the values of some facets, by memory id."""
    found: dict[str, list[str]] = {}
    for memory_id, value in tx.all(SUBJECTS, {"ids": dump(list(ids)), "facets": dump(list(facets))}):
        found.setdefault(memory_id, []).append(value)
    return found


def lift(
    tx: Transaction, ids: Sequence[str], tier: str, why: Mapping[str, str], now: float, actor: str = WORKER
) -> list[str]:
    """Moves memories to another tier, each by one update, and records `why` for each. Returns the ids of those that
    moved. Raises StoreError, with none moved, if the tier is full.
    """
    rows = map(StoredMemory, tx.all(NAMED, {"ids": dump(list(ids))}))
    moving = [memory for memory in rows if memory.status == "active" and memory.tier != tier]
    if actor == WORKER:  # a person may have promoted it further meanwhile
        moving = [memory for memory in moving if tiers.may_promote(memory.tier, tier)]
    for agent_id, count in Counter(memory.agent_id for memory in moving).items():
        make_room(tx, tier, agent_id, now, count)
    ends: dict[float | None, list[str]] = {}
    for memory in moving:
        origin = memory.origin if actor == WORKER else "manual"
        own = memory.expires_at if memory.origin in tiers.BY_HAND else None  # an end that a person set
        ends.setdefault(own or ends_at(tx, tier, origin, now), []).append(memory.id)
    up = {memory.id for memory in moving if tiers.may_promote(memory.tier, tier)}
    for at, moved in ends.items():
        op = "promote" if up.issuperset(moved) else "demote"
        versions_sql.apply_tier_to_all(tx, dump(moved), tier, at, now, op)
    about = [(one.id, {"from": one.tier, "to": tier, "why": why[one.id], "ends": one.expires_at}) for one in moving]
    session = tx.session if actor != WORKER else None
    audit(tx, "promote", [one for one in about if one[0] in up], now, actor, session)
    audit(tx, "demote", [one for one in about if one[0] not in up], now, actor, session)
    return [memory.id for memory in moving]


def end_of(why: str, ids: Iterable[str]) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """Returns the audit's operation for an end, and its details for each memory."""
    _, op, reason = EXPIRY_RULES[why]
    return op, [(memory_id, {"reason": reason}) for memory_id in ids]


def audit(
    tx: Transaction,
    op: str,
    about: Iterable[tuple[str, Mapping[str, Any]]],
    now: float,
    actor: str = WORKER,
    session: str | None = None,
) -> None:
    """Adds an audit row for each (memory id, details)."""
    rows = [
        {"at": now, "actor": actor, "op": op, "id": memory_id, "session": session, "details": dump(dict(details))}
        for memory_id, details in about
    ]
    if rows:
        tx.many(ADD_AUDIT, rows)


def batches(rows: Sequence[Row], size: int) -> Iterator[list[Row]]:
    for start in range(0, len(rows), size):
        yield list(rows[start : start + size])


def stored(tx: Transaction, where: str, **values: Any) -> list[StoredMemory]:
    """Returns the memories `m` that match a condition, ordered by id."""
    return [StoredMemory(row) for row in tx.all(f"SELECT {ROW} FROM memory m WHERE {where} ORDER BY m.id", values)]
