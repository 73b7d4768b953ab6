"""Erases memories from every file of the data home, and reports success only when no byte is left (DESIGN 7)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .. import files, spool
from ..core.errors import StoreError
from ..core.quotes import Quotes
from ..store import backups
from ..store import scrub as sweep
from ..store.engines import is_address, postgres
from ..store.erase import Eraser
from ..store.tombstones import Saved

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
STORE = "-store"  # ends the name of a job that holds what a person gave


@dataclass(slots=True)
class Erasure:
    """What became of an erasure: ids that went, ids of memories that quote them and stay, how many notes and copies of
    the database went, and what stands in the way of success; where it was a server's, its address.
    """

    erased: list[str] = field(default_factory=list)
    quoted_by: list[str] = field(default_factory=list)
    notes: int = 0
    copies: int = 0
    problems: list[str] = field(default_factory=list)
    server: str = ""


def erase(home: str, path: str, ids: list[str], cascade: bool, now: float, watch: Callable[[str], None]) -> Erasure:
    """Erases memories, and with `cascade` what quotes them. Call under the worker's lock. What was erased before and is
    named again is only looked after: its bytes may still be held by somebody.
    """
    done = Erasure()
    eraser = Eraser(path)
    try:
        quotes = eraser.quotes(ids)
        watch("looking for what quotes it")
        done.quoted_by = eraser.quoting(quotes, ids)
        if cascade and done.quoted_by:
            ids, done.quoted_by = ids + done.quoted_by, []
            quotes = eraser.quotes(ids)
        watch("ridding the files of it")
        done.problems += _clean_files(home, quotes)
        if done.problems:
            return done  # no row is gone yet: the next run knows what to look for
        watch("erasing")
        if ids:
            done.notes = eraser.erase(ids, quotes, "person", now)
            done.erased = ids
    finally:
        eraser.close()
    done.problems += _clean_files(home, quotes)  # what was written meanwhile
    if is_address(path):
        problem = postgres().vacuum(path)
        done.problems += [problem] if problem else []
        done.server = postgres().shown(path)
        return done
    problem = sweep.settle(path)
    done.problems += [problem] if problem else []
    done.copies = len(sweep.backups_of(os.path.join(home, "backups")))
    done.problems += _fresh_backup(home, path, now)
    return done


def erase_again(path: str, graves: Saved, copy: str, now: float) -> list[str]:
    """After a copy from before an erasure was put back: erases once more what the `graves` say, and the copy; the ids.
    Call under the worker's lock. Raises StoreError where something still holds it.
    """
    eraser = Eraser(path)
    try:
        ids = eraser.rebury(graves)
        if ids:
            eraser.erase(ids, eraser.quotes(ids), "person", now)
    finally:
        eraser.close()
    if not ids:
        return []
    os.unlink(copy)
    files.sync_folder(os.path.dirname(copy))
    problem = sweep.settle(path)
    if problem:
        raise StoreError(f"what was erased is out again, but {problem}", "keepstone maintain, once that is mended")
    return ids


def _clean_files(home: str, quotes: Quotes) -> list[str]:
    """Rids logs of lines that quote, and the spool of jobs that do; what stood in the way."""
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
    """Whether a text quotes as it stands, or as the JSON that it may be."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).replace("\\n", "\n").replace("\\t", "\t")
    return quotes.within(text) or quotes.within(plain)


def _fresh_backup(home: str, path: str, now: float) -> list[str]:
    """Deletes every copy and makes one of what is there now; what could not be done."""
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
