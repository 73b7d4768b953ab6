"""Takes out of a database what today's redaction would not have let in, and what is left of it in the file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.defaults import SCRUB_BUSY_SECONDS
from ..core.fastjson import dump, parse
from ..core.text import MASK, clean, clip, digest, one_line
from . import migrations, versions
from .check import opened
from .database import Database
from .reader import SCHEMA, quoted_path
from .tables import Audit, Evidence, Memory, MemoryFacet, MemoryVersion

Redact = Callable[[str], str]

# Every column that may hold what was said, typed or answered: by memory, or by row.
OF_MEMORIES = (
    ("memory", "id", ("title", "content")),
    ("evidence", "memory_id", ("excerpt",)),
    ("memory_version", "memory_id", ("title", "content")),
    ("memory_facet", "memory_id", ("value",)),
)
OF_ROWS: dict[str, tuple[str, ...]] = {
    "audit": ("details",),
    "usage": ("problem",),
    "observation": ("command", "files", "reasoning", "error"),
    "rating": ("note",),
    "relationship": ("notes",),
}


@dataclass(slots=True)
class Found:
    """What redaction would change: the ids of memories, and of other tables' rows the row ids."""

    memories: set[str] = field(default_factory=set)
    rows: dict[str, set[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.memories or self.rows)


def find(path: str, redact: Redact) -> Found:
    """Looks through a database of any schema; reads only. Raises sqlite3.Error for what is no database."""
    found = Found()
    with closing(opened(path)) as database:
        for table, key, columns in OF_MEMORIES:
            found.memories |= {row for row, _ in _changed(database, table, key, columns, redact)}
        for table, texts in OF_ROWS.items():
            rows = {row for row, _ in _changed(database, table, "rowid", texts, redact)}
            if rows:
                found.rows[table] = rows
    return found


def _changed(
    database: sqlite3.Connection, table: str, key: str, columns: tuple[str, ...], redact: Redact
) -> Iterator[tuple[Any, dict[str, str]]]:
    """(key, new texts) of each row that redaction changes, of the columns that this database has."""
    there = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    named = [column for column in columns if column in there]
    if not named:
        return
    for key_value, *texts in database.execute(f"SELECT {key}, {', '.join(named)} FROM {table}"):
        news = {
            column: new
            for column, text in zip(named, texts, strict=True)
            if isinstance(text, str) and (new := redacted(text, redact)) != text
        }
        if news:
            yield key_value, news


def redacted(text: str, redact: Redact) -> str:
    """A text without its secrets; never empty. What was JSON is JSON again."""
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
    """A value of JSON with its strings redacted, keys left."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: strings(inner, redact) for key, inner in value.items()}
    return [strings(inner, redact) for inner in value] if isinstance(value, list) else value


class Scrubber(Database):
    """Writes what `find` has found, memory by memory, each with its audit row in one short transaction."""

    def memory(self, memory_id: str, redact: Redact, now: float) -> None:
        """Redacts a memory and all that belongs to it; a digest that did not fit before is left to be found."""
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
            if memory is None:
                return
            whole = memory.content
            _memory(memory, redact, now)
            for evidence in tx.exec(select(Evidence).where(Evidence.memory_id == memory_id)):
                sound = evidence.row_digest == digest(evidence.excerpt)
                evidence.excerpt = cut_from(whole, evidence.excerpt, redact)
                evidence.row_digest = digest(evidence.excerpt) if sound else evidence.row_digest
                tx.add(evidence)
            for version in tx.exec(select(MemoryVersion).where(MemoryVersion.memory_id == memory_id)):
                version.title = cut_from(version.content, version.title, redact)
                version.content = redacted(version.content, redact)
                tx.add(version)
            self._facets(tx, memory_id, redact)
            tx.add(memory)
            tx.add(Audit(at=now, actor="person", op="scrub", memory_id=memory_id, details="{}"))

    @staticmethod
    def _facets(tx: Transaction, memory_id: str, redact: Redact) -> None:
        """Their values are part of their keys: what is redacted is a new row, unless it is there already."""
        for facet in tx.exec(select(MemoryFacet).where(MemoryFacet.memory_id == memory_id)).all():
            value = redacted(facet.value, redact)
            if value != facet.value:
                tx.delete(facet)
                tx.flush()
                if tx.get(MemoryFacet, (memory_id, facet.facet, value)) is None:
                    tx.add(MemoryFacet(memory_id=memory_id, facet=facet.facet, value=value))

    def rows(self, table: str, redact: Redact) -> None:
        """Redacts the rows of a table that belong to no memory."""
        with self._transaction() as tx:
            database = tx.connection().connection.driver_connection
            assert isinstance(database, sqlite3.Connection)
            for row, news in list(_changed(database, table, "rowid", OF_ROWS[table], redact)):
                sets = ", ".join(f"{column} = :{column}" for column in news)
                database.execute(f"UPDATE {table} SET {sets} WHERE rowid = :row", {**news, "row": row})


def _memory(memory: Memory, redact: Redact, now: float) -> None:
    sound, kept = memory.row_digest == versions.memory_digest(memory), memory.row_digest
    whole = memory.content
    memory.content = redacted(whole, redact)
    memory.title = cut_from(whole, memory.title, redact)
    versions.seal(memory, now)
    memory.row_digest = memory.row_digest if sound else kept


def cut_from(whole: str, text: str, redact: Redact) -> str:
    """A text without its secrets; where it is a part of another one it is cut anew: half a key looks like none."""
    part = text.rstrip("…")
    for form in (one_line(whole), clean(whole)):
        at = form.find(part)
        if at >= 0:
            made = redact(form[at:])
            text = text if made.startswith(part) else clip(made, len(text)) or MASK
            break
    return clip(redacted(text, redact), max(len(text), len(MASK)))


def settle(path: str) -> str:
    """Rids the file of what was overwritten: the indexes' old segments, free pages, the write-ahead log. What is in the
    way, "" for nothing.
    """
    try:
        with closing(sqlite3.connect(f"file:{quoted_path(path)}?mode=rw", uri=True, isolation_level=None)) as database:
            database.execute("PRAGMA secure_delete=ON")
            for index in ("memory_fts", "evidence_fts", "window_fts"):
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
    """The paths of the copies of the database, and of what SQLite may have left beside them."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if os.path.isfile(os.path.join(folder, name))]


def back_up(path: str, folder: str) -> None:
    """Makes a fresh copy. Raises sqlite3.Error and OSError."""
    with closing(opened(path)) as database:
        migrations.back_up(database, folder, SCHEMA)


Error = sqlite3.Error
