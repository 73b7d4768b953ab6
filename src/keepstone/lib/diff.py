"""What one text says otherwise than another, word by word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from .limits import COMPARED_PAIRS

SAME, GONE, NEW = "same", "gone", "new"


def difference(before: str, after: str) -> list[tuple[str, str]]:
    """Two texts as one: (SAME, GONE or NEW, words), in order. Of long texts that differ in many places all is gone and
    new from the first such place to the last: to compare them takes a time that grows with the cube of their length.
    """
    old, new = before.split(), after.split()
    head = _alike(old, new)
    tail = _alike(reversed(old[head:]), reversed(new[head:]))
    parts = _between(old[head : len(old) - tail], new[head : len(new) - tail])
    whole = [(SAME, old[:head]), *parts, (SAME, old[len(old) - tail :] if tail else [])]
    return [(what, " ".join(words)) for what, words in whole if words]


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """How many words two texts begin with alike."""
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
