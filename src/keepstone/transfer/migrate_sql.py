"""Copies the rows of a file to a server, in batches. Rows that exist there are recognised by their keys and skipped, so
an interrupted migration can simply be repeated. It keeps no state of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ..db.records import TABLES, AuditRecord, MemoryRecord, is_numbered
from ..db.rows import OF_MEMORY, UNNAMED, Row, fingerprint
from ..db.writer import Transaction, Writer
from ..language.duplicates import normalise
from ..lib.errors import StoreError
from ..lib.fast_json import dump as as_json
from ..lib.limits import MOVE_ROWS
from ..lib.text import digest
from ..lifecycle import versions_sql
from ..lifecycle.tombstones_sql import KEY, Tombstones
from ..model.memory import group_of
from ..privacy.redact_rows import content_hash, fits
from . import present_rows_sql
from .adopt_sql import ANY_STATUS, DUPLICATE, FORGOTTEN, MERGED, NEW, Duplicates
from .arriving_projects_sql import OF_PROJECT, Arrivals
from .dump_sql import Dump
from .load_sql import TEXTS, cleaned

# Further results for a memory, besides those of an import: the server had an earlier version of it, or a damaged one,
# or it has changed there since.
RENEWED, MENDED, CHANGED = "renewed", "mended", "changed"
# Tables whose rows are left out if the memory has another text there.
LEFT_OUT = {MERGED: ("memory_version", "vector"), CHANGED: ("memory_version", "vector", "memory_facet")}
MAY_OUTLIVE_MEMORY = ("delivery", "audit")
LAST = ("setting", "tombstone")  # come after the rows stored together with them: others are judged by them
FORGOTTEN_RECORDS = """
SELECT m.id, e.record_uuid FROM memory m JOIN evidence e ON e.memory_id = m.id WHERE m.status = 'deleted'
"""
RENEWED_COLUMNS = (
    *("title", "content", "kind", "tier", "status", "status_reason", "trust", "pinned", "relevance", "confidence"),
    *("updated_at", "expires_at", "deadline_at", "content_hash", "row_digest", "version"),
)


@dataclass(slots=True)
class MigrationReport:
    """The result of one pass: memories by result, rows by table, and the ids of memories that are damaged here or
    there, or have another text there for no known reason.
    """

    states: Counter[str] = field(default_factory=Counter)
    wanted: Counter[str] = field(default_factory=Counter)  # rows that belong there
    lacking: Counter[str] = field(default_factory=Counter)  # wanted rows that were missing there
    added: Counter[str] = field(default_factory=Counter)
    damaged: list[str] = field(default_factory=list)
    damaged_there: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    marks_left: int = 0  # tombstones that have no meaning there


class Mover:
    """Copies the rows of a file to a server. Call `look` first."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.duplicates = Duplicates()
        self.alone = False  # whether the server has no other memories
        self.numbers = False  # whether rows keep their numbers
        self.forgotten: set[str] = set()  # records of memories that were forgotten there
        self.merged: dict[str, str | None] = {}  # the memory there that each was merged into

    def look(self, dump: Dump) -> tuple[int, int]:
        """Returns the number of memories to copy, and of other memories on the server."""
        ids = dump.ids()
        with self.writer.transaction() as tx:
            known = present_rows_sql.by_key(tx, "memory", [{"id": memory_id} for memory_id in ids])
            others = int(tx.value("SELECT count(*) FROM keepstone.memory")) - len(known)
            self.alone = not others
            self.numbers = self.alone and bool(tx.value(present_rows_sql.MAY_NUMBER))
            self.forgotten = {record for memory_id, record in tx.all(FORGOTTEN_RECORDS) if memory_id not in ids}
        self.duplicates = Duplicates(ids)
        self.merged = {}
        return len(ids) - len(known), others

    def passage(self, dump: Dump, writes: bool, now: float, watch: Callable[[int], None]) -> MigrationReport:
        """Goes through all rows once. With `writes`, adds the missing rows, otherwise only counts them. `watch` is
        called with the number of rows done.
        """
        passage = _Passage(self, dump, writes)
        with self.writer.transaction() as tx:
            passage.begin(tx)
        done = 0
        # Read copies learn from the audit that a memory has come: by then all its rows must be there.
        order = ("audit", *LAST)
        for table in sorted(TABLES, key=lambda name: name in order and order.index(name) + 1):
            for rows in _batches(dump.held(table)):
                with self.writer.transaction() as tx:
                    passage.take(tx, table, rows)
                done += len(rows)
                watch(done)
        with self.writer.transaction() as tx:
            passage.end(tx, now)
        return passage.report


