"""Makes, rotates and restores backups of the database. A backup can be made while the database is in use."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from time import gmtime, strftime

from ..lib import files
from ..lib.errors import BadInput, NotFound, StoreError
from ..lib.limits import BUSY_SECONDS
from .integrity import opened
from .reader import SCHEMA, quoted_path

BACKUPS_BYTES = 2_000_000_000  # limit for all daily backups together; the newest is never dropped

DAILY, BY_HAND, BEFORE = "daily-", "manual-", "before-restore-"
Error = sqlite3.Error


def daily(path: str, folder: str, keep: int, now: float) -> tuple[str, list[str]]:
    """Makes today's backup if there is none, and drops old ones: more than `keep`, or beyond their total size. Returns
    the new backup's name ("" if none was made) and the names of the dropped ones.
    """
    name = DAILY + strftime("%Y-%m-%d", gmtime(now)) + ".db"
    if not keep or os.path.exists(os.path.join(folder, name)):
        return "", _rotate(folder, keep)
    copy(path, os.path.join(folder, name))
    return name, _rotate(folder, keep)


def _rotate(folder: str, keep: int) -> list[str]:
    names = sorted((name for name in names_in(folder) if name.startswith(DAILY)), reverse=True)
    size, dropped = 0, []
    for number, name in enumerate(names):
        size += os.path.getsize(os.path.join(folder, name))
        if number >= keep or (number and size > BACKUPS_BYTES):
            os.unlink(os.path.join(folder, name))
            dropped.append(name)
    return dropped


def by_hand(path: str, folder: str, now: float) -> str:
    """Makes a backup that is never rotated. Returns its path."""
    made = os.path.join(folder, BY_HAND + strftime("%Y-%m-%dT%H%M%SZ", gmtime(now)) + ".db")
    copy(path, made)
    return made


def copy(path: str, to: str) -> None:
    """Copies a database that may be in use. The copy appears complete or not at all. Raises sqlite3.Error
    and OSError.
    """
    os.makedirs(os.path.dirname(to), mode=0o700, exist_ok=True)
    fresh = to + ".tmp"
    try:
        os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with closing(opened(path)) as database, closing(sqlite3.connect(fresh)) as target:
            database.backup(target)  # in one step: otherwise it restarts with each write of another process
            target.execute("PRAGMA journal_mode=DELETE")
        os.replace(fresh, to)
        files.sync_folder(os.path.dirname(to))
    finally:
        if os.path.exists(fresh):
            os.unlink(fresh)


def names_in(folder: str) -> list[str]:
    """Returns the names of the backups in a folder, sorted."""
    there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [name for name in there if name.endswith(".db")]


def restore(path: str, folder: str, name: str, now: float) -> str:
    """Restores a backup after backing up the present database. Returns that backup's name. Running sessions can go on
    reading. Call it under the worker's lock. Raises NotFound, BadInput or StoreError, with nothing changed.
    """
    chosen = os.path.join(folder, os.path.basename(name))
    if os.path.basename(name) not in names_in(folder):
        raise NotFound(f"there is no backup {name[:80]!r}", "keepstone backup --list")
    require_sound(chosen)
    before = BEFORE + strftime("%Y-%m-%dT%H%M%SZ", gmtime(now)) + ".db"
    try:
        if os.path.exists(path):
            copy(path, os.path.join(folder, before))
        with closing(sqlite3.connect(chosen)) as source, closing(_writable(path)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=WAL")
    except sqlite3.Error as problem:
        raise StoreError(f"{chosen} can't be put in place: {problem}", "keepstone doctor") from problem
    return before


def require_no_lone_log(path: str) -> None:
    """Raises StoreError if the database is empty and its log is not: SQLite would delete that, and it may hold all
    memories. Call it before anything opens the database.
    """
    if files.size_of(path) == 0 and files.size_of(path + "-wal"):
        raise StoreError(f"{path} is empty, and its log may hold memories", "keepstone doctor --repair, which keeps it")


def _writable(path: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quoted_path(path)}?mode=rwc", uri=True, timeout=BUSY_SECONDS)


def require_sound(chosen: str) -> None:
    """Raises BadInput if a backup is damaged or was made by a newer Keepstone."""
    try:
        with closing(opened(chosen)) as database:
            sound = database.execute("PRAGMA quick_check(1)").fetchone()[0]
            schema = database.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as problem:
        sound, schema = str(problem), 0
    if sound != "ok" or not schema:
        raise BadInput(f"{os.path.basename(chosen)} is damaged: {sound}", "keepstone backup --list")
    if schema > SCHEMA:
        raise BadInput(f"a newer Keepstone made {os.path.basename(chosen)}", "claude plugin update keepstone@keepstone")
