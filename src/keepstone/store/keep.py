"""Keeping a memory: a new one, or what is known and said again; each write with its audit row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core import dedupe
from ..core.candidate import REPEATS, Candidate, tier_at_birth, title_of
from ..core.defaults import BUSY_SECONDS, RESTATED_CONFIDENCE
from ..core.errors import NotFound, StoreError
from ..core.facets import facets
from ..core.fastjson import dump
from ..core.lifecycle import BY_HAND
from ..core.model import QUARANTINED, SUPERSEDED, WORKING, group_of, kinds_of
from ..core.text import MAIN_AGENT, digest
from . import relationships, versions
from .database import FILE
from .tables import Audit, Evidence, Memory, MemoryFacet
from .tiers import EVICTED, Tiers, audit, end_of
from .tombstones import Graves, erased, without_erased

# Texts that are 90 % alike are of like length (0.9 / 1.1), punctuation and white space apart: spares most comparisons.
LIKE_LENGTH = 0.6
LAPSED = ("expired", "evicted", "pruned", "unmerged")  # why a memory ended that nobody forgot
# what it may change
REINFORCED = ("status", "status_reason", "trust", "origin", "expires_at", "created_at", "confidence", "verified_at")
GONE_FOR_GOOD = ("forgotten", "undone")  # why one was deleted that its own turn does not bring back


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory comes from: hook, manual, onboarding, auto_memory, import or api; its session and more."""

    origin: str
    project_id: str | None = None
    session_id: str | None = None
    branch: str | None = None
    agent_id: str = MAIN_AGENT


def evidence_digest(excerpt: str) -> str:
    return digest(excerpt)


