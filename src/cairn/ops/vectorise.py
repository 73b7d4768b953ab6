"""Gives every memory its vector: those that lack one, or all anew once what words count for has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.defaults import STATIC, VECTOR_ROWS
from ..core.text import said
from ..core.vector import packed
from ..embed import Embedder
from ..embed.static import Static, count_pieces
from ..store.vectors import Vectors


def fill(
    store: Vectors, embedder: Embedder, ids: Sequence[str] = (), watch: Callable[[int], None] = lambda done: None
) -> int:
    """Makes the vectors that are missing, of `ids` only where some are given; how many memories were looked at.

    Outside of any transaction: an embedder may be a server somewhere. `watch` is told how many are behind.
    """
    done = 0
    for start in range(0, len(ids), VECTOR_ROWS) if ids else (0,):
        while lacking := store.lacking(embedder.model, VECTOR_ROWS, ids[start : start + VECTOR_ROWS]):
            vectors = embedder.vectors([said(title, content) for _, title, content, _ in lacking])
            made = [
                (memory_id, updated_at, embedder.dims, packed(vector) if vector else b"")
                for (memory_id, _, _, updated_at), vector in zip(lacking, vectors, strict=True)
            ]
            kept = store.add_vectors(embedder.model, made)
            done += len(lacking)
            watch(done)
            if not kept or kept == len(lacking) < VECTOR_ROWS:
                break  # others changed them all meanwhile: they are theirs; or these were the last
    return done


def recount(store: Vectors, home: str) -> None:
    """Counts the words of this store anew, and drops the vectors that were made by the old counts."""
    count_pieces(home, [said(*text) for text in store.texts()])
    store.drop_vectors(STATIC)


def is_outgrown(store: Vectors, embedder: Embedder) -> bool:
    """Whether a store holds twice as many memories as when the words of a static embedder were counted."""
    return isinstance(embedder, Static) and store.count() >= max(1, 2 * embedder.counted)
