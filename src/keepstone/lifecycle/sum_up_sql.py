"""Stores one memory that sums up several that expire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..db.writer import Transaction
from ..model.candidate import Candidate
from ..model.memory import StoredMemory
from ..model.relationship import DERIVED_FROM
from ..redaction.redact import redact
from . import add_sql, versions_sql
from .add_sql import Origin
from .supersede_sql import BY_RULE, relate
from .tombstones_sql import Tombstones


def sum_up(tx: Transaction, episodes: Sequence[StoredMemory], made: Candidate, now: float) -> str | None:
    """Stores the summary of episodes that expire. Returns its id, or None if it was stored before or repeats erased
    text.
    """
    origin = Origin("hook", episodes[0].project_id, agent_id=episodes[0].agent_id)
    return _sum_up(tx, origin, episodes, replace(made, tier="semantic"), now)


def _sum_up(
    tx: Transaction, origin: Origin, episodes: Sequence[StoredMemory], made: Candidate, now: float
) -> str | None:
    # What was redacted apart may be a secret when it stands together.
    made = replace(made, content=redact(made.content), title=redact(made.title), excerpt=redact(made.excerpt))
    memory_id, gone = versions_sql.memory_id_of(made.record_uuid), Tombstones(tx)
    if gone.among([memory_id]) or gone.hold([made.content], None):
        return None
    if tx.value("SELECT 1 FROM memory WHERE id = :id", {"id": memory_id}):
        return None
    add_sql.insert(tx, origin, made, made.record_uuid, now)
    add_sql.add_evidence(tx, memory_id, origin, made, now)
    for episode in episodes:
        relate(tx, memory_id, episode.id, DERIVED_FROM, BY_RULE, now)
    return memory_id