class Keeper(Tiers):
    """Keeps candidates: the one place where a memory comes to be, or is said again."""

    def __init__(
        self, path: str, ratio: Callable[[str, str], float], busy: float = BUSY_SECONDS, mode: str = FILE
    ) -> None:
        """`ratio` tells how alike two normalised texts are, 0..100; `busy` how many seconds a writer waits."""
        super().__init__(path, busy, mode)
        self.ratio = ratio
        self.written: list[str] = []  # ids of memories whose texts are new

    @property
    def _person(self) -> Origin:
        """Whose doing it is what somebody does by hand, and in which session."""
        return Origin("manual", session_id=self.session)

    def store(
        self, origin: Origin, candidate: Candidate, tags: Iterable[str], seed: str, now: float
    ) -> tuple[str, bool]:
        """A memory given by a person: (id, whether it is new). One that is known and active is reinforced.

        What was forgotten does not stand in the way: storing it again is the person's word. The same `seed` again is
        the same word, and changes nothing, whatever has become of it; where that was erased it raises NotFound.
        """
        with self._transaction() as tx:
            if (before := self._stored_before(tx, candidate.record_uuid)) is not None:
                return before, False
            known = relationships.current(tx, self._duplicate(tx, origin.project_id, candidate, ("active", "archived")))
            if known is not None and known.status == "archived" and known.status_reason != SUPERSEDED:
                known = None
            memory = known or self._insert(tx, origin, candidate, seed, now)
            if known is None:
                self._add_evidence(tx, memory.id, origin, candidate, now)
            else:
                self._reinforce(tx, known, origin, candidate, now)
            if known is None or self._renewed(tx, known, candidate, origin.session_id, now):
                relationships.settle(self, tx, memory, candidate, origin.session_id, now)
            for tag in tags:
                self._add_facet(tx, memory.id, "tag", tag)
            return memory.id, known is None

    @staticmethod
    def _stored_before(tx: Transaction, record: str) -> str | None:
        if erased(tx, [record]):
            raise NotFound("this was stored before, and erased since", "keepstone store, if you want it all the same")
        return tx.exec(select(Evidence.memory_id).where(Evidence.record_uuid == record)).first()

    def _kept(
        self, tx: Transaction, origin: Origin, candidates: list[Candidate], now: float
    ) -> Iterator[tuple[str, bool]]:
        """Stores what a window or a session's end holds: (id, whether it is new) of each memory."""
        taken, forgotten = self._taken(tx, [candidate.record_uuid for candidate in candidates])
        for candidate in without_erased(Graves(tx), candidates):
            if candidate.record_uuid in forgotten:
                continue  # another extractor says in other words what was forgotten
            if (candidate.record_uuid, evidence_digest(candidate.excerpt)) not in taken:  # else this turn is known
                memory_id, is_new = self._keep(tx, origin, candidate, now)
                tier = tx.exec(select(Memory.tier).where(Memory.id == memory_id)).one()
                if not is_new or tier != WORKING:  # what may die with its session is not learned yet
                    yield memory_id, is_new

    @staticmethod
    def _taken(tx: Transaction, records: list[str]) -> tuple[set[tuple[str, str]], set[str]]:
        """What earlier captures took from these records, as (record uuid, excerpt digest), and the records of which
        something was forgotten.
        """
        if not records:
            return set(), set()
        query = select(Evidence.record_uuid, Evidence.row_digest, Memory.status_reason).join(Memory)
        rows = tx.exec(query.where(Evidence.record_uuid.in_(records))).all()  # type: ignore[attr-defined]
        gone = {uuid for uuid, _, reason in rows if reason in GONE_FOR_GOOD}
        return {(uuid, made) for uuid, made, _ in rows}, gone | erased(tx, records)

    def _keep(self, tx: Transaction, origin: Origin, candidate: Candidate, now: float) -> tuple[str, bool]:
        """Stores a candidate or lets it reinforce what is known: (id, whether it is new)."""
        known = self._repeated(tx, origin.project_id, candidate)
        known = known or self._duplicate(tx, origin.project_id, candidate, ("active", "archived", "deleted"))
        seed = digest(origin.session_id or "", candidate.record_uuid, candidate.kind, candidate.content)
        known = known or tx.exec(select(Memory).where(Memory.id == versions.memory_id_of(seed))).first()
        known = relationships.current(tx, known)
        if known is None:
            memory = self._insert(tx, origin, candidate, seed, now)
            self._add_evidence(tx, memory.id, origin, candidate, now)
            relationships.settle(self, tx, memory, candidate, origin.session_id, now)
            return memory.id, True
        self._reinforce(tx, known, origin, candidate, now)
        if self._renewed(tx, known, candidate, origin.session_id, now):
            relationships.settle(self, tx, known, candidate, origin.session_id, now)
        return known.id, False

    def _renewed(self, tx: Transaction, known: Memory, candidate: Candidate, session: str | None, now: float) -> bool:
        """Whether saying it again changes what is known: said twice it is no longer unsure, a person's own words clear
        it of suspicion, what was taken back holds again, and what had ended by itself begins anew.
        """
        said_at, sound = min(now, candidate.said_at or now), versions.is_sound(known)
        confirmed = known.tier == WORKING and known.status == "active"
        lapsed = known.status != "active" and known.status_reason in LAPSED
        cleared = known.trust == QUARANTINED and candidate.method in relationships.SAID and not candidate.suspect
        since = relationships.superseded_at(tx, known.id) if known.status_reason == SUPERSEDED else None
        again = (
            since is not None and said_at > since and candidate.method in relationships.SAID and not candidate.unsure
        )
        if confirmed:
            self.confirm_tier(tx, known, now)
        if cleared:
            known.trust, known.status_reason = "trusted", None
        if again or lapsed:
            self.make_room(tx, known.tier, known.agent_id, now)
            versions.turn(tx, known, now, "restate", status="active", status_reason=None)
        if again:
            known.created_at = said_at
            relationships.revive(tx, known, session, now)
        if known.status == "active" and known.expires_at is not None:
            ends = self.ends_at(known.tier, known.origin, now)
            known.expires_at = ends if known.expires_at <= now else max(known.expires_at, ends or 0.0)
        if sound and (confirmed or cleared or again or lapsed):
            versions.seal(known, now)
        tx.add(known)
        return confirmed or cleared or again or lapsed

    def _reinforce(self, tx: Transaction, known: Memory, origin: Origin, candidate: Candidate, now: float) -> None:
        """What is said again is surer: a little for each session that says it, and as of when it was said."""
        was = {name: getattr(known, name) for name in REINFORCED}
        if known.status_reason == SUPERSEDED:
            was["by"] = relationships.superseded_by(tx, known.id)
        said_in = select(Evidence.session_id).where(Evidence.memory_id == known.id)
        if origin.session_id not in set(tx.exec(said_in)):
            known.confidence = min(1.0, known.confidence + RESTATED_CONFIDENCE)
        if origin.origin in BY_HAND:
            known.origin, known.expires_at = origin.origin, candidate.ends_at  # the person's own from now on
        known.verified_at = max(known.verified_at or 0.0, min(now, candidate.said_at or now))
        self._add_evidence(tx, known.id, origin, candidate, now)
        self._audit(tx, "reinforce", known.id, origin, now, was=was)

    @staticmethod
    def _repeated(tx: Transaction, project_id: str | None, candidate: Candidate) -> Memory | None:
        """The memory that a candidate is said to repeat, where that can be: of its scope and group, and with every
        number that it names.
        """
        if candidate.relation != REPEATS:
            return None
        known = tx.exec(
            select(Memory).where(
                Memory.id == candidate.related_id,
                Memory.scope == candidate.scope,
                Memory.project_id == (project_id if candidate.scope == "project" else None),
                Memory.kind.in_(kinds_of(group_of(candidate.kind))),  # type: ignore[attr-defined]
            )
        ).first()
        return known if known and dedupe.adds_no_number(candidate.content, known.content) else None

    def _duplicate(
        self, tx: Transaction, project_id: str | None, candidate: Candidate, statuses: tuple[str, ...]
    ) -> Memory | None:
        length = len(candidate.content)
        query = select(Memory.seq, Memory.content).where(
            Memory.scope == candidate.scope,
            Memory.project_id == (project_id if candidate.scope == "project" else None),
            Memory.kind.in_(kinds_of(group_of(candidate.kind))),  # type: ignore[attr-defined]
            Memory.status.in_(statuses),  # type: ignore[attr-defined]
            func.length(Memory.content).between(length * LIKE_LENGTH, length / LIKE_LENGTH),
            col(Memory.content).ilike(dedupe.pattern(candidate.content)),  # compared here they took half of the time
        )
        seqs = [seq for seq, content in tx.exec(query) if dedupe.same(candidate.content, content, self.ratio)]
        found = tx.exec(select(Memory).where(Memory.seq.in_(seqs))).all() if seqs else []  # type: ignore[union-attr]
        return min(found, key=lambda row: (row.status != "active", row.created_at, row.id), default=None)

    def _insert(self, tx: Transaction, origin: Origin, candidate: Candidate, seed: str, now: float) -> Memory:
        said_at = min(now, candidate.said_at or now)
        tier = candidate.tier or tier_at_birth(candidate.kind, candidate.confidence, candidate.unsure)
        room = self.has_room(tx, tier, origin, now)
        memory = Memory(
            id=versions.memory_id_of(seed),
            agent_id=origin.agent_id,
            project_id=origin.project_id if candidate.scope == "project" else None,
            scope=candidate.scope,
            kind=candidate.kind,
            tier=tier,
            expires_at=self.ends_at(tier, origin.origin, now) if candidate.ends_at is None else candidate.ends_at,
            status="active" if room else "deleted",
            trust=QUARANTINED if candidate.suspect else "trusted",
            status_reason=(candidate.suspect or None) if room else EVICTED,
            deadline_at=candidate.deadline_at,
            title=candidate.title or title_of(candidate.content),
            content=candidate.content,
            relevance=candidate.relevance,
            confidence=candidate.confidence,
            origin=origin.origin,
            session_id=origin.session_id,
            branch=candidate.branch or origin.branch,
            created_at=said_at,
            updated_at=now,
            content_hash=digest(dedupe.normalise(candidate.content)),
            row_digest="",
        )
        memory.row_digest = versions.memory_digest(memory)
        tx.add(memory)
        tx.flush()
        self.written.append(memory.id)
        tx.add_all(
            MemoryFacet(memory_id=memory.id, facet=facet, value=value)
            for facet, value in dict.fromkeys(candidate.facets or facets(candidate.content))
        )
        self._audit(tx, "store", memory.id, origin, now)
        if not room:
            audit(tx, *end_of(EVICTED, [memory.id]), now)
        return memory

    def has_room(self, tx: Transaction, tier: str, origin: Origin, now: float) -> bool:
        """Makes room for one more in a tier. Where nothing may go, what was captured ends at its birth, to be restored
        by hand; of what somebody gave StoreError is raised.
        """
        try:
            self.make_room(tx, tier, origin.agent_id, now)
        except StoreError:
            if origin.origin in (*BY_HAND, "api"):
                raise
            return False
        return True

    @staticmethod
    def _add_evidence(tx: Transaction, memory_id: str, origin: Origin, candidate: Candidate, now: float) -> None:
        stated = select(Evidence).where(Evidence.memory_id == memory_id, Evidence.record_uuid == candidate.record_uuid)
        if tx.exec(stated).first() is None:
            tx.add(
                Evidence(
                    memory_id=memory_id,
                    session_id=origin.session_id,
                    record_uuid=candidate.record_uuid,
                    excerpt=candidate.excerpt,
                    trust=QUARANTINED if candidate.suspect else "trusted",
                    method=candidate.method,
                    row_digest=evidence_digest(candidate.excerpt),
                    created_at=min(now, candidate.said_at or now),
                )
            )
            tx.flush()

    @staticmethod
    def _add_facet(tx: Transaction, memory_id: str, facet: str, value: str) -> bool:
        """Whether the facet is new to the memory."""
        is_new = tx.get(MemoryFacet, (memory_id, facet, value)) is None
        if is_new:
            tx.add(MemoryFacet(memory_id=memory_id, facet=facet, value=value))
        return is_new

    @staticmethod
    def _audit(tx: Transaction, op: str, memory_id: str, origin: Origin, now: float, **details: Any) -> None:
        actor, of = "person" if origin.origin in BY_HAND else "worker", origin.session_id
        tx.add(Audit(at=now, actor=actor, op=op, memory_id=memory_id, session_id=of, details=dump(details)))
