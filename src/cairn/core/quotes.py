"""Whether a text quotes another one: by five of its words in a row that say something, or by being all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .defaults import QUOTED_RUN, QUOTED_SAYING
from .text import STOP_WORDS, words

ERASED = "[erased]"  # stands where an erased text was quoted
_PARTS = re.compile(r"(?<=[.!?;])\s+|\n+")


class Quotes:
    """What quotes one of some texts. Words that are in every text make no quotation: `at the end of the`."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.runs: set[str] = set()
        self.whole: set[str] = set()
        for text in texts:
            found = set(runs(text, min(QUOTED_RUN, len(words(text)))))
            self.runs |= found
            if not found:
                self.whole.add(" ".join(words(text)))
        self.lengths = sorted({run.count(" ") + 1 for run in self.runs})

    def within(self, text: str) -> bool:
        quoted = any(not self.runs.isdisjoint(runs(text, size)) for size in self.lengths)
        return quoted or " ".join(words(text)) in self.whole

    def cut(self, text: str) -> str:
        """The text without the sentences that quote; all of it where the quotation runs over their ends."""
        parts = [ERASED if self.within(part) else part for part in _PARTS.split(text)]
        left = " ".join(part for at, part in enumerate(parts) if part != ERASED or ERASED not in parts[:at][-1:])
        return ERASED if self.within(left) else left


def runs(text: str, size: int = QUOTED_RUN) -> Iterator[str]:
    """Every so many words in a row of which three say something."""
    said = words(text)
    for at in range(len(said) - size + 1):
        run = said[at : at + size]
        if sum(word not in STOP_WORDS for word in run) >= QUOTED_SAYING:
            yield " ".join(run)
