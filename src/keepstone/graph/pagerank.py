"""Computes how central each memory is: weighted PageRank, as the share of memories that are less central.

Page, Brin, Motwani, Winograd: The PageRank Citation Ranking (1998). No library is used: the fast ones are compiled, and
on a platform without a wheel Keepstone could not be installed. For 65,000 memories this takes seconds, once a day.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from ..model.relationship import CAUSED_BY, DEPENDS_ON, HEURISTICS, REFERENCES, SUPERSEDES

# Constants of PageRank.
DAMPING = 0.85
RANK_ROUNDS = 50
RANK_TOLERANCE = 1e-6
NEW_RANK = 0.7  # share of the new rank; the rest is the previous one

ONE_WAY = (
    CAUSED_BY,
    DEPENDS_ON,
    REFERENCES,
)  # only if stated: relationships found by shared facets count in both directions


def votes(edges: Iterable[tuple[str, str, str, str, float]]) -> list[tuple[str, str, float]]:
    """Returns (from, to, weight) of the votes in relationships (source, target, type, method, weight). A superseding
    relationship gives no vote.
    """
    found = []
    for source, target, type, method, weight in edges:
        if type == SUPERSEDES or weight <= 0:
            continue
        found.append((source, target, weight))
        if type not in ONE_WAY or method in HEURISTICS:
            found.append((target, source, weight))
    return found


def pagerank(nodes: Sequence[str], edges: Iterable[tuple[str, str, float]]) -> dict[str, float]:
    """Returns the PageRank of each node; together they sum to 1. `edges` are (from, to, weight above 0) between nodes.
    A node without outgoing edges gives to all nodes equally.
    """
    if not nodes:
        return {}
    place = {node: number for number, node in enumerate(nodes)}
    given = [0.0] * len(nodes)
    links = [(place[source], place[target], weight) for source, target, weight in edges]
    for source, _, weight in links:
        given[source] += weight
    incoming: list[list[tuple[int, float]]] = [[] for _ in nodes]
    for source, target, weight in links:
        incoming[target].append((source, weight / given[source]))
    loose = [number for number, weight in enumerate(given) if not weight]
    ranks = [1 / len(nodes)] * len(nodes)
    for _ in range(RANK_ROUNDS):
        for_all = (1 - DAMPING + DAMPING * sum(ranks[number] for number in loose)) / len(nodes)
        after = [for_all + DAMPING * sum([ranks[source] * share for source, share in near]) for near in incoming]
        change = sum(map(abs, map(float.__sub__, after, ranks)))
        ranks = after
        if change < RANK_TOLERANCE:
            break
    return dict(zip(nodes, ranks, strict=True))


def percentiles(ranks: Mapping[str, float]) -> dict[str, float]:
    """Returns the share, 0..1, of the other nodes that have a lower rank: plain ranks, which sum to 1, would shrink as
    the store grows.
    """
    ordered = sorted(ranks.values())
    most = max(len(ordered) - 1, 1)
    return {node: bisect_left(ordered, rank * (1 - 1e-9)) / most for node, rank in ranks.items()}


def smoothed(new: float, before: float | None) -> float:
    """Returns a rank that follows changes slowly. The first one is used as it is."""
    return new if before is None else NEW_RANK * new + (1 - NEW_RANK) * before
