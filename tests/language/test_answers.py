"""What a question and its answer decide, as one statement; an answer that decides nothing is none."""

from __future__ import annotations

import pytest

from keepstone.language.answers import decided

UNDECIDED = (
    "You decide",
    "you choose",
    "Decide later",
    "Discuss together",
    "Not sure",
    "I'm not sure yet",
    "Unsure",
    "Ask me again tomorrow",
    "Ask later",
    "I don't know",
    "Don't care",
    "No preference",
    "No idea",
    "Doesn't matter",
    "Whatever",
    "Surprise me",
    "TBD",
    "Let's discuss",
    "Let me think about it",
    "Something else",
    "None of these",
    "It depends",
    "Up to you",
    "It's your call",
    "Tell me more",
    "Explain the options",
    "Not decided yet",
    "We'll decide later",
    "Leave it open",
    "Postpone",
    "Let Claude decide",
    "Need more information",
    "Chat about this",
    "Same as now",
    "To be determined",
)
# What is no name may be no decision.
UNSURE = (
    "Skip for now",
    "No change",
    "Existing one",
    "Current setup",
    "Don't use one",
    "Something custom",
    "Compare them first",
    "Prototype both",
    "Pending",
    "Use your best judgment",
    "Gather more data",
    "Stay with what we have",
)
QUESTIONS = (
    "Which database should the billing service use?",
    "Should we use tabs or spaces in this repo?",
    "What is the maximum upload size?",
    "Where should backups be stored?",
    "Which formatter?",
)


@pytest.mark.parametrize("answer", UNDECIDED)
def test_who_does_not_choose_decides_nothing(answer):
    assert [decided(question, answer)[0] for question in QUESTIONS] == [""] * len(QUESTIONS)


@pytest.mark.parametrize("answer", UNSURE)
def test_what_is_no_name_stands_with_its_question_and_is_not_sure(answer):
    for question in QUESTIONS:
        assert decided(question, answer) in (("", False), (f"{question} {answer}", False))


def test_a_name_an_amount_and_a_place_are_sure():
    assert decided(QUESTIONS[0], "PostgreSQL") == ("The billing service should use PostgreSQL", True)
    assert decided(QUESTIONS[1], "Spaces") == ("We should use Spaces in this repo", True)
    assert decided(QUESTIONS[2], "25 MB") == ("The maximum upload size is 25 MB", True)
    assert decided(QUESTIONS[3], "On the NAS") == ("Backups should be stored on the NAS", True)
    assert decided(QUESTIONS[4], "Prettier") == ("Formatter: Prettier", True)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which version broke it?", "2.3"),
        ("Which commit introduced the crash?", "3fa2c1"),
        ("Which change caused the timeout?", "The new pool"),
        ("Which release should we roll back to?", "2.3.1"),
        ("Which deploy should be reverted?", "Monday"),
        ("Which ticket should we start?", "SHOP-7"),
        ("Which table should be dropped?", "sessions"),
        ("Which service crashed?", "billing"),
    ],
)
def test_what_is_asked_of_the_moment_is_no_decision(question, answer):
    assert decided(question, answer)[0] == ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which database should the billing service not use?", "MySQL"),
        ("What should CI not run?", "mypy"),
        ("Which header should the proxy never send?", "Server"),
        ("Which database shouldn't the billing service use?", "MySQL"),
        ("Should the billing service not use MySQL or Oracle?", "MySQL"),
    ],
)
def test_a_question_with_a_not_stands_as_it_was_asked(question, answer):
    assert decided(question, answer)[0] in ("", f"{question.rstrip('?')}? {answer}")
