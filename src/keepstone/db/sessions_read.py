"""Reads sessions, projects and deliveries. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..lib.fast_json import dump
from .filter_sql import RECALLABLE, is_project
from .reader import Reader

_FIELDS = """
s.id, p.name, s.cwd, s.branch, s.started_at, s.last_seen_at, s.ended_at,
(SELECT count(*) FROM memory m WHERE m.session_id = s.id AND m.status = 'active'),
(SELECT count(*) FROM delivery d WHERE d.session_id = s.id),
(SELECT count(*) FROM observation o WHERE o.session_id = s.id)
"""
_FROM = "FROM session s LEFT JOIN project p ON p.id = s.project_id"
_ONE = f"SELECT {_FIELDS} {_FROM} WHERE s.id = :id"
_PAGE = f"""
SELECT {_FIELDS} {_FROM} WHERE {{session_scope}}
ORDER BY s.started_at DESC, s.id LIMIT :limit OFFSET :offset
"""
_TOTAL = "SELECT count(*) FROM session s WHERE {session_scope}"
_OPEN = "SELECT id FROM session s WHERE ended_at IS NULL AND transcript_path IS NULL AND {session_scope}"
_FOLDERS = "SELECT DISTINCT cwd FROM session WHERE last_seen_at >= :since AND cwd IS NOT NULL ORDER BY 1"
_RECORDED = "SELECT record_uuid FROM evidence WHERE record_uuid IN (SELECT value FROM json_each(:records))"
_PROJECTS = f"""
SELECT p.id, p.name, substr(k.key, 5) AS folder,
    (SELECT count(*) FROM memory m WHERE m.scope = 'project' AND m.project_id = p.id AND {RECALLABLE}) AS memories
FROM project p JOIN project_key k ON k.project_id = p.id AND substr(k.key, 1, 4) = 'dir:' ORDER BY 4 DESC, 2, 3
"""
_DELIVERIES = """
SELECT d.delivered_at, d.session_id, d.event, d.verdict, d.memory_id
FROM delivery d JOIN memory m ON m.id = d.memory_id LEFT JOIN session s ON s.id = d.session_id
WHERE (:memory = '' OR d.memory_id = :memory) AND {session_scope}
ORDER BY d.delivered_at DESC, d.memory_id LIMIT :limit
"""


@dataclass(frozen=True, slots=True)
class Project:
    """A project, one of its folders, and the number of its recallable memories."""

    id: str
    name: str
    folder: str
    memories: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """A memory that a session was shown: the time (UTC, Unix seconds), the event, and the verdict on its use: used,
    contradicted or unknown; None before it was judged.
    """

    at: float
    session: str
    event: str
    verdict: str | None
    memory: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A session: its folder, its times (UTC, Unix seconds), and the numbers of its active memories, of the memories
    that it was shown, and of its stored observations.
    """

    id: str
    project: str | None
    folder: str | None
    branch: str | None
    started_at: float
    last_seen_at: float
    ended_at: float | None
    memories: int
    shown: int
    observations: int


def seen(store: Reader, session: str) -> Seen | None:
    """Returns a session by its whole id, or None."""
    return next((Seen(*row) for row in store.rows(_ONE, {"id": session})), None)


def page(store: Reader, project: str | None, everything: bool, limit: int, offset: int) -> tuple[list[Seen], int]:
    """Returns up to `limit` sessions of a project after the first `offset`, newest first, and the total number."""
    scope, values = _of(project, everything), {"project": project, "limit": limit, "offset": offset}
    found = [Seen(*row) for row in store.rows(_PAGE.format(session_scope=scope), values)]
    return found, store.rows(_TOTAL.format(session_scope=scope), values)[0][0]


def folders(store: Reader, since: float) -> list[str]:
    """Returns the folders of the sessions that were seen since `since` (Unix seconds)."""
    return [row[0] for row in store.rows(_FOLDERS, {"since": since})]


def recorded(store: Reader, records: Iterable[str]) -> set[str]:
    """Returns the record uuids that are already a memory's evidence."""
    return {row[0] for row in store.rows(_RECORDED, {"records": dump(list(records))})}


def projects(store: Reader, now: float) -> list[Project]:
    """Returns every folder of every project. Projects with the most memories come first."""
    return [Project(*row) for row in store.rows(_PROJECTS, {"now": now})]


def deliveries(store: Reader, project: str | None, everything: bool, memory_id: str, limit: int) -> list[Delivery]:
    """Returns the deliveries to a project's sessions, or those of one memory, latest first."""
    values = {"project": project, "memory": memory_id, "limit": limit}
    return [Delivery(*row) for row in store.rows(_DELIVERIES.format(session_scope=_of(project, everything)), values)]


def left_open(store: Reader, project: str | None) -> list[str]:
    """Returns the ids of a project's open sessions that a program started, not the client. The client's sessions are
    ended by a hook.
    """
    return [row[0] for row in store.rows(_OPEN.format(session_scope=_of(project, False)), {"project": project})]


def _of(project: str | None, everything: bool) -> str:
    """Returns the condition that a session `s` belongs to a project, or to none. The condition is always true if
    `everything`.
    """
    return "TRUE" if everything else is_project(project, "s")
