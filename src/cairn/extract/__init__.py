"""Extractors: a window of a transcript in, candidates out.

What any extractor returns obeys CG-7 and CG-9: only what is worth keeping for later sessions, no greetings, no
acknowledgements, no debugging steps, at most 100 characters a title, relevance 0..1, and an empty list when nothing is.
"""

from __future__ import annotations

from typing import Protocol

from ..core.candidate import Candidate
from ..core.window import Window
from .rules import Rules


class Extractor(Protocol):
    def extract(self, window: Window) -> list[Candidate]:
        """The candidates in the window's new turns; its processed turns only say what those refer to."""
        ...


def choose(extractor: str) -> Extractor:
    """The extractor of that setting's name."""
    return {"rules": Rules}[extractor]()
