"""Groups memories into communities by label propagation, and names these. The same graph always gives the same
communities and names, and a small change of the graph changes few of them.

Raghavan, Albert, Kumara: Near linear time algorithm to detect community structures in large-scale networks (2007), with
its two random choices made deterministic: memories are visited in the order of their ids; among labels of equal weight,
a memory keeps its present one, otherwise takes that of the neighbours with the most neighbours in common, otherwise the
first one. The graph libraries (networkx, igraph, rustworkx) choose at random, or have no label propagation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

COMMUNITY_ROUNDS = 20  # rounds of label propagation
COMMUNITY_LEAST = 2  # least number of memories in a community
UNNAMED = "memories"
COMMUNITY_NAMED = 2  # concepts in a community's name: "database-migrations"

Neighbours = Mapping[str, Mapping[str, float]]  # for each memory, its neighbours and the weight of each link


def propagate(neighbours: Neighbours) -> dict[str, str]:
    """Returns the label of each linked memory. A label is the id of a memory."""
    labels = {one: one for one in sorted(neighbours)}
    for _ in range(COMMUNITY_ROUNDS):
        changed = 0
        for one in labels:
            label = _heaviest(labels, neighbours, one)
            changed += label != labels[one]
            labels[one] = label
        if not changed:
            break
    return labels


def _heaviest(labels: Mapping[str, str], neighbours: Neighbours, one: str) -> str:
    weights: dict[str, float] = {}
    for other, weight in neighbours[one].items():
        label = labels[other]
        weights[label] = weights.get(label, 0.0) + weight
    if not weights:
        return labels[one]
    most = max(weights.values()) * (1 - 1e-9)  # sums of floats differ in the last digits by their order
    heavy = {label for label, weight in weights.items() if weight >= most}
    if labels[one] in heavy:
        return labels[one]
    return heavy.pop() if len(heavy) == 1 else _nearest(heavy, labels, neighbours, one)


def _nearest(heavy: Iterable[str], labels: Mapping[str, str], neighbours: Neighbours, one: str) -> str:
    common = dict.fromkeys(heavy, 0)
    for other in neighbours[one]:
        if labels[other] in common:
            common[labels[other]] += len(neighbours[one].keys() & neighbours[other].keys())
    return min(common, key=lambda label: (-common[label], label))


def named(
    labels: Mapping[str, str], about: Mapping[str, Sequence[str]], before: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Returns the name of each memory's community, for communities that are large enough. `about` holds each memory's
    concepts, `before` the previous names: a community keeps the name that most of its members had.
    """
    members: dict[str, list[str]] = {}
    for one, label in labels.items():
        members.setdefault(label, []).append(one)
    groups = sorted((group for group in members.values() if len(group) >= COMMUNITY_LEAST), key=_by_size)
    names = _kept(groups, before or {}, about)
    holders = Counter(concept for concepts in about.values() for concept in set(concepts))
    taken = set(names.values())
    for number, group in enumerate(groups):
        if number not in names:
            names[number] = _free(_name(group, about, holders, len(about)), taken)
            taken.add(names[number])
    return {one: names[number] for number, group in enumerate(groups) for one in group}


def _by_size(group: Sequence[str]) -> tuple[int, str]:
    return -len(group), min(group)


def _kept(
    groups: Sequence[Sequence[str]], before: Mapping[str, str], about: Mapping[str, Sequence[str]]
) -> dict[int, str]:
    """Returns the names that groups keep, by the group's number: the largest overlaps first, each name once. A name in
    the words of a member that is gone is not kept.
    """
    shared = [
        (-count, number, name)
        for number, group in enumerate(groups)
        for name, count in Counter(before[one] for one in group if one in before).items()
        if _still_says(name, {concept for one in group for concept in about.get(one, ())})
    ]
    kept: dict[int, str] = {}
    for _, number, name in sorted(shared):
        if number not in kept and name not in kept.values():
            kept[number] = name
    return kept


def _still_says(name: str, concepts: set[str]) -> bool:
    """Tells whether a name, but for a number, is one of the concepts or two of them."""
    said = re.sub(r"-\d+\Z", "", name)
    pairs = (whole[len(one) + 1 :] for whole in (name, said) for one in concepts if whole.startswith(f"{one}-"))
    return said == UNNAMED or any(one in concepts for one in (name, said, *pairs))


def _name(group: Iterable[str], about: Mapping[str, Sequence[str]], holders: Mapping[str, int], total: int) -> str:
    """Returns the concepts that most memories of a community have and few others."""
    counts = Counter(concept for one in group for concept in set(about.get(one, ())))
    worth = {concept: count * math.log((total + 1) / holders[concept]) for concept, count in counts.items()}
    best = sorted(worth, key=lambda concept: (-worth[concept], concept))[:COMMUNITY_NAMED]
    return "-".join(best) or UNNAMED


def _free(name: str, taken: Iterable[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found
