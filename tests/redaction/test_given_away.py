"""Secrets go that a sentence gives away in another order or by another name; what looks like such a sentence stays."""

from __future__ import annotations

from collections import Counter

import pytest

from keepstone.lib.text import MASK
from keepstone.redaction.mask import mask
from keepstone.redaction.redact import redact
from secrets_given_away import as_written, given_away, harmless

MADE = given_away()


def left(take, made):
    return [f"{text} -> {take(text)}" for text, secret in made if take(text).count(secret) >= text.count(secret)]


@pytest.mark.parametrize("take", [redact, mask])
@pytest.mark.parametrize("shape", sorted({shape for shape, _, _ in MADE}))
def test_a_secret_that_a_sentence_gives_away_goes(take, shape):
    made = [(text, secret) for kind, text, secret in MADE if kind == shape]
    found = left(take, made)
    assert len(made) >= 30 and not found, "\n".join(found)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_a_hundred_others_at_most_one_is_left(seed):
    made = [(text, secret) for _, text, secret in given_away(seed)]
    found = left(redact, made)
    assert len(found) <= len(made) / 100, "\n".join(found)


def test_as_people_write_them_they_go_too():
    made = as_written()
    found = left(redact, made)
    assert len(made) >= 140 and not found, "\n".join(found)


def test_what_looks_like_one_stays():
    texts = harmless()
    wrong = [f"{text} -> {redact(text)}" for text in texts if redact(text) != text]
    assert len(texts) >= 500 and len(wrong) <= len(texts) / 100, "\n".join(wrong)


def test_there_are_enough_of_each_shape():
    assert len(Counter(shape for shape, _, _ in MADE)) >= 16


@pytest.mark.parametrize("text", [text for _, text, _ in MADE[::7]])
def test_what_is_redacted_is_settled_and_the_rest_of_the_line_stays(text):
    once = redact(text)
    assert redact(once) == once and MASK in once
    kept = once.split(MASK)
    assert all(part in text for part in kept) and text.startswith(kept[0])
