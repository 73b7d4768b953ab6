"""Loads the rows of an export: unchanged into an empty database, otherwise beside the existing rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable

from ..db import records
from ..db.engines import postgres
from ..db.records import AuditRecord, MemoryRecord
from ..db.rows import OF_MEMORY, UNNAMED, Row, drop, fingerprint
from ..db.writer import Transaction
from ..language.duplicates import normalise
from ..lib.errors import BadInput, BadLine
from ..lib.fast_json import dump
from ..lib.text import clean, digest
from ..lifecycle import versions_sql
from ..lifecycle.supersede_sql import BY_RULE
from ..lifecycle.tombstones_sql import Tombstones
from ..model.memory import QUARANTINED, group_of
from ..model.relationship import BY_MODEL, HEURISTICS, MANUAL, require_type
from ..model.trust import INSTRUCTS, suspicion
from ..privacy.redact_rows import Redaction, content_hash
from ..privacy.scrub_sql import OF_MEMORIES, OF_ROWS
from .adopt_sql import ANY_STATUS, DUPLICATE, FORGOTTEN, MERGED, NEW, Duplicates
from .arriving_projects_sql import OF_PROJECT, Arrivals

QUARANTINE = "quarantined"
TEXTS = {table: columns for table, _, columns in OF_MEMORIES if table != "memory_facet"} | OF_ROWS
TEXTS["project"] = ("name",)
METHODS = (*HEURISTICS, MANUAL, BY_MODEL, BY_RULE)
FORGOTTEN_RECORDS = """
SELECT e.record_uuid FROM evidence e JOIN memory m ON m.id = e.memory_id WHERE m.status = 'deleted'
"""
# What waits for review relates to nothing that is trusted.
UNRELATE_WAITING = """
DELETE FROM relationship WHERE EXISTS (
    SELECT 1 FROM json_each(:ids) j CROSS JOIN memory m
    WHERE m.id = j.value AND m.trust = 'quarantined' AND m.id IN (source_id, target_id)
) AND EXISTS (SELECT 1 FROM memory m WHERE m.id IN (source_id, target_id) AND m.trust = 'trusted')
"""


def load(
    tx: Transaction,
    lines: Iterable[tuple[int, str, Row]],
    redact: Callable[[str], str],
    now: float,
    keep_accepted: bool,
) -> tuple[Counter[str], set[str]]:
    """Loads the rows of numbered lines. Returns the number of memories by result, and their projects. Raises BadLine
    for the first row that cannot be loaded.

    With `keep_accepted` a memory that reads as instructions stays trusted if the export says so: its person has
    accepted it.
    """
    loading = _Load(tx, Redaction(redact), keep_accepted)
    for number, table, row in lines:
        try:
            loading.take(table, row)
        except (ValueError, BadInput) as problem:
            raise BadLine(number, str(problem)) from problem
        except Exception as problem:
            if _is_integrity_error(tx, problem):
                raise BadLine(number, "it repeats a row, or belongs to none") from problem
            raise
    loading.finish(now)
    return loading.done, loading.projects


def _is_integrity_error(tx: Transaction, problem: Exception) -> bool:
    if tx.is_postgres:
        return bool(postgres().is_integrity_error(problem))
    return isinstance(problem, sqlite3.IntegrityError)


class _Load:
    """One import. It is `exact` if the database has no rows: then order and numbers are kept."""

    def __init__(self, tx: Transaction, redaction: Redaction, keep_accepted: bool) -> None:
        self.tx = tx
        self.redaction = redaction
        self.keep_accepted = keep_accepted
        self.exact = _is_empty(tx)
        self.done: Counter[str] = Counter()
        self.projects: set[str] = set()
        self._projects = Arrivals(tx)
        self._duplicates = Duplicates()
        self._memory: dict[str, str | None] = {}  # the id here of each memory, None for one that is left out
        self._new: set[str] = set()
        self._left: set[str] = set()  # memories that stay out with all their rows
        self._suspect: set[str] = set()
        self._forgotten = _forgotten_records(tx)
        self._gone = Tombstones(tx)
        self._statements: dict[str, list[bool]] = {}  # for each statement of a new memory: was it forgotten here?
        self._merged: dict[str, bool] = {}  # for each merged memory: was a statement of it added?
        self._written = 0
        self._seen: dict[str, set[str]] = {}  # fingerprints of a table's rows

    def take(self, table: str, row: Row) -> None:
        row = self.redaction(table, cleaned(table, row))
        if self.redaction.is_stale(table, row):
            return
        if not self.exact and table in ("project", "project_key"):
            self._projects.meet(table, row)
            return
        self._add_projects()
        if any(row.get(column) in self._left for column in OF_MEMORY):
            return
        if table == "memory":
            self._take_memory(row)
        elif table == "evidence":
            row["excerpt"] = self._gone.cut(row["excerpt"], row["created_at"])
            self._take_evidence(row)
        elif not self._gone.hold([row[name] for name in TEXTS.get(table, ()) if row[name]], None):
            self._take_other(table, self._judged(table, row))

    def _add_projects(self) -> None:
        for table, row in self._projects.resolve_arrivals():
            self._insert(table, row)

    # Memories and their evidence

    def _take_memory(self, row: Row) -> None:
        judged = self._judge(row)
        row[OF_PROJECT] = self._projects.id_here(row[OF_PROJECT])
        if not self.exact or self._is_suspect((row["community"] or "").replace("-", " ")):
            row.update(pagerank=None, community=None)  # they were computed from another graph
        if self.exact:
            self._insert("memory", row)
            self._count(NEW, row)
            self.done[QUARANTINE] += judged
            return
        texts = [row["title"], row["content"]]
        if self._gone.among([row["id"], normalise(row["content"])]) or self._gone.hold(texts, row["created_at"]):
            self._left.add(row["id"])
            self._count(FORGOTTEN, row)
            return
        known = self._record(row["id"])
        place = (row["scope"], row[OF_PROJECT], group_of(row["kind"]))
        same = known or self._duplicates.same(self.tx, place, row["content"], ANY_STATUS)
        if same is None:
            self._duplicates.note_new(self.tx, self._insert_new(row))
            self._count(NEW, row)
            self.done[QUARANTINE] += judged
            return
        hidden = same.status == "deleted" and row["status"] != "deleted"
        if row["trust"] == QUARANTINED and same.trust != QUARANTINED:  # it confirms, rates and relates nothing trusted
            self._left.add(row["id"])
            self._count(FORGOTTEN if hidden else DUPLICATE, row)
            return
        self._memory[row["id"]] = None if known else same.id
        if not known and not hidden:
            self._merged[row["id"]] = False
        self._count(FORGOTTEN if hidden else DUPLICATE if known else MERGED, row)

    def _insert_new(self, row: Row) -> str:
        """Inserts a memory. Returns its id here, which is a new one if another user's memory has that id."""
        here, before = str(row["id"]), self._written
        self._insert("memory", {**row, "seq": None})
        if self._written == before:
            here = versions_sql.memory_id_of(digest(row["id"], row["content"], *self._owner()))
            self._insert("memory", {**row, "id": here, "seq": None})
        self._memory[row["id"]] = here
        self._new |= {row["id"], here}
        return here

    def _owner(self) -> tuple[str, ...]:
        return postgres().owner(self.tx.where) if self.tx.is_postgres else ()

    def _record(self, memory_id: str) -> MemoryRecord | None:
        return self.tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})

    def _count(self, state: str, row: Row) -> None:
        self.done[state] += 1
        if state in (NEW, MERGED) and row[OF_PROJECT]:
            self.projects.add(row[OF_PROJECT])

    def _judge(self, row: Row) -> bool:
        """Signs a memory, and quarantines it if it reads like an instruction. Returns whether it was
        quarantined now.
        """
        if self._is_suspect(row["title"], row["content"]):
            self._suspect.add(row["id"])
        judged = row["trust"] != QUARANTINED and row["id"] in self._suspect
        if judged:
            row.update(trust=QUARANTINED, status_reason=row["status_reason"] or INSTRUCTS)
        row["row_digest"] = versions_sql.memory_digest(MemoryRecord(**row))
        row["content_hash"] = content_hash(row["content"])
        return judged

    def _is_suspect(self, *texts: str) -> bool:
        return not self.keep_accepted and bool(suspicion(texts))

    def _take_evidence(self, row: Row) -> None:
        row["row_digest"] = digest(row["excerpt"])
        if self._is_suspect(row["excerpt"]):
            self._suspect.add(row["memory_id"])
        if row["memory_id"] in self._new:
            self._statements.setdefault(row["memory_id"], []).append(self._is_gone(row["record_uuid"]))
        memory_id, before = row["memory_id"], self._written
        self._take_other("evidence", row)
        if memory_id in self._merged and self._written > before:
            self._merged[memory_id] = True

    def _is_gone(self, record: str) -> bool:
        """Tells whether the statement in a record was forgotten or erased here."""
        return record in self._forgotten or bool(self._gone.among([record]))

    # All other rows

    def _judged(self, table: str, row: Row) -> Row:
        if table == "suggestion" and self._is_suspect(row["text"], row["excerpt"]):
            return {**row, "trust": QUARANTINED, "trust_reason": row["trust_reason"] or INSTRUCTS}
        if table == "turn" and self._is_suspect(row["text"]):
            return {**row, "trust": QUARANTINED}
        return self._judged_edge(row) if table == "relationship" else row

    def _judged_edge(self, row: Row) -> Row:
        """Returns a relationship, without its notes if these read like an instruction. Raises ValueError or BadInput if
        the type or method is unknown.
        """
        notes = row["notes"] or ""
        if row["method"] not in METHODS or HEURISTICS.get(row["method"], row["type"]) != row["type"]:
            raise ValueError(f"no relationship {row['type'][:20]!r} is known by {row['method'][:20]!r}")
        return {**row, "type": require_type(row["type"]), "notes": None if self._is_suspect(notes) else row["notes"]}

    def _take_other(self, table: str, row: Row) -> None:
        if not self.exact:
            if self._stays(table, row):
                return
            for column in OF_MEMORY:
                if column in row:
                    row[column] = self._memory.get(row[column]) or row[column]
            if OF_PROJECT in row:
                row[OF_PROJECT] = self._projects.id_here(row[OF_PROJECT])
            if "seq" in row:
                row["seq"] = None
        if self.exact or not self._is_known(table, row):
            self._insert(table, row)

    def _stays(self, table: str, row: Row) -> bool:
        """Tells whether a row is left out because its memory keeps its state here, or because it would relate
        what waits to what is trusted. A merged memory keeps its versions.
        """
        if table == "memory_version":
            return row["memory_id"] not in self._new
        if table == "relationship":
            ends = (self._record(self._memory.get(row[name]) or row[name]) for name in ("source_id", "target_id"))
            return len({end.trust == QUARANTINED for end in ends if end is not None}) > 1
        if table == "evidence" and row["memory_id"] not in self._new and self._waits(row):
            return True
        kept = table in ("evidence", "memory_facet", "vector", "rating")
        return kept and self._memory.get(row["memory_id"], "") is None

    def _waits(self, row: Row) -> bool:
        return row["trust"] == QUARANTINED or self._is_suspect(row["excerpt"])

    def _is_known(self, table: str, row: Row) -> bool:
        """Tells whether an equal row exists, for tables whose rows have only a number as their key."""
        if table not in UNNAMED:
            return False
        if table not in self._seen:
            names = records.names(table)
            rows = self.tx.all(f"SELECT {', '.join(names)} FROM {table}")
            self._seen[table] = {fingerprint(dict(zip(names, values, strict=True))) for values in rows}
        made = fingerprint(row)
        known = made in self._seen[table]
        self._seen[table].add(made)
        return known

    def _insert(self, table: str, row: Row) -> None:
        """Inserts a row unless it exists. In an exact import, an existing numbered row is an error."""
        values = {name: value for name, value in row.items() if name != "seq" or value is not None}
        parameters = ", ".join(f":{name}" for name in values)
        strict = self.exact and records.is_numbered(table)
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({parameters})"
        written = self.tx.run(sql if strict else f"{sql} ON CONFLICT DO NOTHING", values)
        self._written += written
        if table == "memory" and written:
            self.tx.written.append(row["id"])

    def finish(self, now: float) -> None:
        self._add_projects()
        if self.exact and self.tx.is_postgres:
            self._count_on()
        for memory_id in sorted(memory_id for memory_id, gone in self._statements.items() if all(gone)):
            self._drop(self._memory.get(memory_id) or memory_id)
        for memory_id in sorted(self._suspect):
            self._quarantine(self._memory.get(memory_id, memory_id) or "")
        if suspect := self._suspect & self._new:
            self.tx.run(UNRELATE_WAITING, {"ids": dump(sorted(self._memory.get(one) or one for one in suspect))})
        known = sum(not added for added in self._merged.values())
        self.done.update({MERGED: -known, DUPLICATE: known})
        if not self.exact and self._written:
            details = dump({"source": "keepstone", **{state: self.done[state] for state in (NEW, MERGED)}})
            self.tx.add(AuditRecord(at=now, actor=self.tx.actor, op="import", details=details))

    def _count_on(self) -> None:
        """Makes the server number new rows after the imported ones."""
        for table in filter(records.is_numbered, records.TABLES):
            sequence = f"pg_get_serial_sequence('keepstone.{table}', 'seq')"
            self.tx.run(f"SELECT setval({sequence}, max(seq)) FROM keepstone.{table}")

    def _drop(self, memory_id: str) -> None:
        """Deletes a new memory if all of its statements were forgotten here."""
        memory = self._record(memory_id)
        if memory is not None and memory.status != "deleted":
            drop(self.tx, memory)
            self.done.update({NEW: -1, FORGOTTEN: 1})

    def _quarantine(self, memory_id: str) -> None:
        memory = self._record(memory_id)
        if memory is None or memory.trust == QUARANTINED or not (self.exact or memory_id in self._new):
            return
        reason = memory.status_reason or INSTRUCTS
        row_digest = versions_sql.memory_digest(memory.but(trust=QUARANTINED))
        self.tx.change(memory, trust=QUARANTINED, status_reason=reason, row_digest=row_digest)
        self.done[QUARANTINE] += 1


def _is_empty(tx: Transaction) -> bool:
    """Tells whether only the settings table has rows. Rows of other users count, too."""
    schema = "keepstone." if tx.is_postgres else ""
    return not any(tx.one(f"SELECT 1 FROM {schema}{table} LIMIT 1") for table in records.TABLES if table != "setting")


def cleaned(table: str, row: Row) -> Row:
    """Returns a row whose texts have no control or invisible characters."""
    return {**row, **{name: clean(row[name]) for name in TEXTS.get(table, ()) if row[name]}}


def _forgotten_records(tx: Transaction) -> set[str]:
    return set(tx.column(FORGOTTEN_RECORDS))
