"""Takes in one source, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..store.load import Loader
from .import_archive import import_archive
from .import_foreign import Imported, Place, import_foreign
from .sources import JSONL, Source, items


def take_in(
    store: Loader,
    source: Source,
    place: Place,
    folder_name: Callable[[str], str],
    *,
    redact: Callable[[str], str],
    now: float,
    begin: Callable[[int], None],
    watch: Callable[[int], None],
) -> Imported:
    """`begin` is told how much there is, `watch` how much of it is behind."""
    done = Imported(source.path, source.format)
    if source.format == JSONL:
        begin(source.size)
        import_archive(store, done, redact=redact, now=now, watch=watch)
        return done
    found = list(items(source, partial(_count, done)))
    begin(len(found))
    import_foreign(store, found, done, place, folder_name, redact=redact, now=now, watch=watch)
    return done


def _count(done: Imported, why: str) -> None:
    done.left[why] += 1
