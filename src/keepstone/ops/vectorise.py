"""Gives every memory its vector: those that lack one, or all anew once what words count for has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..core.defaults import STATIC, VECTOR_ROWS
from ..core.text import said
from ..core.vector import packed
from ..embed import Embedder
from ..embed.static import Static, count_pieces, counted_of, keep_weights
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
            kept = store.add_vectors(embedder.model, made, embedder.kept if isinstance(embedder, Static) else None)
            done += len(lacking)
            watch(done)
            if not kept or kept == len(lacking) < VECTOR_ROWS:
                break  # others changed them all meanwhile: they are theirs; or these were the last
    return done


def recount(store: Vectors, home: str, environ: Mapping[str, str]) -> None:
    """Counts the words of this store anew, and drops the vectors that were made by the old counts."""
    made = count_pieces(home, [said(*text) for text in store.texts()])
    store.recounted(STATIC, made)  # first: what is interrupted in between is done once more
    keep_weights(home, made, environ)


def agree(store: Vectors, home: str, environ: Mapping[str, str], embedder: Embedder) -> bool:
    """Has words count for here what they do in this store: what others who share it have counted, or where it has
    twice as many memories by now, all of it counted anew. Whether that has changed, and with it the embedder.
    """
    if not isinstance(embedder, Static):
        return False
    counted, taken = embedder.counted, False
    if store.is_shared:
        theirs = embedder.checked(store.weights(STATIC))
        counted = counted_of(theirs)
        if taken := bool(theirs) and theirs != embedder.kept:
            store.drop_own(STATIC)
            keep_weights(home, theirs, environ)
    if store.count_texts() < max(1, 2 * counted):
        return taken
    recount(store, home, environ)
    return True
