"""What is acceptable of what an extractor returns (CG-9)."""

from __future__ import annotations

import math

import pytest

from builders import candidate
from keepstone.model.candidate import accept, tier_at_birth


def test_relevance_and_confidence_are_clamped():
    assert [accept(candidate("x is y", relevance=value)).relevance for value in (-1, 0, 0.5, 1, 7)] == [0, 0, 0.5, 1, 1]
    assert accept(candidate("x is y", confidence=3)).confidence == 1


@pytest.mark.parametrize("relevance", ["0.5", None, True, math.nan, [1]])
def test_what_is_no_number_is_dropped(relevance):
    assert accept(candidate("x is y", relevance=relevance)) is None


def test_unknown_kinds_scopes_and_empty_content_are_dropped():
    assert accept(candidate("x is y", kind="prophecy")) is None
    assert accept(candidate("x is y", scope="galaxy")) is None
    assert accept(candidate(" \x00\n")) is None
    assert accept(candidate("x" * 8_001)) is None


def test_a_title_has_at_most_100_characters_and_the_content_stays_whole():
    made = accept(candidate("word " * 50))
    assert len(made.title) <= 100 and made.title.endswith("…") and made.content == ("word " * 50).strip()


def test_other_tools_words_for_kinds_are_understood():
    assert accept(candidate("x is y", kind="bug_fix")).kind == "incident"


def test_what_is_not_sure_is_not_kept_for_ever():
    assert tier_at_birth("decision", 0.8) == "semantic" and tier_at_birth("decision", 0.69) == "episodic"
    assert tier_at_birth("solution", 0.9) == "episodic"
