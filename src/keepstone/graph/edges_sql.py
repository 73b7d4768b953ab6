"""Reading the graph: the relationships of memories that may be seen, superseded ones too."""

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
    """(type, the other memory's short id, whether that one is its source) of a memory's relationships."""
    rows = store.rows(_RELATED, {"id": memory_id}) if store.schema >= RELATED else []
    return [(type, store.short_id(other), bool(received)) for type, other, received in rows]


def contradicted(store: Reader, project: str | None, everything: bool, limit: int, now: float) -> list[str]:
    """Returns the ids of recalled memories that may contradict another recalled one, the newest first."""
    if store.schema < RELATED:
        return []
    values = {"project": project, "limit": limit, "now": now}
    return [row[0] for row in store.rows(_RIVALS.format(scope=in_scope(project, everything, "")), values)]


STRONG_LINK = 0.5  # the least weight of a relationship that brings a memory along with another


class Edges:
    """The relationships in one scope: a project's and user scope, or `everything`."""

    def __init__(self, store: Reader, project: str | None, everything: bool, now: float) -> None:
        self.store = store
        self.scope = f"{VISIBLE} AND {in_scope(project, everything, '')}"
        self.values: dict[str, object] = {"project": project, "now": now}

    def _rows(self, sql: str, **values: object) -> list[Any]:
        return self.store.rows(sql.format(scope=self.scope), {**self.values, **values})

    def of(self, ids: Iterable[str], types: Sequence[str] = (), least: float = 0.0) -> list[Edge]:
        """All that lead from or to these memories and weigh `least`, the strongest first; of some types only, where any
        are given.
        """
        found = [Edge(*row) for row in self._rows(_AWAY, ids=dump(sorted(ids)))]
        return sorted(
            (one for one in found if one.weight >= least and (not types or one.type in types)), key=Edge.order
        )

    def strong(self, ids: Iterable[str], least: float) -> list[str]:
        """What is recalled and hangs together with some memories at least so strongly, the strongest first."""
        known = set(ids)
        between = [edge for edge in self.of(known) if edge.weight >= least and edge.type != SUPERSEDES]
        others = dict.fromkeys(edge.target if edge.source in known else edge.source for edge in between)
        wanted = [one for one in others if one not in known]
        recalled = self.store.rows(_RECALLED, {"ids": dump(wanted), "now": self.values["now"]})
        return [one for one in wanted if (one,) in set(recalled)]

    def leaving(self, ids: Iterable[str]) -> list[Edge]:
        """Those that lead from these memories."""
        return sorted((Edge(*row) for row in self._rows(_LEAVING, ids=dump(sorted(ids)))), key=Edge.order)

    def visible(self, ids: Iterable[str]) -> list[str]:
        """Those of some memories that may be seen here."""
        return [row[0] for row in self._rows(_SEEN, ids=dump(list(ids)))]

    def page(self, limit: int, offset: int) -> tuple[list[str], int]:
        """The ids of a part of all memories, in the order in which they came, and how many there are."""
        (total,) = self._rows(_COUNT)[0]
        return [row[0] for row in self._rows(_PAGE, limit=limit, offset=offset)], total

    def communities(self, limit: int) -> list[tuple[str, int, list[str]]]:
        """(name, how many memories, the ids of the most central `limit`) of each, the largest first."""
        return [
            (name, count, [row[0] for row in self._rows(_CENTRAL, name=name, limit=limit)])
            for name, count in self._rows(_GROUPS)
        ]
