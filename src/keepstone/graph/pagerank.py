"""How central a memory is among the others: weighted PageRank, as the share of memories that are less central (NL-15,
NL-16, W-NL5).

Page, Brin, Motwani, Winograd: The PageRank Citation Ranking (1998). Without a library: the fast ones are compiled, and
where one has no wheel nothing of Keepstone could be set up; for 65,000 memories this takes seconds, once a day.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from ..model.relationship import CAUSED_BY, DEPENDS_ON, HEURISTICS, REFERENCES, SUPERSEDES

# of PageRank
DAMPING = 0.85
RANK_ROUNDS = 50
RANK_TOLERANCE = 1e-6
NEW_RANK = 0.7  # of a rank is the new one, the rest the one before

ONE_WAY = (
    CAUSED_BY,
    DEPENDS_ON,
    REFERENCES,
)  # where somebody has said so: what is only found to be shared goes both ways


def votes(edges: Iterable[tuple[str, str, str, str, float]]) -> list[tuple[str, str, float]]:
    """(from, to, weight) of what lifts what, of (source, target, type, method, weight). That it is superseded lifts
    nothing (W-NL4).
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
    """The PageRank of each node, together 1; `edges` are (from, to, weight above 0) between them. What links to nothing
    gives to all alike.
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
    """The share of the others that have less, 0..1: ranks that sum to 1 would shrink as the store grows."""
    ordered = sorted(ranks.values())
    most = max(len(ordered) - 1, 1)
    return {node: bisect_left(ordered, rank * (1 - 1e-9)) / most for node, rank in ranks.items()}


def smoothed(new: float, before: float | None) -> float:
    """A rank that follows the last one slowly; the first one is as it is."""
    return new if before is None else NEW_RANK * new + (1 - NEW_RANK) * before
