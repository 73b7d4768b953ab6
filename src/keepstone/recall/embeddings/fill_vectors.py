"""Adds missing vectors of memories, and remakes all when the word weights change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...db.writer import Writer
from ...lib.limits import STATIC
from ...lib.text import title_and_content
from ...lib.vector import packed
from . import vectors_sql
from .choose_embedder import Embedder
from .static import Static, count_pieces, counted_of, keep_weights

VECTOR_ROWS = 500  # memories in one batch


def fill(
    writer: Writer, embedder: Embedder, ids: Sequence[str] = (), watch: Callable[[int], None] = lambda done: None
) -> int:
    """Adds missing vectors, only for `ids` if any are given. Returns the number of memories that were processed. No
    transaction is open while vectors are made, because the embedder may be a remote server. `watch` is called with the
    number done.
    """
    done = 0
    for start in range(0, len(ids), VECTOR_ROWS) if ids else (0,):
        while lacking := _lacking(writer, embedder, ids[start : start + VECTOR_ROWS]):
            found = embedder.vectors([title_and_content(title, content) for _, title, content, _ in lacking])
            made = [
                (memory_id, updated_at, embedder.dims, packed(vector) if vector else b"")
                for (memory_id, _, _, updated_at), vector in zip(lacking, found, strict=True)
            ]
            weights = embedder.kept if isinstance(embedder, Static) else None
            with writer.transaction() as tx:
                kept = vectors_sql.add_vectors(tx, embedder.model, made, weights)
            done += len(lacking)
            watch(done)
            if not kept or kept == len(lacking) < VECTOR_ROWS:
                break  # these were the last, or other processes have changed them all meanwhile and will add vectors
    return done


def fill_turns(writer: Writer, embedder: Embedder, until: float, now: Callable[[], float]) -> int:
    """Adds missing vectors of turns, newest first, until a time. Returns the number of turns that got one."""
    done = 0
    while now() < until:
        with writer.transaction() as tx:
            lacking = vectors_sql.lacking_turns(tx, VECTOR_ROWS)
        found = embedder.vectors([text for _, text in lacking])
        made = [(*turn, packed(vector) if vector else b"") for turn, vector in zip(lacking, found, strict=True)]
        with writer.transaction() as tx:
            kept = vectors_sql.add_to_turns(tx, embedder.model, made)
        done += kept
        if kept < VECTOR_ROWS:
            break  # these were the last
    return done


def _lacking(writer: Writer, embedder: Embedder, ids: Sequence[str]) -> list[vectors_sql.Lacking]:
    with writer.transaction() as tx:
        return vectors_sql.lacking(tx, embedder.model, VECTOR_ROWS, ids)


def recount(writer: Writer, home: str, environ: Mapping[str, str]) -> None:
    """Counts the words of all memories anew, and deletes the vectors that were made with the old word weights."""
    with writer.transaction() as tx:
        texts = vectors_sql.texts(tx)
    made = count_pieces(home, [title_and_content(*text) for text in texts])
    with writer.transaction() as tx:
        vectors_sql.recounted(tx, STATIC, made)  # first: if this is interrupted, the words are counted again
    keep_weights(home, made, environ)


def agree(writer: Writer, home: str, environ: Mapping[str, str], embedder: Embedder) -> bool:
    """Updates this data home's word weights: takes over those of a shared database, and counts the words anew if there
    are twice as many memories as at the last count. Returns whether the weights, and with them the embedder, have
    changed.
    """
    if not isinstance(embedder, Static):
        return False
    counted, taken = embedder.counted, False
    if writer.is_postgres:
        with writer.transaction() as tx:
            stored = vectors_sql.weights(tx, STATIC)
        theirs = embedder.checked(stored)
        counted = counted_of(theirs)
        if taken := bool(theirs) and theirs != embedder.kept:
            with writer.transaction() as tx:
                vectors_sql.drop_own(tx, STATIC)
            keep_weights(home, theirs, environ)
    with writer.transaction() as tx:
        texts = vectors_sql.count_texts(tx)
    if texts < max(1, 2 * counted):
        return taken
    recount(writer, home, environ)
    return True
