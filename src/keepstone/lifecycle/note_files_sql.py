"""Stores files of Claude Code's own memory: one memory for each file and project, revised when the file is rewritten.
What may come from outside waits beside it as another memory, which takes its place once a person accepts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..db.records import MemoryRecord
from ..db.writer import Transaction
from ..language import duplicates
from ..language.quotation import ERASED, Quotes
from ..lib.text import digest, words
from ..model.candidate import Candidate, tier_at_birth, title_of
from ..model.memory import QUARANTINED
from . import add_sql, versions_sql
from .add_sql import Origin
from .tombstones_sql import Tombstones
from .versions_sql import WAITED

HEADING_WORDS = 3  # a heading of so many words says nothing by itself
METHOD = "auto_memory"  # both the origin and the method of its evidence
STATUSES = ("active", "archived", "deleted")
OF_FILE = """
JOIN memory_facet f ON f.memory_id = t.id
WHERE f.facet = 'file' AND f.value = :file AND t.origin = :origin AND t.project_id {}
ORDER BY CASE t.status WHEN 'active' THEN 0 ELSE 1 END, t.seq DESC
"""
FILES = "SELECT value FROM memory_facet WHERE memory_id = :id AND facet = 'file'"
EARLIER = "SELECT content FROM memory_version WHERE memory_id = :id"
WRITTEN_AT = "SELECT max(created_at) FROM evidence WHERE memory_id = :id AND method = :method"
NEXT_WRITE = """
SELECT min(created_at) FROM evidence WHERE memory_id = :id AND method = :method AND created_at > :after
"""
CORRECTED = "SELECT content FROM memory_version WHERE memory_id = :id AND reason = 'revise'"


@dataclass(frozen=True, slots=True)
class Note:
    """A write of a memory file, made at `said_at` in a record. `made` returns the candidate of the file's new text, or
    None. It is called with the stored memory of the file, or None, and with whether this write is the newest.
    """

    file: str
    record_uuid: str
    said_at: float
    made: Callable[[MemoryRecord | None, bool], Candidate | None]


@dataclass(frozen=True, slots=True)
class _Stored:
    """The memories of a file: that of its text, one from outside that waits beside it, and those that were refused."""

    known: MemoryRecord | None
    waiting: MemoryRecord | None
    refused: Sequence[MemoryRecord]


def candidate_of(tx: Transaction, note: Note, project_id: str | None) -> Candidate | None:
    """Returns the candidate of a write, judged by the stored memories of the file. Changes nothing."""
    stored = _of_file(tx, project_id, note.file)
    return _made(tx, note, stored, note.said_at >= _written_at(tx, stored.known))


def keep_note(
    tx: Transaction, origin: Origin, note: Note, now: float, find: add_sql.Finder = add_sql.duplicate
) -> tuple[str, bool] | None:
    """Stores the text of a file after a write. Returns (memory id, whether it is new), or None if there is nothing to
    store.

    A text that an active or forgotten memory already has reinforces that memory, like any other statement.
    """
    stored = _of_file(tx, origin.project_id, note.file)
    known, waiting = stored.known, stored.waiting
    if known is not None and _is_settled(tx, known, note):
        return None
    newest = note.said_at >= _written_at(tx, known)
    made = _made(tx, note, stored, newest)
    if made is None or note.record_uuid in add_sql.taken(tx, [note.record_uuid])[1]:
        return None
    candidate = _without_erased(Tombstones(tx), made)
    if candidate is None:
        return None
    same = find(tx, origin.project_id, candidate, STATUSES)
    if known is not None and add_sql.is_beyond(known, candidate):
        if candidate.by_program or not newest or (waiting is not None and _is_settled(tx, waiting, note)):
            return None
        if same is not None and same.id == known.id and same.title != candidate.title:
            same = None  # a title from outside waits, too
        known = waiting  # nothing from outside re-words what is trusted
    if same is not None and (candidate.by_program or add_sql.is_beyond(same, candidate)):
        return None  # what a program writes counts once, and what waits confirms nothing that is trusted
    return _store(tx, origin, note.file, candidate, known, same, now)


def _store(
    tx: Transaction,
    origin: Origin,
    file: str,
    candidate: Candidate,
    known: MemoryRecord | None,
    same: MemoryRecord | None,
    now: float,
) -> tuple[str, bool]:
    """Stores the text of a file as a memory of its own, as that of `known`, or as evidence of the `same` statement."""
    if same is not None and (known is None or same.status == "deleted"):
        memory = same
    elif known is None:
        seed = digest(origin.session_id or "", candidate.record_uuid, METHOD, file)
        memory = add_sql.insert(tx, origin, candidate, seed, now)
        add_sql.add_facet(tx, memory.id, "file", file)
    else:
        memory = known
        _write_again(tx, memory, candidate, _written_at(tx, known), now)
    is_new = known is None and same is None
    add_sql.add_evidence(tx, memory.id, origin, candidate, now)
    if not is_new:
        add_sql.audit(tx, "reinforce", memory.id, origin, now)
    return memory.id, is_new


def _made(tx: Transaction, note: Note, stored: _Stored, newest: bool) -> Candidate | None:
    """Returns the candidate of a write without the lines that a person has refused: they are still in the file when
    Claude writes there again. It is suspect if it quotes what waits of the file or was refused, or if a trusted line is
    gone where a refused one was cut, which may have replaced it.
    """
    known = stored.known
    given = note.made(known if newest else None, newest)
    before = {known.title, *known.content.split("\n")} if known else set()
    earlier = tx.column(EARLIER, {"id": known.id}) if known and stored.refused else []
    refused = _added(tx, before.union(*(text.split("\n") for text in earlier)), stored.refused)
    made = given and _without(given, refused, before, known.title if known else "")
    outside = refused + _added(tx, before, [stored.waiting] if stored.waiting else [])
    if made is None or made.suspect or not outside:
        return made
    lines = made.content.split("\n")
    told = [made.title, *lines] if _has_own_title(made) else lines
    quotes = Quotes(outside).within("\n".join(line for line in told if line not in before))
    was_cut = made is not given
    if quotes or (was_cut and known and not set(filter(_says, known.content.split("\n"))) <= set(lines)):
        return replace(made, suspect=(stored.waiting.status_reason if stored.waiting else None) or WAITED)
    return made


def _without(made: Candidate, refused: Sequence[str], before: set[str], title: str) -> Candidate | None:
    """Returns a file's text without the lines that were refused, None if nothing else is there. `before` are the lines
    of its trusted memory, with this title.
    """
    gone = {_plain(line) for line in refused}

    def cut(text: str) -> str:
        return "\n".join(line for line in text.split("\n") if line in before or _plain(line) not in gone).strip()

    left = cut(made.content)
    if not left:
        return None
    if left != made.content:
        own = made.title if _has_own_title(made) else title_of(left)
        made = replace(made, title=own, content=left, excerpt=cut(made.excerpt))
    if made.title in before or _plain(made.title) not in gone:
        return made
    return replace(made, title=title or title_of(left))


def _added(tx: Transaction, before: set[str], outside: Sequence[MemoryRecord]) -> list[str]:
    """Returns the lines of memories from outside, in any version, that the text of the file does not have."""
    texts = [text for one in outside for text in (one.content, *tx.column(EARLIER, {"id": one.id}))]
    texts += [one.title for one in outside if _has_own_title(one)]
    return [line for text in texts for line in text.split("\n") if line not in before and _says(line)]


def _has_own_title(text: Candidate | MemoryRecord) -> bool:
    """Tells whether a title says more than how the text begins."""
    return text.title != title_of(text.content)


def _plain(line: str) -> str:
    return " ".join(words(line))


def _says(line: str) -> bool:
    """Tells whether a line says anything: a single word or a short heading, as two texts may share it, does not."""
    return len(words(line)) > (HEADING_WORDS if line.lstrip().startswith("#") else 1)


def replaced_by(tx: Transaction, memory: MemoryRecord) -> list[MemoryRecord]:
    """Returns the active memories whose file says what this one does once a person accepts it."""
    if memory.origin != METHOD:
        return []
    rows = [row for file in tx.column(FILES, {"id": memory.id}) for row in _rows(tx, memory.project_id, file)]
    return [row for row in rows if row.id != memory.id and row.status == "active" and row.trust != QUARANTINED]


def _write_again(tx: Transaction, known: MemoryRecord, candidate: Candidate, written_at: float, now: float) -> None:
    """Replaces the stored text of a file by a newer one; the old text becomes a version. An older text becomes a
    version itself. A text that the person has corrected does not return.
    """
    said_at = candidate.said_at or 0.0
    if said_at < written_at:
        _keep_older(tx, known, candidate, written_at)
        return
    if candidate.content == known.content and candidate.kind == known.kind and candidate.title == known.title:
        return
    if any(duplicates.same(candidate.content, text, tx.ratio) for text in tx.column(CORRECTED, {"id": known.id})):
        return
    versions_sql.keep(tx, known, written_at, said_at, METHOD)
    values: dict[str, Any] = {
        "version": known.version + 1,
        "content": candidate.content,
        "title": candidate.title,
        "kind": candidate.kind,
        "tier": tier_at_birth(candidate.kind, candidate.confidence),
        "status_reason": candidate.suspect or None,  # a rating was about the old text
    }
    if candidate.suspect:
        values["trust"] = QUARANTINED
    versions_sql.sign(tx, known, now, **values)


def _without_erased(gone: Tombstones, made: Candidate) -> Candidate | None:
    """Returns a file's text without text that was ever erased: an edit does not state the rest of a file again."""
    if not gone or not gone.hold([made.title, made.content], None):
        return made
    left = gone.cut(made.content, None)
    if not left.replace(ERASED, "").strip():
        return None
    title = title_of(left) if gone.hold([made.title], None) else made.title
    return replace(made, title=title, content=left, excerpt=gone.cut(made.excerpt, None))


