"""Tells what somebody else has said from what a person states: between quotation marks, where a quoted name is a word
of the sentence ('the "compact view" hides zero rows'), or reported ("the docs claim that we ..."). Others may be wrong,
or speak of something else.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern

CUT = "«…»"  # stands for speech that was left out; what it stands in is no whole statement
SPEECH_WORDS = 3  # a quotation of fewer words is a name
NAMING_CHARS = 30  # before a quotation: they hold the word that makes it a name

_QUOTE = Pattern(
    r"\"[^\"\n]{30,}\"|“[^”\n]{30,}”|„[^“”\n]{30,}[“”]|«[^»\n]{30,}»|(?<!\w)'[^'\n]{30,}'(?!\w)"  # longer than a name
)
_FIRST = Pattern(r"\s*(?:\"([^\"\n]*)\"?|“([^”\n]*)”?|„([^“”\n]*)[“”]?|«([^»\n]*)»?)(.*)", re.DOTALL)
# A sentence of somebody's: who speaks in it, or how it ends.
_SPEAKS = Pattern(r"\b(?:i|we|you|he|she|they|let's|please|always|never|don't)\b|[.!?,…]\s*$|[.!?]\s", re.IGNORECASE)
_NAMES = Pattern(
    r"\b(?:the|our|an?|this|that|these|those|each|every|any|no|my|its|all|named|called|labell?ed|titled)\s+$",
    re.IGNORECASE,
)
_FOLLOWED = Pattern(r"\s+\w")
_SAID = Pattern(
    r"\b(?:say(?:s|ing)?|said|states?|stated|reads?|wrote|writes?|told|tells?|asked|asks?|replied|answered|quote|"
    r"according|claims?|means?|the (?:docs?|readme|wiki|text|file|rule|sentence))\b",
    re.IGNORECASE,
)


def without_speech(text: str) -> str:
    """Returns a text with CUT in place of what it quotes, but for names."""
    return _QUOTE.sub(lambda found: found[0] if _is_name(found) else CUT, text)


def begins_with_speech(text: str) -> bool:
    """Tells whether a line or sentence begins with what somebody else has said."""
    found = _FIRST.match(text)
    if not found:
        return False
    inner, rest = next(one for one in found.groups()[:4] if one is not None), found[5]
    if not rest.split() or _SAID.search(rest):
        return True
    return len(inner.split()) >= SPEECH_WORDS and bool(_SPEAKS.search(inner))


def is_within_quotation(text: str, start: int, end: int) -> bool:
    """Tells whether the signs from `start` to `end` are within a quotation that ends behind them, or end one in the
    middle of a sentence.
    """
    before, after = text[:end], text[end:]
    is_open = before.count('"') % 2 == 1 and '"' in after or before.count("“") > before.count("”") and "”" in after
    is_closed_here = any(sign in text[start:end] for sign in '"”')
    return is_open or is_closed_here and after[:1].islower()


def _is_name(found: re.Match[str]) -> bool:
    before = found.string[max(0, found.start() - NAMING_CHARS) : found.start()]
    is_followed = _FOLLOWED.match(found.string, found.end())
    return bool(is_followed and _NAMES.search(before)) and not _SPEAKS.search(found[0][1:-1])


# Reported speech

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
