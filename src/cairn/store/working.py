"""The end of a session in rows: what lived for it alone becomes episodic or dies (Z3-16); its summary is renewed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.candidate import Candidate
from ..core.cluster import summary
from ..core.fastjson import dump
from ..core.model import WORKING, StoredMemory
from ..core.text import digest
from . import sessions, versions
from .erase import belonging
from .relationships import BY_RULE, DERIVED_FROM, relate
from .tables import Audit, Memory
from .tiers import stored
from .tombstones import Graves

if TYPE_CHECKING:
    from .store import Origin, Store

NOTED = ("manual", "api")  # origins of what somebody put there on purpose


def end(store: Store, tx: Transaction, origin: Origin, now: float) -> list[str]:
    """Ends the working memories of a session; the ids of those that live on: a person's notes do, guesses do not."""
    query = select(Memory).where(Memory.session_id == origin.session_id, Memory.tier == WORKING)
    kept = []
    for memory in tx.exec(query.order_by(Memory.id)).all():
        if memory.origin in NOTED or memory.pinned:
            ends = store.ends_at("episodic", memory.origin, now)
            versions.turn(tx, memory, now, "promote", tier="episodic", expires_at=ends)
            store._audit(tx, "promote", memory.id, origin, now)
            kept.append(memory.id)
        else:
            drop(tx, memory)
            tx.add(
                Audit(
                    at=now, actor="worker", op="expire", memory_id=memory.id, session_id=origin.session_id, details="{}"
                )
            )
    return kept


def drop(tx: Transaction, memory: Memory) -> None:
    """Takes a memory out with what belongs to it; none of it is left to be restored."""
    belonging(tx, [memory.id])
    tx.delete(memory)
    tx.flush()


def summarise(
    store: Store, tx: Transaction, origin: Origin, made: Candidate, notes: list[str], now: float
) -> str | None:
    """Stores a session's summary, or renews it: its id when it is new. What it is made of stays readable from it. None
    where it was erased, or would say what was.
    """
    seed = digest(origin.session_id or "", "summary")
    gone = Graves(tx)
    if gone.among([versions.memory_id_of(seed)]) or gone.hold([made.content, made.excerpt], made.said_at):
        return None
    known = tx.exec(select(Memory).where(Memory.id == versions.memory_id_of(seed))).first()
    if known is None:
        memory = store._insert(tx, origin, made, seed, now)
        store._add_evidence(tx, memory.id, origin, made, now)
    else:
        memory = known
        if known.status == "active" and known.content != made.content:
            known.content, known.title = made.content, made.title
            versions.seal(known, now)
            tx.add(known)
    for note in notes:
        relate(tx, memory.id, note, DERIVED_FROM, BY_RULE, now)
    return memory.id if known is None else None


def finish(store: Store, tx: Transaction, origin: Origin, now: float) -> list[str]:
    """Ends a session that has no transcript: its notes live on, and several of them are summed up; their ids."""
    sessions.end(tx, origin.session_id or "", now)
    notes = end(store, tx, origin, now)
    if len(notes) > 1:
        held = stored(tx, "m.id IN (SELECT value FROM json_each(:ids))", ids=dump(notes))
        placed = replace(origin, project_id=held[0].project_id, agent_id=held[0].agent_id)
        sum_up(store, tx, placed, held, summary((), held), now, tier="episodic")
    return notes


def sum_up(
    store: Store,
    tx: Transaction,
    origin: Origin,
    episodes: Sequence[StoredMemory],
    made: Candidate,
    now: float,
    tier: str = "semantic",
) -> str | None:
    """Stores what is left of a cluster; its id, None where it was stored before or says what was erased."""
    seed = made.record_uuid
    gone = Graves(tx)
    if gone.among([versions.memory_id_of(seed)]) or gone.hold([made.content], None):
        return None
    if tx.exec(select(Memory.id).where(Memory.id == versions.memory_id_of(seed))).first():
        return None
    memory = store._insert(tx, origin, made, seed, now)
    memory.tier, memory.expires_at = tier, store.ends_at(tier, origin.origin, now)
    store._add_evidence(tx, memory.id, origin, made, now)
    for episode in episodes:
        relate(tx, memory.id, episode.id, DERIVED_FROM, BY_RULE, now)
    return memory.id
