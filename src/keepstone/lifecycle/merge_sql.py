"""Merges memories: stores a new one, archives its sources behind it, and undoes that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..db.records import MemoryRecord
from ..db.writer import Transaction
from ..lib.errors import StateError
from ..lib.fast_json import dump, parse
from ..lib.text import digest
from ..model.candidate import Candidate
from ..model.memory import TIERS
from ..model.relationship import HEURISTICS
from . import add_sql, forgotten_sql, supersede_sql, tiers_sql, versions_sql
from .add_sql import Origin
from .supersede_sql import CONSOLIDATED

UNMERGED = "unmerged"
MERGE = "merge"  # the audit's word, and the method of a merged memory's evidence
_NAMED = "WHERE t.id IN (SELECT value FROM json_each(:ids)) ORDER BY t.id"
_ADD_SOURCE = "INSERT INTO merged_from (memory_id, source_id) VALUES (:id, :source)"
_SOURCES = "SELECT source_id FROM merged_from WHERE memory_id = :id ORDER BY source_id"
_COPY_EVIDENCE = """
INSERT INTO evidence (memory_id, session_id, record_uuid, excerpt, trust, method, row_digest, created_at)
SELECT CAST(:id AS TEXT), e.session_id, e.record_uuid, e.excerpt, e.trust, e.method, e.row_digest, e.created_at
FROM evidence e WHERE e.memory_id IN (SELECT value FROM json_each(:sources)) ORDER BY e.memory_id, e.seq
ON CONFLICT (memory_id, record_uuid) DO NOTHING
"""
_COPY_FACETS = """
INSERT INTO memory_facet (memory_id, facet, value)
SELECT DISTINCT CAST(:id AS TEXT), f.facet, f.value FROM memory_facet f
WHERE f.memory_id IN (SELECT value FROM json_each(:sources))
ON CONFLICT (memory_id, facet, value) DO NOTHING
"""
_MERGED = "SELECT memory_id FROM merged_from WHERE source_id = :id ORDER BY memory_id"
_MERGE_DETAILS = "SELECT details FROM audit WHERE op = 'merge' AND memory_id = :id ORDER BY seq DESC LIMIT 1"


def require_sound(tx: Transaction, ids: Sequence[str]) -> None:
    """Raises StateError if a memory does not match its digest: merging it would hide the damage."""
    for memory in tx.records(MemoryRecord, _NAMED, {"ids": dump(list(ids))}):
        if not versions_sql.is_sound(memory):
            raise StateError(
                f"{memory.id} is damaged", "keepstone doctor, then keepstone revise ID 'what it should say'"
            )


def merge(
    tx: Transaction, origin: Origin, sources: Sequence[str], made: Candidate, values: Mapping[str, Any], now: float
) -> str:
    """Merges memories into a new one, which takes over `values`. Returns its id. The sources stay readable."""
    rows = tx.records(MemoryRecord, _NAMED, {"ids": dump(list(sources))})
    highest = max((row.tier for row in rows), key=TIERS.index)
    was = {row.id: [row.pinned, row.status_reason] for row in rows}
    for row in rows:
        versions_sql.apply_change(tx, row, now, MERGE, status="archived", status_reason=CONSOLIDATED, pinned=0)
    seed = digest(MERGE, *sorted(sources), repr(now))
    memory = add_sql.insert(tx, origin, replace(made, tier=highest), seed, now)
    versions_sql.sign(tx, memory, now, **{"expires_at": None, **values})
    ids = [row.id for row in rows]
    tx.many(_ADD_SOURCE, [{"id": memory.id, "source": source} for source in ids])
    tx.run(_COPY_EVIDENCE, {"id": memory.id, "sources": dump(ids)})
    tx.run(_COPY_FACETS, {"id": memory.id, "sources": dump(ids)})
    for source in ids:
        _take_over_relationships(tx, memory.id, source, {memory.id, *ids}, now)
    add_sql.audit(tx, MERGE, memory.id, add_sql.by_hand(tx), now, sources=sorted(sources), was=was)
    return memory.id


def _take_over_relationships(tx: Transaction, memory_id: str, source: str, family: set[str], now: float) -> None:
    """Gives a merged memory the relationships of a source, except those within the `family` of memory and sources."""
    for made in supersede_sql.touching(tx, source):
        if made.method not in HEURISTICS:  # the worker finds the others again
            ends = [memory_id if end == source else end for end in (made.source_id, made.target_id)]
            if family.isdisjoint({*ends} - {memory_id}):
                supersede_sql.relate(tx, ends[0], ends[1], made.type, made.method, now, made.weight, made.notes)


def unmerge(tx: Transaction, memory_id: str, now: float) -> list[str]:
    """Undoes a merge: its sources are as they were. Returns their ids. Raises StateError if the memory was not
    merged.
    """
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    sources = tx.column(_SOURCES, {"id": memory_id})
    if memory is None or not sources or memory.status != "active":
        raise StateError(f"{memory_id} was not merged of others", "keepstone audit --op merge")
    details = parse(tx.value(_MERGE_DETAILS, {"id": memory_id}) or "{}")
    versions_sql.apply_change(tx, memory, now, UNMERGED, status="deleted", status_reason=UNMERGED, pinned=0)
    for row in tx.records(MemoryRecord, _NAMED, {"ids": dump(sources)}):
        if row.status_reason == CONSOLIDATED:
            pinned, reason = details.get("was", {}).get(row.id, (int(row.id in details.get("pinned", [])), None))
            versions_sql.apply_change(tx, row, now, UNMERGED, status="active", status_reason=reason, pinned=pinned)
    tiers_sql.evict_to_cap(tx, sources, now)
    add_sql.audit(tx, UNMERGED, memory_id, add_sql.by_hand(tx), now, sources=sources)
    return sorted(sources)


def take_apart(tx: Transaction, memory_id: str, now: float, gone: str = "") -> None:
    """Undoes the merges of a memory that is forgotten, as long as these quote it: its other sources hold again."""
    for merged in tx.column(_MERGED, {"id": memory_id}):
        take_apart(tx, merged, now, gone or memory_id)
        made = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": merged})
        quotes = made is not None and forgotten_sql.still_says(tx, gone or memory_id, [made.title, made.content])
        if made is not None and made.status == "active" and quotes:
            unmerge(tx, merged, now)
