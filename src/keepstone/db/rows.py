"""Compares rows of any table as plain values, and deletes the rows that belong to a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..lib.fast_json import dump
from ..lib.text import digest
from .records import TABLES, MemoryRecord
from .writer import Transaction

Row = dict[str, Any]
# The columns by which a row refers to a memory, in any table.
OF_MEMORY = ("memory_id", "source_id", "target_id")
AUDIT = "audit"  # its rows stay when a memory is deleted
# Tables whose rows have only a number as their key, with the column that holds the row's time.
UNNAMED = {"audit": "at", "rating": "rated_at"}


def fingerprint(row: Row) -> str:
    """Returns a digest of a row's values without its number."""
    return digest(repr(sorted((name, value) for name, value in row.items() if name != "seq")))


def belonging(tx: Transaction, ids: Sequence[str]) -> None:
    """Deletes the rows of all tables that belong to memories. Keeps the audit."""
    given = {"ids": dump(list(ids))}
    for table in reversed(TABLES):
        named = [column.name for column in TABLES[table] if column.name in OF_MEMORY]
        if named and table != AUDIT:
            where = " OR ".join(f"{name} IN (SELECT value FROM json_each(:ids))" for name in named)
            tx.run(f"DELETE FROM {table} WHERE {where}", given)


def drop(tx: Transaction, memory: MemoryRecord) -> None:
    """Deletes a memory with all its rows, so that none of it can be restored."""
    belonging(tx, [memory.id])
    tx.remove(memory)
