"""The judge: what it makes of rough words, of long prompts and of odd ones, and how it decides with the wording."""

from __future__ import annotations

import numpy
import pytest

from keepstone.capture.extractors.judge import KINDS, PLACES, WEIGHTS, WINDOW_TOKENS, judge
from keepstone.capture.extractors.score import UNSURE_SCORE, agreed, scored
from keepstone.language.prompt_parts import Part, parts
from keepstone.lib.limits import KEEP_SCORE

LASTING = [
    "btw we never commit the lock file, ci makes its own",
    "always run make itest before u say its done",
    "the orders table has no user_id, it goes through carts",
    "siempre usamos pnpm, nunca npm",
]
PASSING = ["fix this error", "can u add a button there", "thanks!", "why does it fail now?", "commit and push"]


@pytest.mark.parametrize("text", LASTING)
def test_a_rough_rule_or_fact_is_likely(text):
    assert max(opinion.score for opinion in judge().opinions(parts(text), "Done.")) > 0.5


@pytest.mark.parametrize("text", PASSING)
def test_a_task_a_question_or_thanks_is_not(text):
    assert max(opinion.score for opinion in judge().opinions(parts(text), "Done.")) < 0.1


def test_each_part_of_a_long_prompt_has_an_opinion_and_no_window_is_longer_than_its_places():
    said = [
        Part(f"we keep log {number} for {number} days in folder {number} " * 3, number, ".") for number in range(50)
    ]
    found = judge().opinions(said, "word " * 500)
    assert len(found) == 50 and all(0 <= one.score <= 1 and one.kind in KINDS for one in found)
    tokens = [judge()._ids(part.text) for part in said]
    windows = judge()._windows(tokens, list(range(48)))
    assert len(windows) > 1 and sum(len(window.spans) for window in windows) == 50
    assert max(len(window.ids) for window in windows) <= PLACES


@pytest.mark.parametrize("text", ["", "你好", "\x00\ufffd", "a" * 20_000, "word " * (3 * WINDOW_TOKENS)])
def test_any_text_has_an_opinion(text):
    ((score, kind),) = judge().judged([text], text)
    assert 0 <= score <= 1 and kind in KINDS


def test_no_part_is_no_opinion():
    assert judge().opinions([], "Done.") == []


@pytest.mark.parametrize(
    ("wording", "judged", "outcome"),
    [
        (0.7, 0.3, "kept"),
        (0.4, 0.85, "kept"),
        (0.39, 0.99, "suggested"),
        (0.0, 0.5, "suggested"),
        (0.4, 0.3, "suggested"),
        (0.99, 0.1, "suggested"),
        (0.99, 0.09, "dropped"),
        (0.68, 0.29, "dropped"),
        (0.0, 0.46, "dropped"),
    ],
)
def test_one_has_to_be_sure_and_the_other_to_find_it_likely(wording, judged, outcome):
    score = agreed(wording, judged)
    assert ("kept" if score >= KEEP_SCORE else "suggested" if score >= UNSURE_SCORE else "dropped") == outcome


def test_what_is_explicit_is_kept_whatever_the_judge_thinks():
    assert min(scored(parts("We decided to use Helm for the cluster."), "").values) >= KEEP_SCORE


def test_where_something_is_taken_back_only_plain_wordings_count():
    said = parts("Oops, I meant short answers over long.")
    assert max(scored(said, "", "Oops").values) <= max(scored(said, "").values)
    assert max(scored(said, "", "Oops").values) < UNSURE_SCORE


def test_the_file_holds_numbers_alone_and_is_of_the_promised_size():
    with numpy.load(WEIGHTS, allow_pickle=False) as file:
        assert {file[name].dtype.kind for name in file.files} <= set("iuf")
    assert WEIGHTS.stat().st_size < 25_000_000
