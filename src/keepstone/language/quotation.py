"""Whether a text quotes another one: by five of its words in a row that say something, or by being all of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..lib.text import STOP_WORDS, words

# words in a row that make a quotation, and how many say something
QUOTED_RUN = 5
QUOTED_SAYING = 3
# a word is as much as that many signs of Chinese, or letters of a script that puts no space between words
WORD_WEIGHT = 5
SIGN_WEIGHT = 2
LETTER_WEIGHT = 1

ERASED = "[erased]"  # stands where an erased text was quoted
_PARTS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")
# Scripts that put no space between words: one sign of Chinese is about half a word; kana, Thai, Lao, Burmese and Khmer
# take four or five.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_SIGN = re.compile(f"([{_HAN}{_LETTERS}])")
_IS_LETTER = re.compile(f"[{_LETTERS}]")
LEAST = QUOTED_SAYING * WORD_WEIGHT  # what weighs less is no quotation, unless it is a text's all
MOST = QUOTED_RUN * WORD_WEIGHT


class Quotes:
    """What quotes one of some texts. Words that are in every text make no quotation: `at the end of the`."""

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
    """Whether a short text is told from others by its words: two of them say something."""
    return len(set(text.split()) - STOP_WORDS) > 1


def cut(text: str, within: Callable[[str], bool]) -> str:
    """The text without the sentences that quote; all of it where the quotation runs over their ends."""
    if not within(text):
        return text
    parts = [ERASED if within(part) else part for part in _PARTS.split(text)]
    left = " ".join(part for at, part in enumerate(parts) if part != ERASED or ERASED not in parts[:at][-1:])
    return ERASED if within(left) else left


def weight(text: str) -> int:
    """How much of a text in a row is a quotation: of a short one all."""
    return min(MOST, sum(map(_weight, _units(text))))


def runs(text: str, size: int = MOST) -> Iterator[str]:
    """From each word on as many in a row as weigh so much, where enough of them say something."""
    said = _units(text)
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


def _units(text: str) -> list[str]:
    """Words, and each sign of a script that does not part them."""
    return _SIGN.sub(r" \1 ", " ".join(words(text))).split()


def _weight(unit: str) -> int:
    if not _SIGN.fullmatch(unit):
        return WORD_WEIGHT
    return LETTER_WEIGHT if _IS_LETTER.match(unit) else SIGN_WEIGHT
