"""How central each memory is and which community it belongs to, once a day over the whole graph (NL-15, GR-9)."""

from __future__ import annotations

from ..core.community import named, propagate
from ..core.pagerank import pagerank, percentiles, smoothed, votes
from ..core.relate import TIME
from ..core.trust import suspicion
from ..store.graph import Graph


def rank(store: Graph) -> int:
    """Ranks all memories anew; how many."""
    nodes, edges = store.whole()
    before = {memory_id: held for memory_id, held, _ in nodes}
    shares = percentiles(pagerank(list(before), votes(edges)))
    ranks = {memory_id: smoothed(share, before[memory_id]) for memory_id, share in shares.items()}
    return store.keep_ranks({memory_id: value for memory_id, value in ranks.items() if value != before[memory_id]})


def group(store: Graph) -> int:
    """Finds the communities anew; how many there are."""
    nodes, edges = store.whole()
    before = {memory_id: name for memory_id, _, name in nodes}
    near: dict[str, dict[str, float]] = {memory_id: {} for memory_id in before}
    for source, target, _, method, weight in edges:
        if method == TIME:
            continue  # what came at one time has no topic for that
        strongest = max(weight, near[source].get(target, 0.0))
        near[source][target] = near[target][source] = strongest
    linked = {memory_id: others for memory_id, others in near.items() if others}
    names = named(propagate(linked), _telling(store), {one: name for one, name in before.items() if name})
    store.keep_communities({one: names.get(one) for one, name in before.items() if names.get(one) != name})
    return len(set(names.values()))


def _telling(store: Graph) -> dict[str, list[str]]:
    """The concepts of memories that may name a community: none that reads as instructions, whoever has named it."""
    found = store.concepts()
    bad = {one for one in {one for many in found.values() for one in many} if suspicion([one.replace("-", " ")])}
    return {memory_id: [one for one in many if one not in bad] for memory_id, many in found.items()}
