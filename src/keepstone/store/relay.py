"""The read copy of another machine's server, as what this machine's worker captures into: sessions, where their capture
stands, observations and what was shown are kept here, and what becomes a memory goes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from sqlmodel import col, select

from ..core.candidate import Candidate
from ..core.copying import Told
from ..core.transcript import Cursor
from ..project import Identity
from .keep import Origin
from .read_copy import Shown
from .store import BARE, Beside, Store
from .tables import Project, ProjectKey

Learned = tuple[list[str], list[str]]  # the ids of what is new, and of what was said again


class Server(Protocol):
    """That server. Each raises KeepstoneError, and may be told the same again."""

    def settled(self, place: Identity) -> str: ...

    def count_shown(self, place: Identity | None, shown: Shown) -> None: ...

    def learn(self, place: Identity | None, origin: Origin, told: Told) -> Learned: ...


class Relay(Store):
    """A store whose memories are another machine's. What goes there does so before it counts as done here."""

    def __init__(
        self, path: str, ratio: Callable[[str, str], float], server: Server, renew: Callable[[], object]
    ) -> None:
        """`path` is the copy's, which `renew` brings up to date."""
        super().__init__(path, ratio)
        self.server = server
        self.renew = renew

    def project(self, identity: Identity | None, root: str, now: float) -> str | None:
        """The server's id of a folder's project. The folder's first commit is not told: its remote has to do."""
        if identity is None:
            return None
        with self._transaction() as tx:
            query = select(ProjectKey).where(col(ProjectKey.key).in_(identity.keys))
            known = {row.key: row.project_id for row in tx.exec(query)}
        if len(known) == len(identity.keys) and len(set(known.values())) == 1:
            return known[identity.keys[0]]
        project_id = self.server.settled(identity)
        with self._transaction() as tx:
            tx.merge(Project(id=project_id, name=identity.name, created_at=now))
            tx.flush()
            for key in identity.keys:
                tx.merge(ProjectKey(key=key, project_id=project_id))
        return project_id

    def place(self, project_id: str | None) -> Identity | None:
        """The project of an id, as this machine knows it."""
        with self._transaction() as tx:
            row = tx.get(Project, project_id) if project_id else None
            keys = tx.exec(select(ProjectKey.key).where(ProjectKey.project_id == project_id)).all()
            found = sorted(keys, key=lambda key: (key.startswith("dir:"), key))
            return Identity(tuple(found), row.name, "") if row and found else None

    def capture(
        self,
        origin: Origin,
        candidates: Iterable[Candidate],
        before: Cursor,
        after: Cursor,
        now: float,
        beside: Beside = BARE,
    ) -> Learned | None:
        new: list[str] = []
        again: list[str] = []
        for note in beside.notes:  # an edit is one of what the server has by then
            self.renew()
            made = self.told_by(note, origin.project_id)
            self._learn(origin, Told(notes=[(note.file, made)] if made else []), new, again)
        self._learn(origin, Told(list(candidates), dict(beside.verdicts)), new, again)
        here = Beside(observed=beside.observed, verdicts=beside.verdicts)
        return None if super().capture(origin, [], before, after, now, here) is None else (new, again)

    def conclude(
        self, origin: Origin, candidates: list[Candidate], summary: Candidate | None, ended: bool, now: float
    ) -> list[str]:
        new: list[str] = []
        self._learn(origin, Told(candidates, summary=summary, ended=ended), new, [])
        return new

    def _learn(self, origin: Origin, told: Told, new: list[str], again: list[str]) -> None:
        if told:
            learned = self.server.learn(self.place(origin.project_id), origin, told)
            new += learned[0]
            again += learned[1]
