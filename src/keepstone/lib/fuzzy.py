"""How alike two texts are: the owner of rapidfuzz."""

from __future__ import annotations

from rapidfuzz import fuzz


def ratio(one: str, other: str) -> float:
    """token_sort_ratio, 0..100: alike whatever the order of words, but not for a mere part of the other."""
    return fuzz.token_sort_ratio(one, other)
