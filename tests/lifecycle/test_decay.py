"""Decay: the three curves, by day and by property; nothing decayed is stored (Z3-6 to Z3-10, W-Z1 to W-Z4)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import at, stored
from keepstone.config.settings import load
from keepstone.lib.limits import CURVES
from keepstone.model.memory import TIERS
from keepstone.model.tiers import DAY, default_tiers, exponential, logarithmic, sinks, step, tiers_of

pytestmark = pytest.mark.engine

DAYS = st.floats(0, 5_000)
SPANS = st.floats(1, 2_000)


def test_half_is_left_after_ln_2_over_the_rate():
    assert exponential(math.log(2) / 0.05, 0.05) == pytest.approx(0.5)
    assert default_tiers()["episodic"].left(30.0) == pytest.approx(0.5)


def test_the_logarithmic_curve_is_the_seeds_formula():
    for days, bend, span in ((10, 0.5, 100), (99, 2.0, 100), (1, 0.01, 365)):
        expected = 1 - math.log(1 + bend * days) / math.log(1 + bend * span)
        assert logarithmic(days, bend, span) == pytest.approx(expected)


def test_the_default_falls_slowly_at_first_and_fast_later():
    """The values of requirement Z3-7, which has .9 of 1/365 as the bend."""
    left = default_tiers()["semantic"].left
    assert [left(days) for days in (30, 90, 180, 365)] == pytest.approx([0.97, 0.89, 0.74, 0.0], abs=0.01)
    assert left(0) - left(100) < left(265) - left(365)


def test_a_straight_line_is_the_limit():
    assert logarithmic(25, 0, 100) == 0.75
    assert logarithmic(25, 1e-9, 100) == pytest.approx(0.75, abs=1e-6)


@pytest.mark.parametrize(("bend", "span"), [(0.1, 0), (0.1, -5), (-0.01, 100), (-1.0, 100)])
def test_what_has_no_value_is_refused(bend, span):
    with pytest.raises(ValueError, match="logarithmic"):
        logarithmic(10, bend, span)


def test_a_step_is_over_at_its_threshold():
    assert (step(6.999, 7), step(7, 7), step(8, 7)) == (1.0, 0.0, 0.0)


def test_working_and_procedural_do_not_decay():
    assert default_tiers()["working"].left(10_000) == default_tiers()["procedural"].left(10_000) == 1.0


@given(DAYS, DAYS, SPANS, st.floats(-0.99, 5))
def test_every_curve_stays_in_bounds_and_never_rises(one, other, span, bend):
    early, late = sorted((one, other))
    for curve in (
        lambda days: exponential(days, 1 / span),
        lambda days: logarithmic(days, bend / span, span),
        lambda days: step(days, span),
    ):
        assert 0.0 <= curve(late) <= curve(early) <= 1.0
    assert logarithmic(span + late, bend / span, span) == 0.0


@given(st.floats(-1e9, 0))
def test_a_clock_that_was_set_back_makes_nothing_grow(days):
    assert exponential(days, 0.05) == logarithmic(days, -0.001, 365) == step(days, 7) == 1.0


@given(st.floats(0, 400), st.floats(0, 400))
def test_nothing_compounds(first, second):
    """Asked for twice, at once or later, it is the same function of the row: nothing decayed is there to decay."""
    memory = stored("x", tier="episodic", day="2026-01-01")
    now = at("2026-01-01") + first * DAY
    tier = default_tiers()["episodic"]
    once = sinks(memory, tier, now)
    sinks(memory, tier, now + second * DAY)
    assert sinks(memory, tier, now) == once == pytest.approx(0.5 ** (first / 30))


def test_use_and_not_delivery_makes_a_memory_young():
    now = at("2026-03-01")
    old = stored("x", tier="episodic", day="2026-01-01")
    shown = stored("x", tier="episodic", day="2026-01-01", accessed_at=now)
    used = stored("x", tier="episodic", day="2026-01-01", used_at=now)
    tier = default_tiers()["episodic"]
    assert sinks(shown, tier, now) == sinks(old, tier, now) < sinks(used, tier, now) == 1.0


def test_what_has_a_deadline_is_worth_nothing_after_it():
    memory = stored("x", day="2026-01-01", deadline_at=at("2026-01-10"))
    tier = default_tiers()["semantic"]
    assert sinks(memory, tier, at("2026-01-09")) > 0.9 and sinks(memory, tier, at("2026-01-10")) == 0.0


def test_the_curve_of_a_tier_is_a_setting(tmp_path):
    """Z3-10: each value is a setting, in the environment or in config.json."""
    (tmp_path / "config.json").write_text('{"tier.episodic.curve": "step", "tier.semantic.floor": 0.2}')
    given = {"KEEPSTONE_TIER_EPISODIC_SPAN": "7d", "KEEPSTONE_TIER_PROCEDURAL_CAP": "9"}
    found = load(str(tmp_path), given)
    assert found.problems == [] and found.sources["tier.episodic.span"] == "KEEPSTONE_TIER_EPISODIC_SPAN"
    made = tiers_of(found.values)
    assert (made["episodic"].left(6), made["episodic"].left(8)) == (1.0, 0.0)
    assert made["semantic"].left(9_999) == 0.2 and made["procedural"].cap == 9
    assert default_tiers()["episodic"].left(30) == pytest.approx(0.5)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_can_have_every_curve(tier, curve):
    assert 0.0 <= tiers_of({f"tier.{tier}.curve": curve})[tier].left(20) <= 1.0


@pytest.mark.parametrize(
    ("name", "given", "takes"),
    [
        ("tier.episodic.ttl", "soon", "a span of time such as 30d or 12h, or never"),
        ("tier.episodic.ttl", "0d", "a span of time such as 30d or 12h, or never"),
        ("tier.episodic.ttl", "", "a span of time such as 30d or 12h, or never"),
        ("tier.semantic.span", "never", "a span of time such as 30d or 12h"),
        ("tier.semantic.half_life", "36501d", "a span of time such as 30d or 12h"),
        ("tier.semantic.curve", "round", "exponential or logarithmic or step or constant"),
        ("tier.semantic.floor", "nan", "a number from 0 to 1"),
        ("tier.episodic.least", "1.1", "a number from 0 to 1"),
        ("tier.episodic.cap", "0", "a whole number from 1 to 10000000"),
    ],
)
def test_what_a_tier_can_not_be_is_refused(machine, name, given, takes):
    done = machine.keepstone("config", name, given, ok=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {name} can't be '{given}'; it takes {takes}\n")


@pytest.mark.parametrize("name", ["tiers", "tier.procedural.ttl", "tier.semantic.summarise", "tier.a.cap"])
def test_what_no_tier_has_is_no_setting(machine, name):
    done = machine.keepstone("config", name, "60d", ok=False)
    assert done.returncode == 2 and f"there is no setting '{name}'" in done.stderr


def test_a_setting_of_a_tier_is_set_and_shown(machine):
    assert (
        machine.keepstone("config", "tier.episodic.ttl", "60d").stdout == "tier.episodic.ttl = 60d (from config.json)\n"
    )
    assert machine.keepstone("config", "tier.semantic.ttl").stdout == "tier.semantic.ttl = never (from default)\n"
