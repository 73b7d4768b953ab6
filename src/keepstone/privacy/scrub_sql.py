"""Removes secrets from a database, including the free space of its file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ..db.integrity import opened
from ..db.migrations import run
from ..db.reader import SCHEMA, quoted_path
from ..db.records import AuditRecord, EvidenceRecord, MemoryFacetRecord, MemoryRecord, MemoryVersionRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump, parse
from ..lib.text import MASK, clean, clip, digest, one_line
from ..lifecycle import versions_sql

SCRUB_BUSY_SECONDS = 30.0  # the wait for readers to leave the write-ahead log, as for writers

Redact = Callable[[str], str]

# All columns that may hold text of a conversation, a command or an answer: of memories, and of other rows.
OF_MEMORIES = (
    ("memory", "id", ("title", "content")),
    ("evidence", "memory_id", ("excerpt",)),
    ("memory_version", "memory_id", ("title", "content", "reason")),
    ("memory_facet", "memory_id", ("value",)),
)
OF_ROWS: dict[str, tuple[str, ...]] = {
    "audit": ("details",),
    "usage": ("problem",),
    "observation": ("command", "files", "reasoning", "error"),
    "rating": ("note",),
    "relationship": ("notes",),
    "suggestion": ("text", "excerpt"),
    "turn": ("text", "answers"),
}
# Names that git or the client gives. A row that quotes an erased memory goes, but for these.
OF_NAMES: dict[str, tuple[str, ...]] = {
    "memory": ("branch",),
    "session": ("branch",),
    "project": ("name",),
    "suggestion": ("branch",),
}
SCRUBBED = {table: OF_ROWS.get(table, ()) + OF_NAMES.get(table, ()) for table in {**OF_ROWS, **OF_NAMES}}
ADD_FACET = """
INSERT INTO memory_facet (memory_id, facet, value) VALUES (:memory_id, :facet, :value) ON CONFLICT DO NOTHING
"""


@dataclass(slots=True)
class ScrubPreview:
    """The result of a search: ids of memories, and rowids of the rows of other tables, that redaction would change."""

    memories: set[str] = field(default_factory=set)
    rows: dict[str, set[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.memories or self.rows)


def find(path: str, redact: Redact) -> ScrubPreview:
    """Finds what redaction would change in a database of any schema. Only reads. Raises sqlite3.Error if the file is
    not a database.
    """
    found = ScrubPreview()
    with closing(opened(path)) as database:
        for table, key, columns in OF_MEMORIES:
            found.memories |= {row for row, _ in _changed(database.execute, table, key, columns, redact)}
        for table, texts in SCRUBBED.items():
            rows = {row for row, _ in _changed(database.execute, table, "rowid", texts, redact)}
            if rows:
                found.rows[table] = rows
    return found


def _changed(
    run: Callable[[str], Iterable[tuple[Any, ...]]], table: str, key: str, columns: tuple[str, ...], redact: Redact
) -> Iterator[tuple[Any, dict[str, str]]]:
    """Yields (key, new texts) of each row that redaction changes. Columns that the database lacks are left out."""
    existing = {row[1] for row in run(f"PRAGMA table_info({table})")}
    named = [column for column in columns if column in existing]
    if not named:
        return
    for key_value, *texts in run(f"SELECT {key}, {', '.join(named)} FROM {table}"):
        news = {
            column: new
            for column, text in zip(named, texts, strict=True)
            if isinstance(text, str) and (new := redacted(text, redact)) != text
        }
        if news:
            yield key_value, news


def redacted(text: str, redact: Redact) -> str:
    """Returns a text without its secrets. Never returns an empty text for a non-empty one, and keeps JSON valid."""
    made = redact(text)
    if made != text and text[:1] in ("{", "[") and _is_json(text) and not _is_json(made):
        made = dump(strings(parse(text), redact))
    return made if made.strip() or not text.strip() else MASK


def _is_json(text: str) -> bool:
    try:
        return isinstance(parse(text), dict | list)
    except ValueError:
        return False


def strings(value: Any, redact: Redact) -> Any:
    """Returns a JSON value with its strings redacted, but not its keys."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: strings(inner, redact) for key, inner in value.items()}
    return [strings(inner, redact) for inner in value] if isinstance(value, list) else value


