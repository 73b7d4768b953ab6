"""Reads the history of memories: the audit, versions, the state on a day, the changes of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..db.filter_sql import OF_USER, RECALLABLE, condition, condition_values, in_scope, of_project
from ..db.hits import RATINGS
from ..db.reader import ROW, SUGGESTS, Reader
from ..db.sql import Sql
from ..db.writer import Transaction
from ..lib.fast_json import dump, parse
from ..model.filter import Filter
from ..model.memory import WORKING, StoredMemory

_AUDIT = """
SELECT a.at, a.actor, a.op, a.memory_id, a.session_id, a.details, {user}
FROM audit a LEFT JOIN memory m ON m.id = a.memory_id
WHERE (:op = '' OR a.op = :op) AND (:memory = '' OR a.memory_id = :memory)
    AND (:session = '' OR a.session_id = :session) AND (:actor = '' OR a.actor = :actor)
    AND (:agent = '' OR m.agent_id = :agent) AND (:tier = '' OR m.tier = :tier)
    AND a.at >= :since AND a.at < :before
ORDER BY a.seq DESC LIMIT :limit OFFSET :offset
"""
AUDIT = Sql(sqlite=_AUDIT.format(user="''"), postgres=_AUDIT.format(user="a.user_id"))
ERASED = """
SELECT DISTINCT memory_id FROM audit WHERE op = 'erase' AND substr(memory_id, 1, length(:given)) = :given LIMIT 2
"""
VERSIONS = """
SELECT version, title, content, kind, tier, relevance, confidence, status, valid_from, valid_to, reason
FROM memory_version WHERE memory_id = :id ORDER BY valid_to, version
"""
# A memory's state at a time is its first version that ended later, otherwise its present state. A memory that was
# merged later did not exist then, and one that was trusted later was quarantined.
THEN = f"""
SELECT {ROW}, v.title, v.content, v.kind, v.tier, v.status FROM memory m LEFT JOIN memory_version v
    ON v.memory_id = m.id AND v.version = (
        SELECT w.version FROM memory_version w WHERE w.memory_id = m.id AND w.valid_to > :then
        ORDER BY w.valid_to, w.version LIMIT 1)
WHERE (m.created_at <= :then
        OR EXISTS (SELECT 1 FROM memory_version w WHERE w.memory_id = m.id AND w.valid_from <= :then))
    AND m.id NOT IN (SELECT coalesce(memory_id, '') FROM audit WHERE at > :then
        AND (op IN ('merge', 'trust') OR (op = 'reinforce' AND json_extract(details, '$.was.trust') = 'quarantined')))
    AND m.trust = 'trusted' AND m.tier <> 'working' AND {{scope}}
"""
ENDING = f"""
SELECT m.id FROM memory m WHERE {RECALLABLE} AND m.expires_at IS NOT NULL AND {{scope}}
ORDER BY m.expires_at, m.id LIMIT :limit
"""
CHANGED = """
SELECT op, memory_id, at, details FROM audit a WHERE session_id = :session AND memory_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM audit b WHERE b.session_id = a.session_id AND b.op = a.op AND b.memory_id = a.memory_id
    AND (b.at < a.at OR (b.at = a.at AND b.seq < a.seq))) ORDER BY at, seq
"""
TOOK_BACK = """
SELECT session_id, count(DISTINCT memory_id) FROM audit
WHERE op = 'supersede' AND actor = 'worker' AND session_id IS NOT NULL AND at >= :since
GROUP BY session_id HAVING count(DISTINCT memory_id) > :few ORDER BY 2 DESC, 1"""
LAST_OP = "SELECT op FROM audit WHERE session_id = :session ORDER BY seq DESC LIMIT 1"
BRINGS_BACK = """
SELECT 1 FROM audit a LEFT JOIN memory m ON m.id = a.memory_id
WHERE a.session_id = :session AND (a.op IN ('forget', 'trust') OR m.trust = 'quarantined') LIMIT 1
"""
SUGGESTED_BY = "SELECT count(*) FROM suggestion WHERE session_id = :session AND state = 'waiting'"
TURNED_DOWN = "SELECT 1 FROM proposal WHERE kind = :kind AND members = :members AND answer = 'rejected'"
SELECTED = f"SELECT {ROW} FROM memory m WHERE {{where}} ORDER BY m.seq"
SESSIONS = """
SELECT id FROM (SELECT id, last_seen_at at FROM session UNION ALL SELECT session_id, at FROM audit)
WHERE id = :whole OR id = :key OR substr(id, 1, length(:whole)) = :whole
GROUP BY id ORDER BY id <> :whole, max(at) DESC LIMIT 3
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the audit. `actor` is person, model or worker; `user` names the person in a shared database.
    `details` contain no content.
    """

    at: float
    actor: str
    op: str
    memory_id: str | None
    session_id: str | None
    details: dict[str, Any]
    user: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A memory's state from `valid_from` until `valid_to` (UTC, Unix seconds), and the reason why it ended."""

    version: int
    title: str
    content: str
    kind: str
    tier: str
    relevance: float
    confidence: float
    status: str | None
    valid_from: float
    valid_to: float
    reason: str


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """The conditions on lines of the audit; "" and None match all."""

    op: str = ""
    memory: str = ""
    session: str = ""
    actor: str = ""
    agent: str = ""
    tier: str = ""
    since: float = 0.0
    before: float = 1e12
    limit: int = 50
    page: int = 1


