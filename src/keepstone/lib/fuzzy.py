"""How alike two texts are: the owner of rapidfuzz."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


def ratio(one: str, other: str) -> float:
    """Returns token_sort_ratio, 0..100: the order of words does not count, but a part is not like the whole."""
    return _token_sort_ratio()(one, other)


def load() -> None:
    """Loads rapidfuzz now. Raises ImportError if it is missing."""
    _token_sort_ratio()


@cache
def _token_sort_ratio() -> Callable[[str, str], float]:
    from rapidfuzz import fuzz  # the commands that work before the packages are there only load this module

    return fuzz.token_sort_ratio
