"""Tells whether a person's own words state what a text says. Most of its words are not enough: "do we push to main?"
has those of "always push to main".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, words
from .others_speech import reports_others

_FEWEST = 2  # telling words of a main clause; with fewer the rest is part of what is said
_START = 5  # letters of a word, which inflection does not change
# What follows a statement: its reason, or what it is said against.
_REST = Pattern(
    r"(?:(?:\s*[,;(—–]\s*|\s+)(?:because|since|due to|so that|as (?:it|the|this|that)|instead of|rather than)\b|"
    r"\s*[,;(—–]\s*(?:no longer|not|and not|but not)\b).*",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = Pattern(r"(?<=[.!?…;])\s+|\n+")
# What is asked, or only supposed: "do we push to main?", "what if we pushed to main". With a comma and a main clause it
# is a rule: "when releasing, tag first".
_ASKS = Pattern(
    r"\?[\s\"'”’)*_]*$|^\W*(?:(?:and|but|so|then|ok(?:ay)?)\W+)*(?:(?:do|does|did|is|are|was|were|should|shall|can|could|"
    r"would|will|may|might)(?! not\b)\s+(?:we|i|you|they|it|he|she|the|this|that|there|our|my|your|all|any|every)\b|"
    r"why\b|how\b|whether\b|suppose\b|imagine\b|what if\b|(?:if|what|when|where|who|which)\b(?![^,]*,))|"
    r"\bwonder(?:s|ed|ing)?\b|(?<!no )(?<!a )\bdoubt(?:s|ed|ful)?\b",
    re.IGNORECASE,
)
_DENIES = frozenset(
    "not no never none nobody nothing without dont cannot t longer stop stopped avoid forbidden instead don doesn didn "
    "isn aren wasn shouldn mustn couldn "  # "don't" falls into "don" and "t"
    "refuse refused reject rejected".split()
)
# Words by which two people say the same differently.
_SAYS_NOTHING = STOP_WORDS | frozenset(
    "always must should shall have has had use used uses using decide decided agree agreed prefer preferred want wants "
    "please let's lets go going take make made set switch switched move moved keep keeps project team user from now "
    "on new only just also will be is are our we i my s ll re ve m d".split()
)


def is_stated(text: str, said: Iterable[str]) -> bool:
    """Tells whether a sentence of the prompts `said` states what a text says: it asks nothing, reports nobody else, has
    all the words that tell of the text's main clause in their order, and denies where that denies.
    """
    main = _main(text)
    tells = _telling(main)
    if not tells:
        return False
    sentences = (one for prompt in said for one in _SENTENCE.split(prompt))
    return any(
        _in_order(tells, _telling(words(one)))
        and _denies(main) == _denies(_main(one))
        and not (_ASKS.search(one) or reports_others(one))
        for one in sentences
    )


def _main(text: str) -> list[str]:
    """Returns the words of a statement without its reason, unless hardly anything is left then."""
    main = words(_REST.sub("", text.strip()))
    return main if len(_telling(main)) >= _FEWEST else words(text)


def _denies(found: Sequence[str]) -> bool:
    return not _DENIES.isdisjoint(found)


def _telling(found: Iterable[str]) -> list[str]:
    return [word[:_START] if word.isalpha() else word for word in found if word not in _SAYS_NOTHING | _DENIES]


def _in_order(tells: Sequence[str], among: Sequence[str]) -> bool:
    rest = iter(among)
    return all(word in rest for word in tells)
