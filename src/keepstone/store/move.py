"""Takes the rows of a file over to a server, some at a time. What is there already is known by its name and skipped, so
that whoever was interrupted begins anew and goes on where it was; nothing is noted for that anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import text, update
from sqlmodel import Session as Transaction
from sqlmodel import SQLModel, select

from ..core.dedupe import normalise
from ..core.defaults import MOVE_ROWS
from ..core.errors import StoreError
from ..core.fastjson import dump as as_json
from ..core.model import group_of
from ..core.text import digest
from . import there, versions
from .adopt import FORGOTTEN, KNOWN, MERGED, NEW, Adopter
from .arrivals import OF_PROJECT, Arrivals
from .dump import Dump
from .load import OF_MEMORY, TEXTS, cleaned
from .rows import Row, content, content_hash, fits, tables
from .tables import Audit, Evidence, Memory
from .tombstones import KEY, Graves

# What becomes of a memory, beside what becomes of one that is imported: it was there as it was here before, or damaged;
# or it has changed there since.
RENEWED, MENDED, CHANGED = "renewed", "mended", "changed"
# tables whose rows are not taken along with a memory that has another text there
LEFT = {MERGED: ("memory_version", "vector"), CHANGED: ("memory_version", "vector", "memory_facet")}
LOOSE = ("delivery", "audit")  # may be of a memory that is gone
LAST = ("setting", "tombstone")  # by which what comes is judged: after all that was here beside them
RENEWS = (
    *("title", "content", "kind", "tier", "status", "status_reason", "trust", "pinned", "relevance", "confidence"),
    *("updated_at", "expires_at", "deadline_at", "content_hash", "row_digest", "version"),
)


@dataclass(slots=True)
class Account:
    """What a passage came to: of memories by what became of each, of rows by their tables; and the ids of memories
    that are not what was written, here or there, or say something else there for no known reason.
    """

    states: Counter[str] = field(default_factory=Counter)
    wanted: Counter[str] = field(default_factory=Counter)  # rows that are to be there
    lacking: Counter[str] = field(default_factory=Counter)  # of these, rows that were not
    added: Counter[str] = field(default_factory=Counter)
    damaged: list[str] = field(default_factory=list)
    damaged_there: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    marks_left: int = 0  # of what was erased, that mean nothing there


class Mover(Adopter):
    """A server's store, to which the rows of a file go."""

    def look(self, dump: Dump) -> tuple[int, int]:
        """How many memories are to go, and how many of others are there. To be called first."""
        ids = dump.ids()
        with self._transaction() as tx:
            known = there.named(tx, "memory", [{"id": memory_id} for memory_id in ids])
            others = int(tx.execute(text("SELECT count(*) FROM keepstone.memory")).scalar_one()) - len(known)
            self.apart, self.alone = ids, not others
            self.numbers = self.alone and bool(tx.execute(text(there.MAY_NUMBER)).scalar())
            rows = tx.exec(select(Memory.id, Evidence.record_uuid).join(Evidence).where(Memory.status == "deleted"))
            self.forgotten = {record for memory_id, record in rows if memory_id not in ids}
        self.merged: dict[str, str | None] = {}  # of those that have no row of their own there, in which one they are
        return len(ids) - len(known), others

    def passage(self, dump: Dump, writes: bool, now: float, watch: Callable[[int], None]) -> Account:
        """Goes through all rows once: with `writes` what is missing there is added, else it is only counted. `watch` is
        told how many rows are behind.
        """
        passage = _Passage(self, dump, writes)
        with self._transaction() as tx:
            passage.begin(tx)
        behind = 0
        # read copies are told by the audit what has come: of a memory with all that belongs to it
        order = ("audit", *LAST)
        for table in sorted(tables(), key=lambda name: name in order and order.index(name) + 1):
            for rows in _some(dump.held(table)):
                with self._transaction() as tx:
                    passage.take(tx, table, rows)
                behind += len(rows)
                watch(behind)
        with self._transaction() as tx:
            passage.end(tx, now)
        return passage.account


