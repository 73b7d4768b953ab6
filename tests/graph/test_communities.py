"""Communities: those that are there, the same ones each time, and under the names they had."""

from __future__ import annotations

from itertools import combinations
from random import Random
from statistics import mean

import pytest
from igraph import Graph, set_random_number_generator

from keepstone.graph.communities import named, propagate


def neighbours(edges, nodes=()):
    found = {node: {} for node in nodes}
    for one, other, weight in edges:
        found.setdefault(one, {})[other] = weight
        found.setdefault(other, {})[one] = weight
    return found


def clique(names):
    return [(one, other, 1.0) for one, other in combinations(names, 2)]


def parts(labels):
    found = {}
    for one, label in labels.items():
        found.setdefault(label, set()).add(one)
    return {frozenset(group) for group in found.values()}


def planted(random, groups=8, size=25, inside=0.4, outside=0.005):
    nodes = [f"{group}-{number:02}" for group in range(groups) for number in range(size)]
    edges = [
        (one, other, random.uniform(0.2, 1))
        for one, other in combinations(nodes, 2)
        if random.random() < (inside if one[0] == other[0] else outside)
    ]
    return nodes, edges


def test_two_cliques_that_one_edge_joins_are_two():
    edges = [*clique("abcd"), *clique("wxyz"), ("d", "w", 1.0)]
    assert parts(propagate(neighbours(edges))) == {frozenset("abcd"), frozenset("wxyz")}


def test_a_memory_without_links_is_in_none():
    labels = propagate(neighbours(clique("abc"), ["alone"]))
    assert "alone" not in named(labels, {}) and len(named(labels, {})) == 3


def test_they_are_as_good_as_those_that_a_library_finds():
    ours, theirs = [], []
    for seed in range(10):
        nodes, edges = planted(Random(seed))
        set_random_number_generator(Random(seed))
        graph = Graph(len(nodes), [(nodes.index(one), nodes.index(other)) for one, other, _ in edges])
        weights = [weight for _, _, weight in edges]
        labels = propagate(neighbours(edges, nodes))
        number = {label: number for number, label in enumerate(labels.values())}
        ours.append(graph.modularity([number[labels[node]] for node in nodes], weights=weights))
        theirs.append(graph.community_label_propagation(weights=weights).modularity)
    assert mean(ours) >= mean(theirs) - 0.03 > 0.7


def test_they_are_the_same_each_time_whatever_the_order():
    nodes, edges = planted(Random(1))
    first = propagate(neighbours(edges, nodes))
    Random(2).shuffle(edges)
    assert propagate(neighbours(edges, nodes[::-1])) == first


def test_a_hundredth_more_changes_hardly_a_name():
    nodes, edges = planted(Random(3), groups=10, size=40, inside=0.3)
    about = {node: [f"topic{node[0]}", "common"] for node in nodes}
    before = named(propagate(neighbours(edges, nodes)), about)
    random = Random(4)
    more = [f"{group}-new" for group in range(4)]
    new = [(one, random.choice([node for node in nodes if node[0] == one[0]]), 0.5) for one in more for _ in range(5)]
    after = named(propagate(neighbours(edges + new, nodes + more)), about, before)
    assert sum(after[node] == before[node] for node in before) >= 0.95 * len(before)
    assert all(after[one] == before[f"{one[0]}-00"] for one in more)


@pytest.mark.parametrize("number", range(30))
def test_it_is_not_called_any_more_by_what_is_gone(number):
    word, other = f"kestrel_{number}", ["database", "per-cent", "git-hub", "x-2"][number % 4]
    about = {"a": [other], "b": [other], "c": [word], "d": ["kept"], "e": ["kept"]}
    edges = [*clique("abc"), *clique("de")]
    before = named(propagate(neighbours(edges)), about)
    assert word in before["a"] and before["d"] == "kept"
    labels = propagate(neighbours([*clique("ab"), *clique("de")]))
    assert named(labels, about, before) == {"a": other, "b": other, "d": "kept", "e": "kept"}
    assert named(propagate(neighbours(edges)), about, before) == before


def test_it_is_called_by_what_its_own_have_and_others_have_not():
    edges = [*clique(["a1", "a2", "a3"]), *clique(["b1", "b2", "b3"]), *clique(["c1", "c2"])]
    about = {one: ["testing", "database" if one[0] == "a" else "frontend"] for one in "a1 a2 a3 b1 b2 b3".split()}
    names = named(propagate(neighbours(edges)), about)
    assert names["a1"] == "database-testing" and names["b1"] == "frontend-testing" and names["c1"] == "memories"


def test_two_of_one_name_are_told_apart():
    about = {one: ["database"] for one in "abcwxy"}
    assert set(named(propagate(neighbours([*clique("abc"), *clique("wxy")])), about).values()) == {
        "database",
        "database-2",
    }
