"""Reads the knowledge graph of the official MCP memory server: JSON lines of entities with observations,
and relations.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..db.archive_format import parsed
from ..lib.text import digest, one_line
from ..model.memory import KINDS
from .foreign_memory import Foreign

TYPES = ("entity", "relation")


def read(line: str) -> Iterator[Foreign]:
    """Yields the memories of a line: one for each observation, and one sentence for a relation. Raises ValueError with
    a readable message.
    """
    value = parsed(line)
    if value.get("type") == "entity":
        yield from _entity(_named(value, "name"), value)
    elif value.get("type") == "relation":
        source, word, target = (_named(value, name) for name in ("from", "relationType", "to"))
        content = f"{source} {word.replace('_', ' ')} {target}"
        yield Foreign(f"relation:{digest(source, word, target)}", "fact", content, tags=(source, target))
    else:
        raise ValueError("this is neither an entity nor a relation")


def _entity(name: str, value: dict[str, object]) -> Iterator[Foreign]:
    said, word = value.get("observations"), value.get("entityType")
    if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
        raise ValueError("an entity's observations are no list of texts")
    sort = word if isinstance(word, str) else ""
    kind = sort.strip().lower() if sort.strip().lower() in KINDS else "fact"
    for one in filter(str.strip, said):
        content = f"{name}: {one.strip()}"
        yield Foreign(f"observation:{digest(name, one)}", kind, content, tags=(name, sort))


def _named(value: dict[str, object], key: str) -> str:
    word = value.get(key)
    name = one_line(word).strip() if isinstance(word, str) else ""  # of characters that show nothing, nothing is left
    if not name:
        raise ValueError(f"it has no {key!r}")
    return name
