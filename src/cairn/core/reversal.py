"""When a later statement takes an earlier one back: it gives another number or the opposite for the same, or it rejects
by name what the earlier one chose. What is merely about the same thing takes nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .dedupe import markers, normalise
from .text import STOP_WORDS

# Words that say that something is chosen, not what.
_CHOOSING = frozenset(
    "use uses used using go goes going went pick picked chose chosen choose decide decided decision settle settled "
    "stick sticking stay staying keep keeping prefer prefers preferred want wants always never only "
    "everywhere here now then "
    "please repo project codebase team convention everything new final after actually instead rather over anymore more "
    "longer like likes run runs running write written switch switched move moved back let lets we i all".split()
)
_TERM = r"[`\"']?(?P<%s>[A-Za-z][\w.+#-]*(?: [A-Z]\w+)?)[`\"']?"
# Rejects for good: the named is gone, whatever took its place.
_GONE = tuple(
    re.compile(pattern % "term", re.IGNORECASE)
    for pattern in (
        r"\bno longer (?:use |using |go(?:ing)? with |support(?:ing)? |run(?:ning)? |on )?" + _TERM,
        r"\b(?:do not|don'?t|not|never|stop(?:ped)?|quit) (?:use|using|support|supporting|run|running) " + _TERM,
        r"\b(?:moved|migrated|switched|moving|migrating|switching|move|switch|migrate) (?:off|away from|from) " + _TERM,
        r"\b(?:drop|dropped|dropping|scrap|scrapped|ditch|ditched|kill|killed|forget|retire[ds]?|removed|replaced?|"
        r"bye) " + _TERM,
        _TERM + r" (?:is|are|was|were|got|has been) (?:gone|dead|out|history|dropped|retired|off the table|replaced|"
        r"deprecated|removed|no longer|scrapped)\b",
        r"\bno (?:more )?" + _TERM + r"(?: any ?more| any longer|,|\.|$)",
        r"\btook over from " + _TERM,
    )
)
# Prefers another to the named, for what both speak of.
_SECOND = tuple(
    re.compile(pattern % "term", re.IGNORECASE)
    for pattern in (r"\bnot (?:with |in |on |at |the |a )?" + _TERM, r"\binstead of (?:the |a )?" + _TERM)
) + tuple(re.compile(pattern % "term", re.IGNORECASE) for pattern in (r"\bover " + _TERM, r"\brather than " + _TERM))
_CHOICE = re.compile(
    r"\b(?:use|using|go with|going with|went with|chose|picked|stick with|stay (?:on|with)|switch(?:ed)? to|"
    r"move[ds]? to|"
    r"decided (?:on|for|to use)|settled on|keep|"
    r"prefer) (?P<value>[\w.+#-]+(?: \d[\w.]*)?)\b.*?\bfor (?P<slot>[^,.;:]+)",
    re.IGNORECASE,
)


def reverses(new: str, old: str, same_words: Callable[[list[str], list[str]], bool]) -> bool:
    """Whether a statement takes an earlier one back. `same_words` tells whether two lists of words are the same,
    another ending or a typo aside.
    """
    if normalise(new) == normalise(old):
        return False
    return _other_marks(new, old, same_words) or _rejects(new, old) or _other_choice(new, old)


def _telling(text: str) -> list[str]:
    return [word for word in normalise(text).split() if word not in STOP_WORDS and not any(c.isdigit() for c in word)]


def _other_marks(new: str, old: str, same_words: Callable[[list[str], list[str]], bool]) -> bool:
    """The same words with another number or another sign: "port 8080" and "port 9090". Two other numbers are another
    thing: "shard 1 listens on 8001" and "shard 2 listens on 8002".
    """
    numbers = markers(new)[1], markers(old)[1]
    differing = sum(one != other for one, other in zip(*numbers, strict=False)) + abs(len(numbers[0]) - len(numbers[1]))
    if markers(new) == markers(old) or differing > 1:
        return False
    negations = frozenset("no not never without longer more anymore".split())
    one, other = ([word for word in _telling(text) if word not in negations] for text in (new, old))
    return len(one) > 1 and same_words(one, other)


def _rejects(new: str, old: str) -> bool:
    held = _held(old)
    others = held - _CHOOSING
    said = set(_telling(new))
    for term in _terms(_GONE, new):
        if term in held and (len(others) <= 4 or (others - {term}) & said):
            return True
    for term in _terms(_SECOND, new):
        rest = others - {term}
        if term in held and (not rest or rest & said):
            return True
    return False


def _terms(patterns: tuple[re.Pattern[str], ...], text: str) -> set[str]:
    plain = text.replace("’", "'")
    found = (match.group("term") for pattern in patterns for match in pattern.finditer(plain))
    return {word for term in found for word in normalise(term).split()[:1]} - STOP_WORDS - _CHOOSING


def _held(text: str) -> set[str]:
    """The telling words of what a statement does not itself reject."""
    return set(_telling(text)) - _terms(_GONE, text) - _terms(_SECOND, text)


def _other_choice(new: str, old: str) -> bool:
    """Another value for the same purpose: "use MySQL for billing" and "use PostgreSQL for billing"."""
    one, other = _CHOICE.search(new), _CHOICE.search(old)
    if not one or not other or one["value"].lower() == other["value"].lower():
        return False
    slots = [set(_telling(choice["slot"])) - _CHOOSING for choice in (one, other)]
    return bool(slots[0]) and slots[0] == slots[1]
