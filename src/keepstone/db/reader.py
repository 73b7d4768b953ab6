"""Reads the database and counts deliveries with the bare driver: all that hooks and listings use. Hot module."""

from __future__ import annotations

import os

from ..config import runtime
from ..lib import files
from ..lib.errors import BadInput, NotFound, StoreError, away
from ..lib.fast_json import dump
from ..lib.limits import COUNTER_BUSY_SECONDS, SHORT_ID_DIGITS
from ..model.filter import NO_FILTER, Filter
from ..model.memory import COLUMNS, Provenance, StoredMemory, decoded
from ..model.suggestion import ASKED_MOST, Suggested, is_suggestion
from ..project.identity import Identity, choose
from .driver import sqlite
from .filter_sql import (
    KINDS,
    OF_USER,
    RECALLABLE,
    SUSPECT,
    condition,
    condition_values,
    in_scope,
    is_project,
    of_kinds,
    of_project,
)
from .sql import Sql

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..lib.vector import VectorCache
    from ..model.policies import Policies
    from .sql import Statement

LEARNED_ROWS = 100  # the newest memories, among which those of the last session are counted
SCHEMA = 9  # the schema that this code writes, and the newest that it knows
# The first schemas with relationships, with a session's focus, with ranks, with suggestions.
RELATED, FOCUSES, GRAPH, SUGGESTS = 3, 5, 7, 8
Error = sqlite.Error

