"""What goes on with the same words adds to what was said; only a call that mends takes it back."""

from __future__ import annotations

import pytest

from keepstone.language.prompt_parts import parts

SAID = ("We use Redis for sessions", "I prefer short answers", "The API is public", "Our CI runs on Linux")
GOES_ON = (
    "And {}",
    "Also {}",
    "But {}",
    "Well, {}",
    "Oh, and {}",
    "Ok, {}",
    "And please note: {}",
    "Or rather also {}",
)
NEXT = {
    SAID[0]: "we use Kafka for events",
    SAID[1]: "I prefer tables for figures",
    SAID[2]: "the API is versioned",
    SAID[3]: "our CI builds the docs",
}
MENDS = ("No, {}", "No wait, {}", "Actually, {}", "Sorry, {}", "Oops, {}", "Hold on, {}", "Nope: {}", "Wait, no, {}")


@pytest.mark.parametrize("said", SAID)
def test_a_sentence_that_goes_on_takes_nothing_back(said):
    for how in GOES_ON:
        text = f"{said}. {how.format(NEXT[said])}."
        assert [part.text for part in parts(text) if part.withdrawn] == [], text


@pytest.mark.parametrize("said", SAID)
def test_a_sentence_that_mends_takes_back_the_one_before(said):
    for how in MENDS:
        text = f"{said}. {how.format(NEXT[said])}."
        assert said in [part.text.rstrip(".") for part in parts(text) if part.withdrawn], text


def test_what_is_said_of_another_thing_too_takes_nothing_back():
    text = "We never mock the database. Sorry, we never mock the clock either."
    assert not any(part.withdrawn for part in parts(text))
