"""Secrets go that are named by what they are for, or oddly; what looks like such a sentence stays."""

from __future__ import annotations

from collections import Counter

import pytest

from keepstone.lib.text import MASK
from keepstone.redaction.mask import mask
from keepstone.redaction.redact import redact
from secrets_by_use import HARMLESS, by_use

MADE = by_use()


def left(take, made):
    return [f"{text} -> {take(text)}" for text, secret in made if secret in take(text)]


@pytest.mark.parametrize("take", [redact, mask])
@pytest.mark.parametrize("shape", sorted({shape for shape, _, _ in MADE}))
def test_a_secret_that_is_named_by_its_use_goes(take, shape):
    made = [(text, secret) for kind, text, secret in MADE if kind == shape]
    found = left(take, made)
    assert len(made) >= 30 and not found, "\n".join(found)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_cards_and_keys_go_too(seed):
    found = left(redact, [(text, secret) for _, text, secret in by_use(seed)])
    assert not found, "\n".join(found)


def test_what_looks_like_one_stays():
    wrong = [f"{text} -> {redact(text)}" for text in HARMLESS if redact(text) != text]
    assert len(HARMLESS) >= 80 and not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "Пассивный узел: db-replica2",
        "Пассажиры: 12a",
        "Пассажиры: db-replica2",
        "Соединение погасло: db-replica2",
        *("error code: Error404", "exit code: Segfault11", "status code: Failure12", "Exit-Code: Segfault11"),
        *("country code: Germany49", "zip code: Berlin10", "postal code: Munich80331", "code de retour: Segfault11"),
    ],
)
def test_words_that_begin_like_a_password_and_codes_that_open_nothing_stay(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    "name", ["Пасс", "пассворд", "гесло", "Гасло", "code", "The code", "door code", "terror code", "code de porte"]
)
def test_the_whole_word_still_names_a_secret(name):
    assert redact(f"{name}: Sommer2024") == f"{name}: {MASK}"


def test_there_are_enough_of_each_shape():
    assert min(Counter(shape for shape, _, _ in MADE).values()) >= 30


@pytest.mark.parametrize("text", [text for _, text, _ in MADE[::9]])
def test_what_is_redacted_is_settled_and_the_rest_of_the_line_stays(text):
    once = redact(text)
    assert redact(once) == once and MASK in once
    kept = once.split(MASK)
    assert all(part in text for part in kept) and text.startswith(kept[0])
