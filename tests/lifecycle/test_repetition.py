"""The same statement again: one memory with evidence of each; Keepstone's own words again: nothing at all."""

from __future__ import annotations

import pytest

from keepstone.db.sessions import note_session
from keepstone.model.hit import listing_lines, markdown_line
from keepstone.recall.deliveries_sql import count_deliveries

PNPM = "Always use pnpm here, never npm."


def test_a_fact_of_twenty_sessions_is_one_memory_with_twenty_evidences(sessions):
    for number in range(20):
        sessions.say(PNPM if number % 2 else PNPM.lower(), day=f"2026-11-{number % 18 + 1:02}")
    ((memory_id,),) = sessions.rows("id")
    assert sessions.rows("count(*), count(DISTINCT session_id), count(DISTINCT memory_id)", "evidence") == [(20, 20, 1)]
    brief = sessions.memory.brief()
    assert brief.ids == [memory_id] and "user said, 2026-11-01, 20 sessions)" in brief.text


def test_sessions_are_counted_and_not_the_times_it_was_said_in_one(sessions):
    sessions.say(PNPM, PNPM, PNPM)
    assert sessions.rows("count(*)", "evidence") == [(3,)] and " sessions)" not in sessions.memory.brief().text
    sessions.say(PNPM)
    assert "2 sessions)" in sessions.memory.brief().text


def test_the_sessions_read_again_say_nothing_more(sessions):
    made = [sessions.say(PNPM) for _ in range(3)]
    for transcript in made:
        sessions.memory.capture.capture(str(transcript.path))
        sessions.end(transcript)
    sessions.memory.capture.ingest([str(made[0].path.parent)])
    assert sessions.rows("count(*)") == [(1,)] and sessions.rows("count(*)", "evidence") == [(3,)]


def begin_with_brief(sessions):
    """Begins a session that was shown the brief."""
    made = sessions.begin("2026-11-19")
    ids = sessions.memory.brief().ids
    now = sessions.now
    with sessions.memory.context.writer() as writer, writer.transaction() as tx:
        note_session(tx, made.session, project_id=None, transcript_path="", cwd="", branch="", now=now)
        count_deliveries(tx, made.session, "session-start", ids, 100, now)
    return made


def test_what_a_session_was_shown_is_no_news_when_it_says_that_word_for_word(sessions):
    sessions.say(PNPM)
    made = begin_with_brief(sessions)
    made.user(PNPM)
    made.user("Always use pnpm here, never npm!")
    sessions.end(made)
    assert sessions.rows("count(*)") == sessions.rows("count(*)", "evidence") == [(1,)]


def test_what_is_said_beyond_what_was_shown_is_news(sessions):
    sessions.say(PNPM)
    made = begin_with_brief(sessions)
    made.user("We decided to use PostgreSQL for billing, because of row-level security.")
    sessions.end(made)
    assert sessions.rows("count(*)") == [(2,)]


def listing(sessions):
    return "\n".join(markdown_line(shown) for shown in sessions.memory.recent())


def on_a_terminal(sessions):
    return "\n".join("\n".join(listing_lines(shown)) for shown in sessions.memory.recent())


def brief(sessions):
    return sessions.memory.brief().text


def without_tags(sessions):
    return "\n".join(line for line in brief(sessions).split("\n") if "keepstone-notes" not in line)


def its_bullets(sessions):
    return "\n".join(line for line in brief(sessions).split("\n") if line.startswith("- "))


@pytest.mark.parametrize("pasted", [brief, without_tags, its_bullets, listing, on_a_terminal])
def test_what_keepstone_printed_is_neither_evidence_nor_a_memory_when_it_is_pasted(sessions, pasted):
    sessions.say(PNPM, "I prefer tabs over spaces in all my projects.", "Staging is on port 8443.")
    sessions.say("We decided to use PostgreSQL for billing, because of row-level security.", day="2026-11-09")
    before = (sessions.rows("id, content, tier, status"), sessions.rows("*", "evidence"))
    assert len(before[0]) == 4
    text = pasted(sessions)
    sessions.say(text, f"Here is what you told me:\n\n{text}\n\nIs that right?", day="2026-11-12")
    assert (sessions.rows("id, content, tier, status"), sessions.rows("*", "evidence")) == before
