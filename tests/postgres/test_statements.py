"""Every SQL statement that the code holds as a constant is one that PostgreSQL can prepare as it stands."""

from __future__ import annotations

from contextlib import closing

import psycopg

import engines
from keepstone.store import postgres
from keepstone.store.postgres import PgReader
from statements import POSTGRES, TRANSLATED, numbered, statements


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
    news = {name: problem for name, problem in problems.items() if name not in TRANSLATED}
    assert not news, "\n".join(f"{name}: {problem}" for name, problem in news.items())
    assert problems.keys() == TRANSLATED
