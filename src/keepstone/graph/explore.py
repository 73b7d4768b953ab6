"""Explores the graph: around a topic or a memory, the path between two memories, the communities, the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..db.hits import shown
from ..db.reader import Reader
from ..lib.errors import NotFound
from ..model.hit import Hit
from ..model.relationship import Edge
from ..model.scope import Scope
from .edges_sql import Edges
from .walk import around, path

OVERVIEW_NAMED = 3  # memories that are shown for each community


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Memories and the relationships between them. `seeds` are the ids that the search started from. `total` is the
    number of memories that this is a part of.
    """

    nodes: list[Hit]
    edges: list[Edge]
    seeds: list[str] = field(default_factory=list)
    total: int = 0


@dataclass(frozen=True, slots=True)
class Community:
    """A community's name, its number of memories, and the most central ones."""

    name: str
    size: int
    central: list[Hit]


def edges_in(store: Reader, scope: Scope, now: float) -> Edges:
    return Edges(store, scope.project, scope.everything, now)


@dataclass(frozen=True, slots=True)
class Along:
    """Limits the relationships that are followed: to some `types` if given, and to a weight of at least `least`."""

    types: Sequence[str] = ()
    least: float = 0.0


def explore(
    store: Reader, seeds: Iterable[str], scope: Scope, depth: int, limit: int, along: Along, now: float
) -> Subgraph:
    """Returns the memories within `depth` steps of the seeds: at most `limit`, seeds included."""
    edges = edges_in(store, scope, now)
    start = edges.visible(seeds)
    found, between = around(start, depth, limit, lambda ids: edges.edges_of(ids, along.types, along.least))
    return Subgraph([shown(store, one) for one in found], between, start, len(found))


def shortest_path(store: Reader, source: str, target: str, scope: Scope, least: float, now: float) -> Subgraph:
    """Returns a shortest path between two memories: the memories in order, and the relationships between them. Returns
    no memories if there is no path. Raises NotFound if a memory is not visible.
    """
    edges = edges_in(store, scope, now)
    ends = [seen(store, edges, one) for one in (source, target)]
    steps = path(ends[0], ends[1], lambda ids: edges.edges_of(ids, (), least))
    ids = [ends[0]] if steps or ends[0] == ends[1] else []
    for step in steps:
        ids.append(step.other(ids[-1]))
    return Subgraph([shown(store, one) for one in ids], steps, ends, len(ids))


def seen(store: Reader, edges: Edges, given: str) -> str:
    """Returns the id of a visible memory. Raises NotFound with the command that would make it visible."""
    memory = store.get(given)
    if not edges.visible([memory.id]):
        if memory.trust != "trusted":
            raise NotFound(f"{memory.id} waits for a person's word", "keepstone review")
        if memory.status == "deleted":
            raise NotFound(f"{memory.id} is forgotten", f"keepstone restore {memory.id[4:10]}")
        raise NotFound(f"{memory.id} is of another project, or has run out", "--all looks everywhere")
    return memory.id


def overview(store: Reader, scope: Scope, now: float) -> list[Community]:
    """Returns the communities, the largest first."""
    groups = edges_in(store, scope, now).communities(OVERVIEW_NAMED)
    return [Community(name, size, [shown(store, one) for one in central]) for name, size, central in groups]


def page(store: Reader, scope: Scope, limit: int, offset: int, now: float) -> Subgraph:
    """Returns a page of the whole graph: up to `limit` memories after the first `offset`, and the relationships that
    lead from them. All pages together are the whole graph.
    """
    edges = edges_in(store, scope, now)
    ids, total = edges.page(limit, offset)
    return Subgraph([shown(store, one) for one in ids], edges.leaving(ids), [], total)
