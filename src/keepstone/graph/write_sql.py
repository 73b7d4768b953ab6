"""Writes the graph: relationships that were found or drawn by hand, and values computed from all of them."""

from __future__ import annotations

from collections.abc import Mapping

from ..db.records import MemoryRecord, RelationshipRecord
from ..db.writer import Transaction
from ..lib.errors import StateError
from ..lib.fast_json import dump, parse
from ..lib.limits import LINKS_MAX
from ..lifecycle import add_sql, supersede_sql
from ..lifecycle.review_sql import REJECTED
from ..lifecycle.supersede_sql import NOTE, RELATE, UNRELATE, between, members_of, touching
from ..model.relationship import HEURISTICS, MANUAL, SUPERSEDES, SYMMETRIC, Link, best

_LOOKED_AT = "UPDATE memory SET related_at = updated_at WHERE id = :id"
_LOOK_AGAIN = "UPDATE memory SET related_at = NULL WHERE id IN (SELECT value FROM json_each(:ids))"
_CREATED = "SELECT created_at, updated_at FROM memory WHERE id = :id"
_ALL_CREATED = """
SELECT id, created_at FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id
"""
_ACTIVE = """
SELECT id, pagerank, community FROM memory WHERE status = 'active'
AND trust = 'trusted' AND tier <> 'working' ORDER BY id
"""
_EDGES = """
SELECT r.source_id, r.target_id, r.type, r.method, r.weight FROM relationship r
JOIN memory s ON s.id = r.source_id AND s.status = 'active' AND s.trust = 'trusted' AND s.tier <> 'working'
JOIN memory t ON t.id = r.target_id AND t.status = 'active' AND t.trust = 'trusted' AND t.tier <> 'working'
ORDER BY 1, 2, 3
"""
_CONCEPTS = "SELECT memory_id, value FROM memory_facet WHERE facet IN ('concept', 'symbol') ORDER BY 1, 2"
_SET_RANK = "UPDATE memory SET pagerank = :value WHERE id = :id"
_SET_COMMUNITY = "UPDATE memory SET community = :value WHERE id = :id"
_DENY = """
INSERT INTO proposal (kind, members, answer, answered_at) VALUES (:kind, :members, :answer, :now)
ON CONFLICT (kind, members) DO UPDATE SET answer = excluded.answer, answered_at = excluded.answered_at
"""
_DENIED = "SELECT members FROM proposal WHERE kind = :kind AND answer = :answer AND members LIKE :pattern"


# Relationships that were found


def keep_links(tx: Transaction, memory_id: str, updated_at: float, found: Mapping[str, Link], now: float) -> bool:
    """Stores the links found for a memory. Returns False, with nothing stored, if the memory has changed meanwhile.

    A pair whose relationship a person has drawn or denied gets no other one. A link that was found from the other side
    since the memory changed is kept: a memory of user scope does not see the memories of projects, which do see it.
    """
    row = tx.one(_CREATED, {"id": memory_id})
    if row is None or row[1] != updated_at:
        return False
    rows = touching(tx, memory_id)
    decided = {_other(row, memory_id) for row in rows if row.method not in HEURISTICS} | _denied(tx, memory_id)
    held = {_other(row, memory_id): row for row in rows if row.method in HEURISTICS}
    kept = best({other: one for other, one in found.items() if other not in decided})
    gone = _drop_outdated(tx, held, kept, updated_at)
    if updated_at <= now:
        tx.run(_LOOK_AGAIN, {"ids": dump(gone)})
    for other_id, created_at in tx.all(_ALL_CREATED, {"ids": dump(list(kept))}):
        _add_link(tx, (row[0], memory_id), (created_at, other_id), kept[other_id], now)
    tx.run(_LOOKED_AT, {"id": memory_id})
    return True


def _drop_outdated(
    tx: Transaction, held: Mapping[str, RelationshipRecord], kept: dict[str, Link], updated_at: float
) -> list[str]:
    """Deletes the previous links. Keeps those that were found since the memory changed and are as strong as the new
    ones, and removes these from `kept`. Returns the ids of memories that lose their link.
    """
    gone = []
    for other, row in held.items():
        known = Link(row.weight, row.method) if row.created_at >= updated_at else None
        if known and known >= kept.get(other, known):
            kept.pop(other, None)
        else:
            tx.remove(row)
            gone += [other] if other not in kept else []
    return gone


