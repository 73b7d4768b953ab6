"""Erasing memories: every row of theirs, and what quotes them in rows that are no memories. Tombstones stay."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete as delete_from
from sqlalchemy import or_
from sqlmodel import Session as Transaction
from sqlmodel import SQLModel, col, select

from ..core.quotes import Quotes
from ..core.text import digest
from .database import Database
from .rows import FIRST
from .scrub import OF_ROWS
from .tables import Audit, Evidence, Memory, MemoryVersion
from .tombstones import Saved, bury, erased, put_back

# The columns by which a row belongs to a memory, in whatever table.
OF_MEMORY = ("memory_id", "source_id", "target_id")
ERASE = "erase"  # the audit's word; the seed's is hard_deleted (Z3-20)


class Eraser(Database):
    """Takes memories out of a database for good."""

    def quotes(self, ids: Iterable[str]) -> Quotes:
        """What would quote these memories: their texts, the earlier ones too."""
        with self._transaction() as tx:
            return Quotes(self._texts(tx, list(ids)))

    @staticmethod
    def _texts(tx: Transaction, ids: list[str]) -> list[str]:
        now = tx.exec(select(Memory.content, Memory.title).where(col(Memory.id).in_(ids)))
        query = select(MemoryVersion.content, MemoryVersion.title).where(col(MemoryVersion.memory_id).in_(ids))
        return [text for row in (*now, *tx.exec(query)) for text in row]

    def quoting(self, quotes: Quotes, ids: Iterable[str]) -> list[str]:
        """The ids of other memories that quote, in any of their texts."""
        known = set(ids)
        found = set()
        with self._transaction() as tx:
            now = tx.exec(select(Memory.id, Memory.title, Memory.content))
            before = tx.exec(select(MemoryVersion.memory_id, MemoryVersion.title, MemoryVersion.content))
            for memory_id, *texts in (*now, *before):
                if memory_id not in known and any(map(quotes.within, texts)):
                    found.add(memory_id)
        return sorted(found)

    def rebury(self, graves: Saved) -> list[str]:
        """Puts the tombstones of another state of this database in; the ids of memories here that were erased there."""
        with self._transaction() as tx:
            put_back(tx, graves)
            return sorted(erased(tx, tx.exec(select(Memory.id))))

    def erase(self, ids: list[str], quotes: Quotes, actor: str, now: float) -> int:
        """One transaction over every table; how many notes that quote went too. Evidence of other memories loses the
        sentences that do.
        """
        with self._transaction() as tx:
            records = tx.exec(select(Evidence.record_uuid).where(col(Evidence.memory_id).in_(ids))).all()
            texts = self._texts(tx, ids)
            texts += tx.exec(select(Evidence.excerpt).where(col(Evidence.memory_id).in_(ids))).all()
            bury(tx, records, texts, ids, now)
            belonging(tx, ids)
            tx.connection().execute(delete_from(Memory).where(col(Memory.id).in_(ids)))
            for seq, excerpt in tx.exec(select(Evidence.seq, Evidence.excerpt)).all():
                if quotes.within(excerpt):
                    evidence = tx.get_one(Evidence, seq)
                    sound = evidence.row_digest == digest(excerpt)
                    evidence.excerpt = quotes.cut(excerpt)
                    evidence.row_digest = digest(evidence.excerpt) if sound else evidence.row_digest
                    tx.add(evidence)
            self._rows(tx, "memory_facet", ("value",), quotes)
            said = Quotes(texts)  # other memories keep what the same turn says of them, notes need not
            gone = sum(self._rows(tx, name, columns, said) for name, columns in OF_ROWS.items())
            for memory_id in ids:
                tx.add(Audit(at=now, actor=actor, op=ERASE, memory_id=memory_id, details="{}"))
            return gone

    @staticmethod
    def _rows(tx: Transaction, name: str, columns: tuple[str, ...], quotes: Quotes) -> int:
        """Deletes rows that quote, of tables that hold no memories: tags, notes on tool calls and votes, failures."""
        table = SQLModel.metadata.tables[name]
        keys = list(table.primary_key.columns)
        gone = 0
        for row in tx.execute(table.select()).mappings().all():
            if any(quotes.within(row[column]) for column in columns if isinstance(row[column], str)):
                same = [key == row[key.name] for key in keys]
                gone += tx.connection().execute(delete_from(table).where(*same)).rowcount
        return gone


def belonging(tx: Transaction, ids: list[str]) -> None:
    """Deletes what belongs to memories, in whatever table; the audit stays."""
    tx.flush()
    for table in reversed(SQLModel.metadata.sorted_tables):
        named = [table.c[name] for name in OF_MEMORY if name in table.c]
        if named and table.name not in (*FIRST, "audit"):
            tx.connection().execute(delete_from(table).where(or_(*(column.in_(ids) for column in named))))
    tx.expire_all()


def drop(tx: Transaction, memory: Memory) -> None:
    """Takes a memory out with what belongs to it; none of it is left to be restored."""
    belonging(tx, [memory.id])
    tx.delete(memory)
    tx.flush()
