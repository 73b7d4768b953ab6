"""Merged memories as rows: a new one, its sources archived behind it, and the way back (NL-31, requirements K17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core.candidate import Candidate
from ..core.errors import BadInput
from ..core.fastjson import dump, parse
from ..core.text import digest
from . import relationships, versions
from .tables import Audit, Evidence, Memory, MemoryFacet, MergedFrom, Relationship

if TYPE_CHECKING:
    from .store import Origin, Store

CONSOLIDATED, UNMERGED = "consolidated", "unmerged"
MERGE = "merge"


def merge(
    store: Store, origin: Origin, sources: Sequence[str], made: Candidate, values: Mapping[str, Any], now: float
) -> str:
    """Makes one memory of several; its id. `values` are what it takes over. Its sources stay readable."""
    with store._transaction() as tx:
        rows = tx.exec(select(Memory).where(col(Memory.id).in_(sources)).order_by(Memory.id)).all()
        tiers = [row.tier for row in rows]
        pinned = [row.id for row in rows if row.pinned]
        for row in rows:
            versions.turn(tx, row, now, MERGE, status="archived", status_reason=CONSOLIDATED, pinned=0)
        memory = store._insert(tx, origin, made, digest(MERGE, *sorted(sources), repr(now)), now)
        memory.tier = max(tiers, key=("working", "episodic", "semantic", "procedural").index)
        memory.expires_at = None
        for name, value in values.items():
            setattr(memory, name, value)
        versions.seal(memory, now)
        tx.add(memory)
        tx.flush()
        for row in rows:
            tx.add(MergedFrom(memory_id=memory.id, source_id=row.id))
        tx.flush()
        for row in rows:
            _inherit(store, tx, memory.id, row.id, now)
        details = dump({"sources": sorted(sources), "pinned": pinned})
        made_by = store.session
        tx.add(Audit(at=now, actor="person", op=MERGE, memory_id=memory.id, session_id=made_by, details=details))
        return memory.id


def _inherit(store: Store, tx: Transaction, memory_id: str, source_id: str, now: float) -> None:
    """Evidence, facets and relationships of a source, each once; none to itself."""
    there = set(tx.exec(select(Evidence.record_uuid).where(Evidence.memory_id == memory_id)))
    for evidence in tx.exec(select(Evidence).where(Evidence.memory_id == source_id)).all():
        if evidence.record_uuid not in there:
            tx.add(Evidence(**{**evidence.model_dump(exclude={"seq"}), "memory_id": memory_id}))
    for facet in tx.exec(select(MemoryFacet).where(MemoryFacet.memory_id == source_id)).all():
        store._add_facet(tx, memory_id, facet.facet, facet.value)
    tx.flush()
    family = set(tx.exec(select(MergedFrom.source_id).where(MergedFrom.memory_id == memory_id))) | {memory_id}
    for made in tx.exec(select(Relationship).where(Relationship.source_id == source_id)).all():
        if made.target_id not in family:
            relationships.relate(tx, memory_id, made.target_id, made.type, made.method, now)
    for made in tx.exec(select(Relationship).where(Relationship.target_id == source_id)).all():
        if made.source_id not in family:
            relationships.relate(tx, made.source_id, memory_id, made.type, made.method, now)
    tx.flush()


def unmerge(store: Store, memory_id: str, now: float) -> list[str]:
    """Takes a merging back: its sources are as they were; their ids. Raises BadInput for what was not merged."""
    with store._transaction() as tx:
        memory = tx.exec(select(Memory).where(Memory.id == memory_id)).one()
        sources = list(tx.exec(select(MergedFrom.source_id).where(MergedFrom.memory_id == memory_id)))
        if not sources or memory.status != "active":
            raise BadInput(f"{memory_id} was not merged of others", "cairn audit --op merge")
        noted = "SELECT details FROM audit WHERE op = 'merge' AND memory_id = :id ORDER BY seq DESC LIMIT 1"
        pinned = parse(tx.connection().execute(text(noted), {"id": memory_id}).scalar() or "{}").get("pinned", [])
        versions.turn(tx, memory, now, UNMERGED, status="deleted", status_reason=UNMERGED, pinned=0)
        for row in tx.exec(select(Memory).where(col(Memory.id).in_(sources))).all():
            if row.status_reason == CONSOLIDATED:
                again = int(row.id in pinned)
                versions.turn(tx, row, now, UNMERGED, status="active", status_reason=None, pinned=again)
        tx.add(Audit(at=now, actor="person", op=UNMERGED, memory_id=memory_id, details=dump({"sources": sources})))
        return sorted(sources)


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
