"""Imports an export of Keepstone: all of it, or nothing if a line is bad."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from ..db.archive_format import read_head, read_row
from ..db.reader import SCHEMA
from ..db.records import TABLES
from ..db.writer import Writer
from ..lib.errors import BadLine
from .adopt_sql import DUPLICATE, FORGOTTEN, MERGED, NEW
from .detect_source import objects
from .import_foreign import Imported
from .load_sql import QUARANTINE, load


def import_archive(
    writer: Writer,
    done: Imported,
    *,
    keep_accepted: bool,
    redact: Callable[[str], str],
    now: float,
    watch: Callable[[int], None],
) -> None:
    """Imports all rows as they are into an empty database, and beside the rows of another one. `keep_accepted` says
    that the export is the person's own. `watch` is told how many bytes are done.
    """
    with open(done.path, "rb") as file, writer.transaction() as tx:
        counts, projects = load(tx, _rows(file, watch), redact, now, keep_accepted)
    done.new, done.merged, done.known, done.forgotten = (counts[state] for state in (NEW, MERGED, DUPLICATE, FORGOTTEN))
    done.quarantined, done.projects = counts[QUARANTINE], len(projects)


def _rows(file: BinaryIO, watch: Callable[[int], None]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yields (line, table, row) of every row, checked. Raises BadLine, also if the end is missing."""
    number = rows = 0
    ended = False
    for number, value in objects(file):
        try:
            if number == 1 or ended:
                _require(number == 1, "there is more behind the end")
                read_head(value, SCHEMA)
            elif "end" in value:
                _require(value["end"] == rows, f"{rows:,} rows came before it, not {value['end']!r}")
                ended = True
            else:
                table, row = read_row(value, TABLES)
                rows += 1
                yield number, table, row
        except ValueError as problem:
            raise BadLine(number, str(problem)) from problem
        watch(file.tell())
    if not ended:
        raise BadLine(number, "the file ends here, and it should not: the rest is missing")


def _require(holds: bool, says: str) -> None:
    if not holds:
        raise ValueError(says)