def _of_file(tx: Transaction, project_id: str | None, file: str) -> _Stored:
    rows = _rows(tx, project_id, file)
    trusted = [row for row in rows if row.trust != QUARANTINED]
    outside = [row for row in rows if row.trust == QUARANTINED and row.status_reason not in add_sql.LAPSED]
    refused = [row for row in outside if row.status == "deleted"]
    waiting = [row for row in outside if row.status != "deleted"]
    return _Stored(next(iter(trusted or waiting), None), waiting[0] if trusted and waiting else None, refused)


def _rows(tx: Transaction, project_id: str | None, file: str) -> list[MemoryRecord]:
    """Returns the memories of a file, those first that hold."""
    values = {"file": file, "origin": METHOD, "project": project_id}
    if project_id is None:
        return tx.records(MemoryRecord, OF_FILE.format("IS NULL"), {"file": file, "origin": METHOD})
    return tx.records(MemoryRecord, OF_FILE.format("= :project"), values)


def _is_settled(tx: Transaction, known: MemoryRecord, note: Note) -> bool:
    """Tells whether a write changes nothing of a memory: it is gone, or has the write already."""
    return known.status == "deleted" or _is_evidence(tx, known.id, note.record_uuid)


def _is_evidence(tx: Transaction, memory_id: str, record_uuid: str) -> bool:
    key = {"id": memory_id, "record": record_uuid}
    return tx.one("SELECT 1 FROM evidence WHERE memory_id = :id AND record_uuid = :record LIMIT 1", key) is not None


def _written_at(tx: Transaction, known: MemoryRecord | None) -> float:
    """Returns when the stored text of a file was written, 0 if there is none."""
    return tx.value(WRITTEN_AT, {"id": known.id, "method": METHOD}) or 0.0 if known else 0.0


def _keep_older(tx: Transaction, known: MemoryRecord, candidate: Candidate, written_at: float) -> None:
    said_at = candidate.said_at or 0.0
    values: dict[str, Any] = {"created_at": min(known.created_at, said_at)}
    if candidate.content != known.content:
        before = known.but(title=candidate.title, content=candidate.content, kind=candidate.kind)
        until = tx.value(NEXT_WRITE, {"id": known.id, "method": METHOD, "after": said_at}) or written_at
        versions_sql.keep(tx, before, said_at, until, METHOD)
        values["version"] = known.version + 1
    tx.change(known, **values)