ROW = ", ".join("m." + column for column in COLUMNS)
_CHOSEN = f"{ROW} FROM memory m WHERE {{where}} ORDER BY"
# Importance is not a column. It can be high if the relevance is, or if the memory was made or used recently.
_BEST = f"SELECT {_CHOSEN} m.pinned DESC, m.relevance DESC, m.created_at DESC, m.id LIMIT :limit"
_LATEST = Sql(  # the same expression as each engine's index memory_touched
    sqlite=f"SELECT {_CHOSEN} max(m.created_at, coalesce(m.used_at, 0)) DESC, m.id LIMIT :limit",
    postgres=f"SELECT {_CHOSEN} GREATEST(m.created_at, coalesce(m.used_at, 0)) DESC, m.id LIMIT :limit",
)
_NEWEST = f"SELECT {_CHOSEN} m.created_at DESC, m.id LIMIT :limit"
PROVENANCE = """
SELECT count(DISTINCT CASE WHEN e.method <> 'program' THEN e.session_id END),
    coalesce(max(CASE WHEN e.method = 'user' AND e.created_at >= coalesce(r.at, 0) THEN 1 ELSE 0 END), 0),
    coalesce(max(CASE WHEN e.method = 'program' THEN 1 ELSE 0 END), 0), max(r.at)
FROM (SELECT max(valid_to) AS at FROM memory_version WHERE memory_id = :id AND content <> :content) r
LEFT JOIN evidence e ON e.memory_id = :id
"""
PREFIX = f"SELECT {ROW} FROM memory m WHERE m.id >= :low AND m.id < :high ORDER BY m.id LIMIT 2"
PROJECT_KEYS = """
SELECT key, project_id FROM project_key
WHERE project_id IN (SELECT project_id FROM project_key WHERE key IN (:git, :dir))
"""
DELIVERED = """
SELECT d.memory_id, d.delivered_at, m.updated_at FROM delivery d JOIN memory m ON m.id = d.memory_id
WHERE d.session_id = :session
"""
SHOWN = "SELECT memory_id, event, chars FROM delivery WHERE session_id = :session"
SEEN_SESSION = """
INSERT INTO session (id, project_id, transcript_path, cwd, started_at, last_seen_at)
VALUES (:id, :project, :transcript_path, :cwd, :now, :now)
ON CONFLICT (id) DO UPDATE SET last_seen_at = :now, ended_at = NULL,
    transcript_path = coalesce(:transcript_path, session.transcript_path)
"""
COUNT_ACCESS = "UPDATE memory SET access_count = access_count + 1, accessed_at = :now WHERE id = :id"
COUNT_RETRIEVAL = """
UPDATE memory SET access_count = access_count + 1, retrieval_count = retrieval_count + 1, accessed_at = :now,
    used_at = :now WHERE id = :id
"""
COUNT_USE = """
UPDATE memory SET access_count = access_count + 1, use_count = use_count + 1, accessed_at = :now, used_at = :now
WHERE id = :id
"""
DELIVER = """
INSERT INTO delivery (session_id, memory_id, event, chars, delivered_at) VALUES (:session, :id, :event, :chars, :now)
ON CONFLICT (session_id, memory_id) DO UPDATE SET event = :event, chars = :chars, delivered_at = :now
"""
FOCUS = """
INSERT INTO focus (session_id, memory_id, relevance, by_hand, focused_at)
VALUES (:session, :id, :relevance, :by_hand, :now)
ON CONFLICT (session_id, memory_id) DO UPDATE SET focused_at = excluded.focused_at,
    relevance = CASE WHEN excluded.relevance > focus.relevance THEN excluded.relevance ELSE focus.relevance END,
    by_hand = CASE WHEN excluded.by_hand > focus.by_hand THEN excluded.by_hand ELSE focus.by_hand END
"""
TRIM_FOCUS = """
DELETE FROM focus WHERE session_id = :session AND memory_id NOT IN (
    SELECT memory_id FROM focus WHERE session_id = :session
    ORDER BY by_hand DESC, relevance DESC, focused_at DESC LIMIT :most
)
"""
FOCUSED = f"""
SELECT {ROW}, f.relevance FROM focus f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.session_id = :session AND {RECALLABLE} AND {{scope}}
ORDER BY f.by_hand DESC, f.relevance DESC, f.focused_at DESC, m.id LIMIT :limit
"""
DECIDED = f"""
SELECT {ROW} FROM memory m WHERE m.session_id = :session AND {RECALLABLE} AND {KINDS}
ORDER BY m.relevance DESC, m.created_at DESC, m.id LIMIT :limit
"""
# What waits in a project and may be asked about in a session, the newest first; and what that session was asked.
SUGGESTED = """
SELECT id, text FROM suggestion WHERE state = 'waiting' AND trust = 'trusted' AND project_id = :project
    AND asked < :times AND expires_at > :now
    AND coalesce(asked_in, '') <> :session AND coalesce(asked_before, '') <> :session
ORDER BY said_at DESC, id LIMIT :limit
"""
WAITING = "SELECT count(*) FROM suggestion WHERE state = 'waiting' AND expires_at > :now"
ASKED = "SELECT id, text, asked_at FROM suggestion WHERE asked_in = :session OR asked_before = :session"
ASK = """
UPDATE suggestion SET asked = asked + 1, asked_at = :now, asked_before = asked_in, asked_in = :session
WHERE id = :id AND state = 'waiting'
"""
FACETS = """
SELECT f.memory_id, f.value FROM json_each(:ids) j CROSS JOIN memory_facet f
WHERE f.memory_id = j.value AND f.facet IN (SELECT value FROM json_each(:facets)) ORDER BY f.memory_id, f.value
"""
BEGUN_IN = "SELECT cwd FROM session WHERE id = :id"
CURSOR = "SELECT cursor_offset FROM session WHERE id = :id"
# Reads the newest LEARNED_ROWS only, because it runs at a session's start.
LEARNED_LAST = f"""
WITH latest AS (SELECT * FROM memory ORDER BY seq DESC LIMIT {LEARNED_ROWS})
SELECT count(*) FROM latest m WHERE {RECALLABLE} AND m.origin = 'hook' AND m.session_id = (
    SELECT m.session_id FROM latest m WHERE {RECALLABLE} AND m.origin = 'hook' ORDER BY m.seq DESC LIMIT 1
)
"""
# Of the memories since one, how many wait for a person's word, how many of these here, and which is the last.
WAITING_SINCE = f"""
SELECT (SELECT max(seq) FROM memory), count(*), coalesce(sum(CASE WHEN {{scope}} THEN 1 ELSE 0 END), 0)
FROM memory m WHERE m.seq > :since AND {SUSPECT}
"""
STALE = """
SELECT transcript_path, cursor_offset, last_seen_at FROM session
WHERE ended_at IS NULL AND id <> :id AND last_seen_at < :before ORDER BY last_seen_at DESC
"""
_FACETS = "SELECT facet, value FROM memory_facet WHERE memory_id = :id ORDER BY facet, value"
_EVIDENCE = """
SELECT session_id, record_uuid, excerpt, method, created_at FROM evidence WHERE memory_id = :id ORDER BY seq
"""
_VERSIONS = """
SELECT version, content, valid_from, valid_to, reason FROM memory_version WHERE memory_id = :id
ORDER BY valid_to, version
"""
# One statement, because another process may be creating our tables at this moment.
FOREIGN = "SELECT 1 FROM sqlite_master, pragma_user_version WHERE user_version = 0 LIMIT 1"
UNRANKED = "CREATE TEMP VIEW memory AS SELECT *, NULL AS pagerank, NULL AS community FROM main.memory"
# The other memory must be recallable in the memory's project: never another project's.
_COMPANION = f"{RECALLABLE} AND (m.project_id IS NULL OR m.project_id = s.project_id)"
COMPANY = f"""
SELECT s.id, r.type, m.id FROM json_each(:ids) j CROSS JOIN memory s CROSS JOIN relationship r CROSS JOIN memory m
WHERE s.id = j.value AND r.source_id = s.id AND m.id = r.target_id
    AND r.type IN ('caused_by', 'contradicts') AND {_COMPANION}
UNION SELECT s.id, r.type, m.id FROM json_each(:ids) j CROSS JOIN memory s CROSS JOIN relationship r CROSS JOIN memory m
WHERE s.id = j.value AND r.target_id = s.id AND m.id = r.source_id
    AND r.type = 'contradicts' AND {_COMPANION} ORDER BY 1, 2 DESC, 3
"""


