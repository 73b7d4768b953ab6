"""Windows: every new turn once, in order, within the limits, with a little of what came before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from builders import turn
from keepstone.claude_code.window import windows


def turns(texts):
    return [turn(text, uuid=str(number)) for number, text in enumerate(texts)]


@given(st.lists(st.text(max_size=120), max_size=70), st.integers(1, 25), st.integers(20, 400), st.integers(0, 5))
def test_every_turn_is_new_exactly_once_and_in_order(texts, messages, chars, overlap):
    made = list(windows(turns(texts), messages=messages, chars=chars, overlap=overlap))
    assert [t.uuid for window in made for t in window.new] == [str(number) for number in range(len(texts))]
    for window in made:
        assert len(window.new) <= messages and sum(len(t.text) for t in window.new) <= chars
        assert len(window.processed) <= overlap
    for before, after in zip(made, made[1:], strict=False):
        seen = [t.uuid for t in (*before.processed, *before.new)]
        assert [t.uuid for t in after.processed] == (seen[-overlap:] if overlap else [])


def test_the_defaults_are_twenty_messages_and_eight_thousand_characters():
    assert [len(window.new) for window in windows(turns(["x"] * 45))] == [20, 20, 5]
    assert [len(window.new) for window in windows(turns(["x" * 3_000] * 5))] == [2, 2, 1]


def test_a_message_longer_than_a_window_keeps_its_head_and_tail():
    (window,) = windows(turns(["a" * 9_000 + "z" * 9_000]))
    assert len(window.new[0].text) == 8_000 and window.new[0].text[0] == "a" and window.new[0].text[-1] == "z"


def test_the_last_four_of_an_earlier_capture_go_along_as_processed():
    earlier = [turn(f"old {number}", uuid=f"old-{number}") for number in range(9)]
    (window,) = windows(turns(["new"]), earlier)
    assert [t.uuid for t in window.processed] == ["old-5", "old-6", "old-7", "old-8"]


def test_nothing_new_makes_no_window():
    assert list(windows([], turns(["old"]))) == []


def test_only_a_last_window_with_room_for_more_is_not_full():
    assert [window.full for window in windows(turns(["x"] * 40))] == [True, True]
    assert [window.full for window in windows(turns(["x"] * 39))] == [True, False]
    assert [window.full for window in windows(turns(["x" * 3_000] * 3))] == [True, False]
    assert [window.full for window in windows(turns(["x" * 9_000]))] == [True]
