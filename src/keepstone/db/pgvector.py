"""Uses pgvector if the server has it: stores each vector a second time in the type that the server can compare, and
indexes a model's vectors if there are very many.
"""

from __future__ import annotations

from typing import Any

import psycopg

from ..lib.text import digest
from ..lib.vector import LENGTH
from .placeholders import placeholders

COLUMN, INDEXED_DIMS = "near", 4_000  # the most dimensions of an indexed halfvec, by pgvector's README
NEEDED = (0, 8)  # the first version with iterative scans: the index is read on until enough results belong to the scope
MAKER = 0x6B65657073746F6E + 2  # the advisory lock for creating an index
# A halfvec holds whole numbers up to 2,048, so one byte a dimension loses nothing. The function body is parsed when it
# is created (RETURN, not a string), because a restored dump has no search path to resolve type names in a string.
STATEMENTS = (
    "CREATE SCHEMA IF NOT EXISTS extensions",  # not in our schema, whose table `vector` has the name of the type
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
    """Creates the extension and the column if they are missing and may be created. Tells whether the server can compare
    vectors. Returns False if pgvector is too old or the tables belong to another user.
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
    except psycopg.ProgrammingError:  # not permitted: the tables belong to another user
        return False
    return True


def index_name(model: str, dims: int) -> str:
    return f"vector_near_{digest(model)[:12]}_{dims}"


def make_index(connection: Any, model: str, dims: int, most: int) -> bool:
    """Creates the index of a model's vectors if there are more than `most`. Returns whether it did. Other processes can
    write meanwhile. Raises the driver's error, for example if another user owns the tables.
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
    """Creates an index. Drops one first that was left half built."""
    connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS keepstone.{name}")
    connection.execute(connection.execute(_INDEX, given).fetchone()[0])