def audit(reader: Reader, asked: AuditQuery) -> list[Entry]:
    """Returns the matching lines of the audit, newest first."""
    named = ("op", "memory", "session", "actor", "agent", "tier", "since", "before", "limit")
    values = {name: getattr(asked, name) for name in named}
    rows = reader.rows(AUDIT, {**values, "offset": (asked.page - 1) * asked.limit})
    return [
        Entry(at, actor, op, memory, session, details_of(more), user)
        for at, actor, op, memory, session, more, user in rows
    ]


def audited(reader: Reader, given: str) -> list[str]:
    """Returns up to two ids of erased memories that begin with the given one."""
    given = given.strip().lower().removeprefix("mem-")
    return [row[0] for row in reader.rows(ERASED, {"given": "mem-" + given})] if given else []


def history(reader: Reader, memory_id: str) -> list[Version]:
    """Returns every earlier state of a memory, oldest first."""
    return [Version(*row) for row in reader.rows(VERSIONS, {"id": memory_id})]


def as_of(reader: Reader, project: str | None, everything: bool, kinds: str, then: float) -> list[StoredMemory]:
    """Returns the memories of a scope that were active at a moment, with the texts that they had then."""
    sql = THEN.format(scope=in_scope(project, everything, kinds))
    found = []
    for row in reader.rows(sql, {"project": project, "kinds": kinds, "then": then}):
        memory = StoredMemory(row)
        title, content, kind, tier, status = row[-5:]
        memory.status_reason = None  # a label of the present state
        if content is not None:
            memory.title, memory.content, memory.kind, memory.tier = title, content, kind, tier
            memory.status = status or "active"
        if (
            memory.status == "active"
            and memory.tier != WORKING
            and (memory.expires_at is None or memory.expires_at > then)
        ):
            found.append(memory)
    return found


def changed_by(reader: Reader, session: str) -> list[tuple[str, str, float, dict[str, Any]]]:
    """Returns (operation, memory id, time, details) of a session's changes to memories, in order."""
    return [
        (op, memory_id, at, details_of(given))
        for op, memory_id, at, given in reader.rows(CHANGED, {"session": session})
    ]


def brings_back(reader: Reader, session: str) -> bool:
    """Tells whether undoing a session brings back what was forgotten, or changes what waits for review."""
    return bool(reader.rows(BRINGS_BACK, {"session": session}))


def is_undone(reader: Reader, session: str) -> bool:
    """Returns whether the last entry of a session is its undoing."""
    return reader.rows(LAST_OP, {"session": session}) == [("undo",)]


def suggested_by(reader: Reader, session: str) -> int:
    """Returns how many suggestions of a session wait."""
    ((count,),) = reader.rows(SUGGESTED_BY, {"session": session}) if reader.schema >= SUGGESTS else [(0,)]
    return int(count)


def took_back(tx: Transaction, since: float, few: int) -> list[tuple[str, int]]:
    """Returns the sessions whose capture has archived more than `few` memories since a time, with their numbers."""
    return [(session, count) for session, count in tx.all(TOOK_BACK, {"since": since, "few": few})]


def turned_down(reader: Reader, kind: str, memory_id: str) -> bool:
    """Returns whether a person rejected a proposal about this memory alone."""
    return bool(reader.schema >= RATINGS and reader.rows(TURNED_DOWN, {"kind": kind, "members": dump([memory_id])}))


def selected(
    reader: Reader, project: str | None, scope: str, narrow: Filter, state: str, now: float
) -> list[StoredMemory]:
    """Returns all memories in a state that match a filter. They have the `scope` "project" or "user"; "" means both, in
    every project.
    """
    place = {"project": of_project(project), "user": OF_USER}.get(scope, "TRUE")
    sql = SELECTED.format(where=f"{state} AND {place}{condition(narrow)}")
    values = {"project": project, "now": now, **condition_values(narrow)}
    return [StoredMemory(row) for row in reader.rows(sql, values)]


def ending(reader: Reader, project: str | None, everything: bool, limit: int, now: float) -> list[str]:
    """Returns the ids of recallable memories that expire, soonest first."""
    values = {"project": project, "limit": limit, "now": now}
    return [row[0] for row in reader.rows(ENDING.format(scope=in_scope(project, everything, "")), values)]


def sessions_named(reader: Reader, whole: str, key: str) -> list[str]:
    """Returns up to three known sessions that an id names: itself, by its `key`, or by its beginning, in that order."""
    return [row[0] for row in reader.rows(SESSIONS, {"whole": whole, "key": key})]


def details_of(text: str) -> dict[str, Any]:
    """Returns the details of an audit entry, {} if they are damaged."""
    try:
        value = parse(text)
    except (AttributeError, TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
