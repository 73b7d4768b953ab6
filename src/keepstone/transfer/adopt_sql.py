"""Stores another tool's memories as our own. Merges known ones, and leaves out those that were forgotten here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from ..db.records import AuditRecord, MemoryRecord
from ..db.writer import Transaction
from ..language import duplicates
from ..lib.fast_json import dump
from ..lifecycle import add_sql
from ..lifecycle.add_sql import Origin
from ..lifecycle.note_files_sql import Note, keep_note
from ..lifecycle.tombstones_sql import Tombstones, without_erased
from ..model.candidate import Candidate
from ..model.memory import group_of, kinds_of

# The result for a memory that arrived.
NEW, MERGED, DUPLICATE, FORGOTTEN = "new", "merged", "known", "forgotten"
ANY_STATUS = ("active", "archived", "deleted")
Place = tuple[str, str | None, str]  # scope, project, group: near-duplicates have all three in common
TEXTS_OF_PLACE = """
SELECT seq, id, content FROM memory
WHERE scope = :scope AND {} AND kind IN (SELECT value FROM json_each(:kinds)) ORDER BY seq
"""
BY_SEQ = "WHERE t.seq IN (SELECT CAST(value AS BIGINT) FROM json_each(:seqs))"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A memory from elsewhere with its tags. `known_id` is the id that it had when Keepstone exported it, "" for none.
    A `suspect` memory waits for review.
    """

    origin: Origin
    statement: Candidate | Note
    tags: tuple[str, ...] = ()
    known_id: str = ""
    suspect: bool = False


class Duplicates:
    """Finds near-duplicates for many memories: reads all texts of a place once, then compares only the likely ones.
    Nothing is merged into the memories whose ids are in `apart`.
    """

    def __init__(self, apart: Iterable[str] = ()) -> None:
        self.apart = set(apart)
        self._seqs: dict[Place, dict[str, list[int]]] = {}  # row numbers of a place's memories, by signature

    def find(
        self, tx: Transaction, project_id: str | None, candidate: Candidate, statuses: tuple[str, ...]
    ) -> MemoryRecord | None:
        """Returns the duplicate of a candidate, as `add_sql.keep` needs it, or None."""
        return self.same(tx, place_of(candidate.scope, project_id, candidate.kind), candidate.content, statuses)

    def same(self, tx: Transaction, place: Place, content: str, statuses: tuple[str, ...]) -> MemoryRecord | None:
        """Returns the memory of a place that says the same, an active one if there is one."""
        seqs = self._known(tx, place).get(duplicates.signature(content))
        rows = tx.records(MemoryRecord, BY_SEQ, {"seqs": dump(seqs)}) if seqs else []
        found = [row for row in rows if row.status in statuses and duplicates.same(content, row.content, tx.ratio)]
        return min(found, key=lambda row: (row.status != "active", row.created_at, row.id), default=None)

    def note_new(self, tx: Transaction, memory_id: str) -> None:
        """Adds a memory that was just stored."""
        memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
        if memory is None:
            return
        seqs = self._seqs.get(place_of(memory.scope, memory.project_id, memory.kind))
        if seqs is not None:  # otherwise it will be read with the others of its place
            seqs.setdefault(duplicates.signature(memory.content), []).append(memory.seq or 0)

    def _known(self, tx: Transaction, place: Place) -> dict[str, list[int]]:
        if place not in self._seqs:
            scope, project_id, group = place
            sql = TEXTS_OF_PLACE.format("project_id IS NULL" if project_id is None else "project_id = :project")
            values = {"scope": scope, "project": project_id, "kinds": dump(list(kinds_of(group)))}
            known: dict[str, list[int]] = {}
            for seq, memory_id, content in tx.all(sql, values):
                if memory_id not in self.apart:
                    known.setdefault(duplicates.signature(content), []).append(seq)
            self._seqs[place] = known
        return self._seqs[place]


