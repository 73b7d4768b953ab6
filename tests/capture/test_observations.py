"""Observations as rows: one for each call, however often it is reported; capped, and purged when they are old."""

from __future__ import annotations

import pytest

import engines
from keepstone.capture import commit_sql, observations_sql, session_end_sql
from keepstone.capture.commit_sql import WindowExtras
from keepstone.capture.observations_sql import OBSERVED_KEPT, OBSERVED_MAX
from keepstone.claude_code.observation import FAILED, OK, UNKNOWN, UNPLACED, Observation, Observed, Outcome
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.cursor import Cursor

pytestmark = pytest.mark.engine


@pytest.fixture
def store(tmp_path):
    path = engines.new(str(tmp_path / "keepstone.db"))
    made = Writer(path, ratio)
    note_session(made, "s", 1.0)
    yield made
    made.close()


def note_session(store, session_id, now):
    with store.transaction() as tx:
        sessions.note_session(tx, session_id, project_id=None, transcript_path="", cwd="", branch="", now=now)


def call(call_id, place=UNPLACED, state=UNKNOWN, at=5.0, tool="Bash", command="make", reasoning=""):
    return Observation(call_id, tool, command, ("src/a.py",), state, reasoning, f"record-{call_id}", place, at)


def capture(store, *rows, late=(), absorbed=()):
    """Captures a window in which nothing was said."""
    with store.transaction() as tx:
        before = sessions.cursor(tx, "s")
    after = Cursor(before.offset + 1, f"uuid-{before.offset}")
    assert commit_window(store, before, after, Observed(rows, tuple(late), tuple(absorbed))) == ([], [])


def commit_window(store, before, after, observed):
    with store.transaction() as tx:
        extras = WindowExtras(observed=observed)
        return commit_sql.capture(tx, Origin("hook", session_id="s"), [], before, after, 9.0, extras)


def merge(store, *rows):
    with store.transaction() as tx:
        observations_sql.merge_observations(tx, rows)


def purge_old(store, before):
    with store.transaction() as tx:
        observations_sql.purge_old_observations(tx, before)


def of_session(store, session="s"):
    with store.transaction() as tx:
        return observations_sql.observations(tx, session)


def states(store, session="s"):
    return {made.call_id: made.state for made in of_session(store, session)}


def test_what_is_stored_is_what_comes_back_in_the_transcripts_order(store):
    second, first = call("b", 20, OK), call("a", 10, FAILED, reasoning="It's \u201cthis\u201d")
    capture(store, second, first)
    assert of_session(store, "s") == [first, second] and of_session(store, "other") == []


def test_the_same_again_changes_nothing(store):
    capture(store, call("a", 10, OK), call("b", 20))
    before = of_session(store, "s")
    capture(store, call("a", 10, OK), call("b", 20))
    assert of_session(store, "s") == before


def test_a_capture_that_comes_too_late_stores_no_observations(store):
    stale = Cursor(7, "somebody else's")
    assert commit_window(store, stale, Cursor(8, "x"), Observed((call("a", 10),))) is None
    assert of_session(store, "s") == []


def test_what_a_hook_saw_stands_until_the_transcript_tells(store):
    merge(store, ("s", call("a", state=OK, command="")))
    capture(store, call("a", 10))
    (row,) = of_session(store, "s")
    assert (row.state, row.command, row.place) == (OK, "make", 10)
    capture(store, late=[Outcome("a", OK, looks_failed=True)])
    assert states(store) == {"a": FAILED}


def test_what_the_transcript_told_stands_when_a_hooks_line_comes_later(store):
    capture(store, call("a", 10, FAILED), call("b", 20))
    before = of_session(store, "s")[0]
    merge(store, ("s", call("a", state=OK, command="")), ("s", call("b", state=OK, command="")))
    assert of_session(store, "s")[0] == before and states(store) == {"a": FAILED, "b": OK}


def test_an_outcome_in_a_later_window_settles_its_call_alone(store):
    capture(store, call("a", 10), call("b", 20), call("c", 30, command="cat log"))
    late = [Outcome("a", FAILED), Outcome("b", UNKNOWN), Outcome("c", OK, True), Outcome("nobody's", OK)]
    capture(store, late=late)
    assert states(store) == {"a": FAILED, "b": UNKNOWN, "c": OK}


def test_words_whose_call_comes_in_a_later_window_are_one_observation_with_it(store):
    words = call("w", 10, tool="", command="")
    capture(store, words, call("a", 20))
    capture(store, call("b", 30, reasoning="why"), absorbed=["w", "a"])
    assert [made.call_id for made in of_session(store, "s")] == ["a", "b"]


def test_what_no_transcript_has_told_comes_last(store):
    merge(store, ("s", call("late", at=2.0)), ("s", call("early", at=1.0)))
    capture(store, call("a", 10))
    assert [made.call_id for made in of_session(store, "s")] == ["a", "early", "late"]


def test_purging_a_session_leaves_the_others(store):
    merge(store, ("s", call("a")), ("other", call("a")))
    with store.transaction() as tx:
        session_end_sql.end_session(tx, "s", 9.0)
    assert of_session(store, "s") == [] and len(of_session(store, "other")) == 1


def test_purging_by_age_leaves_what_is_younger(store):
    merge(store, ("s", call("old", at=1.0)), ("s", call("young", at=2.0)))
    purge_old(store, 2.0)
    assert list(states(store)) == ["young"]


def test_what_is_old_in_a_session_that_has_just_begun_here_is_kept(store):
    merge(store, ("s", call("a", at=1.0)), ("other", call("a", at=1.0)))
    purge_old(store, 1.5)
    assert states(store) == {} and of_session(store, "other") == []
    note_session(store, "young", 9.0)
    merge(store, ("young", call("a", at=1.0)))
    purge_old(store, 9.0)
    assert list(states(store, "young")) == ["a"]
    purge_old(store, 9.5)
    assert states(store, "young") == {}


def test_past_the_cap_the_newest_are_left(store):
    capture(store, *(call(f"c{number}", number) for number in range(OBSERVED_MAX)))
    assert len(of_session(store, "s")) == OBSERVED_MAX
    merge(store, ("other", call("one-more")))
    assert len(of_session(store, "s")) == OBSERVED_KEPT - 1 and len(of_session(store, "other")) == 1
    assert of_session(store, "s")[-1].call_id == f"c{OBSERVED_MAX - 1}"
