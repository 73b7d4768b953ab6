"""What the tools of `keepstone mcp` answer: data for the client, and the same as text for its model, fenced and
escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..lib.limits import EXCERPT_CHARS, LINE_CHARS
from ..lib.text import clip, one_line
from ..model.hit import Hit, as_object, edge_object, markdown_line
from ..model.relationship import MANUAL, RELATIONS, Edge
from ..model.render import escape

SNIPPET_CHARS = EXCERPT_CHARS
SHORT = (
    "id",
    "kind",
    "status",
    "trust",
    "scope",
    "project",
    "tags",
    "files",
    "created_at",
    "changed",
    "may_contradict",
)


# None of these has slots: the SDK, which makes schemas of them, would take those for default values.


@dataclass(frozen=True)
class FoundAnswer:
    """Memories in short: `snippet` is the beginning of what each says. Where there are none, how many were searched,
    and how many other projects hold.
    """

    memories: list[dict[str, Any]]
    searched: int = 0
    elsewhere: int = 0


@dataclass(frozen=True)
class ShownAnswer:
    memory: dict[str, Any]
    relationships: list[dict[str, Any]]
    earlier_texts: list[str]


@dataclass(frozen=True)
class Stored:
    """`waits` says that a person has to accept it first, `why` says why."""

    memory: dict[str, Any]
    new: bool
    waits: bool
    why: str


@dataclass(frozen=True)
class Rated:
    memory: dict[str, Any]


@dataclass(frozen=True)
class RelatedAnswer:
    source: str
    target: str
    type: str
    new: bool


@dataclass(frozen=True)
class GraphAnswer:
    """Some memories and the relationships between them; `seeds` are the ids that a topic led to, or a way's ends."""

    seeds: list[str]
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]


@dataclass(frozen=True)
class Noted:
    session_id: str
    noted: bool


@dataclass(frozen=True)
class EndedAnswer:
    session_id: str
    lived_on: int


def short(hit: Hit) -> dict[str, Any]:
    """The fields of a memory that tell whether it is worth to be read whole."""
    whole = as_object(hit)
    return {**{name: whole[name] for name in SHORT}, "snippet": clip(hit.memory.content, SNIPPET_CHARS)}


def graph(seeds: list[str], nodes: Iterable[Hit], edges: Iterable[Edge]) -> GraphAnswer:
    return GraphAnswer(seeds, list(map(short, nodes)), list(map(edge_object, edges)))


def line(hit: Hit) -> str:
    """A memory as a listing has it, and more of what it says where that does not fit into the line."""
    says = one_line(hit.memory.content)
    more = f"\n  > {escape(clip(says, SNIPPET_CHARS))}" if len(says) > LINE_CHARS else ""
    return markdown_line(hit) + more


def graph_lines(nodes: Iterable[Hit], edges: Iterable[Edge]) -> list[str]:
    """Each memory, then each relationship from one to another."""
    nodes = list(nodes)
    names = {hit.memory.id: hit.short_id for hit in nodes}
    return [*map(line, nodes), *(_edge_line(edge, names) for edge in edges)]


def _edge_line(edge: Edge, names: Mapping[str, str]) -> str:
    how = "drawn by hand" if edge.method == MANUAL else f"{edge.method} {edge.weight:.2f}"
    notes = f": {escape(edge.notes)}" if edge.notes else ""
    return f"- {names[edge.source]} {RELATIONS[edge.type][0]} {names[edge.target]} ({how}){notes}"


def fenced(lines: Iterable[str]) -> str:
    """Recalled text, each line of which is escaped: nothing in it can close the fence."""
    return "\n".join(["<keepstone-notes>", *lines, "</keepstone-notes>"])
