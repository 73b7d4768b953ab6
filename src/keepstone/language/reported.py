"""Tells what a person reports of others ("the docs claim that we ...", "Bob: we ...") from what they state themselves.
Others may be wrong, or speak of something else.
"""

from __future__ import annotations

import re
from functools import cache

from ..lib.pattern import Pattern
from .phrases import CLASSES
from .tool_families import SORTS_OF

_LEAD = r"^\W*(?:(?:and|but|so|also|well|btw|fyi|yesterday|today|recently)[ ,:]+)*"
_OPINES = (
    r"(?:says?|said|claim(?:s|ed)?|thinks?|thought|believe[sd]?|insist(?:s|ed)?|argue[sd]?|swears?|swore|reckons?|"
    r"keeps? (?:saying|claiming|insisting)|kept (?:saying|claiming|insisting)|is (?:saying|claiming|insisting))"
)
_TELLS = (
    r"(?:wr(?:ites?|ote)|state[sd]?|mention(?:s|ed)?|report(?:s|ed)?|announced?|suggest(?:s|ed)?|recommend(?:s|ed)?|"
    r"advise[sd]?|note[sd]|posted|"
    r"(?:told|tells|keeps? telling|informed|assured|reminded|convinced) (?:me|us|you|everyone|everybody|the team))"
)
_OURS = r"(?:we|our|ours|us|i|my)"
# Who speaks stands first, in a few words; a person who says "I say" or "we think" states it.
_REPORTS = Pattern(
    rf"{_LEAD}(?!(?:as )?(?:i|we|you|it|that|this|what|which|where|when|if|never|always|please)\b)"
    r"(?:[\w'./@#-]+ ){1,6}?"
    rf"(?:(?:also|just|now|always|still|once|already|clearly|explicitly|has|have|had|then) )*"
    r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bme )(?<!\bto )(?<!\bplease )(?<!\bpls )"
    rf"(?:{_OPINES}[,: ]|"
    rf"{_TELLS}(?:,? (?:that|how)\b|:| (?={_OURS}\b)))",
    re.IGNORECASE,
)
_HEARD = Pattern(
    rf"{_LEAD}(?:according to (?!(?:me|us|our plan)\b)|in \w+(?:'s)? (?:opinion|view)\b|"
    r"(?:apparently|supposedly|allegedly|reportedly)\b|"
    r"rumou?r (?:has it|says)|word is\b|"
    r"(?:i|we)(?:'ve| have)? (?:just |once |also )?(?:read|heard|saw|(?:was|were|been|got) told|overheard)\b"
    rf"[^.!?:]{{0,40}}?(?: that\b|:| (?={_OURS}\b)))|\b(?:apparently|supposedly|allegedly|reportedly)\W*$",
    re.IGNORECASE,
)
_PERSON = (
    r"(?:boss|manager|colleague|coworker|co-worker|lead|cto|ceo|client|customer|vendor|reviewer|teammate|friend|intern|"
    r"architect|contractor|consultant|auditor|lawyer|partner|predecessor)"
)
_ROLE = Pattern(rf"^\W*(?:my|our|the|an?) (?:[\w-]+ ){{0,2}}{_PERSON}(?:,? [\w'-]+){{0,3}}: ", re.IGNORECASE)
_LABEL = Pattern(r"^([A-Z][a-z]+)(?: [A-Z][a-z]+| (?:from|at|in) \w+| \([^()]{1,20}\))?: (?i:(?:we|i|our|my|let's)\b)")
# Rooms of a house that say "we" of themselves: "Backend: we use Go".
_ROOMS = {
    *(
        "backend",
        "frontend",
        "mobile",
        "web",
        "infra",
        "ops",
        "devops",
        "security",
        "design",
        "data",
        "platform",
        "docs",
    ),
    *("tests", "testing", "deployment", "deploys", "releases", "naming", "logging", "monitoring", "storage", "general"),
    *("update", "correction", "background", "summary", "conclusion", "outcome", "result", "answer", "question", "edit"),
}


def reports_others(text: str) -> bool:
    """Tells whether a statement repeats what somebody else, or a document, says."""
    if _REPORTS.match(text) or _HEARD.search(text) or _ROLE.match(text):
        return True
    label = _LABEL.match(text)
    return label is not None and label[1].lower() not in _topics()


@cache
def _topics() -> set[str]:
    words = {word for line in CLASSES.values() for word in line.split()}
    return _ROOMS | words | set(SORTS_OF)
