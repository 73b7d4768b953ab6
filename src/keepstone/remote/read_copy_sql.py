"""Maintains the read copy of a server's memories: a SQLite file in which hooks read and count, with or without a
connection.

It is renewed in one transaction, so that a reader sees the old state or the new one. It is not replaced by a new file:
a process that has the old file open would apply its journal to the new one (sqlite.org/howtocorrupt.html, 2.4).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any, Protocol

from ..db import sessions
from ..db.migrations import run
from ..db.reader import Reader, quoted_path
from ..db.writer import Writer
from ..lib.errors import BadInput, KeepstoneError, StoreError
from ..lib.fast_json import dump, parse
from ..lib.limits import BUSY_SECONDS, COPY_ROWS, DAY_SECONDS
from ..privacy.scrub_sql import purge_file
from ..recall import deliveries_sql
from . import serve_copy_sql
from .copy_format import OF_MEMORY, STATE, CopyChanges
from .serve_copy_sql import Table

UNTOLD_DELIVERIES = """
SELECT d.session_id, d.memory_id, d.event, d.chars, d.delivered_at, s.project_id, s.transcript_path, s.cwd, s.branch
FROM delivery d LEFT JOIN session s ON s.id = d.session_id LEFT JOIN told t USING (session_id, memory_id)
WHERE t.at IS NULL OR t.at <> d.delivered_at ORDER BY d.delivered_at
"""
# Deliveries that the server knows. Each is listed, because clocks may go back and hooks write later than they began.
CREATE_TOLD = """
CREATE TABLE IF NOT EXISTS told (session_id TEXT, memory_id TEXT, at REAL, PRIMARY KEY (session_id, memory_id))
"""
CURSORS = "cursor_offset, cursor_uuid, cursor_digest, carry_offset, ended_at"


@dataclass(slots=True)
class State:
    """The state of a copy: the last number of the server's audit that it knows, its projects, when it was made anew,
    when it was last renewed, and whether text of deleted memories may be left in its indexes.
    """

    seq: int = 0
    projects: tuple[str, ...] = ()
    whole_at: float = 0.0
    renewed_at: float = 0.0
    unclean: bool = False


@dataclass(frozen=True, slots=True)
class ShownRow:
    """Deliveries to one session: (memory id, event, characters, time) in order."""

    session: str
    project: str | None
    transcript: str
    folder: str
    branch: str
    rows: list[tuple[str, str, int, float]]


class CopySource(Protocol):
    """The source from which a copy is renewed."""

    def changes(self, since: int, projects: Sequence[str], whole: bool) -> CopyChanges: ...

    def tables(self, ids: Sequence[str], projects: Sequence[str]) -> Iterable[Table]:
        """Returns all rows of these projects and memories."""


class Direct:
    """Renews a copy from a database."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def changes(self, since: int, projects: Sequence[str], whole: bool) -> CopyChanges:
        return serve_copy_sql.changes(self.reader, since, projects, whole)

    def tables(self, ids: Sequence[str], projects: Sequence[str]) -> Iterator[Table]:
        for table, columns, rows in chain(
            serve_copy_sql.project_rows(self.reader, projects), serve_copy_sql.rows(self.reader, ids)
        ):
            # SQLite stores no NaN, which is unequal to itself. A row with one is left out, so that the others can be
            # copied.
            yield table, columns, [row for row in rows if all(value == value for value in row)]


