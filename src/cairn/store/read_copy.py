"""The read copy of a server's memories: a file of SQLite as any other, which hooks read and count in, with or without a
connection. It is renewed in one transaction, so that who reads sees what was or what is; into a file that is renamed to
its place the journal of whoever has the old one open would be played (sqlite.org/howtocorrupt.html, 2.4).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from ..core.archive import Column
from ..core.defaults import BUSY_SECONDS, COPY_CHANGES, COPY_MEMORIES, COPY_ROWS, DAY_SECONDS
from ..core.errors import StoreError
from ..core.fastjson import dump, parse
from . import migrations
from .reader import Reader, quoted_path
from .rows import tables
from .store import Store

STATE = "read_copy"  # the setting that says what of the server the copy holds
OF_MEMORY = {
    "memory": "id",
    "evidence": "memory_id",
    "memory_facet": "memory_id",
    "memory_version": "memory_id",
    "vector": "memory_id",
    "relationship": "source_id",
}
HELD = """m.status = 'active' AND m.trust = 'trusted'
    AND (m.scope = 'user' OR m.project_id IN (SELECT value FROM json_each(:projects)))"""
LAST = "SELECT coalesce(max(seq), 0) FROM cairn.audit"  # of all, as what is gone is nobody's any more
CHANGED = "SELECT DISTINCT memory_id, op FROM cairn.audit WHERE seq > :seq LIMIT :rows"
# what changes no other memory, and no relationship; after all else the whole copy is made anew
SINGLE = frozenset(
    "store reinforce revise pin unpin rate_up rate_down rate_outdated forget restore promote demote confirm trust "
    "expire evict anchor_lost anchor_found landed verify tag capture reject".split()
)
ALL = f"SELECT m.id FROM memory m WHERE {HELD} ORDER BY m.created_at DESC LIMIT :rows"
SOME = f"SELECT m.id FROM memory m WHERE {HELD} AND m.id IN (SELECT value FROM json_each(:ids))"
TOLD = """
SELECT d.session_id, d.memory_id, d.event, d.chars, d.delivered_at, s.project_id, s.transcript_path, s.cwd, s.branch
FROM delivery d LEFT JOIN session s ON s.id = d.session_id WHERE d.delivered_at >= ? ORDER BY d.delivered_at
"""
CURSORS = "cursor_offset, cursor_uuid, cursor_digest, carry_offset, ended_at"


@dataclass(slots=True)
class State:
    """What a copy holds: up to which number of the server's audit, of which projects, since when; and up to when its
    deliveries were told to the server.
    """

    seq: int = 0
    projects: tuple[str, ...] = ()
    whole_at: float = 0.0
    told_at: float = 0.0


class ReadCopy:
    """One copy, opened to be renewed. Raises StoreError for a file that can't be used."""

    def __init__(self, path: str) -> None:
        migrations.ensure(path)
        self.path = path
        self.file = sqlite3.connect(
            f"file:{quoted_path(path)}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )
        self.file.execute("PRAGMA secure_delete=ON")
        self.state = self._state()

    def close(self) -> None:
        self.file.close()

    def _state(self) -> State:
        row = self.file.execute("SELECT value FROM setting WHERE key = ?", (STATE,)).fetchone()
        try:
            seq, projects, whole_at, told_at = parse(row[0]) if row else (0, [], 0.0, 0.0)
            return State(int(seq), tuple(projects), float(whole_at), float(told_at))
        except (TypeError, ValueError):
            return State()

    def _keep(self, state: State) -> None:
        said = dump([state.seq, list(state.projects), state.whole_at, state.told_at])
        self.file.execute("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", (STATE, said))
        self.state = state

    def tell(self, store: Store) -> int:
        """Tells the server what was shown since it was told last; how many deliveries. The same ones again count
        nothing.
        """
        rows = self.file.execute(TOLD, (self.state.told_at,)).fetchall()
        known: set[str] = set()
        for session, memory_id, event, chars, at, project, path, cwd, branch in rows:
            if session not in known:
                places = {"transcript_path": path or "", "cwd": cwd or "", "branch": branch or ""}
                store.note_session(session, project_id=project, now=at, **places)
                known.add(session)
            store.count_deliveries(session, event, [memory_id], chars, at)
        if rows:
            state = self.state
            self._keep(State(state.seq, state.projects, state.whole_at, rows[-1][4]))
        return len(rows)

    def renew(self, server: Reader, projects: Sequence[str], now: float) -> int:
        """Takes over what has changed at the server; how many memories were written. What was forgotten or erased there
        is gone here.
        """
        seq = server.rows(LAST, {})[0][0]
        state = State(seq, tuple(sorted(projects)), self.state.whole_at, self.state.told_at)
        audited = server.rows(CHANGED, {"seq": self.state.seq, "rows": COPY_CHANGES + 1})
        changed = sorted({memory_id for memory_id, _ in audited if memory_id})
        is_old = now - self.state.whole_at > DAY_SECONDS or state.projects != self.state.projects
        whole = is_old or len(audited) > COPY_CHANGES or not SINGLE.issuperset(op for _, op in audited)
        if not whole and not changed:
            self._follow(server)
            return 0
        if whole:
            state.whole_at = now
            wanted = server.rows(ALL, {"projects": dump(list(projects)), "rows": COPY_MEMORIES})
        else:
            wanted = server.rows(SOME, {"projects": dump(list(projects)), "ids": dump(changed)})
        ids = [row[0] for row in wanted]
        with self._transaction():
            self._drop(None if whole else changed)
            for table, columns, rows in _rows_of(server, ids, projects):
                self._insert(table, columns, rows)
            self._keep(state)
        self._follow(server)
        return len(ids)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.file.execute("ROLLBACK")
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
        self.file.executemany(f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)

    def _follow(self, server: Reader) -> None:
        """How far the server has read the sessions that were seen here."""
        ids = [row[0] for row in self.file.execute("SELECT id FROM session WHERE ended_at IS NULL")]
        sql = f"SELECT {CURSORS}, id FROM session WHERE id IN (SELECT value FROM json_each(:ids))"
        names = ", ".join(f"{name} = ?" for name in CURSORS.split(", "))
        self.file.executemany(f"UPDATE session SET {names} WHERE id = ?", server.rows(sql, {"ids": dump(ids)}))


def _rows_of(
    server: Reader, ids: Sequence[str], projects: Sequence[str]
) -> Iterator[tuple[str, list[str], list[tuple[Any, ...]]]]:
    """(table, its columns, rows) of the projects and of these memories, some at a time."""
    known = tables()
    named = {"projects": dump(list(projects))}
    for table, key in (("project", "id"), ("project_key", "project_id")):
        columns = _names(known[table])
        sql = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} IN (SELECT value FROM json_each(:projects))"
        yield table, columns, server.rows(sql, named)
    for start in range(0, len(ids), COPY_ROWS):
        some = {"ids": dump(list(ids[start : start + COPY_ROWS]))}
        for table, key in OF_MEMORY.items():
            columns = _names(known[table])
            sql = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} IN (SELECT value FROM json_each(:ids))"
            if table == "relationship":
                sql += " OR target_id IN (SELECT value FROM json_each(:ids))"
            yield table, columns, server.rows(sql, some)


def _names(columns: Sequence[Column]) -> list[str]:
    return [column.name for column in columns]


def renewed(path: str, store: Store, server: Reader, projects: Sequence[str], now: float) -> tuple[int, int]:
    """Brings a copy up to date: how many deliveries were told, how many memories were taken over. Raises StoreError."""
    try:
        with closing(ReadCopy(path)) as copy:
            return copy.tell(store), copy.renew(server, projects, now)
    except sqlite3.Error as problem:
        raise StoreError(f"{path} can't be renewed: {problem}", f"rm '{path}': it is made anew") from problem
