"""Finds duplicates: statements with similar wording, the same negations, numbers and versions, and the same distinctive
words in the same order. Similar wording is not enough: token_sort_ratio gives 100 for "npm over pnpm" and "pnpm over
npm".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, digest
from .quotation import units

DUPLICATE_RATIO = 90.0  # token_sort_ratio, 0..100
WORD_RATIO = 80.0  # the same for two words of one meaning: "deploy" / "deploys" 92, "Mondays" / "Fridays" 71
COMMON_START = 3  # initial letters that two such words must share: "ascending" / "descending" do not
# How many distinctive words a text shares with another that it says again, and which part of the shorter one's.
SHARED_WORDS = 3
SHARED_PART = 2 / 3

# Texts that are 90 % alike have similar lengths (0.9 / 1.1), apart from punctuation and white space. Comparing lengths
# first avoids most comparisons.
LIKE_LENGTH = 0.6
PATTERN_WORDS = 12  # words that make a pattern: a few tell almost all texts apart
CACHE_SIZE = 1_024  # cached texts: a new one is compared with hundreds, often with the same ones
_NEGATION = Pattern(
    r"\b(?:not|no|never|none|neither|nor|without|instead|cannot|no longer|stop|avoid|don'?t|doesn'?t|isn'?t|aren'?t|"
    r"won'?t|can'?t|shouldn'?t|mustn'?t|wasn'?t|weren'?t|didn'?t|disable[ds]?|forbid(?:den)?|except|unless)\b",
    re.IGNORECASE,
)
_NUMBER = Pattern(r"v?\d+(?:[.:,/-]\d+)*", re.IGNORECASE)
_PUNCTUATION = Pattern(r"[^\w\s]+")


@lru_cache(CACHE_SIZE)
def normalise(text: str) -> str:
    """Returns the text in lower case, without apostrophes, with other punctuation as space and white space folded."""
    return " ".join(_PUNCTUATION.sub(" ", text.lower().replace("’", "'").replace("'", "")).split())


def markers(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns a text's negations (each as `not`), and its numbers and versions, in order."""
    plain = text.replace("’", "'")
    negations = tuple("not" for _ in _NEGATION.findall(plain))
    return negations, tuple(number.lower().lstrip("v") for number in _NUMBER.findall(plain))


def adds_no_number(one: str, other: str) -> bool:
    """Tells whether every number and version of `one` is in `other` too. If not, `one` is news."""
    return set(markers(one)[1]) <= set(markers(other)[1])


def same(one: str, other: str, ratio: Callable[[str, str], float]) -> bool:
    """Tells whether two texts say the same. `ratio` returns 0..100 for two normalised texts, whatever the order of
    words.
    """
    alike = ratio(normalise(one), normalise(other)) >= DUPLICATE_RATIO
    return alike and markers(one) == markers(other) and _same_words(_telling(one), _telling(other), ratio)


def resembles(one: str, other: str, ratio: Callable[[str, str], float]) -> bool:
    """Tells whether a text says most of another again, in any order. One with another number says something else."""
    words, known = (set(units(normalise(text))) - STOP_WORDS for text in (one, other))
    fewer, more = sorted((len(words), len(known)))
    needed = more if fewer < SHARED_WORDS else max(SHARED_WORDS, SHARED_PART * fewer)
    shared = sum(any(_same_words([word], [its], ratio) for its in known) for word in words) if fewer else 0
    if not fewer or shared < needed:
        return False
    numbers, its_numbers = set(markers(one)[1]), set(markers(other)[1])
    return numbers <= its_numbers or its_numbers <= numbers


def signature(text: str) -> str:
    """Returns a hash that is equal for all texts that `same` may accept as equal, so that a text is compared only with
    these.
    """
    return digest(repr((markers(text), [word[:COMMON_START] for word in _telling(text)])))


def pattern(text: str) -> str:
    """Returns a pattern for LIKE, to be used ignoring case, that matches every text that `same` may accept: the
    beginnings of the first distinctive words in order, with gaps between letters. The pattern of a text without such
    words matches everything.
    """
    begun = "".join(word[:COMMON_START] for word in _telling(text)[:PATTERN_WORDS])
    return "%" + "".join(f"{letter}%" for letter in begun if letter.isascii() and letter.isalnum())


def _telling(text: str) -> list[str]:
    return [word for word in normalise(text).split() if word not in STOP_WORDS]


def same_words(ratio: Callable[[str, str], float]) -> Callable[[list[str], list[str]], bool]:
    """Returns a function that tells whether two lists of words are equal one by one, except for endings and typos."""
    return lambda one, other: _same_words(one, other, ratio)


def _same_words(one: list[str], other: list[str], ratio: Callable[[str, str], float]) -> bool:
    """Tells whether two lists of words are equal one by one, except for endings and typos. "On Mondays" and "on
    Fridays" have nearly the same letters, but are different decisions.
    """
    return len(one) == len(other) and all(
        a == b or (a[:COMMON_START] == b[:COMMON_START] and ratio(a, b) >= WORD_RATIO)
        for a, b in zip(one, other, strict=True)
    )