class ReadCopy:
    """A copy that is open for renewal. Raises StoreError if the file cannot be used."""

    def __init__(self, path: str) -> None:
        ready(path)
        self.path = path
        self.file = sqlite3.connect(
            f"file:{quoted_path(path)}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )
        self.file.execute("PRAGMA secure_delete=ON")
        self.file.execute(CREATE_TOLD)
        self.state = self._state()

    def close(self) -> None:
        self.file.close()

    def _state(self) -> State:
        row = self.file.execute("SELECT value FROM setting WHERE key = ?", (STATE,)).fetchone()
        try:
            seq, projects, whole_at, renewed_at, unclean = parse(row[0]) if row else (0, [], 0, 0, False)
            return State(int(seq), tuple(projects), float(whole_at), float(renewed_at), bool(unclean))
        except (OverflowError, TypeError, ValueError):
            return State()

    def _keep(self, state: State) -> None:
        said = dump([state.seq, list(state.projects), state.whole_at, state.renewed_at, state.unclean])
        self.file.execute("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", (STATE, said))
        self.state = state

    def tell(self, tell: Callable[[ShownRow], None]) -> int:
        """Reports new deliveries to the server. Returns their number. The server counts none of them twice. Raises
        KeepstoneError, or BadInput for deliveries that the server refuses, after all others were reported.
        """
        rows, refused = self.file.execute(UNTOLD_DELIVERIES).fetchall(), None
        for session, group in groupby(rows, lambda row: row[0]):
            of_it = list(group)
            for start in range(0, len(of_it), COPY_ROWS):
                some = of_it[start : start + COPY_ROWS]
                project, path, cwd, branch = some[0][5:]
                try:
                    tell(ShownRow(session, project, path or "", cwd or "", branch or "", [row[1:5] for row in some]))
                except BadInput as problem:
                    refused = problem
                    continue
                marks = [(session, row[1], row[4]) for row in some]
                self.file.executemany("INSERT OR REPLACE INTO told VALUES (?, ?, ?)", marks)
        if refused:
            raise refused
        return len(rows)

    def renew(self, server: CopySource, projects: Sequence[str], now: float) -> int:
        """Copies the server's changes. Returns the number of memories written. A memory that was forgotten or erased
        there is deleted here. If a row cannot be written, the copy stays as it was.
        """
        was = self.state
        is_old = now - was.whole_at > DAY_SECONDS or was.projects != tuple(sorted(projects))
        news = server.changes(was.seq, projects, is_old)
        if not news.whole and not news.changed:
            self._keep(replace(was, renewed_at=now))
            return 0
        found = server.tables(news.wanted, projects)
        with self._transaction():
            held = {one for (one,) in self.file.execute("SELECT id FROM memory")}
            held = held if news.whole else held.intersection(news.changed)
            self._drop(None if news.whole else news.changed)
            for table, columns, rows in found:
                self._insert(table, columns, rows)
            whole_at, unclean = now if news.whole else was.whole_at, was.unclean or not held <= set(news.wanted)
            self._keep(State(news.seq, tuple(sorted(projects)), whole_at, now, unclean))
        return len(news.wanted)

    def clean(self) -> None:
        """Purges the text of deleted memories from the file. Raises StoreError if a reader prevents that."""
        if self.state.unclean:
            if problem := purge_file(self.path):
                raise StoreError(f"{self.path}: {problem}", "keepstone worker run --wait")
            self._keep(replace(self.state, unclean=False))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.file.execute("BEGIN IMMEDIATE")
        before = self.state
        try:
            yield
        except BaseException:
            self.file.execute("ROLLBACK")
            self.state = before
            raise
        self.file.execute("COMMIT")

    def _drop(self, ids: Sequence[str] | None) -> None:
        for table, key in OF_MEMORY.items():
            if ids is None:
                self.file.execute(f"DELETE FROM {table}")
            else:
                self.file.executemany(f"DELETE FROM {table} WHERE {key} = ?", [(one,) for one in ids])
        if ids is not None:
            self.file.executemany("DELETE FROM relationship WHERE target_id = ?", [(one,) for one in ids])
        for table in ("project_key", "project"):
            self.file.execute(f"DELETE FROM {table}")

    def _insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        places = ", ".join("?" for _ in columns)
        # A relationship comes with each of its ends. REPLACE would not update the indexes for a memory that it
        # replaces.
        verb = "INSERT OR REPLACE" if table == "relationship" else "INSERT"
        self.file.executemany(f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)

    def follow(self, server: Reader) -> None:
        """Copies the cursors of open sessions from the server."""
        ids = [row[0] for row in self.file.execute("SELECT id FROM session WHERE ended_at IS NULL")]
        sql = f"SELECT {CURSORS}, id FROM session WHERE id IN (SELECT value FROM json_each(:ids))"
        names = ", ".join(f"{name} = ?" for name in CURSORS.split(", "))
        self.file.executemany(f"UPDATE session SET {names} WHERE id = ?", server.rows(sql, {"ids": dump(ids)}))


def ready(path: str) -> None:
    """Creates a copy if there is none, and migrates it. Raises StoreError."""
    run.ensure(path)
    try:
        run.migrate(path)
    except (OSError, run.Error) as problem:
        raise StoreError(f"{path} can't be migrated: {problem}", f"rm '{path}': it is made anew") from problem


@contextmanager
def opened(path: str) -> Iterator[ReadCopy]:
    """Opens a copy for renewal. Raises StoreError if it cannot be read or written."""
    try:
        with closing(ReadCopy(path)) as copy:
            yield copy
    except sqlite3.Error as problem:
        raise StoreError(f"{path} can't be renewed: {problem}", f"rm '{path}': it is made anew") from problem


def renewed(path: str, writer: Writer, server: Reader, projects: Sequence[str], now: float) -> tuple[int, int]:
    """Renews the copy of a database. Returns the numbers of deliveries reported and memories copied. Raises
    StoreError.
    """

    def tell(shown: ShownRow) -> None:
        at = shown.rows[-1][3]
        places = {"transcript_path": shown.transcript, "cwd": shown.folder, "branch": shown.branch}
        with writer.transaction() as tx:
            sessions.note_session(tx, shown.session, project_id=shown.project, now=at, **places)
            for memory_id, event, chars, delivered_at in shown.rows:
                deliveries_sql.count_deliveries(tx, shown.session, event, [memory_id], chars, delivered_at)

    with opened(path) as copy:
        done = exchanged(copy, tell, Direct(server), projects, now)
        copy.follow(server)
        return done


def exchanged(
    copy: ReadCopy, tell: Callable[[ShownRow], None], server: CopySource, projects: Sequence[str], now: float
) -> tuple[int, int]:
    """Reports deliveries and copies the server's changes. Returns the number of each. If reporting fails, raises that
    KeepstoneError after everything else is done.
    """
    told, problem = 0, None
    try:
        told = copy.tell(tell)
    except KeepstoneError as found:
        problem = found
    taken = copy.renew(server, projects, now)
    copy.clean()
    if problem:
        raise problem
    return told, taken
