"""Finds values of one sort: if two statements about the same thing name different values, only one can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ..lib.pattern import Pattern
from .tool_families import SORTS_OF

CACHE_SIZE = 4_096  # texts whose values are cached

_COUNTS = dict(
    zip(
        (
            "one two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty ninety"
        ).split(),
        (*range(1, 11), 12, 15, 20, 30, 40, 50, 60, 90),
        strict=True,
    )
)
_UNIT = Pattern(
    rf"(?<![\w.-])(\d+(?:[.,]\d+)?|{'|'.join(_COUNTS)})[ -]?(%|[a-zA-Z]{{1,14}})",
    re.IGNORECASE,
)
_SAME_UNIT = {
    **dict.fromkeys(("percent",), "%"),
    **dict.fromkeys(("min", "mins"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs"), "hour"),
    **dict.fromkeys(("s", "sec", "secs"), "second"),
    "d": "day",
}
_SORTS = {
    "port": Pattern(r"(?<![\w.,])\d{4,5}(?![\w.,]*\d)"),
    "version": Pattern(r"(?<![\w.-])v?\d{1,3}(?:\.\d+)+(?!\w)", re.IGNORECASE),
    "region": Pattern(r"\b(?:eu|us|ap|sa|ca)-[a-z]+-?\d\b"),
    "time": Pattern(r"(?<![\w.:-])\d{1,2}(?::\d\d)? ?(?:am|pm|utc|o'clock)\b|\b\d{1,2}:\d\d\b", re.IGNORECASE),
    "date": Pattern(
        r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)\b|"
        r"\b\d{4}-\d\d-\d\d\b",
        re.IGNORECASE,
    ),
    "host": Pattern(r"\b[\w-]+(?:\.[\w-]+)+\.[a-z]{2,6}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b", re.IGNORECASE),
    "mail": Pattern(r"[\w.+-]+@[\w-]+\.\w+"),
    "channel": Pattern(r"(?<!\w)#[a-z][\w-]+", re.IGNORECASE),
    "path": Pattern(r"(?<!\w)[\w.-]*/[\w./-]+"),
    "number": Pattern(r"(?<![\w.-])\d{1,3}(?![\w.:%-])"),
}
_NAME = Pattern(r"[a-z][\w.+#-]*")


@lru_cache(CACHE_SIZE)
def units(text: str) -> Mapping[str, frozenset[str]]:
    """Returns the amounts in a text, by unit."""
    found: dict[str, frozenset[str]] = {}
    for amount, unit in _UNIT.findall(text.lower()):
        name = _SAME_UNIT.get(unit, unit.rstrip("s") if len(unit) > 2 else unit)
        found[name] = found.get(name, frozenset()) | {str(_COUNTS.get(amount, amount))}
    return found


@lru_cache(CACHE_SIZE)
def values(text: str) -> Mapping[str, frozenset[str]]:
    """Returns the values in a text, by sort. A sort without values is left out."""
    found = {
        sort: frozenset(value.lower().removeprefix("v") for value in pattern.findall(text))
        for sort, pattern in _SORTS.items()
    }
    return {sort: some for sort, some in found.items() if some}


@lru_cache(CACHE_SIZE)
def choices(text: str) -> Mapping[int, frozenset[str]]:
    """Returns the names in a text that belong to a family of tools, by the family's number."""
    found: dict[int, frozenset[str]] = {}
    for word in _NAME.findall(text.lower()):
        name = word.rstrip(".-")
        for line in SORTS_OF.get(name, ()):
            found[line] = found.get(line, frozenset()) | {name}
    return found


def is_choice(word: str) -> bool:
    """Tells whether a word belongs to a family of tools."""
    return word.lower() in SORTS_OF
