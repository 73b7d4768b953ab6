"""Measures how alike two texts are. The only module that imports rapidfuzz."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


def ratio(one: str, other: str) -> float:
    """Returns the token_sort_ratio of two texts, 0..100. Word order does not count, but missing words do."""
    return _token_sort_ratio()(one, other)


def load() -> None:
    """Loads rapidfuzz now. Raises ImportError if it is missing."""
    _token_sort_ratio()


@cache
def _token_sort_ratio() -> Callable[[str, str], float]:
    from rapidfuzz import fuzz  # commands that run before packages are installed load this module too

    return fuzz.token_sort_ratio
