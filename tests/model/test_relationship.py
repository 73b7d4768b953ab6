"""Eight ways in which memories come to hang together, each with its method and type, and none of them everywhere."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.lib.limits import LINKS_MAX
from keepstone.model import relationship
from keepstone.model.relationship import LINKS_WEAK, Link, Shared, best, link, overlap, rarity


@pytest.mark.parametrize(
    ("shared", "method", "type", "weight"),
    [
        (Shared(symbols=(0.2, 1.0)), "symbol_overlap", "references", 0.8),
        (Shared(files=(1.0,)), "file_overlap", "references", 0.6),
        (Shared(concepts=(0.5, 0.5), overlap=0.8), "concept_overlap", "related_to", 0.8),
        (Shared(concepts=(0.9,), overlap=0.3), "concept_overlap", "related_to", 0.3),
        (Shared(cosine=0.85), "semantic_similarity", "similar_to", 0.85),
        (Shared(same_session=True, seconds=5), "session_context", "related_to", 0.2),
        (Shared(seconds=900), "temporal_proximity", "related_to", 0.15),
    ],
)
def test_each_heuristic_makes_its_own_link(shared, method, type, weight):
    made = link(shared)
    assert (made.method, made.type) == (method, type) and made.weight == pytest.approx(weight)


@pytest.mark.parametrize(
    "shared",
    [
        Shared(),
        Shared(files=(0.1,)),  # a file that nearly every memory names
        Shared(concepts=(0.3,), overlap=1.0),  # one common concept
        Shared(cosine=0.79),
        Shared(seconds=901),
    ],
)
def test_what_says_nothing_links_nothing(shared):
    assert link(shared) is None


def test_the_best_of_a_pair_counts_and_session_and_time_only_where_there_is_nothing_else():
    both = Shared(files=(0.5,), cosine=0.9, same_session=True, seconds=1)
    assert link(both).method == "semantic_similarity"
    assert link(Shared(files=(0.2,), same_session=True)).method == "file_overlap"  # though it weighs less


numbers = st.floats(0, 1)
shares = st.lists(numbers, max_size=4).map(tuple)


@given(
    st.builds(
        Shared,
        shares,
        shares,
        shares,
        numbers,
        st.floats(-1, 1.01),
        st.booleans(),
        st.floats(0, math.inf, allow_nan=False),
    )
)
def test_no_heuristic_says_what_only_a_person_or_a_model_can(shared):
    made = link(shared)
    assert made is None or (
        made.type in ("references", "related_to", "similar_to")
        and made.method in relationship.HEURISTICS
        and 0 < made.weight <= 1
    )


@given(
    st.dictionaries(
        st.text("abc", min_size=1), st.builds(Link, numbers, st.sampled_from(list(relationship.HEURISTICS)))
    )
)
def test_a_memory_gets_few_links_and_of_the_weak_ones_fewer(found):
    kept = best(found)
    assert len(kept) == min(LINKS_MAX, len(kept)) and kept.items() <= found.items()
    weak = [one for one in kept.values() if one.method in relationship.WEAK]
    assert len(weak) <= LINKS_WEAK
    left = [one for other, one in found.items() if other not in kept and one.method not in relationship.WEAK]
    assert not left or len(kept) == LINKS_MAX
    strong = [one for one in kept.values() if one.method not in relationship.WEAK]
    assert all(one.weight >= max(left, default=one).weight or one in left for one in strong)


@given(st.integers(1, 100_000), st.integers(2, 100_000))
def test_the_rarer_the_more_it_tells(holders, total):
    assert 0 <= rarity(holders, total) <= 1
    assert rarity(holders, total) >= rarity(holders + 1, total)
    assert rarity(1, total) == 1 and rarity(total, total) < 0.64


def test_an_overlap_is_a_share_of_what_either_names():
    assert overlap([0.5], [0.5, 0.5], 2) == 0.25 and overlap([], [], 3) == 0.0
