"""Tells what a person reports of others ("the docs claim that we ...", "Bob: we ...") from what they state themselves.
Others may be wrong, or speak of something else.
"""

from __future__ import annotations

import re
from functools import cache

from ..lib.pattern import Pattern
from .phrases import CLASSES
from .tool_families import SORTS_OF

_LEAD = r"^\W*(?:(?:and|but|so|well|btw|fyi|yesterday|today|recently)[ ,:]+)*"
_OPINES = (
    r"(?:says?|said|thinks?|thought|believe[sd]?|insist(?:s|ed)?|argue[sd]?|swears?|swore|reckons?|"
    r"keeps? (?:saying|claiming|insisting)|kept (?:saying|claiming|insisting)|is (?:saying|claiming|insisting))"
)
_TELLS = (
    r"(?:claim(?:s|ed)?|wr(?:ites?|ote)|state[sd]?|mention(?:s|ed)?|report(?:s|ed)?|announced?|suggest(?:s|ed)?|recommend(?:s|ed)?|"
    r"advise[sd]?|note[sd]|posted|"
    r"(?:told|tells|keeps? telling|informed|assured|reminded|convinced) (?:me|us|you|everyone|everybody|the team))"
)
_OURS = r"(?:we|our|ours|us|i|my)"
_SELF = r"(?:i|we|you|me|to|please|pls|let|it|that|this|what|which|where|when|if|never|always)\b"
# Who speaks stands first, in a few words; a person who says "I say" or "we think" states it.
_REPORTS = Pattern(
    rf"{_LEAD}(?:(?!{_SELF})[\w'./@#-]+ ){{1,6}}?"
    r"(?:(?:also|just|now|still|once|already|clearly|explicitly|has|have|had) )?"
    rf"(?:{_OPINES}[,: ]|{_TELLS}(?:,? (?:that|how)\b| (?={_OURS}\b))|(?:told|tells) (?:me|us):)",
    re.IGNORECASE,
)
_HEARD = Pattern(
    rf"{_LEAD}(?:according to (?!(?:me|us|our plan)\b)|in (?:\w+'s|his|her|their) (?:opinion|view)\b|"
    r"(?:apparently|supposedly|allegedly|reportedly)\b|"
    r"rumou?r (?:has it|says)|word is\b|"
    r"(?:i|we)(?:'ve| have)? (?:just |once |also )?(?:read|heard|saw|(?:was|were|been|got) told|overheard)\b"
    rf"[^.!?:]{{0,40}}?(?: that\b|:| (?={_OURS}\b)))|\b(?:apparently|supposedly|allegedly|reportedly)\W*$",
    re.IGNORECASE,
)
_ROLE = Pattern(
    r"^\W*(?i:(?:my|our|the|an?) (?:[\w-]+ ){0,2}(?:boss|manager|colleague|coworker|co-worker|cto|ceo|teammate|friend|"
    r"intern|architect|contractor|consultant|auditor|lawyer|predecessor)|"
    r"(?:my|our) (?:lead|client|customer|vendor|reviewer|partner))(?:,? [A-Z][\w'-]*)?: "
)
# A name alone may be a topic: "Billing: we use Stripe".
_LABEL = Pattern(r"^([A-Z][a-z]+) (?:from \w+|\([^()]{1,20}\)): (?i:(?:we|i|our|my|let's)\b)")


def reports_others(text: str) -> bool:
    """Tells whether a statement repeats what somebody else, or a document, says."""
    if _REPORTS.match(text) or _HEARD.search(text) or _ROLE.match(text):
        return True
    label = _LABEL.match(text)
    return label is not None and label[1].lower() not in _topics()


@cache
def _topics() -> set[str]:
    words = {word for line in CLASSES.values() for word in line.split()}
    return words | set(SORTS_OF)
