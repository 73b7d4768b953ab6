"""Text: cleaned, clipped, searched and named so that nothing hides in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepstone.lib import text


@given(st.text())
def test_clean_text_has_nothing_a_terminal_obeys(value):
    cleaned = text.clean(value)
    assert not [c for c in cleaned if (ord(c) < 32 and c not in "\t\n") or 0x7F <= ord(c) < 0xA0]
    assert text.clean(cleaned) == cleaned
    cleaned.encode("utf-8")


def test_clean_takes_out_what_hides():
    hidden = "a\x1b[31mb\u202ec\u200bd\U000e0041e\ufefff\u2028g"
    assert text.clean(hidden) == "a[31mbcdef\ng"


def test_words_in_other_scripts_stay():
    assert text.clean("héllo 日本語 العربية 👍🏽") == "héllo 日本語 العربية 👍🏽"


@given(st.text(), st.integers(2, 50))
def test_clip_never_exceeds_its_limit(value, limit):
    clipped = text.clip(value, limit)
    assert len(clipped) <= limit
    assert clipped == value or clipped.endswith("…")


def test_clip_cuts_at_a_word_where_one_ends_late_enough():
    assert text.clip("alpha beta gamma delta", 16) == "alpha beta…"
    assert text.clip("onetwothreefour five", 12) == "onetwothree…"


@given(st.text(), st.integers(20, 100))
def test_a_long_message_keeps_head_and_tail(value, limit):
    cut = text.head_and_tail(value, limit)
    assert len(cut) <= limit
    assert len(value) <= limit or (cut[:5] == value[:5] and cut[-4:] == value[-4:])


def test_query_terms_say_something():
    assert text.query_terms("What did we decide about the billing database?") == ["decide", "billing", "database"]
    assert text.query_terms("What did he say to her about some tests?") == ["say", "tests"]
    assert text.query_terms("the of to") == ["the", "of", "to"]
    assert text.query_terms('"; DROP TABLE memory; --') == ["drop", "table", "memory"]
    assert text.query_terms("!!! ???") == []


def test_tokens_round_up():
    assert [text.tokens("x" * count) for count in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_days_are_utc():
    assert text.day(1_795_219_199.9) == "2026-11-20" and text.day(1_795_219_200) == "2026-11-21"


@given(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.integers()), st.binary()))
def test_any_session_id_becomes_a_short_harmless_word(value):
    key = text.session_key(value)
    assert 0 < len(key) <= 64 and key.isascii() and all(c.isalnum() or c in "-_" for c in key)
    assert key == text.session_key(value)


def test_a_plain_session_id_stays_itself():
    assert text.session_key("826855f9-37bb-45c8-9457-29f5593bb84c") == "826855f9-37bb-45c8-9457-29f5593bb84c"


def test_digests_of_different_parts_differ():
    assert text.digest("ab", "c") != text.digest("a", "bc") and len(text.digest("x")) == 32


def test_joiners_stay_where_they_make_a_letter_or_a_picture_and_nowhere_else():
    for written in ("👩\u200d👩\u200d👧", "می\u200cخواهم", "🏳️\u200d🌈"):
        assert text.clean(written) == written
    assert text.clean("pass\u200dword \u200c x\u200d") == "password  x" and text.clean("👩\u200d\u200d👧") == "👩👧"


def test_a_row_of_selectors_spells_nothing():
    assert text.clean("\u2764\ufe0f 1\ufe0f\u20e3") == "\u2764\ufe0f 1\ufe0f\u20e3"
    assert text.clean("a\ufe00\ufe01\ufe02 \ufe03b") == "a\ufe00 b"
