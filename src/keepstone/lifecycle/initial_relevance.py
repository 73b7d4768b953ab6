"""Scores a text's relevance if none was given, by how specific and how decisive it is."""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from ..lib.text import query_terms

# The lowest relevance, and the largest additions for being specific, decisive, long and emphatic.
WORTH_LEAST = 0.05
WORTH_PARTS = (0.35, 0.25, 0.2, 0.05)

_NAMED = Pattern(
    r"`[^`]+`|\b\w+(?:[./\\-]\w+)+\b|\b\w*\d\w*\b|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}\b|(?<=[a-z,] )[A-Z][a-z]+|"
    r"\b\w+_\w+\b|\w+\(\)"
)
_SETTLES = Pattern(
    r"\b(?:always|never|must|mustn'?t|only|decided?|chose|choose|prefer\w*|instead of|rather than|because|since|"
    r"so that|caused by|root cause|fix(?:ed|es)?|needs?|requires?|breaks?|fails?|don'?t|do not|forbidden)\b",
    re.IGNORECASE,
)
_STRONG = Pattern(r"!|\b(?:critical|urgent|broken|terrible|hate|love|danger\w*|crucial|important)\b", re.IGNORECASE)


def relevance_of(text: str) -> float:
    """Returns a relevance, 0..1. Specific names, numbers and paths count most, then decisive words, then the length.
    Emphasis counts least: it suits talk, hardly code.
    """
    parts = (
        min(1.0, len(_NAMED.findall(text)) / 3),
        min(1.0, len(_SETTLES.findall(text)) / 2),
        min(1.0, len(query_terms(text)) / 10),
        min(1.0, len(_STRONG.findall(text)) / 2),
    )
    return WORTH_LEAST + sum(weight * part for weight, part in zip(WORTH_PARTS, parts, strict=True))
