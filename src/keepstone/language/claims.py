"""Finds a prompt's statements in a person's own words, and measures how much of a memory they name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from ..lib.limits import SAID_CHARS
from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, head_and_tail

SENTENCE_CHARS = 400  # a longer sentence is no plain statement: four lines

# Text that a person shows rather than says: code, quotations, pasted lines, text handed over to be worked on.
_SHOWN = Pattern(r"```.*?(?:```|\Z)|\"[^\"\n]{12,}\"|“[^”]{12,}”|`[^`]*\s[^`]*`", re.DOTALL)
_PASTED = Pattern(r"(?m)^(?:\s*(?:---|===|>|\||\[?\d\d:\d\d|\w+( \w+)?:\s.*\w+ \w+|#|\$ |- |\* ).*)$")
_HANDED_OVER = Pattern(
    r"(?:^|\n)[^\n]*(?:here'?s|here is|rewrite|reword|rephrase|translate|summari[sz]e|paste|forward|wrote|says|sent|"
    r"draft|proofread|review this|übersetz|fasse)[^\n]*:?\s*\n.*\Z",
    re.IGNORECASE | re.DOTALL,
)
_RULE = Pattern(r"(?m)^\s*---")
_TOKEN = Pattern(r"[^\W_][\w.@/:%+-]*[\w%+]|\d")
_STYLE_NAME = Pattern(r"\b(snake|camel|kebab|pascal)[ -]case\b", re.IGNORECASE)
_ENDINGS = ("ments", "ment", "ings", "ing", "edly", "ies", "ly", "ed", "es", "s")
_DOUBLED = Pattern(r"[aeiou]([bgmnprt])\1$")  # of "logging", "stopped", "planning"
_PLAIN_WORD = Pattern(r"(?<![\w'])([A-Za-zÄÖÜäöüß][\w-]{2,})(?= ([A-Za-zÄÖÜäöüß][\w-]{2,}))")

# Values of one sort: two different ones are rivals.
_UNITS = "days?|h|hours?|min(?:utes)?|s|sec(?:onds)?|ms|weeks?|months?|mb|gb|kb|%|percent|tage?n?|stunden?|users?|rows?"
_SORTS = (
    Pattern(r"[\w.+-]+@[\w-]+\.\w+"),
    Pattern(r"(?<![\w.])\d{4,5}(?![\w.]*\d)"),
    Pattern(r"(?<![\w.-])v?\d{1,3}(?:\.\d+)+(?!\w)"),
    Pattern(r"\b(?:eu|us|ap|sa|ca)-[a-z]+-\d\b"),
    Pattern(rf"(?<![\w.-])\d+ ?(?:{_UNITS})\b", re.IGNORECASE),
    Pattern(r"(?<![\w.:-])\d{1,2}(?::\d\d)? ?(?:am|pm)\b", re.IGNORECASE),
    Pattern(r"\b(?:at|um) \d{1,2}(?::\d\d)?(?! ?%)\b", re.IGNORECASE),
    Pattern(rf"(?<![\w.-])v?\d{{1,3}}(?![\w.:%-]| (?:{_UNITS})\b)", re.IGNORECASE),
)
_STYLES = Pattern(r"\b(?:snake|camel|kebab|pascal)[ _-]?case\b|\b(?:tabs|spaces)\b", re.IGNORECASE)

# Words that texts about different things share.
_COMMON = frozenset(
    "new old one thing way time day week use file code repo project app test run make need want work still also just "
    "only never always every all first last set get put go see team name user service server api page line change "
    "here more other same don doesn isn aren won can't like own after before via been got done well ok into out up "
    "down off over please pls thanks know think right let good add now today yesterday without with no not nope nah "
    "since btw fyi anymore any longer gone killed stopped moved switched dropped left wrong dead is are it its it's "
    "that's there year month monday friday days years back both two three who release build deploy commit night fix "
    "issue branch again already actually ist sind war hat haben wird auf in im an am bei von vom zu zum zur für den "
    "dem des ein eine einen es wir ihr sie er inzwischen jetzt seit noch schon nur auch aber oder wenn dann bitte mal "
    "mit und der die das nicht mehr".split()
)
CACHE_SIZE = 4_096  # texts whose words are kept at hand
STEMS = 4_096  # words whose stems are kept: a new text is compared with hundreds of others, in much the same words
PREFIX = 5  # letters with which two words of one meaning begin: postgres, PostgreSQL


def own_words(text: str) -> str:
    """Returns the user's own words in a prompt, without pasted, quoted or handed-over text."""
    text = head_and_tail(text, SAID_CHARS)
    text = _HANDED_OVER.sub("\n", text) if "\n" in text else text
    return _PASTED.sub("\n", _SHOWN.sub(" ", _RULE.split(text)[0])).replace("’", "'")


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text, without those longer than SENTENCE_CHARS."""
    parts = (part.strip() for part in re.split(r"(?<=[.!?;])\s+|\n+", text))
    return [part for part in parts if 0 < len(part) <= SENTENCE_CHARS]


@lru_cache(STEMS)
def stem(word: str) -> str:
    """Returns a rough stem, which is the same for all forms of a word."""
    word = word.strip("./:-").lower().removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and word.isalpha():
            word = word[: -len(ending)]
            word = word[:-1] if ending in ("ing", "ings", "ed") and _DOUBLED.search(word) else word
            break
    return word.removesuffix("e") if len(word) > 4 else word


_COMMON_STEMS = _COMMON | {stem(word) for word in _COMMON}


@lru_cache(CACHE_SIZE)
def telling(text: str) -> Mapping[str, str]:
    """Returns the stems of a text's distinctive words, each with its word."""
    found: dict[str, str] = {}
    for match in _TOKEN.finditer(_STYLE_NAME.sub(r"\1Case", text)):
        for word in (match[0], *re.split(r"[/:@,.]", match[0])):
            key = stem(word)
            if key and word.lower() not in STOP_WORDS and key not in STOP_WORDS:
                found.setdefault(key, word)
    return MappingProxyType(found)


