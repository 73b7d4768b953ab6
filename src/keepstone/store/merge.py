"""Merged memories as rows: a new one, its sources archived behind it, and the way back (NL-31, requirements K17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core.candidate import Candidate
from ..core.errors import BadInput
from ..core.fastjson import parse
from ..core.model import TIERS
from ..core.relate import HEURISTICS
from ..core.text import digest
from . import relationships, versions
from .keep import Keeper, Origin
from .relationships import CONSOLIDATED
from .tables import Evidence, Memory, MemoryFacet, MergedFrom

UNMERGED = "unmerged"
MERGE = "merge"  # the audit's word, and the method of what a merging says
NOTED = "SELECT details FROM audit WHERE op = 'merge' AND memory_id = :id ORDER BY seq DESC LIMIT 1"


class Merges(Keeper):
    """Makes one memory of several, and takes that back."""

    def need_sound(self, ids: Sequence[str]) -> None:
        """Raises BadInput for memories that no longer are what they were sealed as: a merging would hide that."""
        with self._transaction() as tx:
            for memory in tx.exec(select(Memory).where(col(Memory.id).in_(ids))):
                if not versions.is_sound(memory):
                    raise BadInput(
                        f"{memory.id} is damaged", "keepstone doctor, then keepstone revise ID 'what it should say'"
                    )

    def merge(
        self, origin: Origin, sources: Sequence[str], made: Candidate, values: Mapping[str, Any], now: float
    ) -> str:
        """Makes one memory of several; its id. `values` are what it takes over. Its sources stay readable."""
        with self._transaction() as tx:
            rows = tx.exec(select(Memory).where(col(Memory.id).in_(sources)).order_by(Memory.id)).all()
            highest = max((row.tier for row in rows), key=TIERS.index)
            was = {row.id: [row.pinned, row.status_reason] for row in rows}
            for row in rows:
                versions.turn(tx, row, now, MERGE, status="archived", status_reason=CONSOLIDATED, pinned=0)
            seed = digest(MERGE, *sorted(sources), repr(now))
            memory = self._insert(tx, origin, replace(made, tier=highest), seed, now)
            memory.expires_at = None
            for name, value in values.items():
                setattr(memory, name, value)
            versions.seal(memory, now)
            tx.add(memory)
            for row in rows:
                tx.add(MergedFrom(memory_id=memory.id, source_id=row.id))
            tx.flush()
            for row in rows:
                self._inherit(tx, memory.id, row.id, now)
            self._audit(tx, MERGE, memory.id, self._person, now, sources=sorted(sources), was=was)
            return memory.id

    def _inherit(self, tx: Transaction, memory_id: str, source_id: str, now: float) -> None:
        """Evidence, facets and relationships of a source, each once; none to itself."""
        there = set(tx.exec(select(Evidence.record_uuid).where(Evidence.memory_id == memory_id)))
        for evidence in tx.exec(select(Evidence).where(Evidence.memory_id == source_id)).all():
            if evidence.record_uuid not in there:
                tx.add(Evidence(**{**evidence.model_dump(exclude={"seq"}), "memory_id": memory_id}))
        for facet in tx.exec(select(MemoryFacet).where(MemoryFacet.memory_id == source_id)).all():
            self._add_facet(tx, memory_id, facet.facet, facet.value)
        tx.flush()
        family = set(tx.exec(select(MergedFrom.source_id).where(MergedFrom.memory_id == memory_id))) | {memory_id}
        for made in relationships.touching(tx, source_id):
            if made.method not in HEURISTICS:  # what it hangs together with is found anew
                ends = [memory_id if end == source_id else end for end in (made.source_id, made.target_id)]
                if family.isdisjoint({*ends} - {memory_id}):
                    relationships.relate(tx, ends[0], ends[1], made.type, made.method, now, made.weight, made.notes)
        tx.flush()

    def unmerge(self, memory_id: str, now: float) -> list[str]:
        """Takes a merging back: its sources are as they were; their ids. Raises BadInput for what was not merged."""
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).one()
            sources = list(tx.exec(select(MergedFrom.source_id).where(MergedFrom.memory_id == memory_id)))
            if not sources or memory.status != "active":
                raise BadInput(f"{memory_id} was not merged of others", "keepstone audit --op merge")
            noted = parse(tx.connection().execute(text(NOTED), {"id": memory_id}).scalar() or "{}")
            versions.turn(tx, memory, now, UNMERGED, status="deleted", status_reason=UNMERGED, pinned=0)
            for row in tx.exec(select(Memory).where(col(Memory.id).in_(sources))).all():
                if row.status_reason == CONSOLIDATED:
                    pinned, reason = noted.get("was", {}).get(row.id, (int(row.id in noted.get("pinned", [])), None))
                    versions.turn(tx, row, now, UNMERGED, status="active", status_reason=reason, pinned=pinned)
            self.fit(tx, sources, now)
            self._audit(tx, UNMERGED, memory_id, self._person, now, sources=sources)
            return sorted(sources)
