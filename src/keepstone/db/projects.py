"""Finds a folder's project by its keys, creates it if it is new, and merges projects that turn out to be one."""

from __future__ import annotations

from ..lib.fast_json import dump
from ..lib.text import digest
from ..project.identity import NO_COMMIT, Identity, apart, choose
from ..redaction.redact import redact
from .writer import Transaction

_ANOTHER = "git:"  # the key of some remote that is no known project's
# Returns every key of the projects that have one of the given keys.
RELATED_KEYS = """
SELECT key, project_id FROM project_key WHERE project_id IN (
    SELECT project_id FROM project_key WHERE key IN (SELECT value FROM json_each(:keys)))
"""


def resolve_project(tx: Transaction, identity: Identity, root: str, now: float) -> str:
    """Returns the project's id, and stores all its keys. `root` is the hash of its first commit, NO_COMMIT if it has
    none, or "" if that was not looked up.

    A folder that says that its remote is a known project's belongs to that only if it holds the same first commit,
    where one is known: else it has a project of its own. Until somebody has looked, it is not noted as that project's.
    """
    folders = tuple(key for key in identity.keys if key.startswith("dir:"))
    remotes = tuple(key for key in identity.keys if not key.startswith("dir:"))
    keys = (*remotes, *([f"root:{root}"] if root not in ("", NO_COMMIT) else []), *folders)
    known = related_keys(tx, keys)
    if _is_unproven(keys, known):
        if not root and not apart(keys, known):
            return choose(keys, known) or _new_project(tx, identity, keys, now)
        keys = tuple(key for key in keys if key not in remotes)
        chosen = choose((_ANOTHER, *keys), known) or _new_project(tx, identity, keys, now)
    else:
        chosen = choose(keys, known) or _new_project(tx, identity, keys, now)
    owners, merged = dict(known), {chosen}
    for key in keys:
        if key not in owners:
            tx.insert("project_key", {"key": key, "project_id": chosen})
        elif key.startswith("root:") and (remotes or _has(chosen, "git:", known)):  # forks of a template share it
            if owners.get(keys[-1]) == chosen and not _has(owners[key], "git:", known):
                tx.update("project_key", {"key": key}, {"project_id": chosen})
        elif owners[key] not in merged and _move_key(tx, key, owners[key], chosen, known, now):
            merged.add(owners[key])
    return chosen


def _is_unproven(keys: tuple[str, ...], known: list[tuple[str, str]]) -> bool:
    """Tells whether keys name a project by its remote, and neither by its folder nor by its first commit, although one
    is known.
    """
    owners = {key.partition(":")[0]: project for key, project in known if key in keys}
    project = owners.get("git")
    if project is None or project in (owners.get("dir"), owners.get("root")):
        return False
    return _has(project, "root:", known)


def _has(project: str, kind: str, known: list[tuple[str, str]]) -> bool:
    """Tells whether a project has a key of a kind among the known ones."""
    return any(key.startswith(kind) and owner == project for key, owner in known)


def related_keys(tx: Transaction, keys: tuple[str, ...]) -> list[tuple[str, str]]:
    """Returns (key, project id) of every key of the projects that have one of these keys."""
    return tx.all(RELATED_KEYS, {"keys": dump(list(keys))})


def _new_project(tx: Transaction, identity: Identity, keys: tuple[str, ...], now: float) -> str:
    project_id = "prj-" + digest(keys[0], repr(now))[:16]
    tx.insert("project", {"id": project_id, "name": name_to_store(identity), "created_at": now})
    return project_id


def name_to_store(identity: Identity) -> str:
    return redact(identity.name)


def _move_key(tx: Transaction, key: str, old: str, chosen: str, known: list[tuple[str, str]], now: float) -> bool:
    """Moves a key to the project `chosen`. Returns whether the old project was merged into it, with all its rows.

    If the old project has a git remote of its own, it is not merged: a folder key moves alone and a first commit does
    not move, because copies of a template share it.
    """
    if _has(old, "git:", known):
        if not key.startswith("root:"):
            tx.update("project_key", {"key": key}, {"project_id": chosen})
        return False
    for table in ("memory", "session", "suggestion", "project_key"):
        tx.update(table, {"project_id": old}, {"project_id": chosen})
    details = dump({"from": old, "into": chosen})
    tx.insert("audit", {"at": now, "actor": "worker", "op": "project_merge", "details": details})
    return True
