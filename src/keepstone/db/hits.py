"""Turns memories into hits with their short ids, projects, facets and evidence."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.hit import Hit
from ..model.memory import StoredMemory
from .reader import Reader

RATINGS = 6  # the first schema with ratings and notes
RATED = "SELECT vote, note, rated_at FROM rating WHERE memory_id = :id ORDER BY rated_at, seq"


def hits(store: Reader, found: Iterable[tuple[StoredMemory, float | None]]) -> list[Hit]:
    """Returns memories with their scores as hits. Counts no access."""
    names = store.project_names()
    return [
        Hit(
            memory,
            store.short_id(memory.id),
            names.get(memory.project_id or ""),
            store.facets(memory.id),
            store.evidence(memory.id),
            score,
        )
        for memory, score in found
    ]


def shown(store: Reader, memory_id: str) -> Hit:
    """Returns one memory as a hit. Counts no access."""
    return hits(store, [(store.get(memory_id), None)])[0]


def ratings(reader: Reader, memory_id: str) -> list[tuple[str, str, float]]:
    """Returns (vote, note, time) of a memory's ratings, oldest first."""
    return reader.rows(RATED, {"id": memory_id}) if reader.schema >= RATINGS else []
