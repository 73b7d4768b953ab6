"""Sums up deliveries, verdicts and changes. Only reads, with the bare driver."""

from __future__ import annotations

from dataclasses import dataclass

from ..db.engines import open_reader
from ..db.filter_sql import is_project

VERDICTS = "SELECT memory_id, verdict FROM delivery WHERE session_id = :session ORDER BY memory_id"
DELIVERED = """
SELECT d.memory_id, d.session_id, d.verdict FROM delivery d JOIN memory m ON m.id = d.memory_id
    LEFT JOIN session s ON s.id = d.session_id
WHERE d.delivered_at >= :since AND d.delivered_at <= :until AND {session_scope} ORDER BY d.memory_id, d.session_id
"""
CORRECTED = """
SELECT c.how, c.id FROM (
    SELECT 'superseded' AS how, target_id AS id, created_at AS at FROM relationship WHERE type = 'supersedes'
    UNION ALL
    SELECT 'revised', memory_id, valid_to FROM memory_version WHERE reason = 'revise'
    UNION ALL
    SELECT 'outdated', memory_id, at FROM audit WHERE op = 'rate_outdated'
) c JOIN memory m ON m.id = c.id
WHERE c.at >= :since AND c.at <= :until AND {scope} GROUP BY c.how, c.id ORDER BY c.how, c.id
"""
LEARNED = """
SELECT m.kind, count(DISTINCT m.id) FROM audit a JOIN memory m ON m.id = a.memory_id
WHERE a.op = 'store' AND a.at >= :since AND a.at <= :until AND {scope}
    AND m.status <> 'deleted' AND m.trust = 'trusted' AND m.tier <> 'working' AND m.origin <> 'import'
GROUP BY m.kind ORDER BY m.kind
"""


@dataclass(frozen=True, slots=True)
class Span:
    """A time span in Unix seconds, and a project (None: memories outside any) or everything."""

    since: float
    until: float
    project: str | None = None
    everything: bool = False


class WeekReader:
    """A database opened for reading. Raises StoreError if it cannot be read."""

    def __init__(self, path: str) -> None:
        self.reader = open_reader(path)

    def close(self) -> None:
        self.reader.close()

    def verdicts(self, session_id: str) -> dict[str, str | None]:
        """Returns the verdict on each memory that a session was shown, by its id."""
        return dict(self.reader.rows(VERDICTS, {"session": session_id}))

    def delivered(self, span: Span) -> list[tuple[str, str, str | None]]:
        """Returns (memory id, session id, verdict) of every delivery to a session of the project. The verdict is None
        until the session is captured.
        """
        scope = "TRUE" if span.everything else is_project(span.project, "s")
        return self.reader.rows(DELIVERED.format(session_scope=scope), _values(span))

    def corrected(self, span: Span) -> list[tuple[str, str]]:
        """Returns (how, memory id) of each memory that was superseded, revised or rated outdated."""
        return self.reader.rows(CORRECTED.format(scope=_memories(span)), _values(span))

    def learned(self, span: Span) -> dict[str, int]:
        """Returns the number of memories of each kind that were stored and still exist, without imported ones."""
        return dict(self.reader.rows(LEARNED.format(scope=_memories(span)), _values(span)))


def _memories(span: Span) -> str:
    """Returns the condition that a memory belongs to a project. A memory of user scope belongs to every project."""
    return "TRUE" if span.everything else f"(m.scope = 'user' OR {is_project(span.project)})"


def _values(span: Span) -> dict[str, object]:
    return {"since": span.since, "until": span.until, "project": span.project}
