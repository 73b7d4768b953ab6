"""Every SQL statement that the code holds as a constant is one that SQLite can prepare."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from keepstone.db.migrations import run
from keepstone.db.placeholders import placeholders
from statements import SQLITE, more_tables, named, statements

pytestmark = pytest.mark.of_files
OURS = [one for one in statements() if SQLITE in one.engines]


def test_sqlite_prepares_every_statement(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    problems = {}
    with closing(sqlite3.connect(path)) as database:
        for statement in more_tables():
            database.execute(statement)
        for one in OURS:
            try:
                database.execute(f"EXPLAIN {one.text}", dict.fromkeys(named(one.text)))
            except sqlite3.Error as problem:
                problems[f"{one.module}.{one.name}"] = f"{problem}: {one.text}"
    assert not problems, "\n".join(f"{name}: {problem}" for name, problem in problems.items())


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT :id, :id_2", "SELECT %(id)s, %(id_2)s"),
        ("SELECT CAST(x AS text) LIKE 'a%' AND b = :b", "SELECT CAST(x AS text) LIKE 'a%%' AND b = %(b)s"),
        ("SELECT x::text, a FROM b ORDER BY a DESC", "SELECT x::text, a FROM b ORDER BY a DESC"),
        ("SELECT json_extract(a, '$.b') IS NOT NULL", "SELECT json_extract(a, '$.b') IS NOT NULL"),
    ],
)
def test_psycopg_is_given_nothing_but_its_placeholders(sql, expected):
    assert placeholders(sql) == expected


def test_the_statements_are_found():
    found = {f"{one.module}.{one.name}" for one in OURS}
    assert len(found) > 90
    assert {"reader.DELIVER", "reader._LATEST", "match_sql._TEXTS", "history_sql.AUDIT", "edges_sql._AWAY"} <= found