def is_busy(problem: BaseException | None) -> bool:
    """Tells whether another connection's lock made a statement fail (sqlite.org/rescode.html, 5)."""
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF == 5


def quoted_path(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def opened(path: str, mode: str, busy: float) -> Any:
    """Returns a connection to an existing database in one of the URI's modes. Raises the driver's error."""
    return sqlite.connect("file:" + quoted_path(path) + "?" + mode, timeout=busy, isolation_level=None, uri=True)


def emptied(path: str) -> StoreError | None:
    """Returns what to tell of an empty database file that held memories, as what stands beside it shows. None for one
    that is new. SQLite must not open such a file: it would delete the log beside it, which may hold them all.
    """
    home, name = os.path.split(path)
    if name != runtime.DATABASE:
        return None  # a read copy, which is made anew, or another's
    copies = any(one.endswith(".db") for one in files.names_in(os.path.join(home, "backups")))
    has_log = bool(files.size_of(path + "-wal"))
    if copies or has_log:
        where = "copies of it are in " + os.path.join(home, "backups") if copies else "its log is there"
        is_free = copies and not has_log
        hint = "keepstone doctor --repair" + (", or another copy: keepstone restore-backup NAME" if is_free else "")
        return StoreError(path + " is empty, and held memories: " + where, hint)
    weights = any(one.endswith(".weights") for one in files.names_in(os.path.join(home, "vectors")))
    if weights or os.path.exists(os.path.join(home, runtime.TOLD_LEARNED)):
        return StoreError(path + " is empty, and held memories", "put a copy of your own there, or " + away(path))
    return None


def may_ignore_locks(path: str, problem: object) -> bool:
    """Tells whether a database that can't be opened because of `problem` may be read as an immutable file: so on a
    read-only or full disk, where no `-shm` file can be made. Under another process's lock it would be read
    half-written, and with a log beside it without what the log holds.
    """
    log = path + "-wal"
    return "lock" not in str(problem) and not (os.path.exists(log) and os.path.getsize(log))


class Reader:
    """An open database. It can be read and counted in, or only read, as the file allows."""

    is_postgres = False
    owner: tuple[str, ...] = ("", "")  # the user and workspace; a file has one owner, without a name
    policies: Policies | None = None  # for ranking searches; the defaults if None
    vector_cache_of: Callable[[str, int], VectorCache | None] | None = None  # cached vectors of (model, dimensions)

    def __init__(self, path: str, busy: float = COUNTER_BUSY_SECONDS) -> None:
        """Opens the database. Raises StoreError if it is missing, unusable, or too new for this code. `empty` is true
        if it has no schema yet.
        """
        if not os.path.lexists(path):
            raise StoreError("there is no database yet at " + path)
        size = files.size_of(path)
        if size is None:  # opening a FIFO would block for ever, and a link may be dangling
            raise StoreError(path + " is no file", away(path))
        if not size and (problem := emptied(path)):
            raise problem
        self.path = path
        self.database, self.schema, self.can_count = self._open(path, busy)
        self.empty = self.schema == 0
        if self.empty and self.rows(FOREIGN, {}):
            raise StoreError(path + " is another program's database", away(path))
        if 0 < self.schema < GRAPH:
            self.rows(UNRANKED, {})
        if self.schema > SCHEMA and not self._may_read():
            raise StoreError(
                path + " is of schema " + str(self.schema) + ", this Keepstone reads up to " + str(SCHEMA),
                "update the plugin: claude plugin update keepstone@keepstone",
            )

    @staticmethod
    def _open(path: str, busy: float) -> tuple[Any, int, bool]:
        problem: Any = None
        for mode in ("mode=rw", "mode=ro", "immutable=1"):
            if mode == "immutable=1" and not may_ignore_locks(path, problem):
                break
            try:
                database = opened(path, mode, busy)
                schema = database.execute("PRAGMA user_version").fetchone()[0]
                database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
                return database, schema, mode == "mode=rw" and os.access(path, os.W_OK)
            except (sqlite.Error, UnicodeDecodeError) as this:  # SQLite quotes damaged text in its messages
                problem = this
        raise StoreError(path + " can't be read: " + str(problem), "keepstone doctor")

    def _may_read(self) -> bool:
        try:
            row = self.database.execute("SELECT value FROM setting WHERE key = 'min_reader'").fetchone()
        except sqlite.Error:
            return False
        return row is not None and int(row[0]) <= SCHEMA

    def close(self) -> None:
        self.database.close()

    def size(self) -> int:
        """Returns the size of the file in bytes."""
        return os.path.getsize(self.path)

    def hold(self, kilobytes: int) -> None:
        """Sets the size of the page cache, for a long-lived reader."""
        self.rows("PRAGMA cache_size = -" + str(kilobytes), {})

    def rows(self, sql: Statement, values: dict[str, Any]) -> list[Any]:
        try:
            found = self.database.execute(sql if isinstance(sql, str) else sql.sqlite, values)
            return found.fetchall()  # type: ignore[no-any-return]
        except (sqlite.Error, UnicodeDecodeError) as problem:
            if self.database.text_factory is str:  # `str` decodes in C, but fails on damaged text
                self.database.text_factory = decoded
                return self.rows(sql, values)
            raise StoreError(self.path + " can't be read: " + str(problem), "keepstone doctor") from problem

    # Scope

    def project_of(self, identity: Identity | None) -> str | None:
        """Returns the id of the project that a folder's keys name, or None if none is known."""
        if identity is None:
            return None
        return choose(identity.keys, self.rows(PROJECT_KEYS, {"git": identity.keys[0], "dir": identity.keys[-1]}))

    def project_names(self) -> dict[str, str]:
        return dict(self.rows("SELECT id, name FROM project", {}))

    # The brief

    def brief_rows(self, project: str | None, kinds: str, limit: int, now: float) -> list[StoredMemory]:
        """Returns unordered candidates: for the project and for user scope each, the best `limit` by relevance and as
        many that were made or used last.
        """
        where = RECALLABLE + of_kinds(kinds)
        best, values = _either(_BEST, where, project), {"project": project, "kinds": kinds, "limit": limit, "now": now}
        sql = Sql(
            sqlite=best + " UNION " + _either(_LATEST.sqlite, where, project),
            postgres=best + " UNION " + _either(_LATEST.postgres, where, project),
        )
        return [StoredMemory(row) for row in self.rows(sql, values)]

    def provenance(self, memory: StoredMemory) -> Provenance:
        """Returns the provenance of the current text. The user's statement of an earlier version does not count for
        this one.
        """
        known = {"id": memory.id, "content": memory.content}
        sessions, by_user, by_program, revised_at = self.rows(PROVENANCE, known)[0]
        stated_at = revised_at or memory.created_at
        return Provenance(self.short_id(memory.id), bool(by_user), sessions, stated_at, bool(by_program))

    def short_id(self, memory_id: str) -> str:
        """Returns the shortest unambiguous prefix of the id's digits, with at least SHORT_ID_DIGITS."""
        digits = memory_id[len("mem-") :]
        for length in range(SHORT_ID_DIGITS, len(digits)):
            low = "mem-" + digits[:length]
            if len(self.rows(PREFIX, {"low": low, "high": low + "g"})) < 2:
                return digits[:length]
        return digits

    def delivered(self, session: str) -> list[tuple[str, float, float]]:
        """Returns (memory id, delivered at, the memory's updated at) of each memory that a session was shown."""
        return self.rows(DELIVERED, {"session": session})

    def shown(self, session: str) -> list[tuple[str, str, int]]:
        """Returns (memory id, event, characters) of each memory that a session was shown."""
        return self.rows(SHOWN, {"session": session})

    def decided(self, session: str, kinds: str, limit: int, now: float) -> list[StoredMemory]:
        """Returns memories of these kinds (a JSON array) that were captured in the session, the most relevant first."""
        values = {"session": session, "kinds": kinds, "limit": limit, "now": now}
        return [StoredMemory(row) for row in self.rows(DECIDED, values)]

    def focused(self, session: str, project: str | None, limit: int, now: float) -> list[tuple[StoredMemory, float]]:
        """Returns (memory, relevance) of a session's focus, the most relevant first."""
        if self.schema < FOCUSES:
            return []
        sql = FOCUSED.format(scope=in_scope(project, False, ""))
        rows = self.rows(sql, {"session": session, "project": project, "limit": limit, "now": now})
        return [(StoredMemory(row), row[-1]) for row in rows]

    def suggested(self, session: str, project: str | None, limit: int, now: float) -> Suggested:
        """Returns what waits in a project and that a session may still be asked about, and what it was asked."""
        if self.schema < SUGGESTS or project is None:
            return Suggested([], [])
        values = {"session": session, "project": project, "times": ASKED_MOST, "limit": limit, "now": now}
        waiting = self.rows(SUGGESTED, values)
        return Suggested(waiting, self.rows(ASKED, {"session": session}) if waiting else [])

    def count_suggested(self, project: str | None, now: float, everything: bool = False) -> int:
        """Returns the number of suggestions that wait for a word in a project, or in all."""
        if self.schema < SUGGESTS:
            return 0
        sql = WAITING if everything else WAITING + " AND " + is_project(project, "suggestion")
        return self.rows(sql, {"project": project, "now": now})[0][0]  # type: ignore[no-any-return]

    def waiting_since(self, since: int, project: str | None, now: float) -> tuple[int, int, int]:
        """Returns the row number of the newest memory, and how many memories with a number after `since` wait for a
        person's word: in every project, and in this one.
        """
        sql = WAITING_SINCE.format(scope=in_scope(project, False, ""))
        last, count, here = self.rows(sql, {"since": since, "project": project, "now": now})[0]
        return last or 0, count, here

    # Counting: increments in SQL, in one short transaction with a short wait for locks

    def count(self, statements: Sequence[tuple[Statement, dict[str, Any]]]) -> bool:
        """Runs counting statements in one transaction. Returns False, with nothing counted, if the database is busy."""
        if not self.can_count or self.empty:
            return False
        try:
            self.database.execute("PRAGMA synchronous=NORMAL")
            self.database.execute("PRAGMA busy_timeout=" + str(int(COUNTER_BUSY_SECONDS * 1000)))
            self.database.execute("BEGIN IMMEDIATE")
            for sql, values in statements:
                self.database.execute(sql if isinstance(sql, str) else sql.sqlite, values)
            self.database.execute("COMMIT")
        except sqlite.Error:
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
            return False
        return True

    # Sessions

    def cursor_offset(self, session: str) -> int:
        rows = self.rows(CURSOR, {"id": session})
        return rows[0][0] if rows else 0

    def stale_sessions(self, session: str, before: float) -> list[tuple[str | None, int, float]]:
        """Returns (transcript, cursor offset, last seen at) of other open sessions that were last seen
        before `before`.
        """
        return self.rows(STALE, {"id": session, "before": before})

    # Listings and search

    def listing(
        self,
        project: str | None,
        everything: bool,
        kinds: str,
        limit: int,
        now: float,
        state: str = RECALLABLE,
        narrow: Filter = NO_FILTER,
    ) -> list[StoredMemory]:
        """Returns the newest memories of a scope in a state. `kinds` is a JSON array of kinds, or "" for all."""
        where = state + of_kinds(kinds) + condition(narrow)
        sql = _NEWEST.format(where=where) if everything else _either(_NEWEST, where, project)
        values = {"project": project, "kinds": kinds, "limit": limit, "now": now, **condition_values(narrow)}
        found = [StoredMemory(row) for row in self.rows(sql, values)]
        return sorted(found, key=lambda memory: (-memory.created_at, memory.id))[:limit]

    def count_in_scope(
        self, project: str | None, everything: bool, kinds: str, now: float, since: float | None = None
    ) -> int:
        """Returns the number of memories in scope, or of those made since `since`."""
        counted = "SELECT count(*) FROM memory m WHERE " + RECALLABLE + of_kinds(kinds)
        counted += "" if since is None else " AND m.created_at >= :since"
        sql = counted if everything else f"SELECT ({counted} AND {of_project(project)}) + ({counted} AND {OF_USER})"
        values = {"project": project, "kinds": kinds, "now": now, "since": since}
        return self.rows(sql, values)[0][0]  # type: ignore[no-any-return]

    # One memory

    def get(self, given: str) -> StoredMemory:
        """Returns the memory with an id, whatever its status. `given` is a whole id or a unique prefix of its digits,
        with or without `mem-`. Raises NotFound, or BadInput if the prefix is malformed or ambiguous.
        """
        digits = given.strip().lower()
        digits = digits[len("mem-") :] if digits.startswith("mem-") else digits
        if is_suggestion(digits) and _is_hex(digits[1:]):
            raise NotFound(digits + " is the name of a suggestion, which is no memory yet", "keepstone review")
        if not _is_hex(digits):
            raise BadInput(
                "an id is up to 16 hex digits, like 3fa2c1; this is not: " + given[:40], "keepstone recent shows ids"
            )
        rows = self.rows(PREFIX, {"low": "mem-" + digits, "high": "mem-" + digits + "g"})
        if not rows:
            raise NotFound("no memory has an id that begins with " + digits, "keepstone recent --all shows ids")
        if len(rows) > 1:
            raise BadInput("several memories have an id that begins with " + digits, "give more of its digits")
        return StoredMemory(rows[0])

    def is_active(self, memory_id: str) -> bool:
        return bool(self.rows("SELECT 1 FROM memory WHERE id = :id AND status = 'active'", {"id": memory_id}))

    def facets(self, memory_id: str) -> list[tuple[str, str]]:
        return self.rows(_FACETS, {"id": memory_id})

    def facets_of(self, ids: Sequence[str], facets: Sequence[str]) -> list[tuple[str, str]]:
        """Returns (memory id, value) of some facets of some memories, in order."""
        return self.rows(FACETS, {"ids": dump(ids), "facets": dump(facets)})

    def evidence(self, memory_id: str) -> list[tuple[str | None, str, str, str, float]]:
        """Returns (session, record uuid, excerpt, method, created at) of a memory's evidence, oldest first."""
        return self.rows(_EVIDENCE, {"id": memory_id})

    def company(self, ids: Sequence[str], now: float) -> list[tuple[str, str, str]]:
        """Returns (id, "contradicts", id of the possible contradiction) and (id, "caused_by", id of the cause) of these
        memories.
        """
        return self.rows(COMPANY, {"ids": dump(ids), "now": now}) if ids and self.schema >= RELATED else []

    def versions(self, memory_id: str) -> list[tuple[int, str, float, float, str]]:
        """Returns (version, content, valid from, valid to, reason) of a memory's earlier versions, oldest first."""
        return self.rows(_VERSIONS, {"id": memory_id})


def _either(chosen: str, where: str, project: str | None) -> str:
    """Returns a statement for the first rows of a project and of user scope, each limited separately: an OR over scope
    would sort the whole table.
    """
    halves = [chosen.format(where=where + " AND " + half) for half in (of_project(project), OF_USER)]
    return "SELECT * FROM (" + ") UNION ALL SELECT * FROM (".join(halves) + ")"


def _is_hex(digits: str) -> bool:
    """Tells whether these are the digits of an id, or its first ones."""
    return 0 < len(digits) <= 16 and all(c in "0123456789abcdef" for c in digits)


def holds_any(reader: Reader) -> bool:
    """Tells whether there is any memory, in any state and project."""
    return bool(reader.rows("SELECT 1 FROM memory LIMIT 1", {}))


def learned_last(reader: Reader, now: float) -> int:
    """Returns the number of memories from the session that was last learned from."""
    return reader.rows(LEARNED_LAST, {"now": now})[0][0]  # type: ignore[no-any-return]


def begun_in(reader: Reader, session: str) -> str:
    """Returns the folder in which a session was first seen, "" if it was not."""
    rows = reader.rows(BEGUN_IN, {"id": session})
    return (rows[0][0] or "") if rows else ""


def has_id(reader: Reader, beginning: str) -> bool:
    """Tells whether these digits begin the id of a memory."""
    return bool(reader.rows(PREFIX, {"low": f"mem-{beginning}", "high": f"mem-{beginning}g"}))
