"""What one text says otherwise than another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepstone.lib.diff import GONE, NEW, SAME, difference
from keepstone.lib.limits import COMPARED_PAIRS

TEXTS = st.lists(st.sampled_from("a b c dd".split()), max_size=60).map(" ".join)


def said(parts, *kinds):
    return " ".join(words for what, words in parts if what in kinds)


@given(TEXTS, TEXTS)
def test_nothing_is_lost_of_either(before, after):
    parts = difference(before, after)
    assert said(parts, SAME, GONE) == before and said(parts, SAME, NEW) == after
    assert all(words for _, words in parts)


def test_only_what_differs_is_told():
    assert difference("Deploys need the VPN: internal", "Deploys need a VPN") == [
        (SAME, "Deploys need"),
        (GONE, "the VPN: internal"),
        (NEW, "a VPN"),
    ]
    assert difference("port is 80 here", "port is 443 here") == [
        (SAME, "port is"),
        (GONE, "80"),
        (NEW, "443"),
        (SAME, "here"),
    ]
    assert difference("same", "same") == [(SAME, "same")]
    assert difference("", "new") == [(NEW, "new")] and difference("", "") == []


def test_long_texts_of_few_words_are_told_as_well():
    """Compared word by word these would take minutes."""
    before, after = "z " + "a b " * 1950 + "end", "z " + "b a a " * 1300 + "end"
    parts = difference(before, after)
    assert len(before.split()) * len(after.split()) > COMPARED_PAIRS
    assert parts[0] == (SAME, "z") and parts[-1][0] == SAME and parts[-1][1].endswith("end")
    assert said(parts, SAME, GONE) == before.strip() and said(parts, SAME, NEW) == after.strip()
