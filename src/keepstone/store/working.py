"""The end of a session in rows: what lived for it alone becomes episodic or dies (Z3-16); its summary is renewed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core.candidate import Candidate
from ..core.cluster import summary
from ..core.fastjson import dump
from ..core.model import WORKING, StoredMemory
from ..core.quotes import Quotes
from ..core.relate import DERIVED_FROM
from ..core.text import digest
from . import sessions, versions
from .erase import drop
from .keep import GONE_FOR_GOOD, Keeper, Origin
from .observations import purge
from .relationships import BY_RULE, relate
from .tables import Evidence, Memory
from .tiers import stored
from .tombstones import Graves

NOTED = ("manual", "api")  # origins of what somebody put there on purpose


def _forgotten(tx: Transaction, session_id: str | None) -> list[str]:
    """What was said in a session and forgotten since."""
    query = select(Memory.content).join(Evidence).where(Evidence.session_id == session_id)
    return list(tx.exec(query.where(Memory.status == "deleted", col(Memory.status_reason).in_(GONE_FOR_GOOD))))


class Endings(Keeper):
    """What becomes of a session's memories, and of episodes, when they end."""

    def end_session(self, session_id: str, at: float) -> None:
        """Ends a session, and with it what was kept for it alone. Call when its extraction has read that."""
        with self._transaction() as tx:
            if sessions.end(tx, session_id, at):
                self._end_working(tx, Origin("hook", session_id=session_id), at)
                purge(tx, session_id)

    def finish(self, session_id: str, at: float) -> list[str]:
        """Ends a session that has no transcript: its notes live on, and several of them are summed up; their ids."""
        origin = Origin("hook", session_id=session_id)
        with self._transaction() as tx:
            sessions.end(tx, session_id, at)
            notes = self._end_working(tx, origin, at)
            if len(notes) > 1:
                held = stored(tx, "m.id IN (SELECT value FROM json_each(:ids))", ids=dump(notes))
                placed = replace(origin, project_id=held[0].project_id, agent_id=held[0].agent_id)
                self._sum_up(tx, placed, held, replace(summary((), held), tier="episodic"), at)
            return notes

    def sum_up(self, episodes: Sequence[StoredMemory], made: Candidate, now: float) -> str | None:
        """What is left of episodes that end; its id, None where it was stored before or says what was erased."""
        origin = Origin("hook", episodes[0].project_id, agent_id=episodes[0].agent_id)
        with self._transaction() as tx:
            return self._sum_up(tx, origin, episodes, replace(made, tier="semantic"), now)

    def _end_working(self, tx: Transaction, origin: Origin, now: float) -> list[str]:
        """Ends a session's working memories; the ids of those that live on: a person's notes do, guesses do not."""
        query = select(Memory).where(Memory.session_id == origin.session_id, Memory.tier == WORKING)
        kept = []
        for memory in tx.exec(query.order_by(Memory.id)).all():
            if memory.origin in NOTED or memory.pinned:
                ends = self.ends_at("episodic", memory.origin, now)
                versions.turn(tx, memory, now, "promote", tier="episodic", expires_at=ends)
                self._audit(tx, "promote", memory.id, origin, now)
                kept.append(memory.id)
            else:
                drop(tx, memory)
                self._audit(tx, "expire", memory.id, origin, now)
        return kept

    def _summarise(self, tx: Transaction, origin: Origin, made: Candidate, notes: list[str], now: float) -> str | None:
        """Stores a session's summary, or renews it: its id when it is new. What it is made of stays readable from it.
        None where it was erased, or would say what was.
        """
        seed = digest(origin.session_id or "", "summary")
        memory_id, gone = versions.memory_id_of(seed), Graves(tx)
        if gone.among([memory_id]) or gone.hold([made.content, made.excerpt], made.said_at):
            return None
        if Quotes(_forgotten(tx, origin.session_id)).within(made.content):
            return None
        known = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
        if known is None:
            self._insert(tx, origin, made, seed, now)
            self._add_evidence(tx, memory_id, origin, made, now)
        elif known.status == "active" and versions.turn(
            tx, known, now, "renew", title=made.title, content=made.content
        ):
            versions.seal(known, now)
        for note in notes:
            relate(tx, memory_id, note, DERIVED_FROM, BY_RULE, now)
        return memory_id if known is None else None

    def _sum_up(
        self, tx: Transaction, origin: Origin, episodes: Sequence[StoredMemory], made: Candidate, now: float
    ) -> str | None:
        memory_id, gone = versions.memory_id_of(made.record_uuid), Graves(tx)
        if gone.among([memory_id]) or gone.hold([made.content], None):
            return None
        if tx.exec(select(Memory.id).where(Memory.id == memory_id)).first():
            return None
        self._insert(tx, origin, made, made.record_uuid, now)
        self._add_evidence(tx, memory_id, origin, made, now)
        for episode in episodes:
            relate(tx, memory_id, episode.id, DERIVED_FROM, BY_RULE, now)
        return memory_id
