"""Stores the anchors of memories in files: found, lost and confirmed by a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..db.records import AuditRecord, MemoryFacetRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump
from ..model.anchor import BRANCH, FACET, LOST
from ..model.memory import OUTDATED

LOST_CONFIDENCE = 0.1  # the drop in confidence for each lost anchor

STATE = """
SELECT m.content, m.project_id, m.branch, s.cwd FROM memory m LEFT JOIN session s ON s.id = m.session_id
WHERE m.id = :id AND m.project_id IS NOT NULL AND m.kind <> 'summary'
"""
FILES = "SELECT value FROM memory_facet WHERE memory_id = :id AND facet = 'file' ORDER BY value"
ROOTS = """
SELECT substr(key, 5) FROM project_key WHERE project_id = :project AND substr(key, 1, 4) = 'dir:' ORDER BY key
"""
RECENT_ROOTS = """
SELECT project_id, substr(key, 5) FROM project_key WHERE substr(key, 1, 4) = 'dir:'
    AND project_id IN (SELECT project_id FROM session WHERE last_seen_at >= :since)
ORDER BY project_id, key
"""
OF_PROJECT = """
JOIN memory m ON m.id = t.memory_id
WHERE m.project_id = :project AND m.status = 'active'
    AND t.facet IN (SELECT value FROM json_each(:facets))
ORDER BY t.memory_id, t.facet, t.value
"""
CLEAR = """
DELETE FROM memory_facet WHERE memory_id = :id AND facet IN (SELECT value FROM json_each(:facets))
"""
ADD = """
INSERT INTO memory_facet (memory_id, facet, value) VALUES (:id, :facet, :value)
ON CONFLICT (memory_id, facet, value) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class AnchorChange:
    """An anchor that was checked: its facet before (`was`) and after (`now`), and the digest of the file's text."""

    memory_id: str
    value: str
    was: str
    now: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class AnchorState:
    """A memory's text, its files, the folders of its project, and the folder and branch of its session."""

    content: str
    files: tuple[str, ...]
    roots: tuple[str, ...]
    folder: str
    branch: str


def anchor_state(tx: Transaction, memory_id: str) -> AnchorState | None:
    """Returns the data that a memory's anchors are made from. Returns None for a summary or a memory
    without a project.
    """
    row = tx.one(STATE, {"id": memory_id})
    if row is None:
        return None
    content, project_id, branch, folder = row
    files = tuple(tx.column(FILES, {"id": memory_id}))
    roots = tuple(tx.column(ROOTS, {"project": project_id}))
    return AnchorState(content, files, roots, folder or "", branch or "")


def roots(tx: Transaction, since: float) -> list[tuple[str, str]]:
    """Returns (project id, folder) of each project that had a session since `since` and has exactly one folder. A
    project with several clones is left out, because none of them is known to be the right one.
    """
    found: dict[str, list[str]] = {}
    for project_id, folder in tx.all(RECENT_ROOTS, {"since": since}):
        found.setdefault(project_id, []).append(folder)
    return [(project_id, folders[0]) for project_id, folders in found.items() if len(folders) == 1]


def anchors(tx: Transaction, project_id: str) -> list[MemoryFacetRecord]:
    """Returns the anchors of a project's active memories, lost ones included, and their branch bindings."""
    return tx.records(MemoryFacetRecord, OF_PROJECT, {"project": project_id, "facets": dump([FACET, LOST, BRANCH])})


def record_checks(tx: Transaction, changes: Iterable[AnchorChange], now: float) -> None:
    """Stores the results of a check. Lowers a memory's confidence for each newly lost anchor, and raises it for each
    anchor that was found again.
    """
    for change in changes:
        key = {"memory_id": change.memory_id, "facet": change.was, "value": change.value}
        if change.was != change.now:
            _turn(tx, key, change, now)
            continue
        seen = {"verified_at": now} if change.now == FACET else {}
        tx.update("memory_facet", key, {"content_hash": change.content_hash, **seen})


def _turn(tx: Transaction, key: dict[str, str], change: AnchorChange, now: float) -> None:
    """Replaces a found anchor with a lost one, or the reverse. Does nothing if the row no longer exists."""
    row = tx.record(MemoryFacetRecord, "WHERE t.memory_id = :memory_id AND t.facet = :facet AND t.value = :value", key)
    if row is None:
        return
    is_found = change.now == FACET
    seen_at = now if is_found else row.verified_at
    tx.remove(row)
    moved = MemoryFacetRecord(
        memory_id=change.memory_id,
        facet=change.now,
        value=change.value,
        content_hash=change.content_hash,
        verified_at=seen_at,
    )
    tx.add(moved)
    _sway(tx, change.memory_id, LOST_CONFIDENCE if is_found else -LOST_CONFIDENCE)
    op = "anchor_found" if is_found else "anchor_lost"
    tx.add(AuditRecord(at=now, actor="worker", op=op, memory_id=change.memory_id, details="{}"))


def _sway(tx: Transaction, memory_id: str, by: float) -> None:
    """Adds `by` to a memory's confidence, limited to 0..1."""
    confidence = tx.value("SELECT confidence FROM memory WHERE id = :id", {"id": memory_id})
    tx.update("memory", {"id": memory_id}, {"confidence": min(1.0, max(0.0, confidence + by))})


def land(tx: Transaction, ids: Iterable[str], now: float) -> None:
    """Unbinds memories from their branch, because the default branch now contains what they quote."""
    for memory_id in ids:
        _clear(tx, memory_id, BRANCH)
        tx.add(AuditRecord(at=now, actor="worker", op="landed", memory_id=memory_id, details="{}"))


def reanchor(tx: Transaction, memory_id: str, files: Iterable[str], values: Iterable[str], branch: str) -> None:
    """Replaces a memory's anchors, lost ones included, adds files to it, and binds it to a branch ("" for none)."""
    _clear(tx, memory_id, FACET, LOST, BRANCH)
    made = [(BRANCH, branch)] if branch else []
    made += [("file", file) for file in files]
    made += [(FACET, value) for value in values]
    tx.many(ADD, [{"id": memory_id, "facet": facet, "value": value} for facet, value in made])


def confirm(tx: Transaction, memory_id: str, now: float) -> None:
    """Marks a memory as confirmed by a person: deletes its lost anchors and gives back the confidence that they cost,
    and takes the label off that it was rated outdated.
    """
    confidence = tx.value("SELECT confidence FROM memory WHERE id = :id", {"id": memory_id})
    reason = tx.value("SELECT status_reason FROM memory WHERE id = :id", {"id": memory_id})
    lost = tx.delete("memory_facet", {"memory_id": memory_id, "facet": LOST})
    restored = min(1.0, confidence + LOST_CONFIDENCE * lost)
    values = {"confidence": restored, "verified_at": now, "status_reason": None if reason == OUTDATED else reason}
    tx.update("memory", {"id": memory_id}, values)
    about = AuditRecord(at=now, actor=tx.actor, op="verify", memory_id=memory_id, session_id=tx.session, details="{}")
    tx.add(about)


def _clear(tx: Transaction, memory_id: str, *facets: str) -> None:
    """Deletes a memory's rows of these facets."""
    tx.run(CLEAR, {"id": memory_id, "facets": dump(list(facets))})
