"""Whether a text quotes another one: by five of its words in a row, or by all of a shorter one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .defaults import QUOTED_RUN
from .text import words

ERASED = "[erased]"  # stands where an erased text was quoted
_PARTS = re.compile(r"(?<=[.!?;])\s+|\n+")


class Quotes:
    """What quotes one of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.runs: set[str] = set()
        for text in texts:
            said = words(text)
            size = min(QUOTED_RUN, len(said))
            self.runs |= {" ".join(said[at : at + size]) for at in range(len(said) - size + 1) if size}
        self.lengths = sorted({run.count(" ") + 1 for run in self.runs})

    def within(self, text: str) -> bool:
        said = words(text)
        return any(
            " ".join(said[at : at + size]) in self.runs for size in self.lengths for at in range(len(said) - size + 1)
        )

    def cut(self, text: str) -> str:
        """The text without the sentences that quote; all of it where the quotation runs over their ends."""
        parts = [ERASED if self.within(part) else part for part in _PARTS.split(text)]
        left = " ".join(part for at, part in enumerate(parts) if part != ERASED or ERASED not in parts[:at][-1:])
        return ERASED if self.within(left) else left
