"""Finds missing vectors and stores vectors and word weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...db.engines import is_address, postgres
from ...db.sql import Sql
from ...db.writer import Transaction
from ...lib.fast_json import dump

# Word weights are in the database only on a server; with a file they are in its data home.
WEIGHTS = "SELECT data FROM word_weights WHERE model = :model AND workspace = who('workspace', 'default')"
SAME_WEIGHTS = """
SELECT data = CAST(:data AS BYTEA) FROM word_weights WHERE model = :model AND workspace = who('workspace', 'default')
"""
KEEP_WEIGHTS = """
INSERT INTO word_weights (model, data) VALUES (:model, :data)
ON CONFLICT (workspace, model) DO UPDATE SET data = excluded.data
"""
LACKING = """
SELECT m.id, m.title, m.content, m.updated_at FROM memory m
WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.memory_id = m.id AND v.model = :model) {of_these}
ORDER BY m.seq DESC LIMIT :limit
"""
ADD = """
INSERT INTO vector (memory_id, model, dims, data) SELECT m.id, :model, :dims, :data FROM memory m
WHERE m.id = :id AND m.updated_at = :updated_at
    AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.memory_id = m.id AND v.model = :model)
"""
# On a server, word weights would reveal to every user the words in another user's own memories.
TURNS_COUNTED = 20_000  # of the archive, the newest: more change the weights little, and counting takes long
COUNTED = Sql(sqlite="", postgres=" WHERE scope <> 'user'")
_NEWEST_TURNS = f"SELECT '' AS title, text FROM turn ORDER BY seq DESC LIMIT {TURNS_COUNTED}"
TEXTS = Sql(
    sqlite=f"SELECT title, content FROM memory UNION ALL SELECT * FROM ({_NEWEST_TURNS})",
    postgres=f"SELECT title, content FROM memory{COUNTED.postgres}",
)
COUNT_TEXTS = Sql(
    sqlite=f"SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM ({_NEWEST_TURNS}))",
    postgres=f"SELECT count(*) FROM memory{COUNTED.postgres}",
)
LACKING_TURNS = "SELECT seq, text FROM turn WHERE model IS NULL ORDER BY seq DESC LIMIT :limit"
ADD_TO_TURN = "UPDATE turn SET model = :model, vector = :data WHERE seq = :seq AND text = :text AND model IS NULL"
DROP_OF_TURNS = "UPDATE turn SET model = NULL, vector = NULL WHERE model IS NOT NULL"
DROP_OWN = """
DELETE FROM vector WHERE model = :model AND memory_id IN (SELECT id FROM memory WHERE scope = 'user')
"""
INDEXES = ("memory_fts", "evidence_fts", "turn_fts")
Lacking = tuple[str, str, str, float]  # id, title, content, updated at


def lacking(tx: Transaction, model: str, limit: int, ids: Sequence[str] = ()) -> list[Lacking]:
    """Returns memories without a vector of this model, newest first. If `ids` are given, only these are searched."""
    of_these = "AND m.id IN (SELECT value FROM json_each(:ids))" if ids else ""
    values = {"model": model, "limit": limit, **({"ids": dump(list(ids))} if ids else {})}
    return tx.all(LACKING.format(of_these=of_these), values)


def add_vectors(
    tx: Transaction, model: str, made: Iterable[tuple[str, float, int, bytes]], weights: bytes | None = None
) -> int:
    """Stores (memory id, updated at, dimensions, packed vector). Returns the number stored. A vector is not stored if
    the memory has changed since its text was read. On a server, none are stored if their word `weights` are not the
    server's current ones (b"" before any were counted).
    """
    if tx.is_postgres and weights is not None and not _is_up_to_date(tx, model, weights):
        return 0
    return sum(
        tx.run(ADD, {"model": model, "id": memory_id, "updated_at": updated_at, "dims": dims, "data": data})
        for memory_id, updated_at, dims, data in made
    )


def lacking_turns(tx: Transaction, limit: int) -> list[tuple[int, str]]:
    """Returns (seq, text) of turns without a vector, newest first."""
    return tx.all(LACKING_TURNS, {"limit": limit})


def add_to_turns(tx: Transaction, model: str, made: Iterable[tuple[int, str, bytes]]) -> int:
    """Stores (seq, text, packed vector) of turns whose text has not changed since. Returns the number stored."""
    return sum(
        tx.run(ADD_TO_TURN, {"model": model, "seq": seq, "text": text, "data": data}) for seq, text, data in made
    )


def index(where: str, model: str, dims: int) -> bool:
    """Creates the index of a model's vectors on a server with pgvector, if there are very many. Returns whether one was
    created. Does nothing for a file, in which all vectors are read. Call it outside any transaction.
    """
    return is_address(where) and postgres().index_vectors(where, model, dims)


def rebuild(tx: Transaction) -> None:
    """Rebuilds the full-text indexes of a file. A server maintains its own."""
    for name in () if tx.is_postgres else INDEXES:
        tx.run(f"INSERT INTO {name}({name}) VALUES ('rebuild')")


def drop_vectors(tx: Transaction) -> None:
    """Deletes every vector."""
    tx.run("DELETE FROM vector")
    tx.run(DROP_OF_TURNS)


def count(tx: Transaction) -> int:
    """Returns the number of memories."""
    return int(tx.value("SELECT count(*) FROM memory"))


def texts(tx: Transaction) -> list[tuple[str, str]]:
    """Returns (title, content) of every memory whose words are counted."""
    return tx.all(TEXTS)


def count_texts(tx: Transaction) -> int:
    """Returns the number of memories whose words are counted."""
    return int(tx.value(COUNT_TEXTS))


def weights(tx: Transaction, model: str) -> bytes:
    """Returns the word weights of a workspace on a server, b"" before any were counted."""
    found = tx.value(WEIGHTS, {"model": model})
    return b"" if found is None else bytes(found)


def recounted(tx: Transaction, model: str, weights: bytes) -> None:
    """Deletes the vectors that were made with the old word weights, and stores the new weights on a server."""
    if tx.is_postgres:
        tx.run(KEEP_WEIGHTS, {"model": model, "data": weights})
    tx.delete("vector", {"model": model})
    tx.run(DROP_OF_TURNS)


def drop_own(tx: Transaction, model: str) -> None:
    """Deletes the vectors of users' own memories. They may depend on words that other users cannot see."""
    tx.run(DROP_OWN, {"model": model})


def _is_up_to_date(tx: Transaction, model: str, weights: bytes) -> bool:
    same = tx.value(SAME_WEIGHTS, {"model": model, "data": weights})
    return bool(same) if weights else same is None
