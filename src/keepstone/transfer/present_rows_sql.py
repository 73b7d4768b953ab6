"""Finds the rows that a server already has, by natural key, and adds the others, in batches. PostgreSQL only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..db.records import KEYS, TABLES, is_numbered
from ..db.records import names as column_names
from ..db.rows import UNNAMED, Row, fingerprint
from ..db.writer import Transaction

Key = tuple[Any, ...]
# The natural keys of tables whose primary key is a number.
NAMED = {
    "memory": ("id",),
    "evidence": ("memory_id", "record_uuid"),
    "observation": ("session_id", "call_id"),
    "turn": ("record_uuid",),
}
SIGNED_COLUMNS = ("title", "content", "kind", "status", "trust", "scope")
# The columns that decide whether two rows with the same key are equal; the other columns change with use.
IDENTITY_COLUMNS: dict[str, tuple[str, ...]] = {
    "memory": (*SIGNED_COLUMNS, "row_digest"),
    "evidence": ("excerpt", "row_digest"),
    "memory_version": ("title", "content", "kind"),
}
MORE_COLUMNS = {"memory": ("version", "updated_at")}
# Tables with rows of other users that must not be seen.
PRIVATE_TABLES = ("memory", "audit", "observation", "suggestion", "turn")
TYPES = {int: "bigint", str: "text", float: "double precision", bytes: "bytea"}
RESERVE = """
SELECT setval(s, greatest(CAST(:most AS bigint), coalesce(pg_sequence_last_value(s), 1)))
FROM (SELECT CAST(pg_get_serial_sequence(:name, 'seq') AS regclass) AS s) n
"""
MAY_NUMBER = "SELECT has_sequence_privilege(pg_get_serial_sequence('keepstone.memory', 'seq'), 'UPDATE')"


def key_names(table: str) -> tuple[str, ...]:
    return NAMED.get(table) or KEYS[table]


def key_of(table: str, row: Row) -> Key:
    return tuple(row[name] for name in key_names(table))


def identity(table: str, row: Row) -> Key:
    """Returns the values that decide whether two rows with the same key are equal."""
    return tuple(row[name] for name in IDENTITY_COLUMNS.get(table, ()))


def by_key(tx: Transaction, table: str, rows: Sequence[Row], of_all_users: bool = False) -> dict[Key, Row]:
    """Returns the server's rows with the same keys. Rows of other users only count with `of_all_users`."""
    if not rows:
        return {}
    keys = key_names(table)
    columns = (*keys, *IDENTITY_COLUMNS.get(table, ()), *MORE_COLUMNS.get(table, ()))
    same = " AND ".join(f"t.{name} = k.{name}" for name in keys)
    where = f"{'' if table in PRIVATE_TABLES and not of_all_users else 'keepstone.'}{table}"
    shown = ", ".join(f"t.{name}" for name in columns)
    sql = f"SELECT {shown} FROM {where} t JOIN {_given(table, keys)} ON {same}"
    held = (dict(zip(columns, values, strict=True)) for values in tx.all(sql, _lists(table, keys, rows)))
    return {key_of(table, row): row for row in held}


def count_alike(tx: Transaction, table: str, rows: Sequence[Row]) -> Counter[str]:
    """Returns how often the server has equal rows, by fingerprint, for tables without natural keys. Reads the rows with
    the same times.
    """
    names = [name for name in column_names(table) if name != "seq"]
    where = f"{'' if table in PRIVATE_TABLES else 'keepstone.'}{table}"
    moment = UNNAMED[table]
    sql = f"SELECT {', '.join(names)} FROM {where} WHERE {moment} = ANY(CAST(:moments AS double precision[]))"
    found = tx.all(sql, {"moments": [float(row[moment]) for row in rows]})
    return Counter(fingerprint(dict(zip(names, values, strict=True))) for values in found)


def add_rows(tx: Transaction, table: str, rows: Sequence[Row], numbers: bool) -> int:
    """Adds rows whose keys are free. Returns the number added. With `numbers`, a row keeps its number if
    that is free.
    """
    if not is_numbered(table):
        return len(_added(tx, table, key_names(table), column_names(table), rows))
    done = 0
    if numbers:
        taken = {found[0] for found in _added(tx, table, ["seq"], column_names(table), rows)}
        done, rows = len(taken), [row for row in rows if row["seq"] not in taken]
    return done + len(_added(tx, table, ["seq"], [name for name in column_names(table) if name != "seq"], rows))


def _added(
    tx: Transaction, table: str, returned: Sequence[str], names: Sequence[str], rows: Sequence[Row]
) -> Sequence[Any]:
    if not rows:
        return []
    columns = ", ".join(names)
    sql = f"""
        INSERT INTO {table} ({columns}) SELECT {columns} FROM {_given(table, names)}
        ON CONFLICT DO NOTHING RETURNING {", ".join(returned)}
    """
    return tx.all(sql, _lists(table, names, rows))


def _given(table: str, names: Sequence[str]) -> str:
    """Returns SQL for the given rows as a table `k`."""
    types = {column.name: TYPES[column.type] for column in TABLES[table]}
    lists = ", ".join(f"CAST(:{name} AS {types[name]}[])" for name in names)
    return f"unnest({lists}) AS k({', '.join(names)})"


def _lists(table: str, names: Sequence[str], rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Returns the values of rows by column. Integers in a float column become floats, because the driver takes no mixed
    lists.
    """
    types = {column.name: column.type for column in TABLES[table]}
    return {name: [_fitting(types[name], row[name]) for row in rows] for name in names}


def _fitting(kind: type, value: Any) -> Any:
    return float(value) if kind is float and value is not None else value


def reserve_numbers(tx: Transaction, table: str, most: int) -> None:
    """Makes the server number all new rows above `most`."""
    if most:
        tx.run(RESERVE, {"name": f"keepstone.{table}", "most": most})
