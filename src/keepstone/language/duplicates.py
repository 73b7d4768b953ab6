"""When two statements are the same: alike in wording *and* in every negation, number and version (DESIGN 4), *and*
with the same telling words in the same order: token_sort_ratio alone gives "npm over pnpm" / "pnpm over npm" 100.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..lib.text import STOP_WORDS, digest

DUPLICATE_RATIO = 90.0  # token_sort_ratio, 0..100
WORD_RATIO = 80.0  # the same for two words of one meaning: "deploy" / "deploys" 92, "Mondays" / "Fridays" 71
COMMON_START = 3  # letters that two such words begin with alike: "ascending" / "descending" don't

PATTERN_WORDS = 12  # of which a pattern is made: a few tell almost all texts apart
CACHE_SIZE = 1_024  # texts that are kept at hand: a new one is compared with hundreds, often with the same ones
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|instead|cannot|no longer|stop|avoid|don'?t|doesn'?t|isn'?t|aren'?t|"
    r"won'?t|can'?t|shouldn'?t|mustn'?t|wasn'?t|weren'?t|didn'?t|disable[ds]?|forbid(?:den)?|except|unless)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"v?\d+(?:[.:,/-]\d+)*", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[^\w\s]+")


@lru_cache(CACHE_SIZE)
def normalise(text: str) -> str:
    """Lower case, apostrophes out, other punctuation as space, white space folded."""
    return " ".join(_PUNCTUATION.sub(" ", text.lower().replace("’", "'").replace("'", "")).split())


def markers(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The negations (each as `not`) and the numbers and versions of a text, in order of appearance."""
    plain = text.replace("’", "'")
    negations = tuple("not" for _ in _NEGATION.findall(plain))
    return negations, tuple(number.lower().lstrip("v") for number in _NUMBER.findall(plain))


def adds_no_number(one: str, other: str) -> bool:
    """Whether every number and version of a text is in the other too: one that is not is news."""
    return set(markers(one)[1]) <= set(markers(other)[1])


def same(one: str, other: str, ratio: Callable[[str, str], float]) -> bool:
    """Whether two texts say the same. `ratio` gives 0..100 for two normalised texts, whatever the order of words."""
    alike = ratio(normalise(one), normalise(other)) >= DUPLICATE_RATIO
    return alike and markers(one) == markers(other) and _same_words(_telling(one), _telling(other), ratio)


def signature(text: str) -> str:
    """Equal for all texts that `same` may take for one, so that a text is compared with these alone."""
    return digest(repr((markers(text), [word[:COMMON_START] for word in _telling(text)])))


def pattern(text: str) -> str:
    """A pattern of LIKE, whatever its case, that every text fits which `same` may take for this one: the beginnings of
    its telling words in order, with anything between their letters. That of a text without any fits all.
    """
    begun = "".join(word[:COMMON_START] for word in _telling(text)[:PATTERN_WORDS])
    return "%" + "".join(f"{letter}%" for letter in begun if letter.isascii() and letter.isalnum())


def _telling(text: str) -> list[str]:
    return [word for word in normalise(text).split() if word not in STOP_WORDS]


def same_words(ratio: Callable[[str, str], float]) -> Callable[[list[str], list[str]], bool]:
    """Whether two lists of words are the same, one by one in order, another ending or a typo aside."""
    return lambda one, other: _same_words(one, other, ratio)


def _same_words(one: list[str], other: list[str], ratio: Callable[[str, str], float]) -> bool:
    """Whether the telling words are the same, one by one in order, another ending or a typo aside: "on Mondays" and
    "on Fridays" are nearly the same letters, and another decision.
    """
    return len(one) == len(other) and all(
        a == b or (a[:COMMON_START] == b[:COMMON_START] and ratio(a, b) >= WORD_RATIO)
        for a, b in zip(one, other, strict=True)
    )
