"""The graph as rows: relationships that were found or drawn by hand, and what is computed of all of them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core.defaults import GRAPH_WRITES, LINKS_MAX
from ..core.fastjson import dump, parse
from ..core.relate import HEURISTICS, MANUAL, SUPERSEDES, SYMMETRIC, Link, best
from .keep import Keeper
from .relationships import between, relate, supersede, touching
from .review import REJECTED
from .tables import Audit, Memory, Proposal, Relationship

RELATE, UNRELATE, NOTE = "relate", "unrelate", "note"  # the audit's words; the first is also what is proposed
_LOOKED_AT = "UPDATE memory SET related_at = updated_at WHERE id = :id"
_LOOK_AGAIN = "UPDATE memory SET related_at = NULL WHERE id IN (SELECT value FROM json_each(:ids))"
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
_RANKED = "UPDATE memory SET pagerank = :value WHERE id = :id"
_NAMED = "UPDATE memory SET community = :value WHERE id = :id"


class Graph(Keeper):
    """Writes relationships, and what follows from all of them."""

    # Found

    def keep_links(self, memory_id: str, updated_at: float, found: Mapping[str, Link], now: float) -> bool:
        """Keeps what was found for a memory; False, and nothing kept, when it says something else meanwhile. A pair of
        which somebody has said what it is, or is not, gets no other relationship. What was found from the other side
        since it says this stays: a memory of user scope does not see those of projects that see it.
        """
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
            if memory is None or memory.updated_at != updated_at:
                return False
            rows = touching(tx, memory_id)
            settled = {_other(row, memory_id) for row in rows if row.method not in HEURISTICS}
            settled |= _denied(tx, memory_id)
            made = {_other(row, memory_id): row for row in rows if row.method in HEURISTICS}
            wanted = {other: one for other, one in found.items() if other not in settled}
            kept = best(wanted)
            gone = []
            for other, row in made.items():
                held = Link(row.weight, row.method) if row.created_at >= updated_at else None
                if held and held >= kept.get(other, held):
                    kept.pop(other, None)
                else:
                    tx.delete(row)
                    gone += [other] if other not in kept and updated_at <= now else []
            tx.flush()
            tx.connection().execute(text(_LOOK_AGAIN), {"ids": dump(gone)})
            for known in tx.exec(select(Memory).where(col(Memory.id).in_(kept))).all():
                self._add_link(tx, memory, known, kept[known.id], now)
            tx.connection().execute(text(_LOOKED_AT), {"id": memory_id})
            return True

    @staticmethod
    def _add_link(tx: Transaction, memory: Memory, other: Memory, made: Link, now: float) -> None:
        """From the newer to the older one: what two share has no direction of its own (W-NL4). Where one of them has as
        many as it may, its weakest goes for it, if that is weaker.
        """
        places = [_place(tx, one.id, made.weight) for one in (memory, other)]
        if None in places:
            return
        for row in {id(row): row for rows in places for row in rows or ()}.values():
            tx.delete(row)
        older, newer = sorted((memory, other), key=lambda one: (one.created_at, one.id))
        tx.add(
            Relationship(
                source_id=newer.id,
                target_id=older.id,
                type=made.type,
                method=made.method,
                weight=made.weight,
                created_at=now,
            )
        )
        tx.flush()

    # Drawn by hand

    def relate(self, source: str, target: str, type: str, notes: str, now: float) -> bool:
        """Draws a relationship in place of what was found for the pair; whether it is new. What is superseded by it is
        out of every recall. A second time only the notes change.
        """
        with self._transaction() as tx:
            rows = between(tx, source, target)
            same = next((row for row in rows if row.type == type and _is_same(row, source, type)), None)
            denied = tx.get(Proposal, (RELATE, members_of(source, target)))
            if denied:
                tx.delete(denied)
            tx.flush()
            if same is not None and same.method not in HEURISTICS:
                if notes and notes != same.notes:
                    same.notes = notes
                    tx.add(same)
                    self._note(tx, NOTE, source, now, target=target, type=type)
                return False
            if type == SUPERSEDES:
                newer, older = (tx.exec(select(Memory).where(Memory.id == one)).one() for one in (source, target))
                supersede(tx, newer, older, MANUAL, self.session, now)
            else:
                relate(tx, source, target, type, MANUAL, now)
            tx.flush()
            tx.get_one(Relationship, (source, target, type)).notes = notes or None
            self._note(tx, RELATE, source, now, target=target, type=type, denied=bool(denied))
            return True

    def unrelate(self, one: str, other: str, type: str, now: float) -> list[str]:
        """Takes the relationships of a pair away, of a type or all of them (""); their types. What was found for the
        pair is not found again.
        """
        with self._transaction() as tx:
            gone = [row for row in between(tx, one, other) if type in ("", row.type)]
            for row in gone:
                tx.delete(row)
            if gone:
                members = members_of(one, other)
                tx.merge(Proposal(kind=RELATE, members=members, answer=REJECTED, answered_at=now))
                was = [(row.source_id, row.target_id, row.type, row.method, row.weight) for row in gone]
                self._note(tx, UNRELATE, one, now, target=other, was=was)
            return sorted({row.type for row in gone})

    def _note(self, tx: Transaction, op: str, memory_id: str, now: float, **details: object) -> None:
        made = Audit(at=now, actor="person", op=op, memory_id=memory_id, details=dump(details))
        made.session_id = self.session
        tx.add(made)

    # Computed of all

    def whole(self) -> tuple[list[tuple[str, float | None, str | None]], list[tuple[str, str, str, str, float]]]:
        """(id, rank, community) of every memory that is recalled, and (source, target, type, method, weight) between
        them.
        """
        with self._transaction() as tx:
            rows = tx.connection().execute(text(_ACTIVE)).all()
            edges = tx.connection().execute(text(_EDGES)).all()
            return [tuple(row) for row in rows], [tuple(row) for row in edges]

    def concepts(self) -> dict[str, list[str]]:
        """The concepts and symbols of each memory."""
        found: dict[str, list[str]] = {}
        with self._transaction() as tx:
            for memory_id, value in tx.connection().execute(text(_CONCEPTS)):
                found.setdefault(memory_id, []).append(value)
        return found

    def keep_ranks(self, ranks: Mapping[str, float]) -> int:
        """Keeps how central memories are; how many."""
        return self._fill(_RANKED, ranks)

    def keep_communities(self, names: Mapping[str, str | None]) -> int:
        return self._fill(_NAMED, names)

    def _fill(self, sql: str, values: Mapping[str, object]) -> int:
        rows = [{"id": memory_id, "value": value} for memory_id, value in values.items()]
        for start in range(0, len(rows), GRAPH_WRITES):
            with self._transaction() as tx:
                tx.connection().execute(text(sql), rows[start : start + GRAPH_WRITES])
        return len(rows)


def _other(row: Relationship, memory_id: str) -> str:
    return row.target_id if row.source_id == memory_id else row.source_id


def _is_same(row: Relationship, source: str, type: str) -> bool:
    return row.source_id == source or type in SYMMETRIC


def members_of(one: str, other: str) -> str:
    """What a proposal about a pair is known by."""
    return dump(sorted((one, other)))


def _place(tx: Transaction, memory_id: str, weight: float) -> list[Relationship] | None:
    """What of a memory's links goes for one more of that weight; None where all are as strong."""
    found = [row for row in touching(tx, memory_id) if row.method in HEURISTICS]
    if len(found) < LINKS_MAX:
        return []
    weakest = min(found, key=lambda row: (row.weight, row.source_id, row.target_id))
    return [weakest] if weakest.weight < weight else None


def _denied(tx: Transaction, memory_id: str) -> set[str]:
    """The others that somebody has said it does not hang together with."""
    query = select(Proposal.members).where(Proposal.kind == RELATE, Proposal.answer == REJECTED)
    pairs = [parse(members) for members in tx.exec(query.where(col(Proposal.members).contains(memory_id)))]
    return {one for pair in pairs for one in pair if one != memory_id}
