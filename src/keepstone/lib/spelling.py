"""The word that a misspelt one is meant to be. Hot module: what the standard library has for it is slow to load."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHORT = 4  # letters that a stem has at least, to be told from others
LONG = 8  # letters from which on two slips may be in a word

_ENDINGS = ("s", "es", "ed", "ing", "e", "ies", "y", "er")  # what the index has cut off


def meant(word: str, known: Iterable[str]) -> str:
    """Of known stems the one whose word is written nearly like this, "" for none."""
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
    """How many letters are wrong, missing, too many or in the wrong order (optimal string alignment distance)."""
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
