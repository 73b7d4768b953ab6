"""What binds until a day says until when: in the row, in `show`, and in the brief's line, also when it is over."""

from __future__ import annotations

from keepstone.model.hit import full

FREEZE = "Never merge into main until 2026-11-27."


def test_a_deadline_is_kept_and_shown_wherever_the_memory_is(sessions):
    sessions.say(FREEZE)
    assert sessions.rows("datetime(deadline_at, 'unixepoch')") == [("2026-11-27 23:59:59",)]
    ((memory_id,),) = sessions.rows("id")
    assert "- until: 2026-11-27" in full(*sessions.memory.show(memory_id))
    line = next(line for line in sessions.memory.brief().text.split("\n") if line.startswith("- Never merge"))
    assert line.endswith("user said, 2026-11-08) [until 2026-11-27]")


def test_a_relative_day_is_the_one_it_meant_when_it_was_said(sessions):
    sessions.say("Never merge into main until Friday.", day="2026-11-10")
    assert sessions.rows("date(deadline_at, 'unixepoch')") == [("2026-11-13",)]
    assert "[was until 2026-11-13]" in sessions.memory.brief().text


def test_what_binds_until_a_day_binds_on_that_day(sessions):
    sessions.say(FREEZE)
    sessions.now += 7 * 86_400
    assert "[until 2026-11-27]" in sessions.memory.brief().text
    sessions.now += 86_400
    assert "[was until 2026-11-27]" in sessions.memory.brief().text


def test_what_binds_without_end_says_nothing_of_one(sessions):
    sessions.say("Always use pnpm here, never npm.")
    assert sessions.rows("deadline_at") == [(None,)] and "until" not in sessions.memory.brief().text
