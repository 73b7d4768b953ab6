"""The tables as `records` describes them are those of SQLModel's."""

from __future__ import annotations

import pytest
from sqlmodel import SQLModel

from keepstone.db import records, tables
from keepstone.db.records import Column, JobRecord

FIRST = ("project", "project_key", "memory")  # the rows of all other tables may belong to these
TYPES = (int, float, bytes)


def described():
    """The tables in SQLModel's words."""
    assert tables.MemoryRow.__tablename__ == "memory"
    return {table.name: table for table in SQLModel.metadata.tables.values()}


def column_of(column):
    return Column(
        column.name,
        column.type.python_type if column.type.python_type in TYPES else str,
        column.nullable or (column.name == "seq" and column.primary_key),
        getattr(column.default, "arg", None),
    )


def test_a_record_has_the_columns_key_and_references_of_its_table():
    found = described()
    assert records.TABLES.keys() == found.keys()
    for name, table in found.items():
        assert records.TABLES[name] == tuple(map(column_of, table.columns)), name
        assert records.KEYS[name] == tuple(column.name for column in table.primary_key.columns), name
        assert all(key.column.name == "id" for key in table.foreign_keys), name
        references = {key.parent.name: key.column.table.name for key in table.foreign_keys}
        assert records.REFERENCES.get(name, {}) == references, name


def test_a_table_follows_those_that_it_refers_to():
    known = set()
    for table in records.TABLES:
        assert set(records.REFERENCES.get(table, {}).values()) <= known, table
        known.add(table)


def test_a_record_is_given_what_has_no_default_and_nothing_else():
    assert JobRecord(name="report", due_at=0.0) == JobRecord(name="report", due_at=0.0, report="{}")
    with pytest.raises(TypeError, match="due_at"):
        JobRecord(name="report")
    with pytest.raises(TypeError, match="colour"):
        JobRecord(name="report", due_at=0.0, colour="red")
