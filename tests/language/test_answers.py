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
    assert [decided(question, answer) for question in QUESTIONS] == [""] * len(QUESTIONS)


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
    assert decided(question, answer) == ""


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
    assert decided(question, answer) in ("", f"{question.rstrip('?')}? {answer}")
