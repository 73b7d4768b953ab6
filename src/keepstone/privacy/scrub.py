"""Redacts stored data: the database, the logs, the spool, the backups."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..config import runtime
from ..db.writer import Writer
from ..lib import files
from ..lib.fuzzy import ratio
from ..spool import queue, spool
from . import scrub_sql as sweep

Redact = Callable[[str], str]

LEFT = ("event", "session", "transcript_path", "cwd", "project_dir")  # fields of a job that hold no text


@dataclass(slots=True)
class Scrubbed:
    """The numbers of items that held a secret or a private part. `rows` are audit details, observations and stored
    problems, `files` are logs and spooled jobs. `problems` lists what could not be redacted.
    """

    memories: int = 0
    rows: int = 0
    files: int = 0
    backups: int = 0
    dry_run: bool = False
    problems: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.memories + self.rows + self.files + self.backups


def scrub(
    home: str,
    path: str,
    redact: Redact,
    now: float,
    dry_run: bool,
    drain_observed: Callable[[Callable[[str], None]], None],
) -> Scrubbed:
    """Redacts everything stored in the data home. With `dry_run`, only counts. Call it under the worker's lock.
    `drain_observed` moves the hooks' observations out of the spool, redacted, and reports its problems.

    Overwritten data is always purged from the file, because an earlier run may have been stopped before that.
    """
    done = Scrubbed(dry_run=dry_run)
    queue.recover(home)
    done.files = sum(_observed(home, redact, done.problems))
    if not dry_run:
        drain_observed(done.problems.append)
    found = sweep.find(path, redact)
    done.memories, done.rows = len(found.memories), sum(map(len, found.rows.values()))
    if not dry_run:
        if found:
            _write(path, found, redact, now)
        problem = sweep.purge_file(path)
        done.problems += [problem] if problem else []
    done.files += sum(_each_file(home, redact, dry_run, done.problems))
    _backups(home, path, redact, bool(found), done)
    return done


def _write(path: str, found: sweep.ScrubPreview, redact: Redact, now: float) -> None:
    """Redacts each memory and each other table in a short transaction of its own."""
    with closing(Writer(path, ratio)) as writer:
        for memory_id in sorted(found.memories):
            with writer.transaction() as tx:
                sweep.scrub_memory(tx, memory_id, redact, now)
        for table in found.rows:
            with writer.transaction() as tx:
                sweep.scrub_rows(tx, table, redact)


def _each_file(home: str, redact: Redact, dry_run: bool, problems: list[str]) -> Iterator[bool]:
    """Yields for each log and job whether it held a secret."""
    logs = os.path.join(home, "logs")
    names = sorted(os.listdir(logs)) if os.path.isdir(logs) else []
    paths = [os.path.join(logs, name) for name in names] + [runtime.build_file(home), runtime.notice_file(home)]
    for path in paths:
        if os.path.isfile(path):
            yield _tried(path, problems, partial(_text, path, redact, dry_run))
    for folder in ("new", "aside", spool.UNSENT):
        for name in spool.list_jobs(home, folder):
            path = os.path.join(home, "spool", folder, name)
            yield _tried(path, problems, partial(_job, home, folder, name, redact, dry_run))


def _observed(home: str, redact: Redact, problems: list[str]) -> Iterator[bool]:
    """Yields for the spooled tool calls of each session whether they held a secret."""
    for name in spool.list_jobs(home, "observed"):
        path = os.path.join(home, "spool", "observed", name)
        yield _tried(path, problems, partial(_text, path, redact, dry_run=True))


def _tried(path: str, problems: list[str], work: Callable[[], bool]) -> bool:
    try:
        return work()
    except OSError as problem:
        problems.append(f"{path} can't be redacted: {problem.strerror or problem}")
        return False


def _text(path: str, redact: Redact, dry_run: bool) -> bool:
    text = files.read(path)
    made = redact(text)
    if made == text:
        return False
    if not dry_run:
        files.write(path, made)
    return True


def _job(home: str, folder: str, name: str, redact: Redact, dry_run: bool) -> bool:
    path = os.path.join(home, "spool", folder, name)

    def change(payload: dict[str, Any]) -> dict[str, Any]:
        return {key: value if key in LEFT else sweep.strings(value, redact) for key, value in payload.items()}

    payload = queue.read(path)
    if payload is None:  # not a job: redacted as plain text
        return _text(path, redact, dry_run)
    if change(payload) == payload:
        return False
    return True if dry_run else queue.rewrite(home, folder, name, change)


def _backups(home: str, path: str, redact: Redact, changed: bool, done: Scrubbed) -> None:
    """Replaces the backups with a new one if one of them, or the database, held a secret."""
    folder = os.path.join(home, "backups")
    copies = sweep.backups_of(folder)
    held = [copy for copy in copies if changed or _holds(copy, redact)]
    done.backups = len(held)
    if done.dry_run or not held:
        return
    for copy in held:
        _tried(copy, done.problems, partial(_removed, copy))
    try:
        sweep.back_up(path, folder)
    except (sweep.Error, OSError) as problem:
        done.problems.append(f"no fresh backup can be made in {folder}: {problem}")


def _removed(path: str) -> bool:
    os.unlink(path)
    return True


def _holds(copy: str, redact: Redact) -> bool:
    """Tells whether a copy holds a secret. An unreadable copy is assumed to."""
    try:
        return bool(sweep.find(copy, redact))
    except sweep.Error:
        return True
