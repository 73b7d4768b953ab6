"""Takes the rows of an export in: into an empty database as they are, into any other one beside what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import insert as insert_into
from sqlalchemy import inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session as Transaction
from sqlmodel import SQLModel, delete, select

from ..core.dedupe import normalise
from ..core.errors import BadInput, BadLine
from ..core.fastjson import dump
from ..core.model import QUARANTINED, group_of
from ..core.relate import BY_MODEL, HEURISTICS, MANUAL, need_type
from ..core.text import clean, digest
from ..core.trust import INSTRUCTS, suspicion
from . import versions
from .adopt import FORGOTTEN, KNOWN, MERGED, NEW, Adopter
from .arrivals import OF_PROJECT, Arrivals
from .engines import is_postgres
from .erase import drop
from .relationships import BY_RULE
from .rows import Redaction, Row, content, content_hash
from .scrub import OF_MEMORIES, OF_ROWS
from .tables import Audit, Evidence, Memory, MemoryVersion
from .tombstones import Graves

QUARANTINE = "quarantined"
# The columns by which a row refers to a memory, in whatever table.
OF_MEMORY = ("memory_id", "source_id", "target_id")
TEXTS = {table: columns for table, _, columns in OF_MEMORIES if table != "memory_facet"} | OF_ROWS
TEXTS["project"] = ("name",)
METHODS = (*HEURISTICS, MANUAL, BY_MODEL, BY_RULE)


class Loader(Adopter):
    """Loads an export in one transaction. Numbered lines make errors that name them."""

    def load(
        self, lines: Iterable[tuple[int, str, Row]], redact: Callable[[str], str], now: float, mine: bool
    ) -> tuple[Counter[str], set[str]]:
        """What became of the memories, and in which projects. Raises BadLine for the first row that can't be taken.

        With `mine` what reads as instructions stays trusted where the export says so: its person has accepted it.
        """
        with self._transaction() as tx:
            self._alike.clear()
            load = _Load(self, tx, Redaction(redact), mine)
            for number, table, row in lines:
                try:
                    load.take(table, row)
                except (ValueError, BadInput, IntegrityError) as problem:
                    says = (
                        problem if not isinstance(problem, IntegrityError) else "it repeats a row, or belongs to none"
                    )
                    raise BadLine(number, str(says)) from problem
            load.finish(now)
            return load.done, load.projects


class _Load:
    """One loading. `exact` into a database without any rows: then all stays as it was, order and numbers too."""

    def __init__(self, store: Loader, tx: Transaction, redaction: Redaction, mine: bool) -> None:
        self.store = store
        self.tx = tx
        self.redaction = redaction
        self.mine = mine
        self.exact = _is_empty(tx)
        self.done: Counter[str] = Counter()
        self.projects: set[str] = set()
        self._projects = Arrivals(tx)
        self._memory: dict[str, str | None] = {}  # its id here; None for one that is left out
        self._new: set[str] = set()
        self._erased: set[str] = set()
        self._suspect: set[str] = set()
        self._forgotten = _forgotten_records(tx)
        self._gone = Graves(tx)
        self._said: dict[str, list[bool]] = {}  # of each new memory, whether what states it was forgotten here
        self._merged: dict[str, bool] = {}  # of each that is merged, whether that has added a statement of it
        self._written = 0
        self._seen: dict[str, set[str]] = {}
        self._told_apart: set[str] = set()

    def take(self, table: str, row: Row) -> None:
        row = self.redaction(table, cleaned(table, row))
        if self.redaction.is_stale(table, row):
            return
        if not self.exact and table in ("project", "project_key"):
            self._projects.meet(table, row)
            return
        self._settle_projects()
        if any(row.get(column) in self._erased for column in OF_MEMORY):
            return
        if table == "memory":
            self._take_memory(row)
        elif table == "evidence":
            row["excerpt"] = self._gone.cut(row["excerpt"], row["created_at"])
            self._take_evidence(row)
        elif not self._gone.hold([row[name] for name in TEXTS.get(table, ()) if row[name]], None):
            self._take_other(table, self._judged_edge(row) if table == "relationship" else row)

    def _settle_projects(self) -> None:
        for table, row in self._projects.settle():
            self._insert(table, row)

    # Memories and their evidence

    def _take_memory(self, row: Row) -> None:
        judged = self._judge(row)
        row[OF_PROJECT] = self._projects.here(row[OF_PROJECT])
        if not self.exact or self._is_suspect((row["community"] or "").replace("-", " ")):
            row.update(pagerank=None, community=None)  # they are of another graph
        if self.exact:
            self._insert("memory", row)
            self._count(NEW, row)
            self.done[QUARANTINE] += judged
            return
        texts = [row["title"], row["content"]]
        if self._gone.among([row["id"], normalise(row["content"])]) or self._gone.hold(texts, row["created_at"]):
            self._erased.add(row["id"])
            self._count(FORGOTTEN, row)
            return
        known = self.tx.exec(select(Memory).where(Memory.id == row["id"])).first()
        place = (row["scope"], row[OF_PROJECT], group_of(row["kind"]))
        same = known or self.store._same(self.tx, place, row["content"], ("active", "archived", "deleted"))
        if same is None:
            here = self._insert_new(row)
            seq = self.tx.exec(select(Memory.seq).where(Memory.id == here)).one()
            self.store._note_new(self.tx, place, row["content"], seq or 0)
            self._count(NEW, row)
            self.done[QUARANTINE] += judged
            return
        self._memory[row["id"]] = None if known else same.id
        hidden = same.status == "deleted" and row["status"] != "deleted"
        if not known and not hidden:
            self._merged[row["id"]] = False
        self._count(FORGOTTEN if hidden else KNOWN if known else MERGED, row)

    def _insert_new(self, row: Row) -> str:
        """Its id here: another one where somebody has it whose memories are not to be seen."""
        here, before = str(row["id"]), self._written
        self._insert("memory", {**row, "seq": None})
        if self._written == before:
            here = versions.memory_id_of(digest(row["id"], row["content"], *self.store.whose()))
            self._insert("memory", {**row, "id": here, "seq": None})
        self._memory[row["id"]] = here
        self._new |= {row["id"], here}
        return here

    def _count(self, state: str, row: Row) -> None:
        self.done[state] += 1
        if state in (NEW, MERGED) and row[OF_PROJECT]:
            self.projects.add(row[OF_PROJECT])

    def _judge(self, row: Row) -> bool:
        """Digests fit from here on; whether it waits for a person's word from here on, as it reads as instructions."""
        if self._is_suspect(row["title"], row["content"]):
            self._suspect.add(row["id"])
        judged = row["trust"] != QUARANTINED and row["id"] in self._suspect
        if judged:
            row.update(trust=QUARANTINED, status_reason=row["status_reason"] or INSTRUCTS)
        row["row_digest"] = versions.memory_digest(Memory(**row))
        row["content_hash"] = content_hash(row["content"])
        return judged

    def _is_suspect(self, *texts: str) -> bool:
        return not self.mine and bool(suspicion(texts))

    def _take_evidence(self, row: Row) -> None:
        row["row_digest"] = digest(row["excerpt"])
        if self._is_suspect(row["excerpt"]):
            self._suspect.add(row["memory_id"])
        if row["memory_id"] in self._new:
            self._said.setdefault(row["memory_id"], []).append(self._is_gone(row["record_uuid"]))
        memory_id, before = row["memory_id"], self._written
        self._take_other("evidence", row)
        if memory_id in self._merged and self._written > before:
            self._merged[memory_id] = True

    def _is_gone(self, record: str) -> bool:
        """Whether what a turn said was forgotten or erased here."""
        return record in self._forgotten or bool(self._gone.among([record]))

    # All others

    def _judged_edge(self, row: Row) -> Row:
        """A relationship of a known type and method, without notes that read as instructions."""
        notes = row["notes"] or ""
        if row["method"] not in METHODS or HEURISTICS.get(row["method"], row["type"]) != row["type"]:
            raise ValueError(f"no relationship {row['type'][:20]!r} is known by {row['method'][:20]!r}")
        return {**row, "type": need_type(row["type"]), "notes": None if self._is_suspect(notes) else row["notes"]}

    def _take_other(self, table: str, row: Row) -> None:
        if not self.exact:
            if self._stays(table, row):
                return
            for column in OF_MEMORY:
                if column in row:
                    row[column] = self._memory.get(row[column]) or row[column]
            if OF_PROJECT in row:
                row[OF_PROJECT] = self._projects.here(row[OF_PROJECT])
            if "seq" in row:
                row["seq"] = None
        if self.exact or not self._is_known(table, row):
            self._insert(table, row)

    def _stays(self, table: str, row: Row) -> bool:
        """Whether a row belongs to a memory that stays as it is here; earlier texts of one that is merged are its own
        matter.
        """
        if table == "memory_version":
            return row["memory_id"] not in self._new
        return table in ("evidence", "memory_facet", "vector") and self._memory.get(row["memory_id"], "") is None

    def _is_known(self, table: str, row: Row) -> bool:
        """Whether a row that nothing but its number tells apart is there already."""
        if "seq" not in row or table in self._told_apart:
            return False
        if table not in self._seen:
            if inspect(self.tx.connection()).get_unique_constraints(table):
                self._told_apart.add(table)
                return False
            rows = self.tx.execute(SQLModel.metadata.tables[table].select()).mappings()
            self._seen[table] = {content(dict(other)) for other in rows}
        made = content(row)
        known = made in self._seen[table]
        self._seen[table].add(made)
        return known

    def _insert(self, table: str, row: Row) -> None:
        """Rows with a number of their own are there once, or it is an error where all should be new; others may be."""
        columns = {name: value for name, value in row.items() if name != "seq" or value is not None}
        into: Any = SQLModel.metadata.tables[table]
        strict = self.exact and "seq" in row
        merging = postgresql.insert if is_postgres(self.tx) else sqlite.insert
        statement = insert_into(into) if strict else merging(into).on_conflict_do_nothing()
        counted = statement.values(columns).inline().execution_options(preserve_rowcount=True)
        written = self.tx.connection().execute(counted).rowcount
        self._written += written
        if table == "memory" and written:
            self.store.written.append(row["id"])

    def finish(self, now: float) -> None:
        self._settle_projects()
        if self.exact and is_postgres(self.tx):
            self._count_on()
        for memory_id in sorted(memory_id for memory_id, said in self._said.items() if all(said)):
            self._drop(self._memory.get(memory_id) or memory_id)
        for memory_id in sorted(self._suspect):
            self._quarantine(self._memory.get(memory_id, memory_id) or "")
        known = sum(not added for added in self._merged.values())
        self.done.update({MERGED: -known, KNOWN: known})
        if not self.exact and self._written:
            details = dump({"source": "keepstone", **{state: self.done[state] for state in (NEW, MERGED)}})
            self.tx.add(Audit(at=now, actor="person", op="import", details=details))

    def _count_on(self) -> None:
        """Rows that come hereafter are numbered behind those that brought their numbers along."""
        for name, table in SQLModel.metadata.tables.items():
            if "seq" in table.c:
                last = (
                    f"SELECT setval(pg_get_serial_sequence('keepstone.{name}', 'seq'), max(seq)) FROM keepstone.{name}"
                )
                self.tx.execute(text(last))

    def _drop(self, memory_id: str) -> None:
        """Takes out again what is stated by nothing but what was forgotten here."""
        memory = self.tx.exec(select(Memory).where(Memory.id == memory_id)).one()
        if memory.status != "deleted":
            self.tx.exec(delete(MemoryVersion).where(MemoryVersion.memory_id == memory_id))  # type: ignore[arg-type]
            drop(self.tx, memory)
            self.done.update({NEW: -1, FORGOTTEN: 1})

    def _quarantine(self, memory_id: str) -> None:
        memory = self.tx.exec(select(Memory).where(Memory.id == memory_id)).first()
        if memory is None or memory.trust == QUARANTINED or not (self.exact or memory_id in self._new):
            return
        memory.trust, memory.status_reason = QUARANTINED, memory.status_reason or INSTRUCTS
        memory.row_digest = versions.memory_digest(memory)
        self.tx.add(memory)
        self.done[QUARANTINE] += 1


def _is_empty(tx: Transaction) -> bool:
    """Whether no table has a row but the one that a database is made with; also none of somebody else's."""
    named = [table for table in SQLModel.metadata.sorted_tables if table is not SQLModel.metadata.tables["setting"]]
    schema = "keepstone." if is_postgres(tx) else ""
    return not any(tx.execute(text(f"SELECT 1 FROM {schema}{table.name} LIMIT 1")).first() for table in named)


def cleaned(table: str, row: Row) -> Row:
    """What was said without what a terminal would obey or nobody would see."""
    return {**row, **{name: clean(row[name]) for name in TEXTS.get(table, ()) if row[name]}}


def _forgotten_records(tx: Transaction) -> set[str]:
    query = select(Evidence.record_uuid).join(Memory).where(Memory.status == "deleted")
    return set(tx.exec(query))
