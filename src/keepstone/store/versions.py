"""What follows a change of a memory: its earlier text is kept, its digests are made anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import func, select

from ..core import dedupe
from ..core.text import digest
from .tables import Memory, MemoryVersion


def memory_id_of(seed: str) -> str:
    return "mem-" + digest(seed)[:16]


HELD_BY_DIGEST = {"status", "trust"}  # of what `turn` changes without changing what the memory says
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
    sound = is_sound(memory)
    keep_last(tx, memory.model_dump(), now, reason)
    memory.version += 1
    for name, value in values.items():
        setattr(memory, name, value)
    if not HELD_BY_DIGEST.isdisjoint(values) and sound:
        seal(memory, now)  # a memory that is lifted says what it said: that is no news to a session
    tx.add(memory)
    return True


KEEP_ALL = f"""
INSERT INTO memory_version (memory_id, version, valid_from, valid_to, reason, {", ".join(KEPT)})
SELECT m.id, m.version, min(:now, coalesce((SELECT max(valid_to) FROM memory_version v WHERE v.memory_id = m.id),
    m.created_at)), :now, :reason, {", ".join("m." + column for column in KEPT)}
FROM json_each(:ids) j CROSS JOIN memory m ON m.id = j.value
"""
MOVE_ALL = """
UPDATE memory SET version = version + 1, tier = :tier, expires_at = :ends
WHERE id IN (SELECT value FROM json_each(:ids))
"""
END = """
UPDATE memory SET version = version + 1, status = :status, status_reason = :reason, updated_at = :now,
    row_digest = :digest WHERE id = :id
"""
HELD = """
SELECT m.id, m.title, m.content, m.kind, m.status, m.trust, m.scope, m.row_digest
FROM json_each(:ids) j CROSS JOIN memory m ON m.id = j.value
"""


def move_all(tx: Transaction, ids: str, tier: str, ends: float | None, now: float, reason: str) -> None:
    """As `turn` for a tier, of many memories at once. `ids` is a JSON array of some that are not in this tier."""
    tx.connection().execute(text(KEEP_ALL), {"ids": ids, "now": now, "reason": reason})
    tx.connection().execute(text(MOVE_ALL), {"ids": ids, "tier": tier, "ends": ends})


def end_all(tx: Transaction, ids: str, reason: str, now: float) -> None:
    """As `turn` for what is hidden, of many active memories at once."""
    tx.connection().execute(text(KEEP_ALL), {"ids": ids, "now": now, "reason": reason})
    ended = {"status": "deleted", "reason": reason, "now": now}
    rows = [
        {**ended, "id": held.id, "digest": memory_digest(held, "deleted") if is_sound(held) else held.row_digest}
        for held in tx.connection().execute(text(HELD), {"ids": ids})
    ]
    if rows:
        tx.connection().execute(text(END), rows)


def memory_digest(memory: Any, status: str = "") -> str:
    """Covers what a memory (or a row with these columns) says and whether it may be recalled, so that silent damage is
    found (DESIGN 2).
    """
    held = status or memory.status
    return digest(memory.title, memory.content, memory.kind, held, memory.trust, memory.scope)


def is_sound(memory: Any) -> bool:
    """Whether a memory (or a row with these columns) is as it was sealed: else no new seal may hide the damage."""
    return bool(memory.row_digest == memory_digest(memory))


def seal(memory: Memory, at: float) -> None:
    """Digests follow a change of what a memory says or holds."""
    memory.updated_at = at
    memory.content_hash = digest(dedupe.normalise(memory.content))
    memory.row_digest = memory_digest(memory)