class _Passage:
    def __init__(self, store: Mover, dump: Dump, writes: bool) -> None:
        self.store = store
        self.dump = dump
        self.writes = writes
        self.account = Account()
        self._fates: dict[str, tuple[str | None, str]] = {}  # of each memory its id there, and what became of it
        self._seen: Counter[str] = Counter()  # of rows that are told from others by all that they say
        self._stated: set[str] = set()  # memories there to which a statement was added
        self._records = dump.records()
        self._columns = tables()
        self._key = ""  # by which the marks of what was erased here are made

    def begin(self, tx: Transaction) -> None:
        if self.writes and self.store.numbers:
            for table, columns in tables().items():
                if any(column.name == "seq" for column in columns):
                    there.reserve(tx, table, self.dump.last(table))
        self._projects = Arrivals(tx)
        for table in ("project", "project_key"):
            for row in self.dump.held(table):
                self._projects.meet(table, row)
        for _ in self._projects.settle():
            pass  # the rows come with all others

    def take(self, tx: Transaction, table: str, rows: Sequence[Row]) -> None:
        self._gone = Graves(tx)
        if table == "memory":
            self._take_memories(tx, rows)
            return
        if table == "evidence":
            self.account.damaged += [row["memory_id"] for row in rows if row["row_digest"] != digest(row["excerpt"])]
        placed = [one for row in rows if (one := self._placed(table, row)) is not None]
        self.account.wanted[table] += len(placed)
        find = self._unlike if table in there.ALIKE else self._unnamed
        found = find(tx, table, placed)
        made = [(row, one) for row in found if (one := self._made(table, row)) is not None]
        self.account.wanted[table] -= len(found) - len(made)
        changed = find(tx, table, [one for row, one in made if one != row])  # it may be there as it is redacted
        self._add(tx, table, [one for row, one in made if one == row or one in changed])

    def end(self, tx: Transaction, now: float) -> None:
        states = self.account.states
        for here, state in self._fates.values():
            if state == MERGED and here not in self._stated:
                states.update({MERGED: -1, KNOWN: 1})
        if self.writes and self.account.added and not self.store.alone:
            details = as_json({"source": "keepstone", **{state: states[state] for state in (NEW, MERGED)}})
            tx.add(Audit(at=now, actor="person", op="import", details=details))

    # Memories

    def _take_memories(self, tx: Transaction, rows: Sequence[Row]) -> None:
        held = there.named(tx, "memory", rows)
        lacking = []
        for row in map(self._of_project, rows):
            if not fits(row):
                self.account.damaged.append(row["id"])
            other = held.get((row["id"],))
            if other is None:
                lacking.append(row)
            else:
                self._meet(tx, row, other)
        hidden = there.named(tx, "memory", lacking, anybodys=True)
        new = []
        for row in lacking:
            made = self._made("memory", row)
            if made is not None and self._decide(tx, row["id"], made, (row["id"],) in hidden):
                new.append(made)
        self.account.wanted["memory"] += len(new)
        self._add(tx, "memory", new)

    def _meet(self, tx: Transaction, row: Row, other: Row) -> None:
        """A memory that has a row of its own there."""
        state = self._state(row, other)
        self._note(row["id"], None if state == FORGOTTEN else other["id"], state)
        self.account.wanted["memory"] += 1
        if state in (RENEWED, MENDED) and self.writes:
            into: Any = SQLModel.metadata.tables["memory"]
            made = self._made("memory", row) or row
            news = {name: made[name] for name in RENEWS}
            tx.connection().execute(update(into).where(into.c.id == other["id"]).values(news))
            self.account.added["memory"] += 1

    def _state(self, row: Row, other: Row) -> str:
        if there.says("memory", row) == there.says("memory", other):
            return KNOWN
        if other["status"] == "deleted" and row["status"] != "deleted":
            return FORGOTTEN
        made = self._made("memory", row) or row
        if there.says("memory", made) == there.says("memory", other):
            return KNOWN
        if not fits(other) and fits(made) and other["row_digest"] == made["row_digest"]:
            return MENDED
        if not fits(other):
            self.account.damaged_there.append(row["id"])
        elif self._was(row, other):
            return RENEWED
        elif other["version"] <= row["version"] and other["updated_at"] <= row["updated_at"]:
            self.account.differing.append(row["id"])
        return CHANGED

    def _was(self, row: Row, other: Row) -> bool:
        """Whether a memory there is what this one was before."""
        if other["version"] > row["version"] or other["updated_at"] > row["updated_at"]:
            return False
        names = ("title", "content", "kind")
        before = [tuple(row[name] for name in names)]
        if other["version"] < row["version"]:
            before = self.dump.earlier(row["id"], other["version"])
        return tuple(other[name] for name in names) in before

    def _decide(self, tx: Transaction, memory_id: str, made: Row, hidden: bool) -> bool:
        """What becomes of a memory without a row there; whether it is to have one."""
        if memory_id in self.store.merged:
            here = self.store.merged[memory_id]
            self._note(memory_id, here, MERGED if here else FORGOTTEN)
            return False
        if hidden:  # somebody has it whose memories are not to be seen
            made["id"] = versions.memory_id_of(digest(memory_id, made["content"], *self.store.whose()))
            self.store.apart.add(made["id"])
            other = there.named(tx, "memory", [made]).get((made["id"],))
            if other:
                self._meet(tx, {**made, "id": memory_id}, other)
                return False
        if self._is_gone(memory_id, made):
            self._note(memory_id, None, FORGOTTEN)
            return False
        same = None if self.store.alone else self._same(tx, made)
        if same is None:
            self._note(memory_id, made["id"], NEW)
            return True
        here = None if same.status == "deleted" and made["status"] != "deleted" else same.id
        self.store.merged[memory_id] = here
        self._note(memory_id, here, MERGED if here else FORGOTTEN)
        return False

    def _same(self, tx: Transaction, made: Row) -> Memory | None:
        place = (made["scope"], made[OF_PROJECT], group_of(made["kind"]))
        return self.store._same(tx, place, made["content"], ("active", "archived", "deleted"))

    def _is_gone(self, memory_id: str, made: Row) -> bool:
        """Whether it was erased there, or all that states it was forgotten or erased."""
        said = [made["title"], made["content"]]
        if self._gone.among([memory_id, normalise(made["content"])]) or self._gone.hold(said, made["created_at"]):
            return True
        records = self._records.get(memory_id, [])
        return bool(records) and all(one in self.store.forgotten or self._gone.among([one]) for one in records)

    def _note(self, memory_id: str, here: str | None, state: str) -> None:
        self._fates[memory_id] = (here, state)
        self.account.states[state] += 1

    # All rows

    def _of_project(self, row: Row) -> Row:
        return {**row, OF_PROJECT: self._projects.here(row[OF_PROJECT])} if OF_PROJECT in row else row

    def _placed(self, table: str, row: Row) -> Row | None:
        """A row as it refers to what is there; None for one that is not to be there."""
        row = self._of_project(row)
        if table == "project":
            row["id"] = self._projects.here(row["id"])
        for column in OF_MEMORY:
            if row.get(column) is None:
                continue
            here, state = self._fates.get(row[column], (row[column] if table in LOOSE else None, NEW))
            if here is None or table in LEFT.get(state, ()):
                return None
            row[column] = here
        if "source_id" in row and row["source_id"] == row.get("target_id", row.get("memory_id")):
            return None  # of two that are one there
        return row if table not in LAST or self._is_marked(table, row) else None

    def _is_marked(self, table: str, row: Row) -> bool:
        """Whether a mark of what was erased means something there, or this is the key to such marks."""
        if table == "setting":
            self._key = row["value"] if row["key"] == KEY else self._key
            return bool(row["key"] == KEY)
        strange = bool(self._gone.key) and self._gone.key != self._key
        self.account.marks_left += strange
        return not strange

    def _made(self, table: str, held: Row) -> Row | None:
        """A row as it is added: redacted as of today, without what was erased there."""
        row = self.dump.redaction(table, cleaned(table, held))
        if self.dump.redaction.is_stale(table, row):
            return None
        if table == "memory":
            if there.says(table, row) != there.says(table, held) and fits(held):
                row = {**row, "row_digest": versions.memory_digest(Memory(**row))}
                row["content_hash"] = content_hash(row["content"])
            return self._sound(table, row if self.store.alone else {**row, "pagerank": None, "community": None})
        if table == "evidence":
            row = {**row, "excerpt": self._gone.cut(row["excerpt"], row["created_at"])}
            if row["excerpt"] != held["excerpt"] and held["row_digest"] == digest(held["excerpt"]):
                row["row_digest"] = digest(row["excerpt"])
        elif self._gone.hold([row[name] for name in TEXTS.get(table, ()) if row[name]], None):
            return None
        return self._sound(table, row)

    def _sound(self, table: str, row: Row) -> Row:
        """The row, whose columns hold what they should. Raises StoreError."""
        for column in self._columns[table]:
            value = row[column.name]
            kinds = (int, float) if column.type is float else column.type
            if not (column.nullable if value is None else isinstance(value, kinds)):
                says = f"{self.dump.path} is damaged: a row of {table} has {str(value)[:40]!r} as its {column.name}"
                raise StoreError(says, "keepstone doctor --repair, then the same again")
        return row

    def _unnamed(self, tx: Transaction, table: str, rows: Sequence[Row]) -> list[Row]:
        """Those of which the server has none of that name; the others are compared."""
        held = there.named(tx, table, rows)
        lacking = []
        for row in rows:
            other = held.get(there.key_of(table, row))
            if other is None:
                lacking.append(row)
            elif self._differs(table, row, other):
                self.account.differing.append(row["memory_id"])
        return lacking

    def _differs(self, table: str, row: Row, other: Row) -> bool:
        if there.says(table, row) == there.says(table, other):
            return False
        made = self._made(table, row)
        return made is not None and there.says(table, made) != there.says(table, other)

    def _unlike(self, tx: Transaction, table: str, rows: Sequence[Row]) -> list[Row]:
        """Those that are there less often than here so far."""
        held = there.alike(tx, table, rows)
        lacking = []
        for row in rows:
            made = content(row)
            if held[made] <= self._seen[made]:
                lacking.append(row)
            self._seen[made] += 1
        return lacking

    def _add(self, tx: Transaction, table: str, rows: Sequence[Row]) -> None:
        self.account.lacking[table] += len(rows)
        if table == "evidence":
            self._stated |= {row["memory_id"] for row in rows}
        if self.writes and rows:
            self.account.added[table] += there.add(tx, table, rows, self.store.numbers)


def _some(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """So many as go into one transaction."""
    left = iter(rows)
    while some := list(islice(left, MOVE_ROWS)):
        yield some
