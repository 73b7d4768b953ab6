"""What a model is told (CG-7), and what is taken from its answer (CG-9)."""

from __future__ import annotations

import pytest

from builders import turn
from cairn.core.transcript import ASSISTANT
from cairn.core.window import Window
from cairn.extract.prompt import PROMPT, candidates, show

WINDOW = Window((turn("earlier", uuid="p"),), (turn("use tabs", uuid="a"), turn("noted", ASSISTANT, uuid="b")))


@pytest.mark.parametrize(
    "rule",
    ["genuinely useful", "Skip acknowledgements, greetings, debugging steps", "at most 100", "0.0 to 1.0", "Answer []"],
)
def test_the_prompt_holds_every_rule(rule):
    assert rule in PROMPT


def test_the_window_is_shown_with_what_was_read_before_marked():
    assert show(WINDOW) == "[processed] user: earlier\n[1] user: use tabs\n[2] assistant: noted"


def test_text_around_the_array_is_allowed():
    answer = 'Here:\n```json\n[{"type": "preference", "content": "Tabs", "relevance": 0.8, "turn": 1}]\n```\nDone.'
    (found,) = candidates(answer, WINDOW)
    assert (found.kind, found.content, found.relevance, found.record_uuid) == ("preference", "Tabs", 0.8, "a")
    assert (found.excerpt, found.method) == ("use tabs", "user")


@pytest.mark.parametrize("answer", ["[]", "", "no", "]", "[", "[1]", "{}", '[{"type": "fact"}]', "[[[", "]["])
def test_an_answer_without_candidates_gives_none(answer):
    assert candidates(answer, WINDOW) == []


@pytest.mark.parametrize(
    "item",
    [
        '{"type": 1, "content": "x", "relevance": 1, "turn": 1}',
        '{"type": "fact", "content": null, "relevance": 1, "turn": 1}',
        '{"type": "fact", "content": "x", "relevance": "high", "turn": 1}',
        '{"type": "fact", "content": "x", "relevance": true, "turn": 1}',
        '{"type": "fact", "content": "x", "relevance": 1, "turn": 3}',
        '{"type": "fact", "content": "x", "relevance": 1, "turn": 0}',
        '{"type": "fact", "content": "x", "relevance": 1}',
    ],
)
def test_malformed_items_are_dropped(item):
    assert candidates(f"[{item}]", WINDOW) == []