def place_of(scope: str, project_id: str | None, kind: str) -> Place:
    return scope, project_id if scope == "project" else None, group_of(kind)


def adopt(
    tx: Transaction, incoming: Iterable[Incoming], source: str, now: float, watch: Callable[[int], None]
) -> list[tuple[str, str | None]]:
    """Stores memories. Returns (result, project) of each. `watch` is called with the number done."""
    adoption = _Adoption(tx, now)
    done = []
    for one in incoming:
        done.append((adoption.take(one), one.origin.project_id))
        watch(len(done))
    counts = {state: sum(made == state for made, _ in done) for state in (NEW, MERGED)}
    if any(counts.values()):
        tx.add(AuditRecord(at=now, actor=tx.actor, op="import", details=dump({"source": source, **counts})))
    return done


class _Adoption:
    def __init__(self, tx: Transaction, now: float) -> None:
        self.tx = tx
        self.now = now
        self.duplicates = Duplicates()
        self.gone = Tombstones(tx)

    def take(self, one: Incoming) -> str:
        status = self._status(one.known_id) if one.known_id else None
        if status is not None:
            return FORGOTTEN if status == "deleted" else DUPLICATE
        if self.gone.among([one.known_id]):
            return FORGOTTEN
        if isinstance(one.statement, Note):
            return self._note(one.origin, one.statement)
        return self._candidate(one, one.statement)

    def _candidate(self, one: Incoming, candidate: Candidate) -> str:
        left = without_erased(self.gone, [replace(candidate, said_at=candidate.said_at or 0.0)])
        if not left:
            return FORGOTTEN
        record = candidate.record_uuid
        taken, forgotten = add_sql.taken(self.tx, [record])
        if record in forgotten:
            return FORGOTTEN
        if (record, add_sql.evidence_digest(candidate.excerpt)) in taken:
            return DUPLICATE
        candidate = replace(left[0], said_at=candidate.said_at)
        memory_id, is_new = add_sql.keep(self.tx, one.origin, candidate, self.now, self.duplicates.find)
        if is_new:
            self.duplicates.note_new(self.tx, memory_id)
        if self._status(memory_id) == "deleted":
            return FORGOTTEN
        for tag in one.tags:
            add_sql.add_facet(self.tx, memory_id, "tag", tag)
        return NEW if is_new else MERGED

    def _note(self, origin: Origin, note: Note) -> str:
        taken, forgotten = add_sql.taken(self.tx, [note.record_uuid])
        if taken or forgotten:
            return FORGOTTEN if forgotten else DUPLICATE
        kept = keep_note(self.tx, origin, note, self.now, self.duplicates.find)
        if kept is None:
            return FORGOTTEN
        memory_id, is_new = kept
        if is_new:
            self.duplicates.note_new(self.tx, memory_id)
        if self._status(memory_id) == "deleted":
            return FORGOTTEN
        return NEW if is_new else MERGED

    def _status(self, memory_id: str) -> str | None:
        found: str | None = self.tx.value("SELECT status FROM memory WHERE id = :id", {"id": memory_id})
        return found


def project_names(tx: Transaction) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Returns the name and the keys of each known project."""
    keys: dict[str, list[str]] = {}
    for key, project_id in tx.all("SELECT key, project_id FROM project_key ORDER BY key"):
        keys.setdefault(project_id, []).append(key)
    found = tx.all("SELECT id, name FROM project")
    return {project_id: (name, tuple(keys.get(project_id, ()))) for project_id, name in found}


def session_projects(tx: Transaction) -> Mapping[str, str]:
    """Returns the project of each known session."""
    return {
        session_id: project_id
        for session_id, project_id in tx.all("SELECT id, project_id FROM session WHERE project_id <> ''")
    }


def folders(tx: Transaction) -> list[tuple[str, str]]:
    """Returns (folder, project) of all known sessions."""
    return tx.all("SELECT DISTINCT cwd, project_id FROM session WHERE cwd <> '' AND project_id <> ''")
