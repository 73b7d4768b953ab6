"""PageRank against a library's, and what becomes of it."""

from __future__ import annotations

from random import Random

import pytest
from igraph import Graph

from keepstone.graph.pagerank import pagerank, percentiles, smoothed, votes


def random_edges(random, nodes, each):
    return [(random.choice(nodes), random.choice(nodes), random.uniform(0.1, 1)) for _ in range(len(nodes) * each)]


@pytest.mark.parametrize(("count", "each"), [(1, 0), (2, 1), (50, 1), (300, 3), (1_000, 8)])
def test_it_is_what_the_library_computes(count, each):
    nodes = [f"mem-{number}" for number in range(count)]
    edges = random_edges(Random(count), nodes, each)
    graph = Graph(count, [(nodes.index(source), nodes.index(target)) for source, target, _ in edges], directed=True)
    reference = graph.pagerank(damping=0.85, weights=[weight for _, _, weight in edges])
    ours = pagerank(nodes, edges)
    assert ours == pytest.approx({node: reference[number] for number, node in enumerate(nodes)}, abs=1e-6)
    assert sum(ours.values()) == pytest.approx(1)
    assert ours == pagerank(nodes, edges)


def test_weights_count_and_not_only_how_many_links_there_are():
    nodes = ["a", "b", "c"]
    heavy, light = (pagerank(nodes, [("a", "b", weight), ("a", "c", 0.5)]) for weight in (1.0, 0.1))
    assert heavy["b"] > heavy["c"] and light["b"] < light["c"]


def test_what_is_found_goes_both_ways_and_what_is_said_one_way():
    edge = ("new", "old")
    both = [(*edge, 1.0), (*edge[::-1], 1.0)]
    assert votes([(*edge, "references", "file_overlap", 1.0)]) == both
    assert votes([(*edge, "similar_to", "manual", 1.0)]) == both
    assert votes([(*edge, "references", "manual", 1.0)]) == [(*edge, 1.0)]
    assert votes([(*edge, "caused_by", "llm_extraction", 1.0)]) == [(*edge, 1.0)]
    assert votes([(*edge, "supersedes", "rules", 1.0)]) == []


def test_a_share_of_the_others_and_a_slow_change():
    assert percentiles({"a": 0.5, "b": 0.25, "c": 0.25}) == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert percentiles({"a": 1.0}) == {"a": 0.0} and percentiles({}) == {}
    assert smoothed(0.9, 0.5) == pytest.approx(0.78) and smoothed(0.9, None) == 0.9


def test_a_hundredth_more_memories_moves_hardly_a_rank():
    random, nodes = Random(1), [f"mem-{number}" for number in range(1_000)]
    edges = random_edges(random, nodes, 4)
    before = percentiles(pagerank(nodes, edges))
    more = [f"new-{number}" for number in range(10)]
    edges += [(one, random.choice(nodes), random.uniform(0.1, 1)) for one in more for _ in range(4)]
    after = percentiles(pagerank(nodes + more, edges))
    moved = sorted(abs(after[one] - before[one]) for one in nodes)
    assert moved[len(nodes) * 9 // 10] < 0.05 and 0 < moved[-1]
