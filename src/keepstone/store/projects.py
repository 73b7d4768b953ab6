"""A folder's project among the stored: found by its keys, made when it is new, merged when two turn out to be one."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.fastjson import dump
from ..core.text import digest
from ..project import Identity, choose
from .tables import Audit, Project, ProjectKey


def settle(tx: Transaction, identity: Identity, root: str, now: float) -> str:
    """The project's id, with all its keys known to the store from now on; `root` is its first commit, or ""."""
    folders = tuple(key for key in identity.keys if key.startswith("dir:"))
    remotes = tuple(key for key in identity.keys if not key.startswith("dir:"))
    keys = (*remotes, *([f"root:{root}"] if root else []), *folders)
    known = [(row.key, row.project_id) for row in _related_keys(tx, keys)]
    chosen = choose(keys, known) or _new_project(tx, identity, keys, now)
    for key in keys:
        row = tx.get(ProjectKey, key)
        if row is None:
            tx.add(ProjectKey(key=key, project_id=chosen))
        elif row.project_id != chosen:
            _move_key(tx, row, chosen, known, now)
    return chosen


def _related_keys(tx: Transaction, keys: tuple[str, ...]) -> list[ProjectKey]:
    owners = select(ProjectKey.project_id).where(ProjectKey.key.in_(keys))  # type: ignore[attr-defined]
    return list(tx.exec(select(ProjectKey).where(ProjectKey.project_id.in_(owners))))  # type: ignore[attr-defined]


def _new_project(tx: Transaction, identity: Identity, keys: tuple[str, ...], now: float) -> str:
    project_id = "prj-" + digest(keys[0], repr(now))[:16]
    tx.add(Project(id=project_id, name=identity.name, created_at=now))
    tx.flush()
    return project_id


def _move_key(tx: Transaction, row: ProjectKey, chosen: str, known: list[tuple[str, str]], now: float) -> None:
    """A key that names another project now, with all that project's rows. From one with a remote of its own a folder
    moves alone, and a first commit not at all: copies of a template share it.
    """
    old = row.project_id
    has_remote = any(key.startswith("git:") and project == old for key, project in known)
    if has_remote and row.key.startswith("root:"):
        return
    row.project_id = chosen
    tx.add(row)
    if has_remote:
        return
    for table in ("memory", "session", "project_key"):
        tx.connection().execute(
            text(f"UPDATE {table} SET project_id = :new WHERE project_id = :old"), {"new": chosen, "old": old}
        )
    tx.add(Audit(at=now, actor="worker", op="project_merge", details=dump({"from": old, "into": chosen})))
