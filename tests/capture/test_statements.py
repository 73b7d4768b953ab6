"""The statement model: a linear one, in 0..1, that tells its reasons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.capture.extractors.rules import RELEVANCE
from keepstone.capture.extractors.statements import Linear, Statements, statements
from keepstone.language.prompt_parts import parts

MODEL = statements()


def test_weights_add_up_and_an_unknown_feature_says_nothing():
    linear = Linear(-1.0, {"a": 2.0, "b": 0.5})
    assert linear.log_odds(["a", "b", "unknown"]) == 1.5 and linear.probability([]) < 0.5 < linear.probability(["a"])
    assert Linear(0.0, {}).probability(["a"]) == 0.5


@pytest.mark.parametrize("bias", [-1e9, -50.0, 0.0, 50.0, 1e9])
def test_a_probability_lies_within_its_bounds(bias):
    assert 0.0 <= Linear(bias, {}).probability([]) <= 1.0


def test_the_shipped_model_knows_the_kinds_that_the_rules_keep():
    assert set(MODEL.kinds) == set(RELEVANCE) and statements() is MODEL


def test_a_statement_scores_above_a_task_and_a_question():
    said = parts("We decided to use Caddy instead of Nginx. Rename the file. What does it do?")
    statement, task, question = MODEL.scores(said, False)
    assert statement > 0.8 > 0.3 > max(task, question)
    assert MODEL.kind(said, [0], False) == "decision"


def test_reasons_are_the_weightiest_features_with_their_sign():
    model = Statements(Linear(0.0, {"w:tabs": 3.0, "w:we": -4.0, "w:use": 1.0}), {})
    assert model.reasons(parts("we use tabs"), 0, False) == ["-w:we", "+w:tabs", "+w:use"]
    assert len(MODEL.reasons(parts("we use tabs"), 0, False, count=5)) == 5


@given(st.text(), st.booleans())
def test_any_text_has_scores_and_a_kind_and_the_same_ones_each_time(text, reply):
    said = parts(text)
    scores = MODEL.scores(said, reply)
    assert len(scores) == len(said) and all(0.0 <= score <= 1.0 for score in scores)
    assert scores == MODEL.scores(said, reply)
    assert not said or MODEL.kind(said, range(len(said)), reply) in RELEVANCE
