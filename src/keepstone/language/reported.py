"""Tells what a person reports of others ("the docs claim that we ...", "Bob: we ...") from what they state themselves.
Others may be wrong, or speak of something else.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern

_LEAD = r"^\W*(?:(?:and|but|so|well|btw|fyi|yesterday|today|recently)[ ,:]+)*"
_OURS = r"(?:we|our|ours|us|i|my)"
# Who speaks stands first, in a few words; a person who says "I say" or "we think" states it, and who says what texts
# should say makes a rule.
_SELF = (
    r"(?:i|we|you|me|to|please|pls|let|it|that|this|what|which|where|when|if|as|never|always|only|no|not|don't|dont|do|"
    r"does|should|must|may|can|could|will|would|shall|shouldn't|mustn't|can't|won't|doesn't)\b"
)
_REPORTS = Pattern(
    rf"{_LEAD}(?:(?!{_SELF})[\w'./@#-]+ ){{1,6}}?"
    r"(?:(?:also|just|now|still|once|already|clearly|explicitly|has|have|had) )?"
    r"(?:(?:says?|said|(?:keeps?|kept|is) (?:saying|claiming|insisting))[,: ]|"
    r"(?:thinks?|thought|believe[sd]?|insist(?:s|ed)?|argue[sd]?|swears?|swore|reckons?|claim(?:s|ed)?)"
    rf" (?:that|{_OURS}|the|this|it|you|they)\b|"
    r"(?:wr(?:ites?|ote)|state[sd]?|mention(?:s|ed)?|report(?:s|ed)?|announced?|suggest(?:s|ed)?|recommend(?:s|ed)?|"
    r"advise[sd]?|noted|posted|"
    r"(?:told|tells|keeps? telling|informed|assured|reminded|convinced) (?:me|us|you|everyone|everybody|the team))"
    r",? that\b|"
    r"(?:told|tells) (?:me|us):)",
    re.IGNORECASE,
)
_HEARD = Pattern(
    rf"{_LEAD}(?:according to (?!(?:me|us|our plan)\b)|in (?:\w+'s|his|her|their) (?:opinion|view)\b|"
    r"(?:apparently|supposedly|allegedly|reportedly)\b|rumou?r (?:has it|says)|word is\b|"
    r"i(?:'ve| have)? (?:just |once |also )?(?:read|heard|saw|(?:was|been|got) told|overheard)\b[^.!?:]{0,40}? that\b|"
    rf"i(?:'ve| have)? (?:heard|(?:was|been|got) told) {_OURS}\b)|"
    r"\b(?:apparently|supposedly|allegedly|reportedly)\W*$",
    re.IGNORECASE,
)
_ROLE = Pattern(
    r"^\W*(?i:(?:my|our|the|an?) (?:[\w-]+ ){0,2}(?:boss|manager|colleague|coworker|co-worker|cto|ceo|teammate|friend|"
    r"intern|architect|contractor|consultant|auditor|lawyer|predecessor))(?:,? [A-Z][\w'-]*)?: "
)
# A name with where its bearer is. A name alone may be a topic: "Billing: we use Stripe".
_NAMED = Pattern(r"^[A-Z][a-z]+ from \w+: ")


def reports_others(text: str) -> bool:
    """Tells whether a statement repeats what somebody else, or a document, says."""
    return bool(_REPORTS.match(text) or _HEARD.search(text) or _ROLE.match(text) or _NAMED.match(text))
