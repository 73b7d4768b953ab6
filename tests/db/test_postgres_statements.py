"""Every SQL statement that the code holds as a constant is one that PostgreSQL can prepare as it stands."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg
import pytest

import engines
from keepstone.db import postgres
from keepstone.db.postgres import PgReader
from statements import POSTGRES, numbered, statements


def test_postgres_prepares_every_statement():
    address = engines.on_server()
    postgres.index_vectors(address, "model", 16, 10)  # takes up pgvector
    problems = {}
    with closing(PgReader(address)) as reader:
        for one in statements():
            if POSTGRES not in one.engines:
                continue
            try:
                reader.database.execute(f"PREPARE one AS {numbered(one.text)}")
                reader.database.execute("DEALLOCATE one")
            except psycopg.Error as problem:
                problems[f"{one.module}.{one.name}"] = f"{problem}: {one.text}"
    assert not problems, "\n".join(f"{name}: {problem}" for name, problem in problems.items())


@pytest.mark.parametrize("listed", ["[]", '["a", "ü", "it\'s"]', "[1, 2]"])
def test_json_each_finds_what_sqlite_s_does(listed):
    with closing(PgReader(engines.on_server())) as reader, closing(sqlite3.connect(":memory:")) as database:
        sql = "SELECT CAST(value AS TEXT) FROM json_each(:listed)"
        assert reader.rows(sql, {"listed": listed}) == database.execute(sql, {"listed": listed}).fetchall()


@pytest.mark.parametrize("path", ["$.was.trust", "$.was", "$.was.none", "$.none.trust", "$.count", "$.nothing"])
def test_json_extract_finds_what_sqlite_s_does(path):
    values = {"path": path, "document": '{"was": {"trust": "quarantined"}, "count": 3, "nothing": null}'}
    with closing(PgReader(engines.on_server())) as reader, closing(sqlite3.connect(":memory:")) as database:
        sql = "SELECT CAST(json_extract(:document, :path) AS TEXT)"
        ((found,),) = reader.rows(sql, values)
        ((expected,),) = database.execute(sql, values)
        assert (found or "").replace(" ", "") == (expected or "")
