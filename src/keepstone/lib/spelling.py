"""Finds the known word that a misspelt word means. Hot module: the standard library's module for this loads slowly."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHORT = 4  # the shortest stem that is compared: shorter ones match too many words
LONG = 8  # from this length on, two errors are allowed

_ENDINGS = ("s", "es", "ed", "ing", "e", "ies", "y", "er")  # endings that the index's stemmer removes


def meant(word: str, known: Iterable[str]) -> str:
    """Returns the known stem that is closest to a misspelt word, or "" if none is close enough."""
    forms = {word} | {word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= SHORT}
    best, least = "", 3
    for other in known:
        for form in forms:
            most = 2 if min(len(form), len(other)) >= LONG else 1
            if len(other) < SHORT or abs(len(form) - len(other)) > most:
                continue
            far = slips(form, other)
            if far <= most and far < least:
                best, least = other, far
    return best


def slips(one: str, other: str) -> int:
    """Returns the optimal string alignment distance: the number of letters wrong, missing, added or swapped."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        line = [at]
        for to, theirs in enumerate(other, start=1):
            cost = min(last[to] + 1, line[to - 1] + 1, last[to - 1] + (letter != theirs))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == theirs:
                cost = min(cost, before[to - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]