def _add_link(tx: Transaction, memory: tuple[float, str], other: tuple[float, str], made: Link, now: float) -> None:
    """Adds a link from the newer to the older memory (created at, id), because sharing has no direction of its own. If
    one of them already has the most links, its weakest is replaced if that is weaker.
    """
    weakest: dict[tuple[str, str, str], RelationshipRecord] = {}
    for _, memory_id in (memory, other):
        found = [row for row in touching(tx, memory_id) if row.method in HEURISTICS]
        if len(found) < LINKS_MAX:
            continue
        least = min(found, key=lambda row: (row.weight, row.source_id, row.target_id))
        if least.weight >= made.weight:
            return
        weakest[least.source_id, least.target_id, least.type] = least
    for row in weakest.values():
        tx.remove(row)
    older, newer = sorted((memory, other))
    link = RelationshipRecord(
        source_id=newer[1],
        target_id=older[1],
        type=made.type,
        method=made.method,
        created_at=now,
        weight=made.weight,
    )
    tx.add(link)


# Relationships drawn by hand


def relate(tx: Transaction, source: str, target: str, type: str, notes: str, now: float) -> bool:
    """Draws a relationship by hand, which replaces the link found for the pair. Returns whether it is new. If it exists
    already, only its notes change. If `type` is SUPERSEDES, the target is no longer recalled.
    """
    rows = between(tx, source, target)
    same = next((row for row in rows if row.type == type and _is_same(row, source, type)), None)
    denied = tx.delete("proposal", {"kind": RELATE, "members": members_of(source, target)})
    if same is not None and same.method not in HEURISTICS:
        if notes and notes != same.notes:
            tx.change(same, notes=notes)
            add_sql.audit(tx, NOTE, source, add_sql.by_hand(tx), now, target=target, type=type)
        return False
    if type == SUPERSEDES:
        newer, older = (_memory(tx, one) for one in (source, target))
        if not supersede_sql.may_act(newer, now):
            raise StateError(f"{source} waits for a person's word, or has ended", "keepstone review")
        supersede_sql.supersede(tx, newer, older, MANUAL, tx.session, now)
    else:
        supersede_sql.relate(tx, source, target, type, MANUAL, now)
    key = {"source_id": source, "target_id": target, "type": type}
    tx.update("relationship", key, {"notes": notes or None})
    add_sql.audit(tx, RELATE, source, add_sql.by_hand(tx), now, target=target, type=type, denied=bool(denied))
    return True


def unrelate(tx: Transaction, one: str, other: str, type: str, now: float) -> list[str]:
    """Deletes the relationships of a pair, of one type or of all ("" as type). Returns their types. They will not be
    found again.
    """
    gone = [row for row in between(tx, one, other) if type in ("", row.type)]
    for row in gone:
        tx.remove(row)
    if gone:
        tx.run(_DENY, {"kind": RELATE, "members": members_of(one, other), "answer": REJECTED, "now": now})
        was = [(row.source_id, row.target_id, row.type, row.method, row.weight) for row in gone]
        add_sql.audit(tx, UNRELATE, one, add_sql.by_hand(tx), now, target=other, was=was)
    return sorted({row.type for row in gone})


# Values computed from the whole graph


def whole(tx: Transaction) -> tuple[list[tuple[str, float | None, str | None]], list[tuple[str, str, str, str, float]]]:
    """Returns (id, rank, community) of every recallable memory, and (source, target, type, method, weight) of every
    relationship between them.
    """
    return tx.all(_ACTIVE), tx.all(_EDGES)


def concepts(tx: Transaction) -> dict[str, list[str]]:
    """Returns the concepts and symbols of each memory."""
    found: dict[str, list[str]] = {}
    for memory_id, value in tx.all(_CONCEPTS):
        found.setdefault(memory_id, []).append(value)
    return found


def keep_ranks(tx: Transaction, ranks: Mapping[str, float]) -> None:
    """Stores the ranks of memories."""
    _fill(tx, _SET_RANK, ranks)


def keep_communities(tx: Transaction, names: Mapping[str, str | None]) -> None:
    """Stores the communities of memories."""
    _fill(tx, _SET_COMMUNITY, names)


def _fill(tx: Transaction, sql: str, values: Mapping[str, object]) -> None:
    tx.many(sql, [{"id": memory_id, "value": value} for memory_id, value in values.items()])


def _memory(tx: Transaction, memory_id: str) -> MemoryRecord:
    return tx.records(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})[0]


def _other(row: RelationshipRecord, memory_id: str) -> str:
    return row.target_id if row.source_id == memory_id else row.source_id


def _is_same(row: RelationshipRecord, source: str, type: str) -> bool:
    return row.source_id == source or type in SYMMETRIC


def _denied(tx: Transaction, memory_id: str) -> set[str]:
    """Returns the ids of memories whose relationship with this one a person has denied."""
    values = {"kind": RELATE, "answer": REJECTED, "pattern": f"%{memory_id}%"}
    pairs = [parse(members) for members in tx.column(_DENIED, values)]
    return {one for pair in pairs for one in pair if one != memory_id}
