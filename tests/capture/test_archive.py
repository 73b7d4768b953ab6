"""What was said in sessions is kept: each turn of a person, and the assistant's closing message; once, and redacted."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstone.capture import archive_sql
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from support import Machine, Sessions, Transcript

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
TOLD = "SELECT speaker, text FROM turn ORDER BY session_id, place"


@pytest.fixture
def sessions(tmp_path):
    return configured(tmp_path)


def opened(sessions: Sessions, name: str = "session-1") -> Transcript:
    path = sessions.machine.root / "transcripts" / f"{name}.jsonl"
    made = Transcript(path, sessions.machine.project, name, linked=True)
    made.start()
    return made


def configured(root: Path, **env: str) -> Sessions:
    machine = Machine(root)
    machine.env.update({"KEEPSTONE_ARCHIVE_DAYS": "365", **env})
    return Sessions(machine)


def read(sessions: Sessions, made: Transcript) -> list[tuple[object, ...]]:
    sessions.memory.capture.capture(str(made.path))
    return sessions.machine.sql(TOLD)


@pytest.mark.engine
def test_a_persons_words_and_the_closing_message_of_each_turn_are_kept(sessions):
    made = opened(sessions)
    made.user("Why is the import slow?")
    made.assistant("I look at it.")
    made.tool("Read", {"file_path": "src/load.py"}, says="def load(): ...")
    made.assistant("It reads every row twice.")
    made.turn("Then read it once", "Done: it reads each row once.")
    assert read(sessions, made) == [
        ("user", "Why is the import slow?"),
        ("assistant", "It reads every row twice."),
        ("user", "Then read it once"),
        ("assistant", "Done: it reads each row once."),
    ]
    answered = sessions.machine.sql(
        "SELECT p.text FROM turn t JOIN turn p ON p.record_uuid = t.answers WHERE p.speaker = 'user' ORDER BY t.seq"
    )
    assert answered == [("Why is the import slow?",), ("Then read it once",)]


def test_a_later_message_takes_the_place_of_the_one_that_closed_the_turn(sessions):
    made = opened(sessions)
    made.user("Why is the import slow?")
    made.assistant("I look at it.")
    assert read(sessions, made)[-1] == ("assistant", "I look at it.")
    made.tool("Read", {"file_path": "src/load.py"})
    made.assistant("It reads every row twice.")
    assert read(sessions, made)[1:] == [("assistant", "It reads every row twice.")]


SAID = {
    "a prompt": (lambda made: made.turn("We ship on Mondays"), ("user", "We ship on Mondays")),
    "a queued prompt": (lambda made: made.queue("We ship on Mondays"), ("user", "We ship on Mondays")),
    "an answer": (
        lambda made: made.answer("When do we ship?", "On Mondays", "On Mondays", "On Fridays"),
        ("user", "When do we ship? On Mondays"),
    ),
    "the reason for a denial": (
        lambda made: made.deny("Bash", {"command": "npm ci"}, "We use pnpm"),
        ("user", "We use pnpm"),
    ),
    "an approved plan": (
        lambda made: made.result(
            "ExitPlanMode", {"plan": "# Ship\n\n- On Mondays"}, "ok", toolUseResult={"plan": "# Ship\n\n- On Mondays"}
        ),
        ("plan", "# Ship\n\n- On Mondays"),
    ),
}


@pytest.mark.parametrize("way", SAID)
def test_each_way_to_speak_is_kept(sessions, way):
    made = opened(sessions)
    made.user("Go on")
    say, expected = SAID[way]
    say(made)
    made.assistant("Fine.")
    assert expected in read(sessions, made)


def test_tools_files_and_sub_agents_are_not_kept(sessions):
    made = opened(sessions)
    made.user("Go on")
    made.tool("Read", {"file_path": "src/load.py"}, says="def load(): ...")
    made.line({"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": "I search."}})
    made.compact()
    made.assistant("Fine.")
    assert read(sessions, made) == [("user", "Go on"), ("assistant", "Fine.")]


@pytest.mark.engine
def test_what_was_taken_back_is_not_kept_and_what_a_fork_holds_is(sessions):
    made = opened(sessions)
    made.turn("We ship on Mondays")
    prompt = made.turn("We ship on Fridays")
    read(sessions, made)
    fork = made.fork(made.path.parent / "session-2.jsonl", "session-2")
    fork.turn("Thanks")
    assert [text for _, text in read(sessions, fork)].count("We ship on Fridays") == 1
    made.rewind(prompt)
    made.turn("We ship on Tuesdays")
    read(sessions, made)
    of = dict(sessions.machine.sql("SELECT text, session_id FROM turn WHERE speaker = 'user'"))
    assert of == {
        "We ship on Mondays": "session-1",
        "We ship on Tuesdays": "session-1",
        "We ship on Fridays": "session-2",
        "Thanks": "session-2",
    }


def test_secrets_and_private_parts_are_not_kept(sessions):
    made = opened(sessions)
    made.turn(f"The key is {SECRET} <private>and my salary is low</private>", f"I see {SECRET}")
    assert len(read(sessions, made)) == 2
    assert SECRET.encode() not in b"".join(one.read_bytes() for one in sessions.machine.home.glob("*.db*"))
    assert b"my salary" not in b"".join(one.read_bytes() for one in sessions.machine.home.glob("*.db*"))


def test_nothing_is_kept_if_the_archive_is_off(tmp_path):
    sessions = configured(tmp_path, KEEPSTONE_ARCHIVE_DAYS="0")
    made = opened(sessions)
    made.turn("We ship on Mondays")
    assert read(sessions, made) == []


@pytest.mark.parametrize(("programs", "expected"), [("review", "program"), ("ignore", None)])
def test_a_program_is_named(tmp_path, programs, expected):
    sessions = configured(tmp_path, KEEPSTONE_PROGRAMS=programs)
    made = opened(sessions)
    made.line(
        {
            "type": "user",
            "message": {"role": "user", "content": "Review this"},
            "promptSource": "sdk",
            "entrypoint": "sdk-cli",
        }
    )
    made.assistant("Fine.")
    assert [speaker for speaker, _ in read(sessions, made)] == ([expected, "assistant"] if expected else [])


@pytest.mark.engine
def test_what_is_too_old_goes_but_for_what_a_memory_rests_on(sessions):
    made = opened(sessions)
    made.turn("What does README say?")
    made.turn("We decided to use PostgreSQL for billing.")
    made.turn("Thanks")
    read(sessions, made)
    writer = Writer(sessions.machine.database, ratio)
    with writer.transaction() as tx:
        archive_sql.trim(tx, sessions.now + 86_400)
    writer.close()
    assert sessions.machine.sql(TOLD) == [("user", "We decided to use PostgreSQL for billing.")]


@pytest.mark.engine
def test_the_oldest_of_too_many_go(sessions):
    made = opened(sessions)
    for number in range(5):
        made.turn(f"Question {number}", f"Answer {number}")
    read(sessions, made)
    writer = Writer(sessions.machine.database, ratio)
    with writer.transaction() as tx:
        assert archive_sql.trim(tx, 0.0, most=4) == 6
    writer.close()
    assert [text for _, text in sessions.machine.sql(TOLD)] == ["Question 3", "Answer 3", "Question 4", "Answer 4"]
