"""Records a change of a memory: keeps its earlier state as a version, and renews its digests."""

from __future__ import annotations

from typing import Any

from ..db.records import MemoryRecord, MemoryVersionRecord
from ..db.writer import Transaction
from ..language import duplicates
from ..lib.text import digest
from ..model.memory import QUARANTINED
from ..model.trust import suspicion
from .history_sql import details_of

COVERED_BY_DIGEST = {"status", "trust"}  # columns of the digest that `apply_change` changes, besides the text
VERSION_COLUMNS = ("title", "content", "kind", "tier", "relevance", "confidence", "status")
WAITED = "waited for a person's word before it was hidden"
_HIDDEN = """
SELECT details FROM audit WHERE memory_id = :id AND op IN ('forget', 'prune', 'supersede') ORDER BY seq DESC LIMIT 1
"""
_LAST_VERSION_END = "SELECT max(valid_to) FROM memory_version WHERE memory_id = :id"
_KEEP_ALL = f"""
INSERT INTO memory_version (memory_id, version, valid_from, valid_to, reason, {", ".join(VERSION_COLUMNS)})
SELECT b.id, b.version, CASE WHEN b.since < :now THEN b.since ELSE :now END, :now, :reason,
    {", ".join("b." + column for column in VERSION_COLUMNS)}
FROM (
    SELECT m.id, m.version, {", ".join("m." + column for column in VERSION_COLUMNS)},
        coalesce((SELECT max(v.valid_to) FROM memory_version v WHERE v.memory_id = m.id), m.created_at) AS since
    FROM json_each(:ids) j CROSS JOIN memory m WHERE m.id = j.value
) b
"""
_MOVE_ALL = """
UPDATE memory SET version = version + 1, tier = :tier, expires_at = :ends
WHERE id IN (SELECT value FROM json_each(:ids))
"""
_END = """
UPDATE memory SET version = version + 1, status = 'deleted', status_reason = :reason, updated_at = :now,
    row_digest = :digest WHERE id = :id
"""


def reason_to_wait(tx: Transaction, memory: MemoryRecord) -> str | None:
    """Returns why a hidden memory waited for review, and waits again once it is active; None for a trusted one."""
    if memory.trust != QUARANTINED:
        return None
    for details in tx.column(_HIDDEN, {"id": memory.id}):
        if reason := details_of(details).get("was", {}).get("status_reason"):
            return str(reason)
    return suspicion([memory.content]) or WAITED


def memory_id_of(seed: str) -> str:
    return "mem-" + digest(seed)[:16]


def keep(tx: Transaction, before: MemoryRecord, valid_from: float, valid_to: float, reason: str) -> None:
    """Stores a memory's state `before` a change, under the version number that it had."""
    columns = {name: getattr(before, name) for name in VERSION_COLUMNS}
    tx.add(
        MemoryVersionRecord(
            memory_id=before.id,
            version=before.version,
            valid_from=valid_from,
            valid_to=valid_to,
            reason=reason,
            **columns,
        )
    )


def keep_last(tx: Transaction, before: MemoryRecord, now: float, reason: str) -> None:
    """Stores a memory's state from the end of its previous version until now, so that its versions have no gap."""
    since = tx.value(_LAST_VERSION_END, {"id": before.id}) or before.created_at
    keep(tx, before, min(since, now), now, reason)


def apply_change(tx: Transaction, memory: MemoryRecord, now: float, reason: str, **values: Any) -> bool:
    """Sets columns of a memory (its tier or status, and what depends on them) and keeps the earlier state as a version.
    Returns whether anything changed. A move to another tier does not change the digest, because the text is not news to
    a session.
    """
    if all(getattr(memory, name) == value for name, value in values.items()):
        return False
    keep_last(tx, memory, now, reason)
    values["version"] = memory.version + 1
    if not COVERED_BY_DIGEST.isdisjoint(values) and is_sound(memory):
        sign(tx, memory, now, **values)
    else:
        tx.change(memory, **values)
    return True


def apply_tier_to_all(tx: Transaction, ids: str, tier: str, ends: float | None, now: float, reason: str) -> None:
    """Moves many memories to a tier as `apply_change` does. `ids` is a JSON array of memories that are not in it."""
    tx.run(_KEEP_ALL, {"ids": ids, "now": now, "reason": reason})
    tx.run(_MOVE_ALL, {"ids": ids, "tier": tier, "ends": ends})


def end_all(tx: Transaction, ids: str, reason: str, now: float) -> None:
    """Marks many active memories deleted as `apply_change` does. `ids` is a JSON array."""
    tx.run(_KEEP_ALL, {"ids": ids, "now": now, "reason": reason})
    ending = tx.records(MemoryRecord, "WHERE t.id IN (SELECT value FROM json_each(:ids))", {"ids": ids})
    if ending:
        tx.many(
            _END, ({"id": one.id, "reason": reason, "now": now, "digest": _digest_when_deleted(one)} for one in ending)
        )


def _digest_when_deleted(memory: MemoryRecord) -> str:
    return memory_digest(memory, "deleted") if is_sound(memory) else memory.row_digest


def memory_digest(memory: Any, status: str = "") -> str:
    """Returns the digest of a memory's text (or of a row with these columns) and of whether it may be recalled. It
    reveals silent damage.
    """
    return digest(memory.title, memory.content, memory.kind, status or memory.status, memory.trust, memory.scope)


def is_sound(memory: Any) -> bool:
    """Returns whether a memory (or a row with these columns) matches its digest. If not, a new digest would hide the
    damage.
    """
    return bool(memory.row_digest == memory_digest(memory))


def sign(tx: Transaction, memory: MemoryRecord, at: float, **values: Any) -> None:
    """Sets columns of a memory, and its digests to match."""
    after = memory.but(**values)
    tx.change(
        memory,
        **values,
        updated_at=at,
        content_hash=digest(duplicates.normalise(after.content)),
        row_digest=memory_digest(after),
    )
