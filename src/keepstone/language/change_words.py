"""Recognises words for changes, endings and opposites."""

from __future__ import annotations

import re
from functools import lru_cache

from ..lib.pattern import Pattern
from .claims import telling

CACHE_SIZE = 4_096  # texts whose results are cached
BESIDE_CHARS = 24  # on either side of a word for an ending, within which the ended thing is named

_I = re.IGNORECASE
# Signs that something has changed, or that it has not.
_SIGNS = {
    sign: Pattern(pattern, _I)
    for sign, pattern in {
        "no longer": r"\bno longer\b|\bany ?more\b|\bany longer\b",
        "now": r"\b(?:now|nowadays|these days|by now|from now on|as of|since|starting|henceforth|currently)\b",
        "instead": r"\binstead\b|\brather\b",
        "after all": r"\bafter all\b|\bchanged (?:my|our) mind|\bon second thought|\bturns out\b|\bactually\b",
        "moved": r"\b(?:mov(?:ed?|ing)|switch(?:ed|ing)?|migrat(?:ed?|ing|ion)|transition\w*|swapped|port(?:ed|ing)|"
        r"convert(?:ed|ing)|went back|upgrad\w+|relicen\w+)\b",
        "renamed": r"\brenam\w+|\bcalled\b",
        "replaced": r"\breplac\w+|\btook over\b|\btakes over\b|\bsucce\w+|\bsupersed\w+",
        "raised": r"\b(?:rais\w+|lower\w+|bump\w+|increas\w+|decreas\w+|reduc\w+|doubl\w+|halv\w+|extend\w+|shorten\w+|"
        r"slipp\w+|postpon\w+|push(?:ed)? back|brought forward|cut|went up|went down|relax\w+|tighten\w+|"
        r"set to|changed|loosened|capped)\b",
        "ended": r"\b(?:removed|deleted|dropp\w+|retir\w+|decommission\w+|deprecat\w+|closed|shut ?down|turned off|"
        r"switched off|abandon\w+|scrap\w*|ditch\w+|lifted|gone|dead|archived|axed|nuked|phased out|torn down|"
        r"cancel\w+|expired|over|uninstalled|threw|thrown|kill\w*|banned|bye|out of|gave up|given up|got rid|stopp?\w*|"
        r"forget|quit|left|no more|history|sunset|unplugged|wiped|taken out|not installed|isn't installed|"
        r"doesn't exist|not exist|revok\w+|too expensive|ran out|ended|ends)\b",
        "against": r"\b(?:decided against|against|rejected|vetoed|ruled out|won't|will not|not going to|never)\b",
        "only": r"\b(?:only|exclusively|everything|all|every|entire\w*|whole|everywhere|nothing)\b",
        "adds": r"\b(?:also|too|as well|in addition|additionally|both|plus|another|second|besides|alongside|next to|"
        r"on top|extra|still|even|including)\b",
        "except": r"\b(?:except|unless|other than|apart from|exception|exempt|aside from|but not|only for|only when|"
        r"only if|only in|excluding)\b",
        "if": r"\b(?:if|when|while|whenever|during|until)\b",
        "because": r"\b(?:because|so that|otherwise|since|that's why|the reason|as|to avoid|which)\b",
        "past": r"\b(?:used to|was|were|had|did|back then|formerly|originally|last (?:year|month|week|spring|summer)|"
        r"years? ago|in 20\d\d|before that|previously|yesterday|ago)\b",
        "new": r"\bnew\b",
        "default": r"\bdefault\w*\b",
    }.items()
}
CHANGES = frozenset(
    ("no longer", "now", "instead", "after all", "moved", "renamed", "replaced", "raised", "ended", "against")
)
OLD_SIGNS = ("no longer", "only", "adds", "except", "if", "past", "against")
_OPPOSITES = tuple(
    (Pattern(rf"\b(?:{one})\b", _I), Pattern(rf"\b(?:{other})\b", _I))
    for one, other in (
        ("always", "never"),
        (
            "required|mandatory|must|needs? to|has to|have to|enforced",
            "optional|needn't|not needed|not required|nobody has to|no need|don't bother|don't have to|doesn't have to|"
            "aren't needed|isn't needed|no longer required|not necessary|free to|voluntary",
        ),
        (
            "allowed|okay|ok|fine|permitted|may|can|welcome",
            "forbidden|banned|not allowed|never|no|isn't allowed|must not",
        ),
        ("manually|by hand|manual", "automatically|automated|itself|automatic|generates|generated|by the"),
        ("synchronous|sync|waits", "async|asynchronous|background|right away"),
        ("enabled?|on", "disabled?|off"),
        ("with", "without"),
        ("before", "after"),
        ("public", "private"),
        ("single quotes", "double quotes"),
        ("include", "exclude"),
        ("keep", "drop|remove|delete"),
        ("top-level|separate", "beside|next to"),
        ("inside|in", "outside|out"),
        ("classes|class", "functions|function"),
        ("raw|plain", "structured|json|orm"),
        ("real", "fake|mock|stub"),
        ("min|minimum", "max|maximum"),
        ("out of scope|not in|won't", "will be|in scope|in"),
    )
)


@lru_cache(CACHE_SIZE)
def signs(text: str) -> frozenset[str]:
    """Returns the signs in a text."""
    return frozenset(sign for sign, pattern in _SIGNS.items() if pattern.search(text))


@lru_cache(CACHE_SIZE)
def beside_ends(text: str) -> frozenset[str]:
    """Returns the stems of the words next to a word for an ending."""
    found: set[str] = set()
    for sign in _SIGNS["ended"].finditer(text):
        found |= set(telling(text[max(0, sign.start() - BESIDE_CHARS) : sign.start()]))
        found |= set(telling(text[sign.end() : sign.end() + BESIDE_CHARS]))
    return frozenset(found)


@lru_cache(CACHE_SIZE)
def _sides(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """Returns the numbers of the opposites of which a text has the first word, and of which the second."""
    one, other = (
        frozenset(number for number, pair in enumerate(_OPPOSITES) if pair[side].search(text)) for side in (0, 1)
    )
    return one, other


def opposite(new: str, old: str) -> bool:
    """Tells whether one text has a word and the other its opposite."""
    (one, other), (old_one, old_other) = _sides(new), _sides(old)
    return bool((old_one & other - one) | (old_other & one - other))
