"""Maps projects from another database to the projects of this one."""

from __future__ import annotations

from collections.abc import Iterator

from ..db.projects import related_keys
from ..db.rows import Row
from ..db.writer import Transaction
from ..project.identity import choose

OF_PROJECT = "project_id"  # the column that refers to a project, in any table
RANK = ("git:", "root:", "dir:")  # kinds of project keys, strongest first


class Arrivals:
    """Projects that arrive. If a key is known here, the project is the one with that key; otherwise it is new."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._pending: dict[str, tuple[Row, list[Row]]] = {}  # projects and their keys, by id
        self._place: dict[str, str] = {}

    def meet(self, table: str, row: Row) -> None:
        """Takes a row of a project, or of one of its keys."""
        if table == "project":
            self._pending[row["id"]] = (row, [])
        elif row[OF_PROJECT] in self._pending:
            self._pending[row[OF_PROJECT]][1].append(row)

    def resolve_arrivals(self) -> Iterator[tuple[str, Row]]:
        """Resolves all projects so far. Yields (table, row) of the rows to add; the keys may already exist."""
        for project_id, (row, keys) in self._pending.items():
            named = sorted((key["key"] for key in keys), key=lambda key: (_rank(key), key))
            here = project_id if self._is_here(project_id) else choose(tuple(named), self._related(named))
            self._place[project_id] = here or project_id
            if not here:
                yield "project", row
            for key in keys:
                yield "project_key", {**key, OF_PROJECT: self._place[project_id]}
        self._pending = {}

    def id_here(self, project_id: str | None) -> str | None:
        """Returns the project's id in this database."""
        return self._place.get(project_id, project_id) if project_id else project_id

    def _is_here(self, project_id: str) -> bool:
        found = self.tx.one("SELECT 1 FROM project_key WHERE project_id = :id LIMIT 1", {"id": project_id})
        return found is not None

    def _related(self, keys: list[str]) -> list[tuple[str, str]]:
        return related_keys(self.tx, tuple(keys))


def _rank(key: str) -> int:
    return next((place for place, start in enumerate(RANK) if key.startswith(start)), len(RANK))
