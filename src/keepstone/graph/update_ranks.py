"""Computes the centrality and the community of every memory, once a day over the whole graph."""

from __future__ import annotations

from ..db.writer import Writer
from ..lifecycle.tiers_sql import batches
from ..model.relationship import TIME
from ..model.trust import suspicion
from . import write_sql
from .communities import named, propagate
from .pagerank import pagerank, percentiles, smoothed, votes

GRAPH_WRITES = 1_000  # memories in a transaction


def rank(writer: Writer) -> int:
    """Ranks all memories anew. Returns the number of ranks that have changed."""
    with writer.transaction() as tx:
        nodes, edges = write_sql.whole(tx)
    before = {memory_id: held for memory_id, held, _ in nodes}
    shares = percentiles(pagerank(list(before), votes(edges)))
    ranks = {memory_id: smoothed(share, before[memory_id]) for memory_id, share in shares.items()}
    changed = [(memory_id, value) for memory_id, value in ranks.items() if value != before[memory_id]]
    for some in batches(changed, GRAPH_WRITES):
        with writer.transaction() as tx:
            write_sql.keep_ranks(tx, dict(some))
    return len(changed)


def group(writer: Writer) -> int:
    """Finds the communities anew. Returns the number of communities."""
    with writer.transaction() as tx:
        nodes, edges = write_sql.whole(tx)
    before = {memory_id: name for memory_id, _, name in nodes}
    near: dict[str, dict[str, float]] = {memory_id: {} for memory_id in before}
    for source, target, _, method, weight in edges:
        if method == TIME:
            continue  # memories of the same time need not share a topic
        strongest = max(weight, near[source].get(target, 0.0))
        near[source][target] = near[target][source] = strongest
    linked = {memory_id: others for memory_id, others in near.items() if others}
    names = named(propagate(linked), _telling(writer), {one: name for one, name in before.items() if name})
    changed = [(one, names.get(one)) for one, name in before.items() if names.get(one) != name]
    for some in batches(changed, GRAPH_WRITES):
        with writer.transaction() as tx:
            write_sql.keep_communities(tx, dict(some))
    return len(set(names.values()))


def _telling(writer: Writer) -> dict[str, list[str]]:
    """Returns the concepts of memories that may name a community. Leaves out any that reads like an instruction."""
    with writer.transaction() as tx:
        found = write_sql.concepts(tx)
    bad = {one for one in {one for many in found.values() for one in many} if suspicion([one.replace("-", " ")])}
    return {memory_id: [one for one in many if one not in bad] for memory_id, many in found.items()}
