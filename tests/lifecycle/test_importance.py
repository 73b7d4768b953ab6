"""Importance: bounds, what raises it, its value at birth; bands; what a text is worth by itself (NL-17 to NL-24, Z3-1
to Z3-4, CG-16).
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import at, stored
from keepstone import Memory
from keepstone.lifecycle.initial_relevance import relevance_of
from keepstone.model.importance import (
    COGNOVA,
    IMPORTANCE_WEIGHTS,
    Z3RNO,
    band,
    factors,
    importance,
    saturating,
    steps,
    sureness,
)
from keepstone.model.tiers import DAY, default_tiers

pytestmark = pytest.mark.engine

NOW = at("2026-11-02")
SEMANTIC = default_tiers()["semantic"]
COUNTS = st.integers(0, 10_000)
PARTS = st.floats(0, 1)
ROWS = st.fixed_dictionaries(
    {
        "relevance": PARTS,
        "confidence": PARTS,
        "use_count": COUNTS,
        "retrieval_count": COUNTS,
        "up_votes": COUNTS,
        "down_votes": COUNTS,
        "pinned": st.integers(0, 1),
        "tier": st.sampled_from(sorted(default_tiers())),
    }
)


def worth(now=NOW, rank=None, **more):
    memory = stored("x", **more)
    return importance(memory, default_tiers()[memory.tier], now, rank)


@given(ROWS, st.floats(-10, 4_000), st.one_of(st.none(), PARTS))
def test_it_lies_between_0_and_1(row, days, rank):
    assert 0.0 <= worth(NOW + days * DAY, rank, **row) <= 1.0


def test_the_weights_add_up():
    assert sum(weight for _, weight in IMPORTANCE_WEIGHTS) == pytest.approx(1.0)


@given(
    ROWS, st.floats(0, 900), st.sampled_from(["relevance", "confidence", "use_count", "retrieval_count", "up_votes"])
)
def test_raising_one_factor_never_lowers_it(row, days, name):
    more = {**row, name: min(1.0, row[name] + 0.3) if name in ("relevance", "confidence") else row[name] + 7}
    assert worth(NOW + days * DAY, **more) >= worth(NOW + days * DAY, **row) - 1e-12


@given(ROWS, st.floats(0, 900))
def test_votes_down_lower_it_and_a_use_raises_it(row, days):
    now = NOW + days * DAY
    plain = {**row, "pinned": 0}
    assert worth(now, **{**plain, "down_votes": row["down_votes"] + 1}) <= worth(now, **plain)
    assert worth(now, **plain, used_at=now) >= worth(now, **plain)


@given(ROWS, st.floats(0, 900), st.floats(0, 900))
def test_time_alone_never_raises_it(row, one, other):
    early, late = sorted((one, other))
    assert worth(NOW + late * DAY, **row) <= worth(NOW + early * DAY, **row) + 1e-12


def test_at_birth_six_factors_share_the_weight_of_the_seventh():
    """NL-17, and the value that requirements 2.5 checked by hand."""
    assert worth(relevance=0.9) == pytest.approx(0.76, abs=0.005)
    known = [factor for factor in factors(stored("x"), SEMANTIC, NOW) if factor.value is not None]
    usage = sum(f.weight * f.value for f in known) / 0.9
    assert len(known) == 6 and worth(relevance=0.9) == pytest.approx(0.45 + 0.5 * usage)
    assert worth(rank=0.0) < worth() < worth(rank=1.0)


def test_what_nobody_uses_sinks_to_review_and_what_is_used_does_not():
    """Requirements 2.5: 330 days, base .5 and .9; base .2 used often."""
    later = NOW + 330 * DAY
    assert worth(later, relevance=0.5) == pytest.approx(0.22, abs=0.04)
    assert worth(later, relevance=0.9) == pytest.approx(0.27, abs=0.04)
    assert worth(later, relevance=0.2, use_count=20, used_at=later - 5 * DAY) > 0.4


def test_a_pinned_memory_is_worth_its_relevance_at_least():
    assert worth(NOW + 900 * DAY, relevance=0.9, pinned=1) == 0.9


def test_repeated_use_saturates():
    gains = [saturating(n + 1) - saturating(n) for n in range(25)]
    assert gains == sorted(gains, reverse=True) and saturating(20) == saturating(500) == 1.0


def test_the_boost_of_a_use_fades():
    use = {"use_count": 1, "used_at": NOW}
    soon, late = worth(NOW + DAY, **use), worth(NOW + 60 * DAY, **use)
    assert soon - worth(NOW + DAY) > late - worth(NOW + 60 * DAY)


def test_confidence_ages_slowly_and_not_to_nothing():
    memory = stored("x", confidence=0.8)
    assert sureness(memory, NOW + 365 * DAY) == pytest.approx(0.4)
    assert sureness(memory, NOW + 9_999 * DAY) == 0.1
    assert sureness(stored("x", confidence=0.8, verified_at=NOW + 365 * DAY), NOW + 365 * DAY) == 0.8
    assert sureness(stored("x", confidence=0.03), NOW) == 0.03


def test_both_seeds_bands_have_no_gaps():
    values = (0.0, 0.1, 0.45, 0.5, 0.65, 0.7, 0.85, 0.9, 1.0)
    names = "minor minor minor moderate moderate important important critical critical".split()
    assert [band(value, COGNOVA) for value in values] == names
    edges = (0.0, 0.19, 0.2, 0.49, 0.5, 0.79, 0.8, 1.0)
    names = "trivial trivial routine routine notable notable critical critical".split()
    assert [band(value, Z3RNO) for value in edges] == names


@given(PARTS, PARTS)
def test_what_is_closer_than_a_step_counts_the_same(one, other):
    if abs(one - other) < 1e-12:
        assert steps(one) == steps(other)
    assert (one - other) * (steps(one) - steps(other)) >= 0


def test_a_text_is_worth_what_it_says():
    thanks = relevance_of("ok thanks")
    vague = relevance_of("The tests are a bit slow at the moment and somebody should look")
    concrete = relevance_of("Deploys fail with node 18.2 because services/api/server.ts needs crypto.subtle")
    assert band(thanks, Z3RNO) == "trivial" and thanks < vague < concrete


@given(st.text(max_size=400))
def test_no_text_is_out_of_bounds(text):
    assert 0.0 <= relevance_of(text) <= 1.0


@pytest.fixture
def memory(machine):
    return Memory(str(machine.home), str(machine.project), machine.env)


def test_what_is_given_wins_and_what_is_omitted_is_scored(memory):
    given_one = memory.store("Deploys need the VPN", relevance=0.13)[0].memory.relevance
    scored = memory.store("Billing uses PostgreSQL 16 because of row_security", relevance=None)[0].memory.relevance
    assert given_one == 0.13 and 0.3 < scored < 0.9
    assert memory.revise(memory.recent()[0].memory.id, relevance=0.0).memory.relevance == 0.0


def test_importance_decides_where_searches_find_equally_much(machine):
    """NL-20: of two that match alike the more important comes first; a better match still wins."""
    memory = Memory(str(machine.home), str(machine.project), {**machine.env, "KEEPSTONE_EMBEDDER": "off"})
    plain = memory.store("The billing export is read by auditors", relevance=0.2)[0].memory.id
    telling = memory.store("The billing export is kept in archives", relevance=0.2)[0].memory.id
    other = memory.store("The nightly billing export of invoices takes two hours", relevance=0.1)[0].memory.id
    for _ in range(3):
        memory.rate(plain, "up")
    found = [hit.memory.id for hit in memory.search("billing export").found]
    assert found.index(plain) < found.index(telling)
    assert memory.search("nightly export of invoices").found[0].memory.id == other


def test_ratings_move_importance_and_confidence_once_a_session(machine, memory):
    memory_id = memory.store("Deploys need the VPN")[0].memory.id
    before = memory.lifecycle.worth(memory_id)
    inside = Memory(str(machine.home), str(machine.project), {**machine.env, "CLAUDE_CODE_SESSION_ID": "session-7"})
    for _ in range(3):
        inside.rate(memory_id, "up", "it kept me from waiting")
    after = memory.lifecycle.worth(memory_id)
    assert after.importance > before.importance
    assert (after.hit.memory.up_votes, after.hit.memory.use_count) == (1, 1)
    assert after.hit.memory.confidence == pytest.approx(before.hit.memory.confidence + 0.05)
    inside.rate(memory_id, "outdated", "it moved")
    last = memory.lifecycle.worth(memory_id).hit.memory
    assert (last.up_votes, last.down_votes, last.status_reason) == (0, 1, "outdated")
    assert last.confidence == pytest.approx(before.hit.memory.confidence - 0.15)
    assert machine.sql("SELECT vote, note, session_id FROM rating") == [("outdated", "it moved", "session-7")]
    assert {row[0] for row in machine.sql("SELECT op FROM audit")} >= {"rate_up", "rate_outdated"}
    memory.rate(memory_id, "down")
    assert memory.lifecycle.worth(memory_id).importance < after.importance


def test_a_lost_anchor_lowers_importance_and_an_unrelated_change_does_not(machine, memory):
    """NL-24."""
    file = machine.project / "limits.py"
    file.write_text("MAX_UPLOAD = 20\nMAX_ROWS = 5\n")
    lost = memory.store("The upload limit is `MAX_UPLOAD` in limits.py")[0].memory.id
    kept = memory.store("The row limit is `MAX_ROWS` in limits.py")[0].memory.id
    file.write_text("MAX_ROWS = 5\n# something else\n")
    memory.maintenance.verify()
    assert memory.lifecycle.worth(lost).importance < memory.lifecycle.worth(kept).importance
