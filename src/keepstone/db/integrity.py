"""Checks a database for `keepstone doctor`. Only reads."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from threading import Lock

from ..lib.text import digest
from ..model.memory import decoded
from .engines import open_reader
from .reader import SCHEMA, may_ignore_locks, quoted_path
from .records import TABLES, names


@dataclass(frozen=True, slots=True)
class Soundness:
    """The result of a check. `integrity` is SQLite's report, "ok" for a sound file. `damaged` names rows whose digest
    does not match their content. `agents` holds (name, number of active memories), largest first.
    """

    integrity: str
    journal: str = ""
    sessions: int = 0
    deliveries: int = 0
    delivered_at: float | None = None
    damaged: tuple[str, ...] = ()
    index_problem: str = ""
    agents: tuple[tuple[str, int], ...] = ()


AGENTS = "SELECT agent_id, count(*) FROM memory WHERE status = 'active' GROUP BY agent_id ORDER BY 2 DESC, 1"
_READING = Lock()
DIGESTED = (("id", "memory", "title, content, kind, status, trust, scope"), ("memory_id", "evidence", "excerpt"))


def check(path: str) -> Soundness:
    """Checks an existing database. Never raises: `integrity` describes what cannot be read, and `damaged` names the
    damaged rows that were found.
    """
    damaged: list[str] = []
    writable = _writable(path)
    try:
        with closing(opened(path)) as database:
            _damaged(database, damaged)
            return Soundness(
                integrity=_integrity(path, database) if writable else "its header says that nobody may write it",
                journal=database.execute("PRAGMA journal_mode").fetchone()[0],
                sessions=database.execute("SELECT count(*) FROM session").fetchone()[0],
                deliveries=database.execute("SELECT count(*) FROM delivery").fetchone()[0],
                delivered_at=database.execute("SELECT max(delivered_at) FROM delivery").fetchone()[0],
                damaged=tuple(damaged),
                index_problem=_index_problem(database),
                agents=tuple(database.execute(AGENTS)),
            )
    except (sqlite3.Error, UnicodeDecodeError) as problem:  # SQLite quotes damaged text in its messages
        return Soundness(str(problem), damaged=tuple(damaged))


def check_server(url: str) -> Soundness:
    """Checks a PostgreSQL database by row digests only; the server checks its own files. Raises StoreError."""
    damaged: list[str] = []
    with closing(open_reader(url)) as reader:
        for name, of, columns in DIGESTED:
            misfits = [
                row[0] for row in reader.rows(f"SELECT {name}, row_digest, {columns} FROM {of}", {}) if _misfits(row)
            ]
            damaged += [f"{one}{'' if of == 'memory' else f' ({of})'}" for one in misfits]
        counts = "SELECT (SELECT count(*) FROM session), count(*), max(delivered_at) FROM delivery"
        sessions, deliveries, at = reader.rows(counts, {})[0]
        agents = tuple(reader.rows(AGENTS, {}))
        return Soundness("ok", "", sessions, deliveries, at, tuple(damaged), "", agents)


def _writable(path: str) -> bool:
    """Tells whether the file's header allows writing (sqlite.org/fileformat2.html, 1.3.3)."""
    with suppress(OSError):
        found = os.stat(path)
        head = _head(path, found.st_dev, found.st_ino)
        with _READING:
            os.lseek(head, 18, os.SEEK_SET)
            return os.read(head, 1) in (b"", b"\1", b"\2")
    return True


@cache
def _head(path: str, device: int, inode: int) -> int:
    """Opens a file and never closes it. Closing would release all locks that SQLite holds on it in this process
    (sqlite.org/howtocorrupt.html, 2.2), and a server has the database open all the time.
    """
    return os.open(path, os.O_RDONLY)


def _integrity(path: str, database: sqlite3.Connection) -> str:
    found = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        return found
    number = database.execute("PRAGMA user_version").fetchone()[0]
    if number != SCHEMA and is_of_today(path):
        return f"it says that it is of schema {number}, and is of {SCHEMA}"
    loose = database.execute('SELECT DISTINCT "table" FROM pragma_foreign_key_check ORDER BY 1').fetchall()
    return f"rows of {', '.join(row[0] for row in loose)} belong to nothing that is there" if loose else "ok"


def is_of_today(path: str) -> bool:
    """Tells whether a database has exactly the tables and columns that this code knows, whatever its version number."""
    known = {table: set(names(table)) for table in TABLES}
    with closing(opened(path)) as database:
        found = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = [name for name in found if "_fts" not in name and not name.startswith("sqlite_")]
        return known == {
            name: {row[1] for row in database.execute("SELECT * FROM pragma_table_info(?)", (name,))} for name in found
        }


def opened(path: str) -> sqlite3.Connection:
    """Opens a database read-only. On a read-only disk, where the `-wal` file cannot be created, opens it as
    immutable.
    """
    database = sqlite3.connect(f"file:{quoted_path(path)}?mode=ro", uri=True)
    try:
        database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError as problem:
        database.close()
        if not may_ignore_locks(path, problem):
            raise
        return sqlite3.connect(f"file:{quoted_path(path)}?immutable=1", uri=True)
    return database


def as_text(value: object) -> object:
    """Returns the text of a column, which may be bytes in a damaged row."""
    return decoded(value) if isinstance(value, bytes) else value


def untouched(path: str) -> sqlite3.Connection:
    """Opens a database read-only without creating any file beside it, not even a `-wal`."""
    if any(os.path.exists(path + end) for end in ("-wal", "-journal")):
        return opened(path)
    return sqlite3.connect(f"file:{quoted_path(path)}?immutable=1", uri=True)


def _damaged(database: sqlite3.Connection, found: list[str]) -> None:
    """Adds the names of rows that cannot be read or whose digest does not match, if their names can be read."""
    database.text_factory = decoded
    for name, of, columns in DIGESTED:
        sql = f"SELECT {name}, row_digest, {columns} FROM {of}"
        try:
            misfits = [row[0] for row in database.execute(sql) if _misfits(row)]
        except sqlite3.DatabaseError:
            misfits = list(_one_by_one(database, sql, name, of))
        found += [f"{one}{'' if of == 'memory' else f' ({of})'}" for one in misfits]
    database.text_factory = str


def _misfits(row: tuple[object, ...]) -> bool:
    return digest(*map(str, row[2:])) != row[1]


def _one_by_one(database: sqlite3.Connection, sql: str, name: str, of: str) -> Iterator[object]:
    """Yields the names of damaged or unreadable rows of a table that cannot be read as a whole, row by row."""
    with suppress(sqlite3.DatabaseError):  # the integrity check reports rows that cannot even be listed
        for number in [row[0] for row in database.execute(f"SELECT rowid FROM {of}")]:
            try:
                misfits = [row[0] for row in database.execute(f"{sql} WHERE rowid = ?", (number,)) if _misfits(row)]
            except sqlite3.DatabaseError:
                misfits = [row[0] for row in database.execute(f"SELECT {name} FROM {of} WHERE rowid = ?", (number,))]
            yield from misfits


def _index_problem(database: sqlite3.Connection) -> str:
    """Returns how an index's row count differs from its table's, "" if it does not. FTS5's own integrity check needs a
    writable file.
    """
    for table, index in (("memory", "memory_fts"), ("evidence", "evidence_fts"), ("turn", "turn_fts")):
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (index,)).fetchone():
            continue  # an older schema, which the worker migrates
        rows = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        indexed = database.execute(f"SELECT count(*) FROM {index}_docsize").fetchone()[0]
        if rows != indexed:
            return f"{index} holds {indexed} of {rows} rows"
    return ""
