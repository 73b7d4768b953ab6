"""Builds SQL conditions on memories `m`: scope, kinds, state and filter. Hot module.

A condition contains named parameters, never values.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.filter import Filter

_IN_TIME = "(m.expires_at IS NULL OR m.expires_at > :now)"
RECALLABLE = "m.status = 'active' AND m.trust = 'trusted' AND m.tier <> 'working' AND " + _IN_TIME
SUSPECT = "m.status = 'active' AND m.trust = 'quarantined' AND " + _IN_TIME
ALIVE = "m.status = 'active' AND " + _IN_TIME
# A superseded or merged memory is no longer recalled but explains one that is. A forgotten memory stays hidden.
VISIBLE = f"m.trust = 'trusted' AND m.tier <> 'working' AND (m.status = 'archived' OR ({ALIVE}))"
OF_USER = "m.scope = 'user' AND m.project_id IS NULL"
KINDS = "m.kind IN (SELECT value FROM json_each(:kinds))"
# States of memories that are not recalled, by the names that listings use.
STATES = {
    "forgotten": "(m.status = 'deleted' OR (m.status = 'active' AND m.expires_at <= :now))",
    "archived": "m.status = 'archived'",
}
_FACET = " AND EXISTS (SELECT 1 FROM memory_facet x WHERE x.memory_id = m.id AND x.facet = '{}' AND {})"
_CONDITIONS = (
    ("tag", _FACET.format("tag", "x.value = :tag")),
    (
        "file",
        _FACET.format("file", "(x.value = :file OR substr(x.value, length(x.value) - length(:file)) = '/' || :file)"),
    ),
    ("tier", " AND m.tier = :tier"),
    ("since", " AND m.created_at >= :since"),
    ("before", " AND m.created_at < :before"),
    ("agent", " AND m.agent_id = :agent"),
    ("of_session", " AND m.session_id = :of_session"),
)


def is_project(project: str | None, row: str = "m") -> str:
    """Returns the condition that a row belongs to a project, or to none. Both forms use an index."""
    return row + ".project_id " + ("IS NULL" if project is None else "= :project")


def of_project(project: str | None) -> str:
    """Returns the condition that a memory has project scope and belongs to a project, or to none."""
    return "m.scope = 'project' AND " + is_project(project)


def of_kinds(kinds: str) -> str:
    """Returns an additional condition on the kind if `kinds` (a JSON array) is not ""."""
    return " AND " + KINDS if kinds else ""


def in_scope(project: str | None, everything: bool, kinds: str) -> str:
    """Returns the condition that a memory belongs to a project or to user scope, and has one of the kinds. Use it only
    with a condition that already narrows the rows: an OR over scope would sort the whole table.
    """
    near = "TRUE" if everything else "((" + of_project(project) + ") OR (" + OF_USER + "))"
    return near + of_kinds(kinds)


def condition(narrow: Filter) -> str:
    """Returns the additional condition of a filter, "" for an empty one."""
    return "".join(part for name, part in _CONDITIONS if getattr(narrow, name) not in ("", None))


def condition_values(narrow: Filter) -> dict[str, Any]:
    """Returns the parameters of a filter's condition."""
    return {name: _stored(getattr(narrow, name)) for name in narrow.__slots__}


def _stored(value: object) -> object:
    """Returns a value that the engine can store: text without lone surrogates, which no memory contains."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
