"""Reads the graph: the relationships between visible memories, superseded ones included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..db.filter_sql import RECALLABLE, VISIBLE, in_scope
from ..db.reader import RELATED, Reader
from ..lib.fast_json import dump
from ..model.relationship import SUPERSEDES, Edge

_FIELDS = "r.source_id, r.target_id, r.type, r.method, r.weight, r.notes"
_LEAVING = f"""
SELECT {_FIELDS} FROM json_each(:ids) j CROSS JOIN relationship r CROSS JOIN memory m
WHERE r.source_id = j.value AND m.id = r.target_id AND {{scope}}
"""
_AWAY = f"""{_LEAVING}
UNION SELECT {_FIELDS} FROM json_each(:ids) j CROSS JOIN relationship r CROSS JOIN memory m
WHERE r.target_id = j.value AND m.id = r.source_id AND {{scope}}
"""
_SEEN = "SELECT m.id FROM json_each(:ids) j CROSS JOIN memory m WHERE m.id = j.value AND {scope}"
_PAGE = "SELECT m.id FROM memory m WHERE {scope} ORDER BY m.seq LIMIT :limit OFFSET :offset"
_COUNT = "SELECT count(*) FROM memory m WHERE {scope}"
_GROUPS = """
SELECT m.community, count(*) FROM memory m WHERE m.community IS NOT NULL AND m.status = 'active' AND {scope}
GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC, 1
"""
_CENTRAL = """
SELECT m.id FROM memory m WHERE m.community = :name AND m.status = 'active' AND {scope}
ORDER BY m.pagerank DESC NULLS LAST, m.seq DESC LIMIT :limit
"""


_RECALLED = f"SELECT m.id FROM json_each(:ids) j CROSS JOIN memory m WHERE m.id = j.value AND {RECALLABLE}"
_RIVALS = f"""
SELECT DISTINCT m.id, m.created_at FROM relationship r JOIN memory m ON m.id IN (r.source_id, r.target_id)
JOIN memory o ON o.id IN (r.source_id, r.target_id) AND o.id <> m.id
WHERE r.type = 'contradicts' AND {RECALLABLE} AND {RECALLABLE.replace("m.", "o.")} AND {{scope}}
ORDER BY m.created_at DESC, m.id LIMIT :limit
"""
_RELATED = """
SELECT type, source_id AS other, 1 AS received FROM relationship WHERE target_id = :id
UNION ALL SELECT type, target_id, 0 FROM relationship WHERE source_id = :id ORDER BY 1, 3, 2
"""


def related(store: Reader, memory_id: str) -> list[tuple[str, str, bool]]:
    """Returns (type, the other memory's short id, whether the other one is the source) of a memory's relationships."""
    rows = store.rows(_RELATED, {"id": memory_id}) if store.schema >= RELATED else []
    return [(type, store.short_id(other), bool(received)) for type, other, received in rows]


def contradicted(store: Reader, project: str | None, everything: bool, limit: int, now: float) -> list[str]:
    """Returns the ids of recallable memories that may contradict another one, newest first."""
    if store.schema < RELATED:
        return []
    values = {"project": project, "limit": limit, "now": now}
    return [row[0] for row in store.rows(_RIVALS.format(scope=in_scope(project, everything, "")), values)]


STRONG_LINK = 0.5  # the least weight of a relationship for one memory to bring another into a search


class Edges:
    """The relationships in one scope: of a project and user scope, or of `everything`."""

    def __init__(self, store: Reader, project: str | None, everything: bool, now: float) -> None:
        self.store = store
        self.scope = f"{VISIBLE} AND {in_scope(project, everything, '')}"
        self.values: dict[str, object] = {"project": project, "now": now}

    def _rows(self, sql: str, **values: object) -> list[Any]:
        return self.store.rows(sql.format(scope=self.scope), {**self.values, **values})

    def edges_of(self, ids: Iterable[str], types: Sequence[str] = (), least: float = 0.0) -> list[Edge]:
        """Returns the relationships from or to these memories with at least a weight of `least`, the strongest first.
        If `types` are given, returns only these.
        """
        found = [Edge(*row) for row in self._rows(_AWAY, ids=dump(sorted(ids)))]
        return sorted(
            (one for one in found if one.weight >= least and (not types or one.type in types)), key=Edge.order
        )

    def strong(self, ids: Iterable[str], least: float) -> list[str]:
        """Returns the ids of recallable memories that are related to these with at least this weight, the strongest
        first.
        """
        known = set(ids)
        between = [edge for edge in self.edges_of(known) if edge.weight >= least and edge.type != SUPERSEDES]
        others = dict.fromkeys(edge.target if edge.source in known else edge.source for edge in between)
        wanted = [one for one in others if one not in known]
        recalled = self.store.rows(_RECALLED, {"ids": dump(wanted), "now": self.values["now"]})
        return [one for one in wanted if (one,) in set(recalled)]

    def leaving(self, ids: Iterable[str]) -> list[Edge]:
        """Returns the relationships that lead from these memories."""
        return sorted((Edge(*row) for row in self._rows(_LEAVING, ids=dump(sorted(ids)))), key=Edge.order)

    def visible(self, ids: Iterable[str]) -> list[str]:
        """Returns those of these ids that are visible in this scope."""
        return [row[0] for row in self._rows(_SEEN, ids=dump(list(ids)))]

    def page(self, limit: int, offset: int) -> tuple[list[str], int]:
        """Returns the ids of up to `limit` memories after the first `offset`, in the order of storing, and the total
        number.
        """
        (total,) = self._rows(_COUNT)[0]
        return [row[0] for row in self._rows(_PAGE, limit=limit, offset=offset)], total

    def communities(self, limit: int) -> list[tuple[str, int, list[str]]]:
        """Returns (name, number of memories, ids of the most central `limit`) of each community, the largest first."""
        return [
            (name, count, [row[0] for row in self._rows(_CENTRAL, name=name, limit=limit)])
            for name, count in self._rows(_GROUPS)
        ]
