"""What was said in sessions is found by words and by meaning, shown with its neighbours, and gone when it is erased."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from keepstone.lib.errors import NotFound
from keepstone.model.filter import Filter
from support import Machine, Sessions, Transcript

RETRIES = "The importer retries five times, with a pause that doubles."


@pytest.fixture
def sessions(tmp_path):
    machine = Machine(tmp_path)
    machine.env["KEEPSTONE_ARCHIVE_DAYS"] = "365"
    return Sessions(machine)


def talk(
    sessions: Sessions, *turns: tuple[str, str], name: str = "session-1", folder: Path | None = None
) -> Transcript:
    """A session that is captured: prompts, each with its reply."""
    folder = folder or sessions.machine.project
    folder.mkdir(exist_ok=True)
    path = sessions.machine.root / "transcripts" / f"{name}.jsonl"
    made = Transcript(path, folder, name, linked=True)
    made.start()
    for prompt, reply in turns:
        made.turn(prompt, reply)
    sessions.memory.capture.capture(str(path))
    return made


def found(sessions: Sessions, query: str, **more: object) -> list[str]:
    return [quote.excerpt for quote in sessions.memory.archive.search_sessions(query, **more)]


@pytest.mark.engine
def test_what_no_memory_holds_is_found(sessions):
    talk(
        sessions,
        ("How often does the importer try again?", RETRIES),
        ("And the invoices, are they rounded per line?", "Per line, half up."),
        ("Thanks", "You are welcome."),
    )
    assert sessions.memory.search("retries").found == []
    assert found(sessions, "importer retries")[0] == RETRIES
    assert found(sessions, "rounding of invoices")[0] == "And the invoices, are they rounded per line?"


def test_what_stands_further_off_is_not_shown(sessions):
    talk(
        sessions,
        ("How often does the importer try again?", RETRIES),
        ("And the invoices?", "They are sent on Mondays."),
        ("Thanks", "You are welcome."),
    )
    assert set(found(sessions, "importer", limit=10)) == {"How often does the importer try again?", RETRIES}


@pytest.mark.engine
def test_only_this_projects_sessions_are_searched_unless_all_are_asked_for(sessions):
    talk(sessions, ("How often does the importer try again?", RETRIES))
    talk(
        sessions,
        ("How often does the mailer retry?", "The mailer retries twice."),
        name="session-2",
        folder=sessions.machine.root / "other",
    )
    assert "The mailer retries twice." not in found(sessions, "retries")
    assert {RETRIES, "The mailer retries twice."} <= set(found(sessions, "retries", everything=True))


@pytest.mark.engine
def test_a_session_and_a_day_narrow_it(sessions):
    talk(sessions, ("How often does the importer try again?", RETRIES))
    talk(sessions, ("How often does the mailer retry?", "The mailer retries twice."), name="session-2")
    assert RETRIES not in found(sessions, "retries", narrow=Filter(of_session="session-2"))
    assert found(sessions, "retries", narrow=Filter(since=sessions.now)) == []
    assert found(sessions, "retries", narrow=Filter(before=sessions.now - 30 * 86_400)) == []
    assert RETRIES in found(sessions, "retries", narrow=Filter(before=sessions.now))
    assert found(sessions, "retries", narrow=Filter(tag="billing")) == []
    assert "Said in sessions" not in sessions.machine.keepstone("search", "retries", "--type", "decision").stdout


OTHERS = {
    "said after reading from outside": lambda made: (
        made.user("What does the page say?"),
        made.tool("WebFetch", {"url": "https://example.org"}, says="Retries are off."),
        made.assistant("Retries are off by default."),
    ),
    "pasted": lambda made: made.turn("Look at this:\n> Retries are off by default.\nIs it true?", "It is not."),
}


@pytest.mark.parametrize("way", OTHERS)
def test_what_others_may_have_written_is_shown_to_the_user_alone(sessions, way):
    made = talk(sessions, ("Go on", "Fine."))
    OTHERS[way](made)
    sessions.memory.capture.capture(str(made.path))
    assert any("Retries are off by default." in text for text in found(sessions, "retries default"))
    shown = sessions.machine.keepstone("search", "retries", "default").stdout
    assert "Retries are off by default." in shown
    (number,) = sessions.machine.sql("SELECT max(seq) FROM turn WHERE text LIKE '%Retries are off by default.%'")[0]
    told = sessions.machine.keepstone("show", f"turn-{number}").stdout
    assert "Retries are off by default." in told
    model = {"KEEPSTONE_SESSION_ID": "session-1", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "session-1"}
    by_model = sessions.machine.keepstone("search", "retries", "default", "fine", **model).stdout
    by_model += sessions.machine.keepstone("show", f"turn-{number}", **model).stdout
    assert "Retries are off" not in by_model and "Fine." in by_model and "others may have written this" in by_model


def test_a_turn_is_shown_with_those_around_it(sessions):
    talk(sessions, *((f"Question {number}", f"Answer {number}") for number in range(6)))
    quotes = sessions.memory.archive.search_sessions("answer 3")
    said = sessions.memory.archive.turns_around({one.excerpt: one.id for one in quotes}["Answer 3"], limit=1)
    assert [(one.text, one.is_asked) for one in said] == [
        ("Question 3", False),
        ("Answer 3", True),
        ("Question 4", False),
    ]


@pytest.mark.parametrize("given", ["turn-9", "turn-", "turn-x", "turn-" + "9" * 40, "turn--1"])
def test_a_turn_that_is_not_there_is_told(sessions, given):
    with pytest.raises(NotFound, match="no turn"):
        sessions.memory.archive.turns_around(given)


def test_the_part_that_matches_is_quoted_of_a_long_message(sessions):
    filler = " ".join(f"Point {number} is about something else entirely." for number in range(60))
    talk(sessions, ("Tell me all", f"{filler} The dead letter table keeps rows for a week. {filler}"))
    (quote, *_) = sessions.memory.archive.search_sessions("dead letters")
    assert "The dead letter table keeps rows for a week." in quote.excerpt and len(quote.excerpt) <= 200
    assert quote.words == ["dead", "letter"]


@pytest.mark.parametrize(
    "said",
    [
        "The pole stands 1.85 m below the chart datum.",
        "The share is on 192.168.7.20 under /tide.",
        "Run deploy.sh with rsync, v1.2 or later.",
        "utcfromtimestamp() is deprecated in 3.12, e.g. in board.py.",
    ],
)
def test_a_quote_begins_at_a_sentence_and_not_within_a_number_or_name(sessions, said):
    talk(sessions, (f"Good morning. {said} Thanks", "Fine."))
    assert found(sessions, said.rstrip("."))[0].startswith(said.split()[0])


def test_the_command_shows_memories_and_then_what_was_said(sessions):
    talk(
        sessions,
        ("How often does the importer try again?", RETRIES),
        ("We decided to use PostgreSQL for the importer.", "Noted."),
    )
    machine = sessions.machine
    shown = machine.keepstone("search", "importer").stdout
    memories, _, said = shown.partition("Said in sessions\n")
    assert "PostgreSQL for the importer" in memories and RETRIES in said and "2026-11-08 Claude: " in said
    assert "PostgreSQL" not in machine.keepstone("search", "--in", "sessions", "retries").stdout.splitlines()[1]
    assert "Said in sessions" not in machine.keepstone("search", "--in", "memories", "importer").stdout
    (one, *_) = json.loads(machine.keepstone("search", "--in", "sessions", "--json", "retries").stdout)
    assert (one["kind"], one["speaker"], one["excerpt"]) == ("turn", "assistant", RETRIES)
    assert RETRIES in machine.keepstone("show", one["id"]).stdout
    assert "Nothing was said" in machine.keepstone("search", "--in", "sessions", "kubernetes").stderr


def bytes_of(machine: Machine) -> bytes:
    return b"".join(path.read_bytes() for path in machine.home.rglob("*") if path.is_file())


def test_what_is_erased_is_gone_from_every_session(sessions):
    """FTS5 keeps stems and vectors hold no text: what was said must not be left in rows, indexes, the log or copies."""
    told = "The intranet door code is Quetzalcoatl"
    for number in range(20):
        talk(sessions, (f"We note: {told}. It is number {number}.", f"{told}, I see."), name=f"session-{number}")
    sessions.memory.maintenance.maintain()
    assert b"uetzalcoatl" in bytes_of(sessions.machine)
    sessions.memory.privacy.erase([sessions.memory.store(told)[0].memory.id], cascade=True)
    assert b"uetzalcoatl" not in bytes_of(sessions.machine)
    assert sessions.machine.sql("SELECT count(*) FROM turn WHERE text LIKE '%It is number%'") == [(20,)]


def test_what_is_scrubbed_is_gone_from_every_session(sessions):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    for number in range(20):
        talk(sessions, (f"Question {number}", "Fine, the rows are sorted."), name=f"session-{number}")
    sessions.machine.sql(f"UPDATE turn SET text = text || ' {secret}' WHERE speaker = 'assistant'")
    assert secret.encode() in bytes_of(sessions.machine)
    assert sessions.memory.privacy.scrub().rows == 20
    assert secret.encode() not in bytes_of(sessions.machine) and b"f6g7h8" not in bytes_of(sessions.machine)
    assert found(sessions, "sorted rows")[0].startswith("Fine, the rows are sorted.")


def test_an_import_brings_the_archive_along_once(sessions, tmp_path):
    talk(sessions, ("How often does the importer try again?", RETRIES))
    sessions.memory.transfer.export(str(tmp_path / "all.jsonl"))
    machine = Machine(tmp_path / "other")
    other = Sessions(machine)
    for _ in range(2):
        other.memory.transfer.take_in(str(tmp_path / "all.jsonl"))
        assert other.machine.sql("SELECT count(*) FROM turn") == [(2,)]
    assert RETRIES in found(other, "importer retries", everything=True)


@pytest.mark.engine
def test_what_was_said_around_a_memory_needs_no_transcript(sessions):
    made = talk(
        sessions,
        ("What do we use for billing?", "I do not know."),
        ("We decided to use PostgreSQL for billing.", "Noted."),
    )
    made.path.unlink()
    (hit,) = sessions.memory.search("PostgreSQL billing").found
    assert sessions.memory.history.around(hit)[0]["turns"] == [
        "user: What do we use for billing?",
        "assistant: I do not know.",
        "user: We decided to use PostgreSQL for billing.",
        "assistant: Noted.",
    ]


def test_an_archive_that_is_turned_off_is_deleted(sessions):
    talk(sessions, ("We decided to use PostgreSQL for billing.", "Noted."))
    sessions.machine.env["KEEPSTONE_ARCHIVE_DAYS"] = "0"
    off = sessions.at(sessions.machine.project)
    off.maintenance.maintain()
    assert sessions.machine.sql("SELECT count(*) FROM turn") == [(0,)]
    assert off.search("PostgreSQL billing").found and off.archive.search_sessions("PostgreSQL billing") == []
