"""The tables that the migrations make at a server are those that the code knows."""

from __future__ import annotations

import psycopg

import engines
from keepstone.db.records import KEYS, REFERENCES, TABLES

TYPES = {int: "bigint", float: "double precision", str: "text", bytes: "bytea"}
COLUMNS = """
SELECT column_name, data_type, is_nullable = 'YES', column_default IS NOT NULL OR is_generated = 'ALWAYS'
FROM information_schema.columns WHERE table_schema = 'keepstone' AND table_name = %s
"""
CONSTRAINED = """
SELECT (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(c.conkey) WITH ORDINALITY k(number, place)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number),
    CAST(c.confrelid AS regclass)::text,
    (SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.confrelid AND a.attnum = c.confkey[1])
FROM pg_constraint c WHERE c.conrelid = CAST(%s AS regclass) AND c.contype = %s
"""


def test_every_table_has_the_columns_keys_and_references_that_the_code_knows():
    with psycopg.connect(engines.on_server(), options="-c search_path=keepstone") as database:
        for table, columns in TABLES.items():
            found = {name: rest for name, *rest in database.execute(COLUMNS, (table,)).fetchall()}
            for column in columns:
                kind, nullable, _ = found.pop(column.name)
                numbered = KEYS[table] == ("seq",) and column.name == "seq"
                assert (kind, nullable) == (TYPES[column.type], column.nullable and not numbered), (table, column.name)
            assert all(nullable or default for _, nullable, default in found.values()), found  # of the server alone
            ((keys, _, _),) = database.execute(CONSTRAINED, (table, "p")).fetchall()
            assert tuple(keys) == KEYS[table]
            references = database.execute(CONSTRAINED, (table, "f")).fetchall()
            assert {column: of for (column,), of, _ in references} == REFERENCES.get(table, {}), table
            assert all(key == "id" for _, _, key in references)
