"""What follows a change of a memory: its earlier text is kept, its digests are made anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session as Transaction
from sqlmodel import func, select

from ..core import dedupe
from ..core.text import digest
from .tables import Memory, MemoryVersion


def memory_id_of(seed: str) -> str:
    return "mem-" + digest(seed)[:16]


KEPT = ("title", "content", "kind", "tier", "relevance", "confidence", "status")


def keep(tx: Transaction, before: Mapping[str, Any], valid_from: float, valid_to: float, reason: str) -> None:
    """Keeps what a memory was in the columns `before`, under the version number it had."""
    kept = {key: before[key] for key in KEPT}
    tx.add(
        MemoryVersion(
            memory_id=before["id"],
            version=before["version"],
            valid_from=valid_from,
            valid_to=valid_to,
            reason=reason,
            **kept,
        )
    )


def keep_last(tx: Transaction, before: Mapping[str, Any], now: float, reason: str) -> None:
    """Keeps what a memory was since its version before and until now: the versions of a memory leave no gap."""
    query = select(func.max(MemoryVersion.valid_to)).where(MemoryVersion.memory_id == before["id"])
    since = tx.exec(query).one() or before["created_at"]
    keep(tx, before, min(since, now), now, reason)


def turn(tx: Transaction, memory: Memory, now: float, reason: str, **values: Any) -> bool:
    """Changes a memory's tier or status, and what goes with it; whether that is a change. What it was is a version."""
    if all(getattr(memory, name) == value for name, value in values.items()):
        return False
    keep_last(tx, memory.model_dump(), now, reason)
    memory.version += 1
    for name, value in values.items():
        setattr(memory, name, value)
    if "status" in values:
        seal(memory, now)  # a memory that is lifted says what it said: that is no news to a session
    tx.add(memory)
    return True


def memory_digest(memory: Memory) -> str:
    """Covers what a memory says and whether it may be recalled, so that silent damage is found (DESIGN 2)."""
    return digest(memory.title, memory.content, memory.kind, memory.status, memory.trust, memory.scope)


def seal(memory: Memory, at: float) -> None:
    """Digests follow a change of what a memory says or holds."""
    memory.updated_at = at
    memory.content_hash = digest(dedupe.normalise(memory.content))
    memory.row_digest = memory_digest(memory)
