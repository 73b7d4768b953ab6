"""pgvector, where a server has it: every vector once more as the server compares it, and an index of a model's in a
store of very many.
"""

from __future__ import annotations

from typing import Any

import psycopg

from ..lib.text import digest
from ..lib.vector import LENGTH
from .placeholders import placeholders

COLUMN, INDEXED_DIMS = "near", 4_000  # of halfvec, by pgvector's README
NEEDED = (0, 8)  # the first whose index looks on until enough of what it finds belongs to the scope
MAKER = 0x6B65657073746F6E + 2  # the advisory lock of who makes an index
# Halves hold whole numbers up to 2,048, so that a byte a dimension loses nothing. Bodies that are read when they are
# made: a restored dump has no search path by which a text would find its types.
STATEMENTS = (
    "CREATE SCHEMA IF NOT EXISTS extensions",  # not in ours, whose table `vector` has its type's name
    "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA extensions",
    """CREATE OR REPLACE FUNCTION keepstone.halfvec_of(data bytea) RETURNS halfvec LANGUAGE sql
        IMMUTABLE PARALLEL SAFE STRICT RETURN CASE WHEN length(data) BETWEEN 5 AND 16004 THEN CAST((
            SELECT array_agg((get_byte(data, i) + 128) % 256 - 128 ORDER BY i)
            FROM generate_series(4, length(data) - 1) i) AS halfvec) END""",
    f"""ALTER TABLE keepstone.vector ADD COLUMN IF NOT EXISTS {COLUMN} halfvec
        GENERATED ALWAYS AS (keepstone.halfvec_of(data)) STORED""",
)
HAS = f"""SELECT 1 FROM pg_attribute WHERE attrelid = CAST('keepstone.vector' AS regclass)
    AND attname = '{COLUMN}' AND NOT attisdropped"""
_OFFERED = """SELECT coalesce(installed_version, default_version) FROM pg_available_extensions
    WHERE name = 'vector'"""
IS_MADE = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(:name) AND indisvalid"
_MANY = "SELECT count(*) > %(rows)s FROM (SELECT 1 FROM keepstone.vector LIMIT %(rows)s + 1) x"
_INDEX = f"""SELECT format('CREATE INDEX CONCURRENTLY %%I ON keepstone.vector USING hnsw
    (CAST({COLUMN} AS halfvec(%%s)) halfvec_cosine_ops) WHERE model = %%L AND length(data) = %%s',
    CAST(%(name)s AS text), CAST(%(dims)s AS int), CAST(%(model)s AS text), CAST(%(bytes)s AS int))"""


def take_up(connection: Any) -> bool:
    """Tells whether the server can compare vectors, after making what that needs if it is missing and may be made. A
    server with an older pgvector, or whose tables belong to somebody else, goes on as it is.
    """
    if connection.execute(HAS).fetchone():
        return True
    offered = connection.execute(_OFFERED).fetchone()
    version = str(offered[0] if offered else "0")
    if tuple(int(part) for part in version.split(".")[:2] if part.isdecimal()) < NEEDED:
        return False
    try:
        with connection.transaction():
            connection.execute(f"SELECT pg_advisory_xact_lock({MAKER})")
            for statement in STATEMENTS:
                connection.execute(statement)
    except psycopg.ProgrammingError:  # not allowed: somebody else's tables
        return False
    return True


def index_name(model: str, dims: int) -> str:
    return f"vector_near_{digest(model)[:12]}_{dims}"


def make_index(connection: Any, model: str, dims: int, most: int) -> bool:
    """Makes the index of a model's vectors if there are more than `most`, so that they are not all compared. Returns
    whether it did. Others write meanwhile. Raises the driver's error, also if somebody else owns the tables.
    """
    if not 0 < dims <= INDEXED_DIMS:
        return False
    name = index_name(model, dims)
    given = {"name": name, "dims": dims, "model": model, "bytes": LENGTH.size + dims}
    made = connection.execute(placeholders(IS_MADE), {"name": f"keepstone.{name}"}).fetchone()
    if made or not connection.execute(_MANY, {"rows": most}).fetchone()[0]:
        return False
    if not connection.execute(f"SELECT pg_try_advisory_lock({MAKER})").fetchone()[0]:
        return False
    try:
        _index(connection, name, given)
    finally:
        connection.execute(f"SELECT pg_advisory_unlock({MAKER})")
    return True


def _index(connection: Any, name: str, given: dict[str, object]) -> None:
    """Makes an index; one that was given up half made is made anew."""
    connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS keepstone.{name}")
    connection.execute(connection.execute(_INDEX, given).fetchone()[0])
