"""Every write, each with its audit row in the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from sqlmodel import Session as Transaction
from sqlmodel import col, select

from ..core.candidate import Candidate
from ..core.errors import BadInput, NotFound
from ..core.facets import OF_TEXT, facets
from ..core.fastjson import dump
from ..core.observation import Observed
from ..core.transcript import Cursor
from . import deliveries, observations, relationships, versions
from .anchors import Anchors
from .graph import Graph
from .jobs import Jobs
from .keep import Origin, evidence_digest
from .merge import Merges
from .notes import METHOD, Note, Notes
from .observations import Observations
from .ratings import Ratings
from .review import Reviews
from .sessions import Sessions
from .tables import Audit, Memory, MemoryFacet, Session
from .undo import Undone, undo
from .usage import Ledger
from .vectors import Vectors
from .working import Endings

# What a memory says, what else is kept as a version when it changes, what decides whether it is recalled.
SAYS = {"title", "content", "kind", "relevance"}
KEPT = SAYS | {"status", "tier"}
TAKEN_BACK = {"status", "status_reason", "trust", "origin", "expires_at", "pinned"}  # by undoing; texts are versions
UNTOLD = {"used_at"}  # a change of this alone is none
HOLDS = {"status", "status_reason", "trust", "scope"}


@dataclass(frozen=True, slots=True)
class Beside:
    """What a window holds beside candidates: writes of memory files, observations, and verdicts on what its session was
    shown.
    """

    notes: Iterable[Note] = ()
    observed: Observed = Observed()
    verdicts: Mapping[str, str] = field(default_factory=dict)


BARE = Beside()


class Store(Sessions, Observations, Vectors, Anchors, Ratings, Jobs, Reviews, Notes, Endings, Merges, Graph):
    """The database for writing. Raises StoreError when it is locked, read-only, damaged or newer than this code."""

    @property
    def ledger(self) -> Ledger:
        return Ledger(self._transaction)

    def capture(
        self,
        origin: Origin,
        candidates: Iterable[Candidate],
        before: Cursor,
        after: Cursor,
        now: float,
        beside: Beside = BARE,
    ) -> tuple[list[str], list[str]] | None:
        """Commits a window: its candidates, what stands beside them and the session's cursor together; (new ids,
        reinforced ids).

        None, and nothing written, when the cursor is no longer `before`: somebody else has captured this window.
        """
        session_id = origin.session_id or ""
        with self._transaction() as tx:
            row = tx.get(Session, session_id)
            if row is None or (row.cursor_offset, row.cursor_uuid or "") != (before.offset, before.uuid):
                return None
            new: list[str] = []
            reinforced: list[str] = []
            noted = (self._keep_note(tx, replace(origin, origin=METHOD), note, now) for note in beside.notes)
            for memory_id, is_new in chain(self._kept(tx, origin, list(candidates), now), filter(None, noted)):
                (new if is_new else reinforced).append(memory_id)
            observations.keep(tx, session_id, beside.observed)
            deliveries.mark(tx, session_id, beside.verdicts, now)
            row.cursor_offset, row.cursor_uuid = after.offset, after.uuid
            row.cursor_digest, row.carry_offset = after.digest, after.carry
            tx.add(row)
            if new or reinforced:
                details = dump({"new": len(new), "reinforced": len(reinforced)})
                tx.add(Audit(at=now, actor="worker", op="capture", session_id=session_id, details=details))
            return new, reinforced

    def conclude(
        self, origin: Origin, candidates: list[Candidate], summary: Candidate | None, ended: bool, now: float
    ) -> list[str]:
        """Commits what a session comes to: its solutions, its summary and, when it has `ended`, the end of what lived
        for it alone; the ids of what is new.
        """
        with self._transaction() as tx:
            kept = list(self._kept(tx, origin, candidates, now))
            notes = self._end_working(tx, origin, now) if ended else []
            told = self._summarise(tx, origin, summary, notes, now) if summary else None
            return [memory_id for memory_id, is_new in kept if is_new] + ([told] if told else [])

    def undo(self, session_id: str, now: float) -> Undone:
        with self._transaction() as tx:
            done = undo(tx, session_id, now)
            self.fit(tx, done.revived, now)
            return done

    def change(
        self, memory_id: str, op: str, change: Callable[[Memory], None], now: float, tags: Iterable[str] = ()
    ) -> None:
        """Applies a change to one memory and adds tags: the old text becomes a version when what it says changes, the
        digest follows, `op` is audited. A change that changes nothing writes nothing. Raises NotFound.
        """
        with self._transaction() as tx:
            self._change(tx, memory_id, op, change, now, tags)

    def note_shared(self, ids: Iterable[str], now: float) -> None:
        """Notes that a person has shared memories."""
        with self._transaction() as tx:
            for memory_id in ids:
                self._audit(tx, "share", memory_id, self._person, now)

    def restore(self, memory_id: str, change: Callable[[Memory], None], now: float) -> None:
        """Applies a change that brings a memory back, and takes off what had taken it back."""
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
            after = relationships.current(tx, memory)
            if after is not None and after is not memory:
                raise BadInput(f"{memory_id} went into {after.id}", f"keepstone merge --undo {after.id}")
            self._change(tx, memory_id, "restore", change, now)
            relationships.let_go(tx, memory_id)

    def _change(
        self,
        tx: Transaction,
        memory_id: str,
        op: str,
        change: Callable[[Memory], None],
        now: float,
        tags: Iterable[str] = (),
    ) -> None:
        memory = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
        if memory is None:
            raise NotFound(f"there is no memory {memory_id}")
        before, sound = memory.model_dump(), versions.is_sound(memory)
        change(memory)
        changed = {key for key, value in before.items() if value != getattr(memory, key)} - UNTOLD
        changed |= {"tags" for tag in tags if self._add_facet(tx, memory_id, "tag", tag)}
        if not changed:
            return
        if changed & SAYS:
            self.written.append(memory_id)
        if "content" in changed:
            self._name_anew(tx, memory)
        if changed & KEPT:
            versions.keep_last(tx, before, now, op)
            memory.version = before["version"] + 1
        if "content" in changed or (changed & (SAYS | HOLDS) and sound):
            versions.seal(memory, now)  # else a digest that no longer fits is left to be found
        tx.add(memory)
        if before["status"] != "active":
            self.fit(tx, [memory_id], now)
        was = {name: before[name] for name in sorted(changed & TAKEN_BACK)}
        self._audit(tx, op, memory_id, self._person, now, changed=sorted(changed), was=was)

    def _name_anew(self, tx: Transaction, memory: Memory) -> None:
        """The symbols and concepts of a text that changed."""
        of_it = select(MemoryFacet).where(MemoryFacet.memory_id == memory.id)
        for row in tx.exec(of_it.where(col(MemoryFacet.facet).in_(OF_TEXT))).all():
            tx.delete(row)
        tx.flush()
        for facet, value in facets(memory.content):
            self._add_facet(tx, memory.id, facet, value)


__all__ = ["Beside", "Origin", "Store", "evidence_digest"]
