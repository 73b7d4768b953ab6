"""Anchors of memories in files as rows: which there are, which were lost, which a person has confirmed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session as Transaction
from sqlmodel import col, delete, select

from ..core.anchors import BRANCH, FACET, LOST
from ..core.defaults import LOST_CONFIDENCE
from .database import Database
from .tables import Audit, Memory, MemoryFacet, ProjectKey, Session


@dataclass(frozen=True, slots=True)
class Change:
    """An anchor that was looked at: what it `was`, what it is `now`, and the digest of the file that was seen."""

    memory_id: str
    value: str
    was: str
    now: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a memory says, the files it came of, the folders of its project, and the folder and branch of the session
    that it was said in.
    """

    content: str
    files: tuple[str, ...]
    roots: tuple[str, ...]
    folder: str
    branch: str


class Anchors(Database):
    """Whether the files that memories quote still say it."""

    def told(self, memory_id: str) -> Told | None:
        """None for a memory of no project, and for what only sums up."""
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
            if memory is None or memory.project_id is None or memory.kind == "summary":
                return None
            files = select(MemoryFacet.value).where(MemoryFacet.memory_id == memory_id, MemoryFacet.facet == "file")
            roots = self._roots(tx, memory.project_id)
            session = tx.get(Session, memory.session_id) if memory.session_id else None
            folder = session.cwd or "" if session else ""
            return Told(
                memory.content, tuple(tx.exec(files.order_by(MemoryFacet.value))), roots, folder, memory.branch or ""
            )

    def roots(self, since: float) -> list[tuple[str, str]]:
        """(project id, folder) of each project that had a session since then, and has one folder: of several clones it
        is not known which one to believe.
        """
        with self._transaction() as tx:
            query = select(Session.project_id).where(
                Session.last_seen_at >= since, col(Session.project_id).is_not(None)
            )
            found = [(project, self._roots(tx, project)) for project in tx.exec(query.distinct()) if project]
            return [(project, roots[0]) for project, roots in found if len(roots) == 1]

    @staticmethod
    def _roots(tx: Transaction, project_id: str) -> tuple[str, ...]:
        """The folders that a project's keys name."""
        query = select(ProjectKey.key).where(
            ProjectKey.project_id == project_id, col(ProjectKey.key).startswith("dir:")
        )
        return tuple(key[len("dir:") :] for key in tx.exec(query.order_by(ProjectKey.key)))

    def anchors(self, project_id: str) -> list[MemoryFacet]:
        """Those of a project's active memories, the lost ones too, and the branches that these are bound to."""
        with self._transaction() as tx:
            query = select(MemoryFacet).join(Memory, col(Memory.id) == MemoryFacet.memory_id)
            query = query.where(Memory.project_id == project_id, Memory.status == "active")
            query = query.where(col(MemoryFacet.facet).in_((FACET, LOST, BRANCH)))
            rows = tx.exec(query.order_by(MemoryFacet.memory_id)).all()
            for row in rows:
                tx.expunge(row)
            return list(rows)

    def settle(self, changes: Iterable[Change], now: float) -> None:
        """Notes what was seen; a memory's confidence falls with each anchor that is newly lost, and rises with each
        that is there again.
        """
        with self._transaction() as tx:
            for change in changes:
                row = tx.get(MemoryFacet, (change.memory_id, change.was, change.value))
                if row is None:
                    continue
                if change.was == change.now:
                    row.content_hash = change.content_hash
                    row.verified_at = now if change.now == FACET else row.verified_at
                    tx.add(row)
                    continue
                tx.delete(row)
                seen_at = now if change.now == FACET else row.verified_at
                tx.add(
                    MemoryFacet(
                        memory_id=change.memory_id,
                        facet=change.now,
                        value=change.value,
                        content_hash=change.content_hash,
                        verified_at=seen_at,
                    )
                )
                self._sway(tx, change.memory_id, LOST_CONFIDENCE if change.now == FACET else -LOST_CONFIDENCE, now)

    @staticmethod
    def _sway(tx: Transaction, memory_id: str, by: float, now: float) -> None:
        memory = tx.get_one(Memory, tx.exec(select(Memory.seq).where(Memory.id == memory_id)).one())
        memory.confidence = min(1.0, max(0.0, memory.confidence + by))
        tx.add(memory)
        op = "anchor_found" if by > 0 else "anchor_lost"
        tx.add(Audit(at=now, actor="worker", op=op, memory_id=memory_id, details="{}"))

    def land(self, ids: Iterable[str], now: float) -> None:
        """Notes that what memories quote is on the default branch now."""
        with self._transaction() as tx:
            for memory_id in ids:
                tx.exec(_of(memory_id, BRANCH))
                tx.add(Audit(at=now, actor="worker", op="landed", memory_id=memory_id, details="{}"))

    def reanchor(self, memory_id: str, files: Iterable[str], values: Iterable[str], branch: str) -> None:
        """Adds files to a memory, replaces its anchors, the lost ones too, and binds it to a branch, "" for none."""
        with self._transaction() as tx:
            tx.exec(_of(memory_id, FACET, LOST, BRANCH))
            if branch:
                tx.add(MemoryFacet(memory_id=memory_id, facet=BRANCH, value=branch))
            for file in files:
                if tx.get(MemoryFacet, (memory_id, "file", file)) is None:
                    tx.add(MemoryFacet(memory_id=memory_id, facet="file", value=file))
            for value in dict.fromkeys(values):
                tx.add(MemoryFacet(memory_id=memory_id, facet=FACET, value=value))

    def confirm(self, memory_id: str, now: float) -> None:
        """A person's word that a memory still holds: what it has lost no longer counts against it."""
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).one()
            query = select(MemoryFacet).where(MemoryFacet.memory_id == memory_id)
            lost = tx.exec(query.where(MemoryFacet.facet == LOST)).all()
            memory.confidence = min(1.0, memory.confidence + LOST_CONFIDENCE * len(lost))
            memory.verified_at = now
            tx.add(memory)
            for row in lost:
                tx.delete(row)
            tx.add(Audit(at=now, actor="person", op="verify", memory_id=memory_id, details="{}"))


def _of(memory_id: str, *facets: str) -> Any:
    """Deletes a memory's rows of these facets."""
    return delete(MemoryFacet).where(col(MemoryFacet.memory_id) == memory_id, col(MemoryFacet.facet).in_(facets))
