"""Sessions as they are looked at: one, a page of them, and which of a project's are open. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from .reader import OF_PROJECT, Reader

_FIELDS = """
s.id, p.name, s.cwd, s.branch, s.started_at, s.last_seen_at, s.ended_at,
(SELECT count(*) FROM memory m WHERE m.session_id = s.id AND m.status = 'active'),
(SELECT count(*) FROM delivery d WHERE d.session_id = s.id),
(SELECT count(*) FROM observation o WHERE o.session_id = s.id)
"""
_FROM = "FROM session s LEFT JOIN project p ON p.id = s.project_id"
_ONE = f"SELECT {_FIELDS} {_FROM} WHERE s.id = :id"
_HERE = OF_PROJECT.partition(" AND ")[2].replace("m.", "s.")
_PAGE = f"""
SELECT {_FIELDS} {_FROM} WHERE :everything OR {_HERE}
ORDER BY s.started_at DESC, s.id LIMIT :limit OFFSET :offset
"""
_TOTAL = f"SELECT count(*) FROM session s WHERE :everything OR {_HERE}"
_OPEN = "SELECT id FROM session s WHERE ended_at IS NULL AND transcript_path IS NULL AND s.project_id IS :project"


@dataclass(frozen=True, slots=True)
class Seen:
    """A session: where it ran and when (UTC unix seconds), how many memories of it hold, how many it was shown, and how
    many of its observations are kept.
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
    """A session by its whole id."""
    return next((Seen(*row) for row in store.rows(_ONE, {"id": session})), None)


def page(store: Reader, project: str | None, everything: bool, limit: int, offset: int) -> tuple[list[Seen], int]:
    """So many sessions of a project from one on, the newest first, and how many there are."""
    values = {"project": project, "everything": everything, "limit": limit, "offset": offset}
    found = [Seen(*row) for row in store.rows(_PAGE, values)]
    return found, store.rows(_TOTAL, values)[0][0]


def left_open(store: Reader, project: str | None) -> list[str]:
    """The sessions of a project that a program has started and not ended; the client's own end with their hook."""
    return [row[0] for row in store.rows(_OPEN, {"project": project})]
