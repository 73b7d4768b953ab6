"""What is proposed to be pruned and merged, and what comes of it (NL-25 to NL-32, W-NL9 to W-NL12, K10)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from builders import at, stored
from keepstone import Memory
from keepstone.lib.errors import StateError
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.merge_text import groups, is_near, merged_text
from keepstone.model.tiers import DAY, is_prunable
from living import World

pytestmark = pytest.mark.engine

NOW = at("2026-11-20")
ONE = "Money is rounded half-even in billing. The tax office wants it."
TWO = "Money is rounded half-even in billing. Tests cover it."
FILE = (("file", "billing/rounding.py"),)


@pytest.fixture
def world(machine):
    return World(machine)


def prunable(importance, age, idle, retention=365.0, **more):
    memory = stored("x", created_at=NOW - age * DAY, used_at=NOW - idle * DAY, **more)
    return is_prunable(memory, importance, retention, NOW)


@pytest.mark.parametrize(("low", "old", "idle"), list(itertools.product((True, False), repeat=3)))
def test_all_three_conditions_have_to_hold(low, old, idle):
    """The truth table of NL-25."""
    made = 400 if old else 200
    assert prunable(0.29 if low else 0.3, made, 91 if idle else 89) is (low and old and idle)


def test_a_shorter_retention_shortens_the_idle_time():
    """K10: a memory of 40 days that is idle for as long is a candidate where 30 are retained, and not where 365 are."""
    assert prunable(0.2, 40, 40, retention=30) and not prunable(0.2, 40, 40, retention=365)
    assert not prunable(0.2, 40, 20, retention=30)


def test_what_was_never_used_is_idle_since_it_was_made():
    memory = stored("x", created_at=NOW - 400 * DAY)
    assert is_prunable(memory, 0.1, 365, NOW)


@pytest.mark.parametrize("more", [{"pinned": 1}, {"status": "archived"}])
def test_what_is_pinned_or_gone_is_no_candidate(more):
    assert not prunable(0.1, 400, 400, **more)


def test_nothing_is_pruned_unasked_and_a_use_takes_it_off_the_list(world):
    stale = world.memory.store("The old staging host was called atlas", relevance=0.2)[0].memory.id
    other = world.memory.store("The former registry was called vega", relevance=0.2)[0].memory.id
    world.now += 500 * DAY
    world.memory.maintenance.maintain()
    assert {state[1] for state in world.states()} == {"active"}
    assert {one.members[0] for one in world.memory.review.review(["prune"])} == {stale, other}
    world.memory.show(stale)
    (one,) = world.memory.review.review(["prune"])
    assert one.members == (other,) and "idle since" in one.why
    (hit,) = world.memory.review.confirm([one])
    assert (hit.memory.status, hit.memory.status_reason) == ("archived", "pruned")
    assert world.memory.review.review() == [] and world.memory.restore(other).memory.status == "active"


def test_what_was_turned_down_is_not_proposed_again(world):
    world.memory.store("The old staging host was called atlas", relevance=0.2)
    world.now += 500 * DAY
    (one,) = world.memory.review.review()
    world.memory.review.reject([one])
    assert world.memory.review.review() == [] and len(world.memory.recent()) == 1


def test_the_retention_is_a_setting(machine, world):
    world.memory.store("The old staging host was called atlas", relevance=0.0)
    world.now += 200 * DAY
    assert world.memory.review.review() == []
    short = Memory(str(machine.home), str(machine.project), {**machine.env, "KEEPSTONE_RETENTION_DAYS": "30"})
    short = Memory.of_context(replace(short.context, clock=lambda: world.now))
    assert len(short.review.review()) == (
        1 if short.lifecycle.worth(short.recent()[0].memory.id).importance < 0.3 else 0
    )
    world.now += 100 * DAY
    assert len(short.review.review()) == 1 and world.memory.review.review() == []


def test_a_shorter_retention_finds_what_was_idle_for_that_time(machine, world):
    """NL-27, NL-28: idle for 90 days, or for the retention where that is shorter."""
    hit, _ = world.memory.store("The old staging host was called atlas", relevance=0.0)
    world.machine.sql(f"UPDATE memory SET created_at = {world.now - 300 * DAY}, used_at = {world.now - 40 * DAY}")
    for vote in ("down", "outdated"):
        world.memory.rate(hit.memory.id, vote)
    short = Memory(str(machine.home), str(machine.project), {**machine.env, "KEEPSTONE_RETENTION_DAYS": "30"})
    short = Memory.of_context(replace(short.context, clock=lambda: world.now))
    assert world.memory.review.review() == [] and [one.kind for one in short.review.review()] == ["prune"]


# Merging


@pytest.mark.parametrize("missing", ["kind", "file", "likeness"])
def test_each_condition_that_is_missing_makes_no_candidate(world, missing):
    """NL-30."""
    text = "The invoice service rounds money half-even since the audit of the tax office"
    like = "Since the audit of the tax office the invoice service rounds money half-even"
    world.learn(text, kind="fact", facets=FILE)
    world.learn(
        "Uploads go to the bucket in Frankfurt" if missing == "likeness" else like,
        kind="wiki" if missing == "kind" else "fact",
        facets=(("file", "other.py"),) if missing == "file" else FILE,
    )
    assert world.memory.review.review(["merge"]) == []


def test_all_conditions_make_one(world):
    text = "The invoice service rounds money half-even since the audit of the tax office"
    like = "Since the audit of the tax office the invoice service rounds money half-even"
    ids = {world.learn(text, kind="fact", facets=FILE), world.learn(like, kind="fact", facets=FILE)}
    (one,) = world.memory.review.review(["merge"])
    assert set(one.members) == ids and one.text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use Redis for the queue", "No longer use Redis for the queue"),
        ("Forward port 80 to 443", "Forward port 443 to 80"),
        ("Node 18 builds the frontend", "Node 20 builds the frontend"),
    ],
)
def test_what_is_like_in_words_and_not_in_meaning_is_no_duplicate(one, other):
    """W-NL11."""
    assert not is_near(one, other, 0.99, ratio)


def test_a_text_of_several_has_each_sentence_once():
    assert merged_text([ONE, TWO], ratio) == f"{ONE} Tests cover it."
    assert merged_text(["A short note", "A short note on the ledger"], ratio) == "A short note on the ledger"
    assert groups([("a", "b"), ("b", "c"), ("d", "e")]) == [("a", "b", "c"), ("d", "e")]


def test_a_merging_inherits_all_and_can_be_taken_back(world):
    first = world.learn(ONE, kind="fact", facets=(*FILE, ("concept", "money")), session="s-1", relevance=0.4)
    world.now += DAY
    second = world.learn(TWO, kind="fact", facets=(*FILE, ("concept", "tests")), session="s-2", relevance=0.8)
    third = world.learn("The ledger is append-only", kind="fact")
    world.memory.pin(first)
    world.memory.rate(second, "up")
    world.machine.sql(f"INSERT INTO relationship VALUES ('{third}', '{first}', 'contradicts', 'rules', 1.0, 1, NULL)")
    world.machine.sql(f"INSERT INTO relationship VALUES ('{first}', '{second}', 'contradicts', 'rules', 1.0, 1, NULL)")
    sources = [world.memory.lifecycle.worth(one).importance for one in (first, second)]
    made = world.memory.review.merge([first, second])
    assert made.memory.content == f"{ONE} Tests cover it." and made.memory.pinned
    assert made.facet("concept") == ["money", "testing", "tests"] and made.facet("file") == ["billing/rounding.py"]
    assert {row[0] for row in made.evidence} == {"s-1", "s-2"}
    assert world.memory.lifecycle.worth(made.memory.id).importance >= max(sources)
    states = {row[0]: row[1:] for row in world.states("id, status, status_reason")}
    assert states[first] == states[second] == ("archived", "consolidated")
    related = world.memory.show(made.memory.id)[0].related
    assert [(kind, received) for kind, other, received in related] == [("contradicts", True)]
    assert world.machine.sql("SELECT count(*) FROM merged_from") == [(2,)]
    assert {hit.memory.id for hit in world.memory.search("rounded billing").found} == {made.memory.id}
    back = world.memory.review.unmerge(made.memory.id)
    assert {hit.memory.id: hit.memory.pinned for hit in back} == {first: 1, second: 0}
    assert made.memory.id not in [hit.memory.id for hit in world.memory.recent()]
    assert world.memory.history.audit(op="merge") and world.memory.history.audit(op="unmerged")


def test_what_repeats_a_source_reinforces_the_merged_one(world):
    ids = [world.learn(text, kind="fact", facets=FILE, session="s-1") for text in (ONE, TWO)]
    made = world.memory.review.merge(ids)
    assert world.learn(ONE, kind="fact", session="s-9") == made.memory.id
    assert len(world.memory.recent()) == 1
    third = world.learn("The ledger is append-only", kind="fact")
    all_of_it = world.memory.review.merge([made.memory.id, third]).memory.id
    assert world.learn(TWO, kind="fact", session="s-10") == all_of_it
    assert len(world.memory.recent()) == 1


def test_memories_of_two_kinds_are_not_merged(world):
    ids = [world.learn(ONE, kind="fact"), world.learn(TWO, kind="wiki")]
    with pytest.raises(StateError, match="one type and project"):
        world.memory.review.merge(ids)
    assert len(world.memory.recent()) == 2
