"""Observations as rows: one a call, whoever tells of it and however often; capped, and gone when they are old."""

from __future__ import annotations

import pytest

import engines
from keepstone.core.defaults import OBSERVED_KEPT, OBSERVED_MAX
from keepstone.core.observation import FAILED, OK, UNKNOWN, UNPLACED, Observation, Observed, Outcome
from keepstone.core.transcript import Cursor
from keepstone.similar import ratio
from keepstone.store.store import Beside, Origin, Store

pytestmark = pytest.mark.engine


@pytest.fixture
def store(tmp_path):
    path = engines.new(str(tmp_path / "keepstone.db"))
    made = Store(path, ratio)
    made.note_session("s", project_id=None, transcript_path="", cwd="", branch="", now=1.0)
    yield made
    made.close()


def call(call_id, place=UNPLACED, state=UNKNOWN, at=5.0, tool="Bash", command="make", reasoning=""):
    return Observation(call_id, tool, command, ("src/a.py",), state, reasoning, f"record-{call_id}", place, at)


def capture(store, *rows, late=(), absorbed=()):
    """Captures a window in which nothing was said."""
    before = store.cursor("s")
    after = Cursor(before.offset + 1, f"uuid-{before.offset}")
    observed = Observed(rows, tuple(late), tuple(absorbed))
    assert store.capture(Origin("hook", session_id="s"), [], before, after, 9.0, Beside(observed=observed)) == ([], [])


def states(store, session="s"):
    return {made.call_id: made.state for made in store.observations(session)}


def test_what_is_stored_is_what_comes_back_in_the_transcripts_order(store):
    second, first = call("b", 20, OK), call("a", 10, FAILED, reasoning="It's \u201cthis\u201d")
    capture(store, second, first)
    assert store.observations("s") == [first, second] and store.observations("other") == []


def test_the_same_again_changes_nothing(store):
    capture(store, call("a", 10, OK), call("b", 20))
    before = store.observations("s")
    capture(store, call("a", 10, OK), call("b", 20))
    assert store.observations("s") == before


def test_a_capture_that_comes_too_late_stores_no_observations(store):
    stale = Cursor(7, "somebody else's")
    observed = Observed((call("a", 10),))
    assert (
        store.capture(Origin("hook", session_id="s"), [], stale, Cursor(8, "x"), 9.0, Beside(observed=observed)) is None
    )
    assert store.observations("s") == []


def test_what_a_hook_saw_stands_until_the_transcript_tells(store):
    store.merge_observations([("s", call("a", state=OK, command=""))])
    capture(store, call("a", 10))
    (row,) = store.observations("s")
    assert (row.state, row.command, row.place) == (OK, "make", 10)
    capture(store, late=[Outcome("a", OK, looks_failed=True)])
    assert states(store) == {"a": FAILED}


def test_what_the_transcript_told_stands_when_a_hooks_line_comes_later(store):
    capture(store, call("a", 10, FAILED), call("b", 20))
    before = store.observations("s")[0]
    store.merge_observations([("s", call("a", state=OK, command="")), ("s", call("b", state=OK, command=""))])
    assert store.observations("s")[0] == before and states(store) == {"a": FAILED, "b": OK}


def test_an_outcome_in_a_later_window_settles_its_call_alone(store):
    capture(store, call("a", 10), call("b", 20), call("c", 30, command="cat log"))
    late = [Outcome("a", FAILED), Outcome("b", UNKNOWN), Outcome("c", OK, True), Outcome("nobody's", OK)]
    capture(store, late=late)
    assert states(store) == {"a": FAILED, "b": UNKNOWN, "c": OK}


def test_words_whose_call_comes_in_a_later_window_are_one_observation_with_it(store):
    words = call("w", 10, tool="", command="")
    capture(store, words, call("a", 20))
    capture(store, call("b", 30, reasoning="why"), absorbed=["w", "a"])
    assert [made.call_id for made in store.observations("s")] == ["a", "b"]


def test_what_no_transcript_has_told_comes_last(store):
    store.merge_observations([("s", call("late", at=2.0)), ("s", call("early", at=1.0))])
    capture(store, call("a", 10))
    assert [made.call_id for made in store.observations("s")] == ["a", "early", "late"]


def test_purging_a_session_leaves_the_others(store):
    store.merge_observations([("s", call("a")), ("other", call("a"))])
    store.end_session("s", 9.0)
    assert store.observations("s") == [] and len(store.observations("other")) == 1


def test_purging_by_age_leaves_what_is_younger(store):
    store.merge_observations([("s", call("old", at=1.0)), ("s", call("young", at=2.0))])
    store.purge_old_observations(2.0)
    assert list(states(store)) == ["young"]


def test_what_is_old_in_a_session_that_has_just_begun_here_is_kept(store):
    store.merge_observations([("s", call("a", at=1.0)), ("other", call("a", at=1.0))])
    store.purge_old_observations(1.5)
    assert states(store) == {} and store.observations("other") == []
    store.note_session("young", project_id=None, transcript_path="", cwd="", branch="", now=9.0)
    store.merge_observations([("young", call("a", at=1.0))])
    store.purge_old_observations(9.0)
    assert list(states(store, "young")) == ["a"]
    store.purge_old_observations(9.5)
    assert states(store, "young") == {}


def test_past_the_cap_the_newest_are_left(store):
    capture(store, *(call(f"c{number}", number) for number in range(OBSERVED_MAX)))
    assert len(store.observations("s")) == OBSERVED_MAX
    store.merge_observations([("other", call("one-more"))])
    assert len(store.observations("s")) == OBSERVED_KEPT - 1 and len(store.observations("other")) == 1
    assert store.observations("s")[-1].call_id == f"c{OBSERVED_MAX - 1}"
