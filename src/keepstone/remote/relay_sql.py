"""Captures into the read copy of another machine's server. Sessions, cursors, observations and deliveries stay in the
copy; memories are sent to the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from ..capture import commit_sql, observations_sql
from ..capture.commit_sql import NO_EXTRAS, WindowExtras
from ..db.projects import name_to_store
from ..db.writer import Transaction, Writer
from ..lib.fast_json import dump
from ..lib.limits import COPY_ROWS
from ..lifecycle import note_files_sql
from ..lifecycle.add_sql import Origin
from ..model.candidate import Candidate
from ..model.cursor import Cursor
from ..project.identity import Identity
from .copy_format import SessionReport
from .read_copy_sql import ShownRow

Learned = tuple[list[str], list[str]]  # the ids of new memories, and of repeated ones
KEYS = "SELECT key, project_id FROM project_key WHERE key IN (SELECT value FROM json_each(:keys))"
ADD_PROJECT = """
INSERT INTO project (id, name, created_at) VALUES (:id, :name, :now)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, created_at = excluded.created_at
"""
ADD_KEY = """
INSERT INTO project_key (key, project_id) VALUES (:key, :project)
ON CONFLICT (key) DO UPDATE SET project_id = excluded.project_id
"""


class RelayServer(Protocol):
    """The server. Each method raises KeepstoneError, and may be called again with the same values."""

    def settled(self, place: Identity) -> str: ...

    def count_shown(self, place: Identity | None, shown: ShownRow) -> None: ...

    def learn(self, place: Identity | None, origin: Origin, told: SessionReport) -> Learned: ...


class Relay:
    """A capture sink (`capture.pipeline.CaptureSink`) whose memories are on a server. They are sent before the window
    counts as captured in the copy.
    """

    def __init__(self, copy: Writer, server: RelayServer, renew: Callable[[], object]) -> None:
        """`copy` is the read copy, which `renew` updates."""
        self.copy = copy
        self.server = server
        self.renew = renew

    def project(self, identity: Identity | None, root: str, now: float) -> str | None:
        """Returns the server's id of a folder's project. The hash of its first commit is not sent: its remote is
        enough.
        """
        if identity is None:
            return None
        with self.copy.transaction() as tx:
            known = dict(tx.all(KEYS, {"keys": dump(list(identity.keys))}))
        if len(known) == len(identity.keys) and len(set(known.values())) == 1:
            return known[identity.keys[0]]  # type: ignore[no-any-return]
        project_id = self.server.settled(identity)
        with self.copy.transaction() as tx:
            tx.run(ADD_PROJECT, {"id": project_id, "name": name_to_store(identity), "now": now})
            tx.many(ADD_KEY, [{"key": key, "project": project_id} for key in identity.keys])
        return project_id

    def keep(
        self,
        origin: Origin,
        candidates: Iterable[Candidate],
        before: Cursor,
        after: Cursor,
        now: float,
        extras: WindowExtras = NO_EXTRAS,
    ) -> Learned | None:
        """Sends a window's memories, and commits the rest to the copy. Returns (new ids, reinforced ids), or None if
        another capture has moved the cursor from `before`.
        """
        new: list[str] = []
        again: list[str] = []
        for first in range(0, len(extras.left), COPY_ROWS):
            self._learn(origin, SessionReport(left=list(extras.left[first : first + COPY_ROWS])), new, again)
        for note in extras.notes:  # an edit depends on the server's present text of the file
            self.renew()
            with self.copy.transaction() as tx:
                made = note_files_sql.candidate_of(tx, note, origin.project_id)
            self._learn(origin, SessionReport(notes=[(note.file, made)] if made else []), new, again)
        told = SessionReport(
            list(candidates), dict(extras.verdicts), unsaid=list(extras.unsaid), said=list(extras.said)
        )
        self._learn(origin, told, new, again)
        local = WindowExtras(observed=extras.observed, verdicts=extras.verdicts)
        with self.copy.transaction() as tx:
            observations_sql.drop(tx, origin.session_id or "", extras.left)
            is_kept = commit_sql.capture(tx, origin, [], before, after, now, local) is not None
        return (new, again) if is_kept else None

    def conclude(
        self, origin: Origin, candidates: list[Candidate], summary: Candidate | None, ended: bool, now: float
    ) -> list[str]:
        """Sends the results of a session. Returns the ids of new memories."""
        new: list[str] = []
        self._learn(origin, SessionReport(candidates, summary=summary, ended=ended), new, [])
        return new

    def _learn(self, origin: Origin, told: SessionReport, new: list[str], again: list[str]) -> None:
        if told:
            with self.copy.transaction() as tx:
                place = _place(tx, origin.project_id)
            learned = self.server.learn(place, origin, told)
            new += learned[0]
            again += learned[1]


def _place(tx: Transaction, project_id: str | None) -> Identity | None:
    """Returns the identity of a project by its id, as this machine knows it."""
    if not project_id:
        return None
    name = tx.value("SELECT name FROM project WHERE id = :id", {"id": project_id})
    keys = tx.column("SELECT key FROM project_key WHERE project_id = :id", {"id": project_id})
    found = sorted(keys, key=lambda key: (key.startswith("dir:"), key))
    return Identity(tuple(found), name, "") if name is not None and found else None
