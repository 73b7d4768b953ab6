"""What a person notes in a session outlives it, and can be read from its summary."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.engine

CURED = "It failed because the cache key lacked the branch; adding the branch to the key fixed it."


def test_a_persons_five_notes_outlive_the_session_and_stay_readable_from_its_summary(sessions):
    transcript = sessions.begin()
    sessions.machine.env["CLAUDE_CODE_SESSION_ID"] = transcript.session
    for word in ("apples", "bears", "cats", "dogs", "eels"):
        sessions.memory.store(f"Look at the {word} first")
    sessions.machine.sql("UPDATE memory SET tier = 'working', trust = 'trusted', status_reason = NULL")
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
