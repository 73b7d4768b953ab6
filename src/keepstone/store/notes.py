"""The files of Claude's own memory as memories: one a file and project, revised when the file is written again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlmodel import Session as Transaction
from sqlmodel import func, select

from ..core import dedupe
from ..core.candidate import Candidate, tier_at_birth, title_of
from ..core.model import QUARANTINED
from ..core.quotes import ERASED
from ..core.text import digest
from . import versions
from .keep import Keeper, Origin
from .tables import Evidence, Memory, MemoryFacet, MemoryVersion
from .tombstones import Graves

METHOD = "auto_memory"  # both the origin and the method of its evidence


@dataclass(frozen=True, slots=True)
class Note:
    """One write of a memory file, said at `said_at` in a record. `made` gives the candidate of the file's new text, or
    None; it is told what is stored of the file, where the write is the newest.
    """

    file: str
    record_uuid: str
    said_at: float
    made: Callable[[Memory | None, bool], Candidate | None]


class Notes(Keeper):
    """Keeps what the client's own memory files say."""

    def told_by(self, note: Note, project_id: str | None) -> Candidate | None:
        """What a write of a file says, by what is stored of that; changes nothing."""
        with self._transaction() as tx:
            known = _of_file(tx, project_id, note.file)
            newest = note.said_at >= _stands_at(tx, known)
            return note.made(known if newest else None, newest)

    def _keep_note(self, tx: Transaction, origin: Origin, note: Note, now: float) -> tuple[str, bool] | None:
        """Stores what a write of a file says: (id, whether it is new), or None when it says nothing to keep.

        A text that an active or forgotten memory has already reinforces that one, as any other statement does.
        """
        known = _of_file(tx, origin.project_id, note.file)
        if known is not None and (known.status == "deleted" or note.record_uuid in _records(tx, known.id)):
            return None
        stands_at = _stands_at(tx, known)
        newest = note.said_at >= stands_at
        candidate = note.made(known if newest else None, newest)
        if candidate is None or note.record_uuid in self._taken(tx, [note.record_uuid])[1]:
            return None
        kept = _rid(Graves(tx), candidate)
        if kept is None:
            return None
        candidate = kept
        same = self._duplicate(tx, origin.project_id, candidate, ("active", "archived", "deleted"))
        if same is not None and (known is None or same.status == "deleted"):
            memory = same
        elif known is None:
            seed = digest(origin.session_id or "", note.record_uuid, METHOD, note.file)
            memory = self._insert(tx, origin, candidate, seed, now)
            self._add_facet(tx, memory.id, "file", note.file)
        else:
            memory = known
            self._write_again(tx, memory, candidate, stands_at, now)
        self._add_evidence(tx, memory.id, origin, candidate, now)
        is_new = memory is not known and memory is not same
        if not is_new:
            self._audit(tx, "reinforce", memory.id, origin, now)
        return memory.id, is_new

    def _write_again(self, tx: Transaction, known: Memory, candidate: Candidate, stands_at: float, now: float) -> None:
        """The newer text of a file replaces the stored one, which becomes a version; an older one becomes one itself.

        A text that the person has corrected does not return.
        """
        said_at = candidate.said_at or 0.0
        if said_at < stands_at:
            _keep_older(tx, known, candidate, stands_at)
            return
        if candidate.content == known.content and candidate.kind == known.kind and candidate.title == known.title:
            return
        corrected = select(MemoryVersion.content).where(
            MemoryVersion.memory_id == known.id, MemoryVersion.reason == "revise"
        )
        if any(dedupe.same(candidate.content, text, self.ratio) for text in tx.exec(corrected)):
            return
        versions.keep(tx, known.model_dump(), stands_at, said_at, METHOD)
        known.version += 1
        known.content, known.title, known.kind = candidate.content, candidate.title, candidate.kind
        known.tier = tier_at_birth(candidate.kind, candidate.confidence)
        known.status_reason = candidate.suspect or None  # what was rated is no longer what it says
        if candidate.suspect:
            known.trust = QUARANTINED
        versions.seal(known, now)
        tx.add(known)


def _rid(gone: Graves, made: Candidate) -> Candidate | None:
    """A file's text without what was erased, whenever that was: an edit says nothing anew of what stood there."""
    if not gone or not gone.hold([made.title, made.content], None):
        return made
    left = gone.cut(made.content, None)
    if not left.replace(ERASED, "").strip():
        return None
    title = title_of(left) if gone.hold([made.title], None) else made.title
    return replace(made, title=title, content=left, excerpt=gone.cut(made.excerpt, None))


def _of_file(tx: Transaction, project_id: str | None, file: str) -> Memory | None:
    query = select(Memory).join(MemoryFacet).where(MemoryFacet.facet == "file", MemoryFacet.value == file)
    return tx.exec(query.where(Memory.origin == METHOD, Memory.project_id == project_id)).first()


def _records(tx: Transaction, memory_id: str) -> set[str]:
    return set(tx.exec(select(Evidence.record_uuid).where(Evidence.memory_id == memory_id)))


def _stands_at(tx: Transaction, known: Memory | None) -> float:
    """When the text that is stored of a file was written; 0 when there is none."""
    if known is None:
        return 0.0
    query = select(func.max(Evidence.created_at)).where(Evidence.memory_id == known.id, Evidence.method == METHOD)
    return tx.exec(query).one() or 0.0


def _keep_older(tx: Transaction, known: Memory, candidate: Candidate, stands_at: float) -> None:
    said_at = candidate.said_at or 0.0
    if candidate.content != known.content:
        says = {"title": candidate.title, "content": candidate.content, "kind": candidate.kind}
        versions.keep(tx, {**known.model_dump(), **says}, said_at, _next_write(tx, known, said_at, stands_at), METHOD)
        known.version += 1
    known.created_at = min(known.created_at, said_at)
    tx.add(known)


def _next_write(tx: Transaction, known: Memory, after: float, stands_at: float) -> float:
    query = select(func.min(Evidence.created_at)).where(Evidence.memory_id == known.id, Evidence.method == METHOD)
    return tx.exec(query.where(Evidence.created_at > after)).one() or stands_at
