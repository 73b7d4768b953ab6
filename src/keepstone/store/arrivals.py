"""Projects that arrive from another database, and which ones they are here."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session as Transaction
from sqlmodel import func, select

from ..project import choose
from .rows import Row
from .tables import ProjectKey

OF_PROJECT = "project_id"  # the column by which a row refers to one, in whatever table
RANK = ("git:", "root:", "dir:")  # of a project's keys, the strongest first


class Arrivals:
    """Those that are known here by one of their keys are these; the others are new."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._waiting: dict[str, tuple[Row, list[Row]]] = {}  # whose place here is not decided yet
        self._place: dict[str, str] = {}

    def meet(self, table: str, row: Row) -> None:
        """A row of a project, or of one of its keys."""
        if table == "project":
            self._waiting[row["id"]] = (row, [])
        elif row[OF_PROJECT] in self._waiting:
            self._waiting[row[OF_PROJECT]][1].append(row)

    def settle(self) -> Iterator[tuple[str, Row]]:
        """Decides on all that were met; the rows that are to be here, of which keys may be here already."""
        for project_id, (row, keys) in self._waiting.items():
            named = sorted((key["key"] for key in keys), key=lambda key: (_rank(key), key))
            here = project_id if self._is_here(project_id) else choose(tuple(named), self._related(named))
            self._place[project_id] = here or project_id
            if not here:
                yield "project", row
            for key in keys:
                yield "project_key", {**key, OF_PROJECT: self._place[project_id]}
        self._waiting = {}

    def here(self, project_id: str | None) -> str | None:
        """The project's id here."""
        return self._place.get(project_id, project_id) if project_id else project_id

    def _is_here(self, project_id: str) -> bool:
        query = select(func.count()).select_from(ProjectKey).where(ProjectKey.project_id == project_id)
        return bool(self.tx.exec(query).one())

    def _related(self, keys: list[str]) -> list[tuple[str, str]]:
        owners = select(ProjectKey.project_id).where(ProjectKey.key.in_(keys))  # type: ignore[attr-defined]
        rows = self.tx.exec(select(ProjectKey).where(ProjectKey.project_id.in_(owners)))  # type: ignore[attr-defined]
        return [(row.key, row.project_id) for row in rows]


def _rank(key: str) -> int:
    return next((place for place, start in enumerate(RANK) if key.startswith(start)), len(RANK))
