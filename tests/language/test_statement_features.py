"""What the statement model sees of a part of a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.language.prompt_parts import parts
from keepstone.language.statement_features import bare, features, is_explicit, is_lead, tokens


def of(text: str, at: int = 0, reply: bool = False) -> set[str]:
    return features(parts(text), at, reply)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We don't use Redis", ["we", "dont", "use", "<name>"]),
        ("call parse_line() in useState", ["call", "<code>", "in", "<code>"]),
        ("1.2 of src/app/a.py", ["<version>", "of", "<path>"]),
        ("port 8080 at api.acme.io", ["port", "<number>", "at", "<host>"]),
        ("", []),
    ],
)
def test_words_are_lower_case_and_names_are_signs(text, found):
    assert tokens(text) == found


def test_a_lead_says_nothing_of_its_own():
    assert bare("ok thanks, we use tabs") == "we use tabs" and bare("ok") == "ok"
    assert is_lead("ok thanks, nice") and not is_lead("ok, tabs")
    assert {"lead:ok", "w:tabs"} <= of("ok, we use tabs") and "w:ok" not in of("ok, we use tabs")


def test_where_a_part_stands_is_seen():
    text = "Rules:\n- We use tabs\n- Do we squash?"
    assert {"heading", "h:rules", "bullet:True", "ends:False", "first:True:False", "before:none"} <= of(text)
    assert {"ends:True", "after:none", "reply:True", "before:?False"} <= of(text, 1, reply=True)


def test_phrasings_are_seen_whatever_the_apostrophe():
    assert of("We don't squash") == of("We don’t squash")
    assert any(name.startswith("p:x_") for name in of("We decided to use Caddy"))


@pytest.mark.parametrize("text", ["We decided to use Caddy", "I prefer tabs over spaces", "Never commit to main"])
def test_a_plain_statement_is_explicit(text):
    assert is_explicit(of(text))


@pytest.mark.parametrize(
    "text",
    ["Did we decide to use Caddy?", "maybe we decided to use Caddy", "fix it", "I prefer that", "haha we use tabs lol"],
)
def test_a_question_a_guess_a_task_and_a_joke_are_not(text):
    assert not is_explicit(of(text))


def test_two_phrasings_together_are_seen_and_whether_it_is_a_reply():
    assert {"p:our_x:False", "p:our_x+our_x_is"} <= of("Our staging box is tern")
    assert "p:our_x:True" in of("Our staging box is tern", reply=True)


@given(st.text(), st.booleans())
def test_any_part_has_the_same_features_each_time(text, reply):
    said = parts(text)
    for at in range(len(said)):
        assert features(said, at, reply) == features(said, at, reply) != set()
