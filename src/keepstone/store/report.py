"""What deliveries, verdicts and changes add up to: reads only, with the bare driver."""

from __future__ import annotations

from dataclasses import dataclass

from .engines import open_reader

# Of a delivery, the project is its session's; of a memory, it is its own, and what holds everywhere belongs to each.
_SESSIONS = "(:everything OR s.project_id IS :project)"
_MEMORIES = "(:everything OR m.scope = 'user' OR m.project_id IS :project)"

DELIVERED = f"""
SELECT d.memory_id, d.session_id, d.verdict FROM delivery d JOIN memory m ON m.id = d.memory_id
    LEFT JOIN session s ON s.id = d.session_id
WHERE d.delivered_at >= :since AND d.delivered_at <= :until AND {_SESSIONS} ORDER BY d.memory_id, d.session_id
"""
CORRECTED = f"""
SELECT c.how, c.id FROM (
    SELECT 'superseded' AS how, target_id AS id, created_at AS at FROM relationship WHERE type = 'supersedes'
    UNION ALL
    SELECT 'revised', memory_id, valid_to FROM memory_version WHERE reason = 'revise'
    UNION ALL
    SELECT 'outdated', memory_id, at FROM audit WHERE op = 'rate_outdated'
) c JOIN memory m ON m.id = c.id
WHERE c.at >= :since AND c.at <= :until AND {_MEMORIES} GROUP BY c.how, c.id ORDER BY c.how, c.id
"""
LEARNED = f"""
SELECT m.kind, count(DISTINCT m.id) FROM audit a JOIN memory m ON m.id = a.memory_id
WHERE a.op = 'store' AND a.at >= :since AND a.at <= :until AND {_MEMORIES}
    AND m.status <> 'deleted' AND m.trust = 'trusted' AND m.tier <> 'working' AND m.origin <> 'import'
GROUP BY m.kind ORDER BY m.kind
"""


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when, in unix seconds, and where: one project (None: outside any) or everything."""

    since: float
    until: float
    project: str | None = None
    everything: bool = False


class Report:
    """A database, to read only. Raises StoreError when it can't be read."""

    def __init__(self, path: str) -> None:
        self.reader = open_reader(path)

    def close(self) -> None:
        self.reader.close()

    def verdicts(self, session_id: str) -> dict[str, str | None]:
        """What became of each memory that a session was shown, by its id."""
        sql = "SELECT memory_id, verdict FROM delivery WHERE session_id = :session ORDER BY memory_id"
        return dict(self._rows(sql, {"session": session_id}))

    def delivered(self, span: Span) -> list[tuple[str, str, str | None]]:
        """(memory id, session id, verdict) of every delivery; the verdict is None before its session was captured."""
        return self._rows(DELIVERED, _values(span))

    def corrected(self, span: Span) -> list[tuple[str, str]]:
        """(how, memory id) of each memory that was superseded, revised or rated outdated."""
        return self._rows(CORRECTED, _values(span))

    def learned(self, span: Span) -> dict[str, int]:
        """How many memories of each kind were stored and are still held; what was imported was learned elsewhere."""
        return dict(self._rows(LEARNED, _values(span)))

    def _rows(self, sql: str, values: dict[str, object]) -> list[tuple]:  # type: ignore[type-arg]
        return self.reader.rows(sql, values)


def _values(span: Span) -> dict[str, object]:
    return {"since": span.since, "until": span.until, "project": span.project, "everything": span.everything}
