"""Memories of another tool before they are ours, and which of our projects they belong to."""

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
    """A memory of another tool. `key` tells it from all others of its source, the same each time it is read; `project`
    is that tool's name of its project, "" where it has none; `created_at` is in UTC unix seconds, None when unknown;
    `file` is its name among the client's own memory files; `named` the id that it had in Keepstone when that wrote it
    out. Texts are as they were found: what is cut, folded or put into lower case no longer looks like the secret it is.
    """

    key: str
    kind: str
    content: str
    title: str = ""
    created_at: float | None = None
    project: str = ""
    worktree_of: str = ""  # the project that this one is a worktree of, if it is one
    session: str = ""
    user: bool = False
    word: str = ""  # that tool's own word for the kind
    tags: tuple[str, ...] = ()
    facets: tuple[tuple[str, str], ...] = ()
    file: str = ""
    named: str = ""


def kind_of(word: str) -> str:
    """The kind that another tool's word means; a fact of any sort where it means none."""
    word = word.strip().lower()
    return word if word in KINDS else _KINDS.get(word, ANY)


def tags_of(item: Foreign, redact: Callable[[str], str]) -> tuple[str, ...]:
    """Tags as they are kept, none of them a secret; with the tool's own word for the kind where that is not ours."""
    word = one_line(item.word).lower()
    own = [f"kind:{item.word}"] if word and word not in (*KINDS, *GROUPS) else []
    found = dict.fromkeys(one_line(tag).lower() for tag in (*own, *item.tags) if redact(tag) == tag)
    return tuple(tag for tag in found if 0 < len(tag) <= TAG_CHARS)[:TAGS_MAX]


def facets_of(item: Foreign, redact: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """(facet, value) as they are kept, none of them a secret, as many as a memory has."""
    found = ((facet, one_line(value)) for facet, value in item.facets if redact(value) == value)
    return tuple(dict.fromkeys(pair for pair in found if pair[1]))[:FACETS_MAX]


@dataclass(frozen=True, slots=True)
class Known:
    """A project that Keepstone knows: its id, "" for the one here before it is stored; what it may be called."""

    id: str
    names: frozenset[str]


def names_of(name: str, folders: Iterable[str]) -> frozenset[str]:
    """What another tool may call a project: its name, the last part of it, its folder."""
    parts = [name, name.rpartition("/")[2], *(folder.replace("\\", "/").rpartition("/")[2] for folder in folders)]
    return frozenset(part for part in parts if part)


def owners(names: Iterable[str], known: Sequence[Known]) -> list[str]:
    """The ids of the projects that the first of these names may mean that means any."""
    found = ([project.id for project in known if name in project.names] for name in names)
    return next(filter(None, found), [])


def text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""
