"""Windows: every new turn once, in order, within the limits, with a little of what came before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from builders import turn
from keepstone.claude_code.transcript import ASSISTANT, TOOL_RESULT, TOOL_USE, USER
from keepstone.claude_code.window import windows


def turns(texts):
    return [turn(text, uuid=str(number)) for number, text in enumerate(texts)]


ROLES = st.sampled_from([USER, ASSISTANT, TOOL_USE, TOOL_RESULT])
TEXTS = st.lists(st.tuples(ROLES, st.text(max_size=120)), max_size=70)


@given(TEXTS, st.integers(1, 25), st.integers(20, 400))
def test_every_turn_is_new_exactly_once_and_in_order(texts, messages, chars):
    all_turns = [turn(text, role, uuid=str(number)) for number, (role, text) in enumerate(texts)]
    made = list(windows(all_turns, messages=messages, chars=chars))
    assert [t.uuid for window in made for t in window.new] == [str(number) for number in range(len(texts))]
    for window in made:
        assert len(window.new) <= messages and sum(len(t.text) for t in window.new) <= chars
        before = all_turns[: int(window.new[0].uuid)]
        assert [t.uuid for t in window.processed] == [t.uuid for t in before[len(before) - len(window.processed) :]]
        assert len(window.processed) >= min(4, len(before))


@given(TEXTS, st.integers(1, 25), st.integers(1, 25))
def test_what_goes_before_a_turn_does_not_depend_on_where_a_transcript_is_cut(texts, messages, others):
    """What Claude said last before a prompt decides what the prompt means."""
    all_turns = [turn(text, role, uuid=str(number)) for number, (role, text) in enumerate(texts)]
    assert last_words(all_turns, messages) == last_words(all_turns, others)


def last_words(all_turns, messages):
    found = {}
    for window in windows(all_turns, messages=messages):
        heard = [t for t in window.processed if t.role == ASSISTANT and t.text]
        for t in window.new:
            found[t.uuid] = heard[-1].text if heard else ""
            heard += [t] if t.role == ASSISTANT and t.text else []
    return found


def test_what_goes_before_is_bounded():
    silent = [turn("", TOOL_USE, uuid=str(number)) for number in range(500)]
    assert max(len(window.processed) for window in windows(silent)) == 100


def test_the_defaults_are_twenty_messages_and_eight_thousand_characters():
    assert [len(window.new) for window in windows(turns(["x"] * 45))] == [20, 20, 5]
    assert [len(window.new) for window in windows(turns(["x" * 3_000] * 5))] == [2, 2, 1]


def test_a_message_longer_than_a_window_keeps_its_head_and_tail():
    (window,) = windows(turns(["a" * 9_000 + "z" * 9_000]))
    assert len(window.new[0].text) == 8_000 and window.new[0].text[0] == "a" and window.new[0].text[-1] == "z"


def test_the_last_four_of_an_earlier_capture_go_along_as_processed():
    earlier = [turn(f"old {number}", (USER, ASSISTANT)[number % 2], uuid=f"old-{number}") for number in range(9)]
    (window,) = windows(turns(["new"]), earlier)
    assert [t.uuid for t in window.processed] == ["old-5", "old-6", "old-7", "old-8"]


def test_nothing_new_makes_no_window():
    assert list(windows([], turns(["old"]))) == []


def test_only_a_last_window_with_room_for_more_is_not_full():
    assert [window.full for window in windows(turns(["x"] * 40))] == [True, True]
    assert [window.full for window in windows(turns(["x"] * 39))] == [True, False]
    assert [window.full for window in windows(turns(["x" * 3_000] * 3))] == [True, False]
    assert [window.full for window in windows(turns(["x" * 9_000]))] == [True]
