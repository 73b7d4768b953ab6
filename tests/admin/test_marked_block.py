"""A block between markers comes into a text and goes out of it without a trace."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepstone.admin.install.marked_block import body, put, take

TEXTS = st.text(st.sampled_from("ab #\n\r\t"), max_size=30) | st.text(max_size=30)
BODIES = st.text(st.characters(exclude_characters="<", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1)


@given(TEXTS, BODIES)
@example("mine", "x")
@example("mine\r\n", "x")
@example("a\r\nb", "x")
@example("\n", "x")
@example("", "x")
def test_what_is_put_in_is_taken_out_to_the_last_character(text, said):
    inside = put(text, "rules", said)
    assert body(inside, "rules") == said and inside.startswith(text)
    assert put(inside, "rules", said) == inside
    assert put(put(inside, "rules", "else"), "rules", said) == inside
    assert take(inside, "rules") == text
    assert take(text, "rules") == text


@given(TEXTS)
def test_two_blocks_keep_apart(text):
    both = put(put(text, "rules", "one\ntwo"), "profile", "three")
    assert (body(both, "rules"), body(both, "profile")) == ("one\ntwo", "three")
    assert take(take(both, "profile"), "rules") == text


def test_a_text_without_the_block_is_left_alone():
    assert take("mine\n\n", "rules") == "mine\n\n" and body("mine", "rules") is None
    named = "the line `<!-- keepstone:rules:begin -->` opens it\n"
    assert take(named, "rules") == named


def test_what_was_written_around_it_since_stays():
    inside = put("mine", "rules", "x")
    assert take("first\n" + inside + "\nlater\n", "rules") == "first\nmine\nlater\n"
    assert take(put("", "rules", "x") + "later\n", "rules") == "later\n"


def test_lines_end_as_the_text_ends_its_lines():
    assert "\n" not in put("a\r\nb\r\n", "rules", "x\ny").replace("\r\n", "")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- keepstone:rules:begin -->\nx\n",
        "x\n<!-- keepstone:rules:end -->",
        "<!-- keepstone:rules:end -->\n<!-- keepstone:rules:begin -->",
    ],
)
def test_markers_that_are_no_pair_are_not_guessed_about(text):
    for act in (lambda: put(text, "rules", "x"), lambda: take(text, "rules"), lambda: body(text, "rules")):
        with pytest.raises(ValueError, match="keepstone:rules"):
            act()


def test_what_is_written_behind_a_last_line_without_its_break_stays():
    assert take(put("mine", "rules", "x") + "- more\n", "rules") == "mine\n- more\n"
    assert body(put("mine", "rules", "x") + "- more\n", "rules") == "x"
