"""Tells whether a text quotes another: it shares five words in a row of which three are not stop words, or contains all
of a shorter text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, words

# words in a row that make a quotation, and how many of them must not be stop words
QUOTED_RUN = 5
QUOTED_SAYING = 3
# One word weighs as much as this many Chinese characters, or letters of a script that does not separate words.
WORD_WEIGHT = 5
SIGN_WEIGHT = 2
LETTER_WEIGHT = 1

ERASED = "[erased]"  # replaces a quotation of an erased text
_PARTS = Pattern(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")
# Scripts that do not separate words. A Chinese character is about half a word; in kana, Thai, Lao, Burmese and Khmer, a
# word takes four or five letters.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_SIGN = Pattern(f"([{_HAN}{_LETTERS}])")
_IS_LETTER = Pattern(f"[{_LETTERS}]")
LEAST = QUOTED_SAYING * WORD_WEIGHT  # a lighter run is no quotation, unless it is a whole text
MOST = QUOTED_RUN * WORD_WEIGHT


class Quotes:
    """Recognises quotations from a set of texts. Runs of mostly stop words do not count: `at the end of the`."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.runs: dict[int, set[str]] = {}
        self.whole: set[str] = set()
        for text in texts:
            size = weight(text)
            found = set(runs(text, size))
            self.runs.setdefault(size, set()).update(found)
            if not found:
                self.whole.add(" ".join(words(text)))
        self.short = {f" {one} " for one in self.whole if _says_enough(one)}

    def within(self, text: str) -> bool:
        if any(not known.isdisjoint(runs(text, size)) for size, known in self.runs.items()):
            return True
        said = " ".join(words(text))
        return said in self.whole or any(one in f" {said} " for one in self.short)

    def cut(self, text: str) -> str:
        return cut(text, self.within)


def _says_enough(text: str) -> bool:
    """Tells whether a short text is distinctive: it has at least two words that are not stop words."""
    return len(set(text.split()) - STOP_WORDS) > 1


def cut(text: str, within: Callable[[str], bool]) -> str:
    """Returns the text with ERASED in place of the sentences that quote, or only ERASED if a quotation crosses their
    ends.
    """
    if not within(text):
        return text
    parts = [ERASED if within(part) else part for part in _PARTS.split(text)]
    left = " ".join(part for at, part in enumerate(parts) if part != ERASED or ERASED not in parts[:at][-1:])
    return ERASED if within(left) else left


def weight(text: str) -> int:
    """Returns the weight of a run that counts as a quotation of the text: MOST, or all of a short text."""
    return min(MOST, sum(map(_weight, units(text))))


def runs(text: str, size: int = MOST) -> Iterator[str]:
    """Yields, from each word on, the shortest run that weighs `size`, if enough of it is not stop words."""
    said = units(text)
    weights = [_weight(unit) for unit in said]
    end = total = 0
    for start in range(len(said)):
        while total < size and end < len(said):
            total += weights[end]
            end += 1
        if total < size:
            return
        if sum(weights[at] for at in range(start, end) if said[at] not in STOP_WORDS) >= LEAST:
            yield " ".join(said[start:end])
        total -= weights[start]


def units(text: str) -> list[str]:
    """Returns the words of a text, and each character of a script that does not separate words."""
    return _SIGN.sub(r" \1 ", " ".join(words(text))).split()


def _weight(unit: str) -> int:
    if not _SIGN.fullmatch(unit):
        return WORD_WEIGHT
    return LETTER_WEIGHT if _IS_LETTER.match(unit) else SIGN_WEIGHT
