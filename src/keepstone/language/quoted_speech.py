"""Tells what somebody else has said, between quotation marks, from a quoted name, which is a word of the sentence: 'the
"compact view" hides zero rows'.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern

CUT = "«…»"  # stands for speech that was left out; what it stands in is no whole statement
SPEECH_WORDS = 3  # a quotation of fewer words is a name

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
    before, after = found.string[: found.start()], found.string[found.end() :]
    return bool(_NAMES.search(before) and re.match(r"\s+\w", after)) and not _SPEAKS.search(found[0][1:-1])
