"""Compares two texts word by word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from .limits import COMPARED_PAIRS

SAME, GONE, NEW = "same", "gone", "new"


def difference(before: str, after: str) -> list[tuple[str, str]]:
    """Returns the difference of two texts as (SAME, GONE or NEW, words), in order. If long texts differ in many places,
    everything from the first difference to the last is reported as GONE and NEW: the comparison takes time that grows
    with the cube of their length.
    """
    old, new = before.split(), after.split()
    head = _alike(old, new)
    tail = _alike(reversed(old[head:]), reversed(new[head:]))
    parts = _between(old[head : len(old) - tail], new[head : len(new) - tail])
    whole = [(SAME, old[:head]), *parts, (SAME, old[len(old) - tail :] if tail else [])]
    return [(what, " ".join(words)) for what, words in whole if words]


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """Returns the number of words at the beginning that two texts share."""
    count = 0
    for word, opposite in zip(one, other, strict=False):
        if word != opposite:
            break
        count += 1
    return count


def _between(old: list[str], new: list[str]) -> list[tuple[str, list[str]]]:
    if len(old) * len(new) > COMPARED_PAIRS:
        return [(GONE, old), (NEW, new)]
    found = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        found += [(SAME, old[a:b])] if tag == "equal" else [(GONE, old[a:b]), (NEW, new[c:d])]
    return found
