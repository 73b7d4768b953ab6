"""Erases memories from every file of the data home. Reports success only if no byte is left."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from ..db import backups
from ..db.engines import is_address, postgres
from ..db.writer import Writer
from ..language.quotation import Quotes
from ..lib import files
from ..lib.errors import StoreError
from ..lib.fuzzy import ratio
from ..lifecycle.tombstones_sql import Saved
from ..spool import spool
from . import erase_sql as rows
from . import scrub_sql as sweep

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
STORE = "-store"  # suffix of a job that stores a memory


@dataclass(slots=True)
class Erasure:
    """The result of an erasure: the erased ids, the ids of memories that quote them and stay, the numbers of deleted
    notes and database copies, and the problems that prevent success. `server` is the address of a server.
    """

    erased: list[str] = field(default_factory=list)
    quoted_by: list[str] = field(default_factory=list)
    notes: int = 0
    copies: int = 0
    problems: list[str] = field(default_factory=list)
    server: str = ""


def erase(home: str, path: str, ids: list[str], cascade: bool, now: float, watch: Callable[[str], None]) -> Erasure:
    """Erases memories and the summaries that quote them, with `cascade` all that quote them. Call it under the worker's
    lock. For an id that was erased before, only the files are purged again, because they may still hold its bytes.
    """
    done = Erasure()
    with closing(Writer(path, ratio)) as writer:
        with writer.transaction() as tx:
            quotes = rows.quotes(tx, ids)
            watch("looking for what quotes it")
            done.quoted_by = rows.quoting(tx, quotes, ids)
            going = done.quoted_by if cascade else rows.derived(tx, done.quoted_by)
            if going:
                ids, done.quoted_by = ids + going, [one for one in done.quoted_by if one not in going]
                quotes = rows.quotes(tx, ids)
        watch("ridding the files of it")
        done.problems += _clean_files(home, quotes)
        if done.problems:
            return done  # no row is deleted yet, so the next run can still find the quotes
        watch("erasing")
        if ids:
            with writer.transaction() as tx:
                done.notes = rows.erase(tx, ids, quotes, now)
            done.erased = ids
    done.problems += _clean_files(home, quotes)  # what was written meanwhile
    if is_address(path):
        problem = postgres().vacuum(path)
        done.problems += [problem] if problem else []
        done.server = postgres().shown(path)
        return done
    problem = sweep.purge_file(path)
    done.problems += [problem] if problem else []
    done.copies = len(sweep.backups_of(os.path.join(home, "backups")))
    done.problems += _fresh_backup(home, path, now)
    return done


def erase_again(path: str, saved: Saved, copy: str, now: float) -> list[str]:
    """Erases what was erased between a backup and its restoration: the memories in the `saved` tombstones, and the file
    `copy`. Returns the ids. Call it under the worker's lock. Raises StoreError if the file still holds them.
    """
    with closing(Writer(path, ratio)) as writer:
        with writer.transaction() as tx:
            ids = rows.restore_tombstones(tx, saved)
        if ids:
            with writer.transaction() as tx:
                rows.erase(tx, ids, rows.quotes(tx, ids), now)
    if not ids:
        return []
    os.unlink(copy)
    files.sync_folder(os.path.dirname(copy))
    problem = sweep.purge_file(path)
    if problem:
        raise StoreError(
            f"what was erased is out again, but {problem}", "keepstone worker run-all, once that is mended"
        )
    return ids


def _clean_files(home: str, quotes: Quotes) -> list[str]:
    """Deletes log lines and spooled jobs that quote erased text. Returns the problems."""
    problems = []
    folders = [os.path.join(home, "logs"), *(os.path.join(home, "spool", name) for name in spool.FOLDERS)]
    for folder in folders:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                continue
            try:
                with open(path, encoding="utf-8", errors="surrogateescape") as file:
                    text = file.read()
                if _holds(quotes, text):
                    _without(path, text, quotes, whole=name.endswith(STORE))
            except OSError as problem:
                problems.append(f"{path} can't be rid of it: {problem.strerror or problem}")
    return problems


def _without(path: str, text: str, quotes: Quotes, whole: bool) -> None:
    if whole:
        os.unlink(path)
        return
    files.write(path, "".join(line for line in text.splitlines(keepends=True) if not _holds(quotes, line)))


def _holds(quotes: Quotes, text: str) -> bool:
    """Tells whether a text contains a quote, plain or JSON-escaped."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).replace("\\n", "\n").replace("\\t", "\t")
    return quotes.within(text) or quotes.within(plain)


def _fresh_backup(home: str, path: str, now: float) -> list[str]:
    """Replaces all backups with one of the present database. Returns the problems."""
    folder = os.path.join(home, "backups")
    problems = []
    had = sweep.backups_of(folder)
    for copy in had:
        try:
            os.unlink(copy)
        except OSError as problem:
            problems.append(f"{copy} can't be deleted: {problem.strerror or problem}")
    if had:
        files.sync_folder(folder)
    if had and not problems:
        try:
            backups.daily(path, folder, 1, now)
        except (backups.Error, StoreError, OSError) as problem:
            problems.append(f"no fresh backup can be made in {folder}: {problem}")
    return problems
