"""The model extractor at our own Protocols: whatever a client answers, the window is done and the spending recorded."""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.budget import BudgetAccount, Caps, Spent
from keepstone.capture.extractors.model_client import INPUTS, Reply, counted
from keepstone.capture.extractors.model_extractor import Model
from keepstone.claude_code.window import Window

SAID = "I prefer tabs over spaces in every file, because diffs stay small"
GOOD = {
    **{"type": "fact", "content": "Diffs stay small", "relevance": 0.5, "turn": 1, "relation": "new", "known": 0},
    "quote": "diffs stay small",
}


class Book:
    """A budget that keeps the spending that is recorded."""

    def __init__(self):
        self.recorded = []

    def reserve(self, account, estimate, caps, now):
        return object()

    def record_spend(self, held, spent, problem, now):
        self.recorded.append((spent, problem))

    def fail(self, account, problem, now):
        raise AssertionError(problem)


class Says:
    """A client that answers one thing, or raises it."""

    def __init__(self, answer):
        self.answer = answer

    def ask(self, request):
        if isinstance(self.answer, Exception):
            raise self.answer
        return Reply(self.answer, Spent(10, 1))


def extracted(answer):
    book = Book()
    model = Model(BudgetAccount("a", "m"), lambda: Says(answer), book, Caps(9, 10**6), redact=lambda text: text)
    return [found.content for found in model.extract(Window((), (turn(SAID),)))], book.recorded


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("no such attribute"),
        OverflowError("int too large"),
        AttributeError("'NoneType' object has no attribute 'text'"),
        None,
        7,
        {"memories": [{**GOOD, "relevance": 10**400}]},
        {"memories": [{**GOOD, "relevance": "high"}]},
        {"memories": [{**GOOD, "turn": 10**30}]},
    ],
)
def test_what_can_not_be_read_is_noted_and_left_to_the_rules(answer):
    found, recorded = extracted(answer)
    assert found == [SAID]
    assert len(recorded) == 1 and recorded[0][1]


def test_a_sound_answer_is_taken():
    assert extracted({"memories": [GOOD]}) == (["Diffs stay small"], [(Spent(10, 1), "")])


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        "many",
        {},
        {"input_tokens": None},
        {"input_tokens": -5},
        {"input_tokens": "5"},
        {"input_tokens": 10**30},
    ],
)
def test_a_count_that_can_not_be_is_none(usage):
    assert counted(usage, INPUTS) is None


def test_counts_are_added_up():
    assert counted({"input_tokens": 5, "cache_read_input_tokens": 2, "cache_creation_input_tokens": None}, INPUTS) == 7
