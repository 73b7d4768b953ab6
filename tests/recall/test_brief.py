"""Which memories a brief takes, and in which order (CG-13, CG-14, CG-18)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import stored
from keepstone.recall.brief import choose

pytestmark = pytest.mark.engine


def named(name, **more):
    return stored(name, id=f"mem-{name}", **more)


def names(memories):
    return [memory.content for memory in memories]


def test_relevance_comes_before_recency():
    old, fresh = named("a", relevance=0.9, day="2026-10-20"), named("b", relevance=0.4, day="2026-11-20")
    assert names(choose([fresh, old], 5)) == ["a", "b"]


def test_ties_go_to_the_newer_and_then_to_the_id():
    first, second = named("a", day="2026-11-01"), named("b", day="2026-11-02")
    same = named("c", day="2026-11-02")
    assert names(choose([first, same, second], 5)) == ["b", "c", "a"]


def test_what_is_pinned_comes_first():
    assert names(choose([named("a", relevance=1.0), named("b", relevance=0.1, pinned=1)], 5)) == ["b", "a"]


def test_a_group_takes_at_most_half_while_others_wait():
    facts = [named(f"fact{n}", relevance=0.9) for n in range(6)]
    others = [named("choice", kind="decision", relevance=0.2), named("taste", kind="preference", relevance=0.1)]
    assert names(choose([*facts, *others], 5)) == ["fact0", "fact1", "fact2", "choice", "taste"]
    assert names(choose(facts, 5)) == [f"fact{n}" for n in range(5)]


memories = st.lists(
    st.tuples(st.sampled_from(["fact", "decision", "preference"]), st.floats(0, 1), st.integers(0, 1)), max_size=30
)


@given(memories, st.integers(1, 20), st.randoms())
def test_the_choice_depends_on_the_memories_and_not_on_their_order(rows, limit, random):
    given_rows = [named(f"{n:03}", kind=k, relevance=r, pinned=p) for n, (k, r, p) in enumerate(rows)]
    shuffled = list(given_rows)
    random.shuffle(shuffled)
    chosen = choose(given_rows, limit)
    assert names(chosen) == names(choose(shuffled, limit)) and len(chosen) == min(limit, len(rows))


def test_of_the_sessions_only_the_newest_is_summed_up():
    days = {"a": "2026-11-02", "b": "2026-11-09", "c": "2026-11-05"}
    told = [named(name, kind="summary", day=day, relevance=0.5) for name, day in days.items()]
    assert names(choose(told, 5)) == ["b"]
    fact = named("fact", relevance=0.1)
    assert names(choose([*told, fact], 5)) == ["b", "fact"]