@lru_cache(CACHE_SIZE)
def weight(word: str) -> float:
    """Returns how much a shared word says about two texts: 0.5 for a common one, 1.5 or 2.0."""
    if word.lower() in _COMMON or stem(word) in _COMMON_STEMS:
        return 0.5
    return 2.0 if any(not c.isalpha() for c in word) or (len(word) > 1 and not word[1:].islower()) else 1.5


@lru_cache(CACHE_SIZE)
def _beginnings(text: str) -> frozenset[str]:
    """Returns all beginnings, from PREFIX letters on, of a text's distinctive words."""
    return frozenset(key[:end] for key in telling(text) if key.isalpha() for end in range(PREFIX, len(key) + 1))


@lru_cache(CACHE_SIZE)
def total(text: str) -> float:
    """Returns the total weight of a text's distinctive words."""
    return sum(map(weight, telling(text).values()))


@lru_cache(CACHE_SIZE)
def shared(content: str, text: str) -> Mapping[str, str]:
    """Returns a memory's distinctive words that a text also has, by stem. A word and its beginning
    count as the same.
    """
    theirs, begun = telling(text), _beginnings(text)
    return MappingProxyType(
        {
            own: word
            for own, word in telling(content).items()
            if own in theirs or own in begun or any(own[:end] in theirs for end in range(PREFIX, len(own)))
        }
    )


@lru_cache(CACHE_SIZE)
def common(content: str, text: str) -> float:
    """Returns the total weight of a memory's distinctive words that a text also has."""
    return sum(map(weight, shared(content, text).values()))


def coverage(content: str, text: str) -> float:
    """Returns the share of a memory that a text names, 0..1."""
    return common(content, text) / max(1.0, total(content))


@lru_cache(CACHE_SIZE)
def qualified(text: str) -> Mapping[str, set[str]]:
    """Returns, for each noun, the stems of the distinctive words right before it."""
    found: dict[str, set[str]] = {}
    for first, second in _PLAIN_WORD.findall(text):
        if not {first.lower(), second.lower()} & (STOP_WORDS | _COMMON):
            found.setdefault(stem(second), set()).add(stem(first))
    return found


def rivals(content: str, text: str) -> bool:
    """Tells whether the text gives a value of a sort that the memory gives too (an address, a port, a version, a time),
    but a different one.
    """
    for sort in _SORTS:
        mine, theirs = (_values(sort, part) for part in (content, text))
        if mine and theirs:
            return bool(theirs - mine)
    return rival_styles(content, text)


def rival_styles(content: str, text: str) -> bool:
    """Tells whether both name a style of writing, but different ones."""
    mine, theirs = (_values(_STYLES, part) for part in (content, text))
    return bool(mine and theirs and not mine & theirs)


@lru_cache(CACHE_SIZE)
def _values(sort: Pattern, text: str) -> frozenset[str]:
    return frozenset(re.sub(r"[ _-]", "", value.lower()).removeprefix("v") for value in sort.findall(text))
