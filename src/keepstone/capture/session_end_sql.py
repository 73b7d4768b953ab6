"""Ends a session: its working memories become episodic or are deleted, and its summary is renewed."""

from __future__ import annotations

from dataclasses import replace

from ..db import rows, sessions
from ..db.records import MemoryRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump
from ..lib.text import digest
from ..lifecycle import add_sql, suggestions_sql, tiers_sql, versions_sql
from ..lifecycle.add_sql import Origin
from ..lifecycle.cluster import summary
from ..lifecycle.forgotten_sql import brings_back
from ..lifecycle.sum_up_sql import _sum_up
from ..lifecycle.supersede_sql import BY_RULE, may_act, relate
from ..lifecycle.tombstones_sql import Tombstones
from ..model.candidate import Candidate
from ..model.memory import StoredMemory
from ..model.relationship import DERIVED_FROM
from . import observations_sql

NOTED = ("manual", "api")  # origins of memories that were stored on purpose
_WORKING = "WHERE t.session_id = :session AND t.tier = 'working' ORDER BY t.id"


def end_session(tx: Transaction, session_id: str, at: float) -> None:
    """Ends a session and its working memories. Call it after the session's conclusion has read them."""
    if sessions.end(tx, session_id, at):
        end_working(tx, Origin("hook", session_id=session_id), at)
        observations_sql.purge(tx, session_id)
        suggestions_sql.ignore(tx, session_id, at)


def finish(tx: Transaction, session_id: str, at: float) -> list[str]:
    """Ends a session without a transcript: its notes become episodic, and two or more that are trusted are summed up.
    Returns the notes' ids.
    """
    origin = Origin("hook", session_id=session_id)
    sessions.end(tx, session_id, at)
    notes = end_working(tx, origin, at)
    episodes = sorted(_acting(tx, notes, at), key=lambda one: (one.created_at, one.id))
    if len(episodes) > 1:
        placed = replace(origin, project_id=episodes[0].project_id, agent_id=episodes[0].agent_id)
        _sum_up(tx, placed, episodes, replace(summary((), episodes), tier="episodic"), at)
    return notes


def _acting(tx: Transaction, notes: list[str], at: float) -> list[StoredMemory]:
    found = tiers_sql.stored(tx, "m.id IN (SELECT value FROM json_each(:ids))", ids=dump(notes))
    return [one for one in found if may_act(one, at)]


def end_working(tx: Transaction, origin: Origin, now: float) -> list[str]:
    """Ends a session's working memories. Returns the ids of those that become episodic: notes that were stored on
    purpose or pinned, unless they have ended already. Captured ones that nobody pinned are deleted.
    """
    notes = []
    for memory in tx.records(MemoryRecord, _WORKING, {"session": origin.session_id}):
        if memory.origin in NOTED or memory.pinned:
            if memory.status != "active" or (memory.expires_at is not None and memory.expires_at <= now):
                continue
            ends = tiers_sql.ends_at(tx, "episodic", memory.origin, now)
            versions_sql.apply_change(tx, memory, now, "promote", tier="episodic", expires_at=ends)
            add_sql.audit(tx, "promote", memory.id, origin, now)
            notes.append(memory.id)
        else:
            rows.drop(tx, memory)
            add_sql.audit(tx, "expire", memory.id, origin, now)
    return notes


def summarise(tx: Transaction, origin: Origin, made: Candidate, notes: list[str], now: float) -> str | None:
    """Stores or renews a session's summary, and relates it to the notes. Returns its id if it is new. Does nothing if
    the summary was erased or would repeat erased or forgotten text, or if a trusted one would say what has to wait.
    """
    seed = digest(origin.session_id or "", "summary")
    memory_id, gone = versions_sql.memory_id_of(seed), Tombstones(tx)
    texts = [made.title, made.content, made.excerpt]
    if gone.among([memory_id]) or gone.hold(texts, made.said_at):
        return None
    if brings_back(tx, origin.project_id, origin.session_id or "", made.said_at or now, texts):
        return None
    known = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    if known is not None and add_sql.is_beyond(known, made):
        return None
    if known is None:
        add_sql.insert(tx, origin, made, seed, now)
        add_sql.add_evidence(tx, memory_id, origin, made, now)
    elif known.status == "active" and versions_sql.apply_change(
        tx, known, now, "renew", title=made.title, content=made.content
    ):
        versions_sql.sign(tx, known, now)
    for note in _acting(tx, notes, now):
        relate(tx, memory_id, note.id, DERIVED_FROM, BY_RULE, now)
    return memory_id if known is None else None
