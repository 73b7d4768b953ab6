"""What is not sure lives for its session and is recalled nowhere; said again it stays, and a person's notes do."""

from __future__ import annotations

import pytest

import engines

pytestmark = pytest.mark.engine

UNSURE = "Deploys always need the VPN, probably because the registry is internal"
SAID = f"Remember: {UNSURE}."  # whatever it scores, a guess about a cause is not sure
SURE = "Always use pnpm here, never npm"
CURED = "It failed because the cache key lacked the branch; adding the branch to the key fixed it."


def left_of(sessions, word):
    """Where in the database a word still stands: rows and search index alike."""
    return engines.holding(sessions.machine.database, word)


NOTHING = {"memory": 0, "memory_fts": 0, "evidence": 0, "evidence_fts": 0}


def test_what_is_not_sure_is_recalled_nowhere(sessions):
    sessions.say(SAID)
    assert sessions.rows("content, tier") == [(UNSURE, "working")]
    memory = sessions.memory
    assert memory.brief().ids == memory.recent() == memory.review.quarantined() == []
    assert memory.search("VPN deploys").found == memory.about("VPN").found == []
    assert memory.maintenance.status().memories == 0


@pytest.mark.parametrize("event", ["stop-extract", "pre-compact"])
def test_what_is_not_sure_lives_while_its_session_does(sessions, event):
    transcript = sessions.begin()
    transcript.user(SAID)
    sessions.hook(event, transcript)
    assert sessions.rows("tier") == [("working",)]


def test_what_is_not_sure_dies_with_its_session_and_leaves_nothing_behind(sessions):
    transcript = sessions.say(SAID)
    assert 0 not in left_of(sessions, "vpn").values()
    sessions.end(transcript)
    assert left_of(sessions, "vpn") == NOTHING
    assert sessions.rows("*", "memory_facet") == sessions.rows("*", "relationship") == []
    assert sessions.machine.sql("SELECT op FROM audit ORDER BY seq DESC LIMIT 1") == [("expire",)]
    engines.check_index(sessions.machine.database)


def test_what_died_comes_back_from_no_other_reading_of_its_session(sessions):
    transcript = sessions.say(SAID)
    sessions.end(transcript)
    sessions.memory.capture.capture(str(transcript.path))
    sessions.memory.capture.ingest([str(transcript.path)])
    assert sessions.rows("*") == []


def test_what_is_said_again_in_another_turn_is_sure(sessions):
    transcript = sessions.say(SAID, "Run the tests.", SAID)
    assert sessions.rows("tier, status") == [("semantic", "active")] and sessions.recalled == [UNSURE]
    sessions.end(transcript)
    assert sessions.recalled == [UNSURE] and sessions.rows("count(*)", "evidence") == [(2,)]


def test_the_same_turn_read_again_makes_nothing_sure(sessions):
    transcript = sessions.say(SAID)
    sessions.machine.sql("UPDATE session SET cursor_offset = 0, cursor_uuid = NULL, cursor_digest = NULL")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("tier") == [("working",)] and sessions.rows("count(*)", "evidence") == [(1,)]


def test_what_is_said_in_two_sessions_at_once_is_sure(sessions):
    first = sessions.say(SAID)
    sessions.say(SAID)
    sessions.end(first)
    assert sessions.recalled == [UNSURE]


def test_a_guess_that_is_never_borne_out_takes_nothing_back(sessions):
    guess = "We no longer use Redis for sessions, because of the outage I bet."
    sessions.say("We decided to use Redis for sessions.", day="2026-11-02")
    later = sessions.say(guess, day="2026-11-09")
    assert sessions.recalled == ["We decided to use Redis for sessions"]
    later.user(guess)
    sessions.memory.capture.capture(str(later.path))
    assert not any(text.startswith("We decided") for text in sessions.recalled)


def test_the_guess_of_a_session_whose_end_never_came_dies_when_it_has_long_been_idle(sessions):
    transcript = sessions.say(SAID)
    sessions.now += 2 * 86_400
    sessions.memory.maintenance.work(wait=True)
    assert left_of(sessions, "vpn") == NOTHING
    gone = sessions.say(SAID)
    gone.path.unlink()
    sessions.now += 2 * 86_400
    sessions.memory.maintenance.work(wait=True)
    assert left_of(sessions, "vpn") == NOTHING and transcript.path.exists()


def test_the_guess_of_an_old_session_that_is_ingested_is_not_kept(sessions):
    transcript = sessions.begin()
    transcript.user(SAID)
    transcript.user(SURE)
    sessions.now += 10_000 * 86_400
    sessions.memory.capture.ingest([str(transcript.path)])
    assert sessions.recalled == [SURE] and len(sessions.rows("id")) == 1


def test_a_persons_five_notes_outlive_the_session_and_stay_readable_from_its_summary(sessions):
    transcript = sessions.begin()
    sessions.machine.env["CLAUDE_CODE_SESSION_ID"] = transcript.session
    for word in ("apples", "bears", "cats", "dogs", "eels"):
        sessions.memory.store(f"Look at the {word} first")
    sessions.machine.sql("UPDATE memory SET tier = 'working'")
    assert sessions.recalled == []
    transcript.user("Fix the cache")
    transcript.cure(CURED)
    sessions.end(transcript)
    notes = sessions.machine.sql("SELECT id FROM memory WHERE kind = 'fact' AND tier = 'episodic' ORDER BY id")
    ((summary,),) = sessions.machine.sql("SELECT id FROM memory WHERE kind = 'summary'")
    made_of = sessions.machine.sql("SELECT target_id FROM relationship WHERE type = 'derived_from' ORDER BY 1")
    assert len(notes) == 5 and made_of == notes
    shown, _ = sessions.memory.show(summary)
    made_of = [received for type, _, received in shown.related if type == "derived_from"]
    assert made_of == [False] * 5
