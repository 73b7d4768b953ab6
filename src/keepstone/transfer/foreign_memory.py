"""Describes a memory of another tool before it is stored, and finds the project that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..claude_code.auto_memory import KIND_OF_TYPE
from ..lib.limits import FACETS_MAX, TAG_CHARS, TAGS_MAX
from ..lib.text import one_line
from ..model.memory import ALIASES, GROUPS, KINDS

# Words for kinds that only other tools have: claude-mem's types of observations, in all its modes.
_KINDS = {
    "bugfix": "solution",
    "feature": "solution",
    "refactor": "solution",
    "change": "general",
    "security_alert": "incident",
    "security_note": "architecture",
    "note": "general",
    **KIND_OF_TYPE,
    **ALIASES,
}
ANY = "general"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A memory of another tool. `key` identifies it within its source and is the same at each reading. `project` is the
    tool's name for its project, "" if it has none. `created_at` is in UTC Unix seconds, None if unknown. `file` is its
    name among the client's own memory files, `named` the id that it had in Keepstone when that exported it. Texts are
    unchanged, because a secret that is cut, folded or in lower case can no longer be recognised.
    """

    key: str
    kind: str
    content: str
    title: str = ""
    created_at: float | None = None
    project: str = ""
    worktree_of: str = ""  # the project that this one is a worktree of, "" if it is none
    session: str = ""
    user: bool = False
    word: str = ""  # the tool's own word for the kind
    tags: tuple[str, ...] = ()
    facets: tuple[tuple[str, str], ...] = ()
    file: str = ""
    named: str = ""


def kind_of(word: str) -> str:
    """Returns the kind for another tool's word, or "general" if the word is unknown."""
    word = word.strip().lower()
    return word if word in KINDS else _KINDS.get(word, ANY)


def tags_of(item: Foreign, redact: Callable[[str], str]) -> tuple[str, ...]:
    """Returns the tags to store, without secrets. Includes the tool's own word for the kind if that is not
    one of ours.
    """
    word = one_line(item.word).lower()
    own = [f"kind:{item.word}"] if word and word not in (*KINDS, *GROUPS) else []
    found = dict.fromkeys(one_line(tag).lower() for tag in (*own, *item.tags) if redact(tag) == tag)
    return tuple(tag for tag in found if 0 < len(tag) <= TAG_CHARS)[:TAGS_MAX]


def facets_of(item: Foreign, redact: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """Returns the (facet, value) pairs to store, without secrets, at most FACETS_MAX."""
    found = ((facet, one_line(value)) for facet, value in item.facets if redact(value) == value)
    return tuple(dict.fromkeys(pair for pair in found if pair[1]))[:FACETS_MAX]


@dataclass(frozen=True, slots=True)
class KnownProject:
    """A known project: its id ("" for the current one, before it is stored) and the names that other tools may use for
    it.
    """

    id: str
    names: frozenset[str]


def names_of(name: str, folders: Iterable[str]) -> frozenset[str]:
    """Returns the names that another tool may use for a project: its name, the last part of it, its folders' names."""
    parts = [name, name.rpartition("/")[2], *(folder.replace("\\", "/").rpartition("/")[2] for folder in folders)]
    return frozenset(part for part in parts if part)


def owners(names: Iterable[str], known: Sequence[KnownProject]) -> list[str]:
    """Returns the ids of the projects that match the first of these names with any match."""
    found = ([project.id for project in known if name in project.names] for name in names)
    return next(filter(None, found), [])


def text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""
