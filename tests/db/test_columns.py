"""The columns that the code knows without SQLModel are those of the tables, and those of the records."""

from __future__ import annotations

from dataclasses import MISSING, fields

from sqlmodel import SQLModel

from keepstone.db import columns, records, tables
from keepstone.db.archive_format import Column
from keepstone.db.writer import Record

FIRST = ("project", "project_key", "memory")  # the rows of all other tables may belong to these
TYPES = (int, float, bytes)


def expected():
    """What `columns` has to say, from the tables: each behind those that it refers to."""
    assert tables.MemoryRow.__tablename__ == "memory"
    ordered = sorted(
        SQLModel.metadata.sorted_tables,
        key=lambda table: FIRST.index(table.name) if table.name in FIRST else len(FIRST),
    )
    return (
        {table.name: tuple(map(column_of, table.columns)) for table in ordered},
        {table.name: tuple(column.name for column in table.primary_key.columns) for table in ordered},
        {
            table.name: {key.parent.name: (key.column.table.name, key.column.name) for key in keys}
            for table in ordered
            if (keys := sorted(table.foreign_keys, key=lambda key: key.parent.name))
        },
    )


def column_of(column):
    return Column(
        column.name,
        column.type.python_type if column.type.python_type in TYPES else str,
        column.nullable or (column.name == "seq" and column.primary_key),
        getattr(column.default, "arg", None),
    )


def literal():
    """The tables of `columns` as source text, to be pasted there: python tests/db/test_columns.py"""
    found, keys, references = expected()
    lines = ["TABLES: dict[str, tuple[Column, ...]] = {"]
    for table, held in found.items():
        lines += [f'    "{table}": (', *(f"        {_call(column)}," for column in held), "    ),"]
    lines += ["}", "KEYS: dict[str, tuple[str, ...]] = {", *(f"    {_pair(*item)}," for item in keys.items()), "}"]
    lines += ["REFERENCES: dict[str, dict[str, tuple[str, str]]] = {"]
    lines += [*(f"    {_pair(*item)}," for item in references.items()), "}"]
    return "\n".join(lines) + "\n"


def _call(column):
    default = "" if column.default is None else f", {_quoted(column.default)}"
    return f'Column("{column.name}", {column.type.__name__}, {column.nullable}{default})'


def _pair(table, value):
    return f'"{table}": {_quoted(value)}'


def _quoted(value):
    return repr(value).replace("'", '"')


def test_the_columns_are_those_of_the_tables_in_the_order_of_their_references():
    found, keys, references = expected()
    assert list(columns.TABLES) == list(found)
    assert columns.TABLES == found, literal()
    assert keys == columns.KEYS and references == columns.REFERENCES, literal()
    known = set()
    for table in columns.TABLES:
        assert {of for of, _ in columns.REFERENCES.get(table, {}).values()} <= known, table
        known.add(table)


def test_a_record_has_the_fields_of_its_table():
    kinds = {kind.TABLE: kind for kind in Record.__subclasses__()}
    assert {kind.__module__ for kind in kinds.values()} == {records.__name__}
    assert kinds.keys() <= columns.TABLES.keys()
    for table, kind in kinds.items():
        held = {field.name: field for field in fields(kind)}
        assert held.keys() == {column.name for column in columns.TABLES[table]}, table
        assert kind.KEY == columns.KEYS[table]
        for column in columns.TABLES[table]:
            field = held[column.name]
            says = column.type.__name__ + (" | None" if column.nullable else "")
            assert field.type == says, f"{table}.{column.name}"
            if column.default is not None or column.nullable:
                assert field.default == column.default, f"{table}.{column.name}"
            else:
                assert field.default is MISSING, f"{table}.{column.name}"


if __name__ == "__main__":
    print(literal())
