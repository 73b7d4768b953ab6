"""Vectors of memories: which lack one, and keeping it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import md5

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import col, delete, exists, func, select

from .database import Database
from .engines import is_address, is_postgres, postgres
from .tables import Memory, Vector

_WEIGHTS = text("SELECT data FROM word_weights WHERE model = :model AND workspace = who('workspace', 'default')")
_WEIGHTS_MD5 = text(_WEIGHTS.text.replace("data", "md5(data)"))  # they are 128 kB
_KEEP_WEIGHTS = text("""
INSERT INTO word_weights (model, data) VALUES (:model, :data)
ON CONFLICT (workspace, model) DO UPDATE SET data = excluded.data
""")
Lacking = tuple[str, str, str, float]  # id, title, content, updated at


class Vectors(Database):
    """The vectors of one model each. A memory that has changed since its text was read gets none."""

    def lacking(self, model: str, limit: int, ids: Sequence[str] = ()) -> list[Lacking]:
        """Memories without a vector of this model, newest first; of `ids` only, where some are given."""
        with self._transaction() as tx:
            has = exists().where(col(Vector.memory_id) == Memory.id, col(Vector.model) == model)
            query = select(Memory.id, Memory.title, Memory.content, Memory.updated_at).where(~has)
            query = query.where(col(Memory.id).in_(ids)) if ids else query
            return list(tx.exec(query.order_by(col(Memory.seq).desc()).limit(limit)))

    def add_vectors(
        self, model: str, made: Iterable[tuple[str, float, int, bytes]], weights: bytes | None = None
    ) -> int:
        """Keeps (id, updated at, dimensions, packed vector); how many it kept: in a shared database none that were made
        by other `weights` than words have there by now, b"" before they are counted.
        """
        with self._transaction() as tx:
            if self.is_shared and weights is not None and not _is_up_to_date(tx, model, weights):
                return 0
            return sum(self._add(tx, model, *one) for one in made)

    @staticmethod
    def _add(tx: Transaction, model: str, memory_id: str, updated_at: float, dims: int, data: bytes) -> bool:
        same = select(Memory.id).where(Memory.id == memory_id, Memory.updated_at == updated_at)
        if tx.exec(same).first() is None or tx.get(Vector, (memory_id, model)) is not None:
            return False
        tx.add(Vector(memory_id=memory_id, model=model, dims=dims, data=data))
        return True

    def index(self, model: str, dims: int) -> bool:
        """Has a server with pgvector find a model's nearest by an index, where there are very many; whether one was
        made. A file has none: there they are read.
        """
        return is_address(self.where) and postgres().index_vectors(self.where, model, dims)

    def rebuild(self) -> None:
        """Makes the indexes of texts anew; a server keeps its own."""
        with self._transaction() as tx:
            for index in () if is_postgres(tx) else ("memory_fts", "evidence_fts"):
                tx.connection().exec_driver_sql(f"INSERT INTO {index}({index}) VALUES ('rebuild')")

    def drop_vectors(self) -> None:
        """Deletes all there are."""
        with self._transaction() as tx:
            tx.exec(delete(Vector))

    def count(self) -> int:
        """How many memories there are."""
        with self._transaction() as tx:
            return tx.exec(select(func.count()).select_from(Memory)).one()

    def texts(self) -> list[tuple[str, str]]:
        """(title, content) of every memory whose words are counted; in a shared database those of nobody's own, as
        what words count for there tells everybody of them.
        """
        with self._transaction() as tx:
            query = select(Memory.title, Memory.content)
            return list(tx.exec(query.where(Memory.scope != "user") if self.is_shared else query))

    def count_texts(self) -> int:
        """How many `texts` there are."""
        with self._transaction() as tx:
            query = select(func.count()).select_from(Memory)
            return tx.exec(query.where(Memory.scope != "user") if self.is_shared else query).one()

    @property
    def is_shared(self) -> bool:
        """Whether others keep their memories here too, each from a data home of their own."""
        return is_address(self.where)

    def weights(self, model: str) -> bytes:
        """What words count for in a workspace of a shared database, b"" before anybody has counted them."""
        with self._transaction() as tx:
            found = tx.execute(_WEIGHTS, {"model": model}).first()
            return bytes(found[0]) if found else b""

    def recounted(self, model: str, weights: bytes) -> None:
        """Drops the vectors that were made by what words counted for before, and tells others of a shared database
        what they count for now.
        """
        with self._transaction() as tx:
            if self.is_shared:
                tx.execute(_KEEP_WEIGHTS, {"model": model, "data": weights})
            tx.exec(delete(Vector).where(col(Vector.model) == model))

    def drop_own(self, model: str) -> None:
        """Deletes the vectors of what is nobody else's: whoever counts words anew can't see these."""
        with self._transaction() as tx:
            own = select(Memory.id).where(Memory.scope == "user")
            tx.exec(delete(Vector).where(col(Vector.model) == model, col(Vector.memory_id).in_(own)))


def _is_up_to_date(tx: Transaction, model: str, weights: bytes) -> bool:
    found = tx.execute(_WEIGHTS_MD5, {"model": model}).first()
    return (found[0] if found else None) == (md5(weights, usedforsecurity=False).hexdigest() if weights else None)
