"""Repairs a damaged database: copies every readable row into a new one, which builds its indexes anew. Keeps a copy of
the damaged file beside the backups.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from time import gmtime, strftime

from ..lib import files
from ..lib.errors import BadInput, StoreError, away
from ..lib.limits import BUSY_SECONDS
from ..model.memory import decoded
from ..project.identity import name_of
from . import backups
from .integrity import as_text, is_of_today
from .migrations import run
from .reader import SCHEMA, quoted_path
from .records import REFERENCES, TABLES

SALVAGE_ROWS = 1_000  # rowids read at a time
SALVAGE_GAP = 100  # empty batches in a row before the search ends, if the next rowid cannot be read

DAMAGED = "damaged-"  # prefix of the copy of a database that was repaired
UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)  # SQLite quotes damaged text in its messages
NO_DATABASE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
ATTEMPTS = 5  # while other processes write
HEADER = 100  # bytes of the database header
_LOGS = ("", "-wal", "-journal")
NEUTRAL: dict[str, object] = {"INTEGER": 0, "REAL": 0.0, "TEXT": "", "BLOB": b""}
_HEADED = ".headed"  # suffix of a temporary copy of the damaged file with a sound header
_OTHER = ".other"  # suffix of the new database that is made from that copy


@dataclass(slots=True)
class Repaired:
    """The result of a repair: the numbers of `saved` and `lost` rows by table (lost rows only if they can be counted).
    `kept` is the path of the copy of the damaged file, `from_backup` the backup that was restored because nothing could
    be read.
    """

    kept: str
    saved: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    from_backup: str = ""


def repair(path: str, folder: str, now: float) -> Repaired:
    """Replaces a database with a new one that has every readable row. Call it under the worker's lock. Raises
    StoreError, with nothing changed, if neither the database nor any backup in `folder` can be read.
    """
    if not os.path.isfile(path):
        raise StoreError(f"{path} is no file", away(path))
    if os.path.getsize(path):  # of an empty one SQLite would delete the log, before it is kept
        _require_known(path)
    kept = _keep(path, folder, now)
    fresh = path + ".repaired"
    try:
        for _ in range(ATTEMPTS):
            made = Repaired(kept)
            if _repaired(path, folder, fresh, made):
                return made
        raise StoreError(f"{path} is written by others all the time", "try again when they have ended")
    except (sqlite3.Error, OSError) as problem:
        raise StoreError(f"{path} can't be put right: {problem}", _advice(problem)) from problem
    finally:
        _clear(fresh)


def _clear(fresh: str) -> None:
    for name in (fresh, fresh + _HEADED, fresh + _OTHER):
        for end in (*_LOGS, "-shm"):
            files.remove(name + end)


def _advice(problem: sqlite3.Error | OSError) -> str:
    code = getattr(problem, "sqlite_errorcode", None)
    if getattr(problem, "errno", None) == errno.ENOSPC or code == sqlite3.SQLITE_FULL:
        return "make room on the disk, then try again"
    return "mend what that says, then try again"


def _repaired(path: str, folder: str, fresh: str, made: Repaired) -> bool:
    """Tells whether the repair is done. Returns False, with nothing changed, if another process wrote meanwhile."""
    _clear(fresh)
    database = _taken(path)
    try:
        done = bool(database and _salvage(database, fresh, made))
        if not done or made.lost:
            done = _salvage_headed(fresh, made) or done
        if not done:
            made.from_backup = _newest(folder)
            if made.from_backup:
                shutil.copyfile(os.path.join(folder, made.from_backup), fresh)
            elif not made.saved:
                says = f"no memory can be read of {path}, and there is no sound copy"
                raise StoreError(says, away(path))
        return _put_in_place(fresh, path, database)
    finally:
        if database:
            database.close()


def _require_known(path: str) -> None:
    try:
        schema = run.version(path)
    except UNREADABLE:
        return
    if schema > SCHEMA and not is_of_today(path):
        raise StoreError(f"a newer Keepstone made {path}", "claude plugin update keepstone@keepstone")


def _keep(path: str, folder: str, now: float) -> str:
    """Copies the database files unchanged. Returns the path of the copy."""
    kept = name = os.path.join(folder, DAMAGED + strftime("%Y-%m-%dT%H%M%SZ", gmtime(now)))
    again = count(2)
    while os.path.exists(f"{kept}.db"):  # another repair ran in the same second
        kept = f"{name}-{next(again)}"
    kept += ".db"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for end in _LOGS:
            if os.path.isfile(path + end):
                _copy_file(path + end, kept + end)
        files.sync_folder(folder)
    except OSError as problem:
        for end in _LOGS:
            files.remove(kept + end)
        raise StoreError(f"no copy can be kept of {path}: {problem}", _advice(problem)) from problem
    return kept


def _copy_file(path: str, to: str) -> None:
    with open(path, "rb") as source, open(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        shutil.copyfileobj(source, target)
        target.flush()
        os.fsync(target.fileno())


def _taken(path: str) -> sqlite3.Connection | None:
    """Opens a connection with a transaction that lets other processes read but not write. Returns None if SQLite does
    not accept the file as a database: then no process writes to it either.

    Until the connection is closed, this process must not open and close the file itself: that would release SQLite's
    locks on it.
    """
    database = _untrusted(path)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if os.access(path, os.W_OK):
            database.execute("BEGIN IMMEDIATE")
            number = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version = {number}")  # fails if the header forbids writing
        return database
    except UNREADABLE as problem:
        database.close()
        if getattr(problem, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise StoreError(f"{path} is in use by another process", "try again when it has ended") from problem
        return None


def _salvage_headed(fresh: str, made: Repaired) -> bool:
    """Tells whether more memories can be read with a sound header. If so, replaces the new database by what
    was read.
    """
    path, other = fresh + _OTHER, Repaired(made.kept)
    with closing(_headed(made.kept, fresh + _HEADED)) as source:
        better = _salvage(source, path, other)
    if not better or other.saved.get("memory", 0) <= made.saved.get("memory", 0):
        return False
    os.replace(path, fresh)
    made.saved, made.lost = other.saved, other.lost
    return True


def _headed(kept: str, path: str) -> sqlite3.Connection:
    """Opens a copy of the damaged file with the header of a sound database. SQLite then reads what it can of a file
    that is truncated or has a damaged header.
    """
    run.create(path)
    with open(path, "rb") as file:
        head = file.read(HEADER)
    for end in _LOGS:
        files.remove(path + end)
        if os.path.isfile(kept + end):
            _copy_file(kept + end, path + end)
    # Two change counters that differ make SQLite compute the page count from the file's size. The freelist is set to
    # empty (sqlite.org/fileformat2.html, 1.3.7 and 1.5).
    head = head[:24] + b"\0\0\0\1" + head[28:32] + bytes(8) + head[40:92] + bytes(4) + head[96:]
    with open(path, "r+b") as file:
        file.write(head)
    source = _untrusted(path)
    source.execute("PRAGMA writable_schema=ON")  # keeps the readable part of a damaged schema
    with suppress(*UNREADABLE):
        source.execute("SELECT count(*) FROM sqlite_master")
    return source


class _Written(Exception):
    pass


def _put_in_place(fresh: str, path: str, old: sqlite3.Connection | None) -> bool:
    """Puts the new database in place. Uses SQLite if it still accepts the old file, so that processes that have it open
    can go on reading. Returns False, with nothing changed, if another process has written since `old` was read.
    """
    if old:
        try:
            _write_over(fresh, path, old)
            return True
        except _Written:
            return False
        except UNREADABLE as problem:
            if getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in NO_DATABASE:
                raise  # a full disk, for example: other processes would go on writing into a file that is gone
            old.close()  # SQLite does not accept the file as a database
    for end in ("-wal", "-shm", "-journal"):  # logs of the old file: SQLite would apply them to the new one
        files.remove(path + end)
    os.chmod(fresh, 0o600)
    with open(fresh, "rb") as file:
        os.fsync(file.fileno())  # a copied backup was not synced by SQLite
    os.replace(fresh, path)
    files.sync_folder(os.path.dirname(path))
    return True


def _write_over(fresh: str, path: str, old: sqlite3.Connection) -> None:
    """Writes the new database over the old one. Releases the old lock and takes a new one; at the first page, raises
    _Written if another process has written in between.
    """

    def version() -> int:
        return int(old.execute("PRAGMA data_version").fetchone()[0])

    def look(status: int, remaining: int, total: int) -> None:
        if status == sqlite3.SQLITE_OK and in_wal and version() != seen:
            raise _Written

    in_wal = old.execute("PRAGMA journal_mode").fetchone()[0] == "wal"  # otherwise no process can read beside a writer
    seen = version()
    if old.in_transaction:
        old.execute("ROLLBACK")
    with closing(sqlite3.connect(fresh)) as source, closing(_untrusted(path)) as target:
        source.backup(target, pages=1, progress=look)
        target.execute("PRAGMA journal_mode=WAL")


def _newest(folder: str) -> str:
    """Returns the name of the newest sound backup, "" if there is none."""
    for name in sorted(backups.names_in(folder), key=lambda name: os.path.getmtime(os.path.join(folder, name)))[::-1]:
        if not name.startswith(DAMAGED):
            with suppress(BadInput):
                backups.require_sound(os.path.join(folder, name))
                return name
    return ""


def _salvage(source: sqlite3.Connection, fresh: str, made: Repaired) -> bool:
    """Copies readable rows into a new database. Tells whether any memory could be read, or there were none to read."""
    run.create(fresh)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as target:
        target.execute("BEGIN")
        for table in TABLES:
            _copy(source, target, table, made)
        _restore_projects(target)
        for table, references in REFERENCES.items():
            for column, of in references.items():
                _drop_orphans(target, table, column, of, made)
        target.execute("COMMIT")
    return bool(made.saved.get("memory") or (made.saved and not made.lost))


def _untrusted(path: str) -> sqlite3.Connection:
    source = sqlite3.connect(f"file:{quoted_path(path)}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    source.text_factory = decoded
    source.execute("PRAGMA trusted_schema=OFF")
    source.execute("PRAGMA cell_size_check=ON")
    return source


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str, made: Repaired) -> None:
    described = target.execute(f"PRAGMA table_info({table})")
    known = {name: (kind, needed, key) for _, name, kind, needed, _, key in described}
    try:
        there = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
    except UNREADABLE:
        return
    columns = [name for name in known if name in there]
    if not columns:
        return
    named, marks = ", ".join(columns), ", ".join("?" * len(columns))
    insert = f"INSERT OR IGNORE INTO {table} ({named}) VALUES ({marks})"
    for row in _rows(source, table, named, made):
        values = [_fitting(value, name, *known[name]) for name, value in zip(columns, row, strict=True)]
        try:
            done = target.execute(insert, values).rowcount
        except sqlite3.IntegrityError:
            done = 0
        if done or table != "setting":  # a new database already has some settings, which are kept
            counts = made.saved if done else made.lost
            counts[table] = counts.get(table, 0) + 1


def _fitting(value: object, name: str, kind: str, needed: int, key: int) -> object:
    """Returns a damaged row's value in its column's type. A value of another type is replaced by a neutral one, because
    it carries no information. An id stays missing: a row without its own id is not stored.
    """
    neutral = NEUTRAL[kind]
    if kind == "TEXT":
        value = as_text(value)
    elif value is not None and type(value) is not type(neutral):
        value = None
    return neutral if value is None and needed and not key and name != "id" else value


def _rows(source: sqlite3.Connection, table: str, named: str, made: Repaired) -> Iterator[tuple[object, ...]]:
    """Yields the readable rows in batches by rowid: an unreadable page hides only its own rows."""
    low, high = _span(source, table)
    at, empty = low, 0
    while at <= high and empty < SALVAGE_GAP:
        found = list(_between(source, table, named, at, min(at + SALVAGE_ROWS - 1, high), made))
        yield from found
        empty = 0 if found else empty + 1
        at += SALVAGE_ROWS
        if not found:
            at = _next(source, table, at)


def _next(source: sqlite3.Connection, table: str, at: int) -> int:
    """Returns the first rowid not below `at`, or `at` if that cannot be read."""
    try:
        found = source.execute(f"SELECT min(rowid) FROM {table} WHERE rowid >= ?", (at,)).fetchone()[0]
    except UNREADABLE:
        return at
    return at if found is None else int(found)


def _span(source: sqlite3.Connection, table: str) -> tuple[int, int]:
    """Returns the first and the last rowid, or an unlimited range if they cannot be read."""
    try:
        low, high = source.execute(f"SELECT min(rowid), max(rowid) FROM {table}").fetchone()
        return (1, 0) if low is None else (low, high)
    except UNREADABLE:
        return 1, 1 << 62


def _between(
    source: sqlite3.Connection, table: str, named: str, low: int, high: int, made: Repaired
) -> Iterator[tuple[object, ...]]:
    sql = f"SELECT {named} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    spans = [(low, high)]
    while spans:
        first, last = spans.pop()
        try:
            yield from source.execute(sql, (first, last)).fetchall()
        except UNREADABLE:
            if first < last:
                middle = (first + last) // 2
                spans += [(middle + 1, last), (first, middle)]
            else:
                made.lost[table] = made.lost.get(table, 0) + 1


def _restore_projects(target: sqlite3.Connection) -> None:
    """Restores projects that have memories but lost their row. A project is named after the folder or remote in its
    key.
    """
    missing = """
        SELECT m.project_id, max(k.key) FROM memory m
        LEFT JOIN project_key k ON k.project_id = m.project_id AND k.key NOT LIKE 'root:%'
        WHERE m.project_id IS NOT NULL AND m.project_id NOT IN (SELECT id FROM project) GROUP BY m.project_id
    """
    for project, key in target.execute(missing).fetchall():
        name = name_of(key) if key else project
        target.execute("INSERT INTO project (id, name, created_at) VALUES (?, ?, 0)", (project, name))


def _drop_orphans(target: sqlite3.Connection, table: str, column: str, of: str, made: Repaired) -> None:
    sql = f"DELETE FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {of})"
    gone = target.execute(sql).rowcount
    if gone:
        made.saved[table] -= gone
        made.lost[table] = made.lost.get(table, 0) + gone