def scrub_memory(tx: Transaction, memory_id: str, redact: Redact, now: float) -> None:
    """Redacts a memory and all its rows. A digest that did not match before still does not, so that the damage can be
    found.
    """
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    if memory is None:
        return
    original = memory.content
    _memory(tx, memory, redact, now)
    for evidence in tx.records(EvidenceRecord, "WHERE t.memory_id = :id", {"id": memory_id}):
        sound = evidence.row_digest == digest(evidence.excerpt)
        excerpt = cut_from(original, evidence.excerpt, redact)
        tx.change(evidence, excerpt=excerpt, row_digest=digest(excerpt) if sound else evidence.row_digest)
    for version in tx.records(MemoryVersionRecord, "WHERE t.memory_id = :id", {"id": memory_id}):
        title = cut_from(version.content, version.title, redact)
        reason = redacted(version.reason, redact)
        tx.change(version, title=title, content=redacted(version.content, redact), reason=reason)
    _facets(tx, memory_id, redact)
    tx.add(AuditRecord(at=now, actor=tx.actor, op="scrub", memory_id=memory_id, details="{}"))


def _memory(tx: Transaction, memory: MemoryRecord, redact: Redact, now: float) -> None:
    sound, row_digest = versions_sql.is_sound(memory), memory.row_digest
    title = cut_from(memory.content, memory.title, redact)
    versions_sql.sign(tx, memory, now, title=title, content=redacted(memory.content, redact))
    if not sound:
        tx.change(memory, row_digest=row_digest)


def _facets(tx: Transaction, memory_id: str, redact: Redact) -> None:
    """Redacts the values of facets. They are part of the key, so the redacted facet may already exist."""
    for facet in tx.records(MemoryFacetRecord, "WHERE t.memory_id = :id", {"id": memory_id}):
        value = redacted(facet.value, redact)
        if value != facet.value:
            tx.remove(facet)
            tx.run(ADD_FACET, {"memory_id": memory_id, "facet": facet.facet, "value": value})


def scrub_rows(tx: Transaction, table: str, redact: Redact) -> None:
    """Redacts the rows of a table that belong to no memory, in a file."""
    for row, news in list(_changed(tx.all, table, "rowid", SCRUBBED[table], redact)):
        sets = ", ".join(f"{column} = :{column}" for column in news)
        tx.run(f"UPDATE {table} SET {sets} WHERE rowid = :row", {**news, "row": row})


def cut_from(whole: str, text: str, redact: Redact) -> str:
    """Returns a text without its secrets. If the text is a part of `whole`, it is cut from the redacted whole, because
    half a key does not look like one.
    """
    part = text.rstrip("…")
    for form in (one_line(whole), clean(whole)):
        at = form.find(part)
        if at >= 0:
            made = redact(form[at:])
            text = text if made.startswith(part) else clip(made, len(text)) or MASK
            break
    return clip(redacted(text, redact), max(len(text), len(MASK)))


def purge_file(path: str) -> str:
    """Removes overwritten data from the file: old index segments, free pages, the write-ahead log. Returns the problem
    that prevents this, "" for none.
    """
    try:
        with closing(sqlite3.connect(f"file:{quoted_path(path)}?mode=rw", uri=True, isolation_level=None)) as database:
            database.execute("PRAGMA secure_delete=ON")
            for index in ("memory_fts", "evidence_fts", "window_fts", "turn_fts"):
                database.execute(f"INSERT INTO {index}({index}) VALUES ('optimize')")
            database.execute("VACUUM")
            until = time.monotonic() + SCRUB_BUSY_SECONDS
            while database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > until:
                    return "another process reads the database: its log still holds what was there before"
                time.sleep(0.1)
    except sqlite3.Error as problem:
        return f"the database can't be cleaned of what was overwritten: {problem}"
    return ""


def backups_of(folder: str) -> list[str]:
    """Returns the paths of the database's copies, and of files that SQLite may have left beside them."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if os.path.isfile(os.path.join(folder, name))]


def back_up(path: str, folder: str) -> None:
    """Makes a fresh copy. Raises sqlite3.Error and OSError."""
    with closing(opened(path)) as database:
        run.back_up(database, folder, SCHEMA)


Error = sqlite3.Error
