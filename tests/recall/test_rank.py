"""The one ranking: words and meaning fused, places kept for meaning, worth where matches are close."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.recall.rank import RankedCandidate, ranked


def candidate(seq, **values):
    made = RankedCandidate(seq)
    for name, value in values.items():
        setattr(made, name, value)
    return made


def order(*candidates, limit=10):
    return [one.seq for one in ranked(candidates, limit)]


def test_by_words_alone_the_better_match_comes_first():
    assert order(candidate(1, own=1.0), candidate(2, own=3.0), candidate(3, own=2.0)) == [2, 3, 1]


def test_words_of_its_neighbours_count_and_so_does_its_whole_session():
    assert order(candidate(1, own=2.0), candidate(2, own=2.0, window=3.0)) == [2, 1]
    assert order(candidate(1, own=2.0, around=2.0), candidate(2, own=2.0, around=9.0)) == [2, 1]


def test_meaning_finds_what_no_word_does():
    rows = [candidate(1, own=1.0, cosine=0.1), candidate(2, cosine=0.9), candidate(3, cosine=0.1)]
    assert order(*rows, candidate(4, cosine=0.0)) == [1, 2, 3, 4]


def test_what_has_no_vector_is_neither_better_nor_worse_for_it():
    rows = [candidate(1, own=2.0, cosine=0.2), candidate(2, own=2.0), candidate(3, own=2.0, cosine=0.6)]
    assert order(*rows) == [3, 2, 1]


@pytest.mark.parametrize("worth", ["worth", "confidence"])
def test_worth_decides_between_equals_and_never_against_a_much_better_match(worth):
    equal = [candidate(1, own=2.0, **{worth: 0.3}), candidate(2, own=2.0, **{worth: 0.9})]
    assert order(*equal) == [2, 1]
    better = [candidate(1, own=5.0, **{worth: 0.0}), candidate(2, own=1.0, **{worth: 1.0})]
    assert order(*better) == [1, 2]


def test_of_equals_the_newest_comes_first():
    assert order(candidate(1, own=1.0), candidate(3, own=1.0), candidate(2, own=1.0)) == [3, 2, 1]


def test_a_facet_that_is_named_lifts_its_memory():
    assert order(candidate(1, own=2.0), candidate(2, own=1.8, named=True), candidate(3, own=0.1))[0] == 2


def test_of_ten_places_the_last_two_are_for_the_nearest_in_meaning():
    words = [candidate(seq, own=40.0 - seq, cosine=0.9 if seq < 9 else 0.25) for seq in range(1, 15)]
    paraphrases = [candidate(seq, cosine=0.3 + seq / 1000) for seq in (21, 22, 23)]
    found = ranked([*words, *paraphrases], 10)
    assert [one.seq for one in found[:8]] == list(range(1, 9))
    assert {one.seq for one in found[8:]} == {22, 23} and all(one.dense for one in found[8:])
    assert not any(one.dense for one in found[:8])


@given(
    st.lists(
        st.builds(
            lambda seq, own, window, cosine, worth: candidate(seq, own=own, window=window, cosine=cosine, worth=worth),
            st.integers(1, 10_000),
            st.floats(0, 50),
            st.floats(0, 50),
            st.none() | st.floats(-1, 1),
            st.floats(0, 1),
        ),
        unique_by=lambda one: one.seq,
        max_size=40,
    ),
    st.integers(1, 30),
)
def test_it_gives_so_many_each_once_whatever_comes(candidates, limit):
    wanted = {one.seq for one in candidates}
    found = [one.seq for one in ranked(candidates, limit)]
    assert len(found) == len(set(found)) == min(limit, len(wanted)) and set(found) <= wanted
