"""Imports one source of any format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..db.writer import Writer
from ..lib.errors import BadInput, BadLine
from .detect_source import JSONL, ImportSource, items
from .import_archive import import_archive
from .import_foreign import Imported, ImportTarget, import_foreign


def take_in(
    writer: Writer,
    source: ImportSource,
    target: ImportTarget,
    folder_name: Callable[[str], str],
    *,
    mine: bool,
    redact: Callable[[str], str],
    now: float,
    begin: Callable[[int], None],
    watch: Callable[[int], None],
) -> Imported:
    """Imports a source. `begin` is called with the total amount, `watch` with the amount done. `mine` tells that an
    export of Keepstone is the person's own. Raises BadInput that names the bad line, with nothing imported.
    """
    if mine and source.format != JSONL:
        raise BadInput(f"{source.path} is no export of Keepstone's", "--mine is for what `keepstone export` wrote")
    done = Imported(source.path, source.format)
    try:
        if source.format == JSONL:
            begin(source.size)
            import_archive(writer, done, mine=mine, redact=redact, now=now, watch=watch)
        else:
            found = list(items(source, partial(_count, done)))
            begin(len(found))
            import_foreign(writer, found, done, target, folder_name, redact=redact, now=now, watch=watch)
    except BadLine as problem:
        hint = f"mend it, or name another --format than {source.format}; nothing was imported"
        raise BadInput(f"{source.path}, {problem.message}", hint) from problem
    return done


def _count(done: Imported, why: str) -> None:
    done.left[why] += 1
