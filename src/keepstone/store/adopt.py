"""Memories of another tool as our own: merged with what is known, left out where that was forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core import dedupe
from ..core.candidate import Candidate
from ..core.defaults import BUSY_SECONDS
from ..core.fastjson import dump
from ..core.model import group_of, kinds_of
from .database import FILE
from .keep import Origin, evidence_digest
from .notes import Note
from .store import Store
from .tables import Audit, Memory, Project, ProjectKey, Session
from .tombstones import Graves, without_erased

# What became of a memory that was to be taken in.
NEW, MERGED, KNOWN, FORGOTTEN = "new", "merged", "known", "forgotten"
Place = tuple[str, str | None, str]  # scope, project, group: near-duplicates have all three in common


@dataclass(frozen=True, slots=True)
class Given:
    """A memory from elsewhere with its tags; `named` is the id that it had when Keepstone wrote it out, "" for none.
    One that is `suspect` waits for a person's word.
    """

    origin: Origin
    what: Candidate | Note
    tags: tuple[str, ...] = ()
    named: str = ""
    suspect: bool = False


class Adopter(Store):
    """A store that takes in many memories at once: it looks for near-duplicates among the few that may be one."""

    def __init__(
        self, path: str, ratio: Callable[[str, str], float], busy: float = BUSY_SECONDS, mode: str = FILE
    ) -> None:
        super().__init__(path, ratio, busy, mode)
        self._alike: dict[Place, dict[str, list[int]]] = {}
        self.apart: set[str] = set()  # memories that nothing is merged into

    def adopt(
        self, given: Iterable[Given], source: str, now: float, watch: Callable[[int], None]
    ) -> list[tuple[str, str | None]]:
        """Of each (what became of it, its project), in one transaction; `watch` is told how many are behind."""
        with self._transaction() as tx:
            self._alike.clear()
            done = []
            for one in given:
                done.append((self._adopt(tx, one, now), one.origin.project_id))
                watch(len(done))
            counts = {state: sum(made == state for made, _ in done) for state in (NEW, MERGED)}
            if any(counts.values()):
                tx.add(Audit(at=now, actor="person", op="import", details=dump({"source": source, **counts})))
            return done

    def _adopt(self, tx: Transaction, given: Given, now: float) -> str:
        status = tx.exec(select(Memory.status).where(Memory.id == given.named)).first() if given.named else None
        if status is not None:
            return FORGOTTEN if status == "deleted" else KNOWN
        if Graves(tx).among([given.named]):
            return FORGOTTEN
        if isinstance(given.what, Note):
            return self._adopt_note(tx, given.origin, given.what, now)
        return self._adopt_candidate(tx, given, given.what, now)

    def _adopt_candidate(self, tx: Transaction, given: Given, what: Candidate, now: float) -> str:
        left = without_erased(Graves(tx), [replace(what, said_at=what.said_at or 0.0)])
        if not left:
            return FORGOTTEN
        record = what.record_uuid
        taken, forgotten = self._taken(tx, [record])
        if record in forgotten:
            return FORGOTTEN
        if (record, evidence_digest(what.excerpt)) in taken:
            return KNOWN
        memory_id, is_new = self._keep(tx, given.origin, replace(left[0], said_at=what.said_at), now)
        if tx.exec(select(Memory.status).where(Memory.id == memory_id)).one() == "deleted":
            return FORGOTTEN
        for tag in given.tags:
            self._add_facet(tx, memory_id, "tag", tag)
        return NEW if is_new else MERGED

    def _adopt_note(self, tx: Transaction, origin: Origin, note: Note, now: float) -> str:
        taken, forgotten = self._taken(tx, [note.record_uuid])
        if taken or forgotten:
            return FORGOTTEN if forgotten else KNOWN
        kept = self._keep_note(tx, origin, note, now)
        if kept is None or tx.exec(select(Memory.status).where(Memory.id == kept[0])).one() == "deleted":
            return FORGOTTEN
        return NEW if kept[1] else MERGED

    def _duplicate(
        self, tx: Transaction, project_id: str | None, candidate: Candidate, statuses: tuple[str, ...]
    ) -> Memory | None:
        place = _place(candidate.scope, project_id, candidate.kind)
        return self._same(tx, place, candidate.content, statuses)

    def _same(self, tx: Transaction, place: Place, content: str, statuses: tuple[str, ...]) -> Memory | None:
        seqs = self._known(tx, place).get(dedupe.signature(content), [])
        rows = tx.exec(select(Memory).where(Memory.seq.in_(seqs))).all() if seqs else []  # type: ignore[union-attr]
        found = [row for row in rows if row.status in statuses and dedupe.same(content, row.content, self.ratio)]
        return min(found, key=lambda row: (row.status != "active", row.created_at, row.id), default=None)

    def _known(self, tx: Transaction, place: Place) -> dict[str, list[int]]:
        if place not in self._alike:
            scope, project_id, group = place
            known: dict[str, list[int]] = {}
            self._alike[place] = known
            query = select(Memory.seq, Memory.id, Memory.content).where(
                Memory.scope == scope,
                Memory.project_id == project_id,
                Memory.kind.in_(kinds_of(group)),  # type: ignore[attr-defined]
            )
            for seq, memory_id, content in tx.exec(query):
                if memory_id not in self.apart:
                    known.setdefault(dedupe.signature(content), []).append(seq or 0)
        return self._alike[place]

    def _note_new(self, tx: Transaction, place: Place, content: str, seq: int) -> None:
        self._known(tx, place).setdefault(dedupe.signature(content), []).append(seq)

    def _insert(self, tx: Transaction, origin: Origin, candidate: Candidate, seed: str, now: float) -> Memory:
        place = _place(candidate.scope, origin.project_id, candidate.kind)
        self._known(tx, place)  # read before the new one is there, or it would stand in it twice
        memory = super()._insert(tx, origin, candidate, seed, now)
        self._note_new(tx, place, memory.content, memory.seq or 0)
        return memory

    def project_names(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Of each known project its name and its keys."""
        with self._transaction() as tx:
            keys: dict[str, list[str]] = {}
            for row in tx.exec(select(ProjectKey).order_by(ProjectKey.key)):
                keys.setdefault(row.project_id, []).append(row.key)
            return {row.id: (row.name, tuple(keys.get(row.id, ()))) for row in tx.exec(select(Project))}

    def session_projects(self) -> Mapping[str, str]:
        """Of each known session its project."""
        with self._transaction() as tx:
            rows = tx.exec(select(Session.id, Session.project_id)).all()
            return {session_id: project_id for session_id, project_id in rows if project_id}

    def folders(self) -> list[tuple[str, str]]:
        """(folder, project) of every session that is known."""
        with self._transaction() as tx:
            rows = tx.exec(select(Session.cwd, Session.project_id).distinct()).all()
            return [(cwd, project_id) for cwd, project_id in rows if cwd and project_id]


def _place(scope: str, project_id: str | None, kind: str) -> Place:
    return scope, project_id if scope == "project" else None, group_of(kind)
