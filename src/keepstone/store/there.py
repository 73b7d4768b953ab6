"""What a server has of rows that are to be there: looked up by what tells them apart, many at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import Session as Transaction
from sqlmodel import SQLModel

from .rows import Row, content, tables

Key = tuple[Any, ...]
# What tells rows apart whose primary key is a number; those of the other two by all that they say.
NAMED = {"memory": ("id",), "evidence": ("memory_id", "record_uuid"), "observation": ("session_id", "call_id")}
ALIKE = {"audit": "at", "rating": "rated_at"}  # with the column by which they are looked up
SEALED = ("title", "content", "kind", "status", "trust", "scope")
# The columns that make a row the same as another, beside its key; the others change with use.
SAYS: dict[str, tuple[str, ...]] = {
    "memory": (*SEALED, "row_digest"),
    "evidence": ("excerpt", "row_digest"),
    "memory_version": ("title", "content", "kind"),
}
MORE = {"memory": ("version", "updated_at")}
MINE = ("memory", "audit", "observation")  # of which others have rows that are not to be seen
TYPES = {int: "bigint", str: "text", float: "double precision"}
RESERVE = """
SELECT setval(s, greatest(:most, coalesce(pg_sequence_last_value(s), 1)))
FROM (SELECT CAST(pg_get_serial_sequence(:name, 'seq') AS regclass) AS s) n
"""
MAY_NUMBER = "SELECT has_sequence_privilege(pg_get_serial_sequence('keepstone.memory', 'seq'), 'UPDATE')"


def key_names(table: str) -> tuple[str, ...]:
    return NAMED.get(table) or tuple(SQLModel.metadata.tables[table].primary_key.columns.keys())


def key_of(table: str, row: Row) -> Key:
    return tuple(row[name] for name in key_names(table))


def says(table: str, row: Row) -> Key:
    return tuple(row[name] for name in SAYS.get(table, ()))


def named(tx: Transaction, table: str, rows: Sequence[Row], anybodys: bool = False) -> dict[Key, Row]:
    """Of the rows of a table that has names for them, those that are there; with `anybodys` also what nobody sees."""
    if not rows:
        return {}
    keys = key_names(table)
    columns = (*keys, *SAYS.get(table, ()), *MORE.get(table, ()))
    types = {column.name: TYPES[column.type] for column in tables()[table] if column.name in keys}
    lists = ", ".join(f"CAST(:{name} AS {types[name]}[])" for name in keys)
    same = " AND ".join(f"t.{name} = k.{name}" for name in keys)
    where = f"{'' if table in MINE and not anybodys else 'keepstone.'}{table}"
    shown = ", ".join(f"t.{name}" for name in columns)
    sql = f"SELECT {shown} FROM {where} t JOIN unnest({lists}) AS k({', '.join(keys)}) ON {same}"
    found = tx.execute(text(sql), {name: [row[name] for row in rows] for name in keys})
    held = (dict(zip(columns, values, strict=True)) for values in found)
    return {key_of(table, row): row for row in held}


def alike(tx: Transaction, table: str, rows: Sequence[Row]) -> Counter[str]:
    """How often each row is there that is told from others by all that it says, of those of the same moments."""
    names = [column.name for column in tables()[table] if column.name != "seq"]
    where = f"{'' if table in MINE else 'keepstone.'}{table}"
    moment = ALIKE[table]
    sql = f"SELECT {', '.join(names)} FROM {where} WHERE {moment} = ANY(CAST(:moments AS double precision[]))"
    found = tx.execute(text(sql), {"moments": [row[moment] for row in rows]})
    return Counter(content(dict(zip(names, values, strict=True))) for values in found)


def add(tx: Transaction, table: str, rows: Sequence[Row], numbers: bool) -> int:
    """Adds rows, but for those whose name is taken; how many it added. With `numbers` they keep theirs where it is
    free.
    """
    into = SQLModel.metadata.tables[table]
    if "seq" not in into.c:
        return len(_added(tx, table, list(key_names(table)), rows))
    done = 0
    if numbers:
        taken = {found[0] for found in _added(tx, table, ["seq"], rows)}
        done, rows = len(taken), [row for row in rows if row["seq"] not in taken]
    bare = [{name: value for name, value in row.items() if name != "seq"} for row in rows]
    return done + len(_added(tx, table, ["seq"], bare))


def _added(tx: Transaction, table: str, names: list[str], rows: Sequence[Row]) -> Sequence[Any]:
    if not rows:
        return []
    into = SQLModel.metadata.tables[table]
    statement: Any = insert(into).on_conflict_do_nothing().returning(*(into.c[name] for name in names))
    return tx.connection().execute(statement, list(rows)).fetchall()


def reserve(tx: Transaction, table: str, most: int) -> None:
    """From now on what anybody adds is numbered behind."""
    if most:
        tx.execute(text(RESERVE), {"name": f"keepstone.{table}", "most": most})