class _Passage:
    def __init__(self, mover: Mover, dump: Dump, writes: bool) -> None:
        self.mover = mover
        self.dump = dump
        self.writes = writes
        self.report = MigrationReport()
        self._fates: dict[str, tuple[str | None, str]] = {}  # the id there of each memory, and its result
        self._seen: Counter[str] = Counter()  # rows of tables without natural keys, by fingerprint
        self._stated: set[str] = set()  # ids of memories there that got further evidence
        self._records = dump.records()
        self._key = ""  # the key of the arriving tombstones

    def begin(self, tx: Transaction) -> None:
        if self.writes and self.mover.numbers:
            for table in filter(is_numbered, TABLES):
                present_rows_sql.reserve_numbers(tx, table, self.dump.last(table))
        self._projects = Arrivals(tx)
        for table in ("project", "project_key"):
            for row in self.dump.held(table):
                self._projects.meet(table, row)
        for _ in self._projects.resolve_arrivals():
            pass  # the rows come later, with all others

    def take(self, tx: Transaction, table: str, rows: Sequence[Row]) -> None:
        self._gone = Tombstones(tx)
        if table == "memory":
            self._take_memories(tx, rows)
            return
        if table == "evidence":
            self.report.damaged += [row["memory_id"] for row in rows if row["row_digest"] != digest(row["excerpt"])]
        placed = [one for row in rows if (one := self._placed(table, row)) is not None]
        self.report.wanted[table] += len(placed)
        find = self._unlike if table in UNNAMED else self._unnamed
        found = find(tx, table, placed)
        made = [(row, one) for row in found if (one := self._made(table, row)) is not None]
        self.report.wanted[table] -= len(found) - len(made)
        changed = find(tx, table, [one for row, one in made if one != row])  # the server may have the redacted row
        self._add(tx, table, [one for row, one in made if one == row or one in changed])

    def end(self, tx: Transaction, now: float) -> None:
        states = self.report.states
        for here, state in self._fates.values():
            if state == MERGED and here not in self._stated:
                states.update({MERGED: -1, DUPLICATE: 1})
        if self.writes and self.report.added and not self.mover.alone:
            details = as_json({"source": "keepstone", **{state: states[state] for state in (NEW, MERGED)}})
            tx.add(AuditRecord(at=now, actor="person", op="import", details=details))

    # Memories

    def _take_memories(self, tx: Transaction, rows: Sequence[Row]) -> None:
        held = present_rows_sql.by_key(tx, "memory", rows)
        lacking = []
        for row in map(self._of_project, rows):
            if not fits(row):
                self.report.damaged.append(row["id"])
            other = held.get((row["id"],))
            if other is None:
                lacking.append(row)
            else:
                self._meet(tx, row, other)
        hidden = present_rows_sql.by_key(tx, "memory", lacking, of_all_users=True)
        new = []
        for row in lacking:
            made = self._made("memory", row)
            if made is not None and self._decide(tx, row["id"], made, (row["id"],) in hidden):
                new.append(made)
        self.report.wanted["memory"] += len(new)
        self._add(tx, "memory", new)

    def _meet(self, tx: Transaction, row: Row, other: Row) -> None:
        """Takes a memory that has a row of its own there."""
        state = self._state(row, other)
        self._note(row["id"], None if state == FORGOTTEN else other["id"], state)
        self.report.wanted["memory"] += 1
        if state in (RENEWED, MENDED) and self.writes:
            made = self._made("memory", row) or row
            tx.update("memory", {"id": other["id"]}, {name: made[name] for name in RENEWED_COLUMNS})
            self.report.added["memory"] += 1

    def _state(self, row: Row, other: Row) -> str:
        if present_rows_sql.identity("memory", row) == present_rows_sql.identity("memory", other):
            return DUPLICATE
        if other["status"] == "deleted" and row["status"] != "deleted":
            return FORGOTTEN
        made = self._made("memory", row) or row
        if present_rows_sql.identity("memory", made) == present_rows_sql.identity("memory", other):
            return DUPLICATE
        if not fits(other) and fits(made) and other["row_digest"] == made["row_digest"]:
            return MENDED
        if not fits(other):
            self.report.damaged_there.append(row["id"])
        elif self._was(row, other):
            return RENEWED
        elif other["version"] <= row["version"] and other["updated_at"] <= row["updated_at"]:
            self.report.differing.append(row["id"])
        return CHANGED

    def _was(self, row: Row, other: Row) -> bool:
        """Tells whether the memory there is an earlier version of this one."""
        if other["version"] > row["version"] or other["updated_at"] > row["updated_at"]:
            return False
        names = ("title", "content", "kind")
        before = [tuple(row[name] for name in names)]
        if other["version"] < row["version"]:
            before = self.dump.earlier(row["id"], other["version"])
        return tuple(other[name] for name in names) in before

    def _decide(self, tx: Transaction, memory_id: str, made: Row, hidden: bool) -> bool:
        """Decides the result for a memory without a row there. Returns whether it gets one."""
        if memory_id in self.mover.merged:
            here = self.mover.merged[memory_id]
            self._note(memory_id, here, MERGED if here else FORGOTTEN)
            return False
        if hidden:  # another user has a memory with that id
            made["id"] = versions_sql.memory_id_of(digest(memory_id, made["content"], *self.mover.writer.owner()))
            self.mover.duplicates.apart.add(made["id"])
            other = present_rows_sql.by_key(tx, "memory", [made]).get((made["id"],))
            if other:
                self._meet(tx, {**made, "id": memory_id}, other)
                return False
        if self._is_gone(memory_id, made):
            self._note(memory_id, None, FORGOTTEN)
            return False
        same = None if self.mover.alone else self._same(tx, made)
        if same is None:
            self._note(memory_id, made["id"], NEW)
            return True
        here = None if same.status == "deleted" and made["status"] != "deleted" else same.id
        self.mover.merged[memory_id] = here
        self._note(memory_id, here, MERGED if here else FORGOTTEN)
        return False

    def _same(self, tx: Transaction, made: Row) -> MemoryRecord | None:
        place = (made["scope"], made[OF_PROJECT], group_of(made["kind"]))
        return self.mover.duplicates.same(tx, place, made["content"], ANY_STATUS)

    def _is_gone(self, memory_id: str, made: Row) -> bool:
        """Tells whether the memory was erased there, or all of its statements were forgotten or erased."""
        texts = [made["title"], made["content"]]
        if self._gone.among([memory_id, normalise(made["content"])]) or self._gone.hold(texts, made["created_at"]):
            return True
        records = self._records.get(memory_id, [])
        return bool(records) and all(one in self.mover.forgotten or self._gone.among([one]) for one in records)

    def _note(self, memory_id: str, here: str | None, state: str) -> None:
        self._fates[memory_id] = (here, state)
        self.report.states[state] += 1

    # All rows

    def _of_project(self, row: Row) -> Row:
        return {**row, OF_PROJECT: self._projects.id_here(row[OF_PROJECT])} if OF_PROJECT in row else row

    def _placed(self, table: str, row: Row) -> Row | None:
        """Returns a row with the server's ids of its memories and project, or None if it does not belong there."""
        row = self._of_project(row)
        if table == "project":
            row["id"] = self._projects.id_here(row["id"])
        for column in OF_MEMORY:
            if row.get(column) is None:
                continue
            here, state = self._fates.get(row[column], (row[column] if table in MAY_OUTLIVE_MEMORY else None, NEW))
            if here is None or table in LEFT_OUT.get(state, ()):
                return None
            row[column] = here
        if "source_id" in row and row["source_id"] == row.get("target_id", row.get("memory_id")):
            return None  # both ends are the same memory there
        return row if table not in LAST or self._is_marked(table, row) else None

    def _is_marked(self, table: str, row: Row) -> bool:
        """Tells whether a tombstone has a meaning there, or a setting is the key of tombstones."""
        if table == "setting":
            self._key = row["value"] if row["key"] == KEY else self._key
            return bool(row["key"] == KEY)
        other_key = bool(self._gone.key) and self._gone.key != self._key
        self.report.marks_left += other_key
        return not other_key

    def _made(self, table: str, held: Row) -> Row | None:
        """Returns a row as it will be added: redacted, and without text that was erased there. Returns None if nothing
        is left.
        """
        row = self.dump.redaction(table, cleaned(table, held))
        if self.dump.redaction.is_stale(table, row):
            return None
        if table == "memory":
            if present_rows_sql.identity(table, row) != present_rows_sql.identity(table, held) and fits(held):
                row = {**row, "row_digest": versions_sql.memory_digest(MemoryRecord(**row))}
                row["content_hash"] = content_hash(row["content"])
            return self._sound(table, row if self.mover.alone else {**row, "pagerank": None, "community": None})
        if table == "evidence":
            row = {**row, "excerpt": self._gone.cut(row["excerpt"], row["created_at"])}
            if row["excerpt"] != held["excerpt"] and held["row_digest"] == digest(held["excerpt"]):
                row["row_digest"] = digest(row["excerpt"])
        elif self._gone.hold([row[name] for name in TEXTS.get(table, ()) if row[name]], None):
            return None
        return self._sound(table, row)

    def _sound(self, table: str, row: Row) -> Row:
        """Returns the row if its columns have values of their types. Raises StoreError otherwise."""
        for column in TABLES[table]:
            value = row[column.name]
            kinds = (int, float) if column.type is float else column.type
            if not (column.nullable if value is None else isinstance(value, kinds)):
                says = f"{self.dump.path} is damaged: a row of {table} has {str(value)[:40]!r} as its {column.name}"
                raise StoreError(says, "keepstone doctor --repair, then the same again")
        return row

    def _unnamed(self, tx: Transaction, table: str, rows: Sequence[Row]) -> list[Row]:
        """Returns the rows whose keys the server does not have, and compares the others."""
        held = present_rows_sql.by_key(tx, table, rows)
        lacking = []
        for row in rows:
            other = held.get(present_rows_sql.key_of(table, row))
            if other is None:
                lacking.append(row)
            elif self._differs(table, row, other):
                self.report.differing.append(row["memory_id"])
        return lacking

    def _differs(self, table: str, row: Row, other: Row) -> bool:
        if present_rows_sql.identity(table, row) == present_rows_sql.identity(table, other):
            return False
        made = self._made(table, row)
        return made is not None and present_rows_sql.identity(table, made) != present_rows_sql.identity(table, other)

    def _unlike(self, tx: Transaction, table: str, rows: Sequence[Row]) -> list[Row]:
        """Returns the rows that occur less often there than here so far."""
        held = present_rows_sql.count_alike(tx, table, rows)
        lacking = []
        for row in rows:
            made = fingerprint(row)
            if held[made] <= self._seen[made]:
                lacking.append(row)
            self._seen[made] += 1
        return lacking

    def _add(self, tx: Transaction, table: str, rows: Sequence[Row]) -> None:
        self.report.lacking[table] += len(rows)
        if table == "evidence":
            self._stated |= {row["memory_id"] for row in rows}
        if self.writes and rows:
            self.report.added[table] += present_rows_sql.add_rows(tx, table, rows, self.mover.numbers)


def _batches(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """Yields batches of rows, one for each transaction."""
    left = iter(rows)
    while batch := list(islice(left, MOVE_ROWS)):
        yield batch
