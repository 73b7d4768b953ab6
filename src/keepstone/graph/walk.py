"""Walks the graph: finds the memories around some others, and the path between two."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..model.relationship import Edge

Around = Callable[[Iterable[str]], list[Edge]]  # returns the edges from and to some memories, the strongest first


def around(seeds: Iterable[str], depth: int, limit: int, edges: Around) -> tuple[list[str], list[Edge]]:
    """Returns the memories within `depth` steps of the seeds, nearest first and along the strongest edges, at most
    `limit` with the seeds, and every edge between them.
    """
    found = dict.fromkeys(list(seeds)[:limit])
    rim = list(found)
    for _ in range(depth):
        reached = [one for edge in edges(rim) for one in (edge.source, edge.target)]
        rim = [one for one in dict.fromkeys(reached) if one not in found][: limit - len(found)]
        found.update(dict.fromkeys(rim))
        if not rim:
            break
    between = [edge for edge in edges(found) if edge.source in found and edge.target in found]
    return list(found), between


def path(source: str, target: str, edges: Around) -> list[Edge]:
    """Returns the edges of a shortest path between two memories, in either direction of each edge. Of equally short
    paths, prefers the strongest edges. Returns [] if there is no path, or both are the same.
    """
    came: dict[str, Edge | None] = {source: None}
    rim = [source]
    while rim and target not in came:
        reached: list[str] = []
        for edge in edges(rim):
            for one in (edge.source, edge.target):
                if one not in came and edge.other(one) in rim:
                    came[one] = edge
                    reached.append(one)
        rim = reached
    way: list[Edge] = []
    at = target
    while step := came.get(at):
        way.append(step)
        at = step.other(at)
    return way[::-1]
