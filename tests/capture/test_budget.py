"""Caps, accounts and prices."""

from __future__ import annotations

import pytest

from keepstone.capture.budget import BudgetAccount, Caps, account_of, cost
from keepstone.lib.limits import REQUEST_TOKENS

CAPS = Caps(3, 20_000)


@pytest.mark.parametrize(
    ("calls", "tokens", "wanted", "room"),
    [
        (2, 0, 0, True),
        (3, 0, 0, False),
        (0, 20_000 - REQUEST_TOKENS, 1, True),
        (0, 20_001 - REQUEST_TOKENS, 1, False),
        (0, 9_000, 11_000, True),
        (0, 9_000, 11_001, False),
    ],
)
def test_a_call_needs_room_under_both_caps(calls, tokens, wanted, room):
    assert CAPS.leave_room(calls, tokens, wanted) is room


def test_no_calls_at_all_may_be_a_persons_wish():
    assert not Caps(0, 20_000).leave_room(0, 0)


def test_a_model_has_its_price_by_name_or_dated_name_and_others_have_none():
    assert cost("claude-haiku-4-5", 1_000_000, 0) == cost("claude-haiku-4-5-20251001", 1_000_000, 0) == 1.0
    assert cost("claude-haiku-4-5", 0, 1_000_000) == 5.0
    assert [cost(name, 1, 1) for name in ("claude-haiku-4-50", "claude-haiku-4-5-x", "haiku", "")] == [None] * 4


def test_an_account_has_the_extractors_own_model_unless_one_is_given():
    assert account_of("anthropic", "") == BudgetAccount("anthropic", "claude-haiku-4-5")
    assert account_of("claude-cli", "opus") == BudgetAccount("claude-cli", "opus")
    assert account_of("rules", "opus") == BudgetAccount("rules", "")
