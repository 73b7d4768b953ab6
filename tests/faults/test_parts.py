"""A little of each part of the campaign that has no steps; `make faults` goes through all of it."""

from __future__ import annotations

import pytest

from faults import clock, crowd, disk, flips, outlets, states
from faults.scenarios import SCENARIOS
from support import require

pytestmark = pytest.mark.system

MET = ("locked exclusively", "a read-only file", "a FIFO", "another program's", "of its schema 3", "a torn log")


def problems(results):
    return [problem for result in results for problem in result.problems]


def test_a_database_in_any_state_hangs_nobody_and_loses_nothing():
    require("libsqlite3", disk.library(), "a Python that is linked with libsqlite3")
    chosen = [state for state in states.STATES if state.name in MET]
    asked = [words for words in states.ASKED if words[0] in ("store", "doctor", "worker")]
    results = list(states.meet([*chosen, states.cut(states.PAGE)], asked))
    assert problems(results) == [] and len(results) == len(MET) + 1


def test_outputs_that_take_nothing_harm_no_hook():
    assert problems(outlets.hooks(("closed stdout", "full stdout"))) == []


@pytest.mark.parametrize("outlet", ["closed stdout", "neither has a reader", "full stdout"])
def test_outputs_that_take_nothing_are_no_bug(outlet):
    assert problems(outlets.reads((outlet,), outlets.READS[:2])) == []


def test_what_a_command_does_it_does_without_an_output():
    chosen = [scenario for scenario in SCENARIOS if scenario.name == "store"]
    assert problems(outlets.commands(chosen, ("closed stdout", "stdout without a reader", "full stdout"))) == []


@pytest.mark.parametrize("kills", [False, True])
def test_a_crowd_loses_nothing(tmp_path, kills):
    made = crowd.crowd(4, 10, kills, tmp_path / "machine")
    assert made.problems == [] and (kills or made.done == made.steps)


def test_a_repair_beneath_writers_loses_nothing_of_theirs(tmp_path):
    made = crowd.repaired(2, 20, tmp_path / "machine")
    assert made.problems == [] and made.done == made.steps


def test_a_flipped_bit_is_told(tmp_path):
    made = flips.flips(tmp_path / "machine", 6, 0)
    assert made.problems == [] and made.digested


def test_a_clock_that_jumps_loses_nothing_and_stops_nothing():
    assert problems(clock.turned(("ten years ahead",))) == []
