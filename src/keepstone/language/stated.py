"""Tells whether a person's own words state what a text says. Most of its words are not enough: "do we push to main?"
has those of "always push to main".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, words
from .denial import is_unsure
from .others_speech import reports_others
from .phrases import phrases

_FEWEST = 2  # telling words of a main clause; with fewer the rest is part of what is said
_START = 5  # letters of a word, which inflection does not change
# What follows a statement: its reason, or what it is said against.
_REST = Pattern(
    r"(?:(?:\s*[,;(—–]\s*|\s+)(?:because|since|due to|so that|as (?:it|the|this|that)|instead of|rather than)\b|"
    r"\s*[,;(—–]\s*(?:no longer|not|and not|but not)\b).*",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = Pattern(r"(?<=[.!?…;])\s+|\n+")
# What parts a sentence: two things that stand on both sides of it are not said of each other.
_CLAUSE = Pattern(
    r"\s*[,:(]\s+|\s+[–—-]{1,2}\s+|\s+(?:and|but|then|so|while|whereas|though|although)\s+", re.IGNORECASE
)
# What holds for a moment, or for one thing: "just today", "for this once", "sign this release".
_ONCE = Pattern(
    r"(?<!from )(?<!as of )\b(?:today|tonight|tomorrow)\b(?! on(?:wards?)?\b)|\b(?:right|for) now\b|"
    r"\b(?:temporarily|exceptionally|provisionally)\b|\b(?:as an|an|one) exception\b|\bone[- ](?:time|off)\b|"
    r"\b(?:for|just|only|this) once\b|\bonce more\b|"
    r"\bfor (?:the|a) (?:demo|moment|time being|test|while|minute|day|week)\b|"
    r"\bwhile (?:i|we|you|it|this)\b|\buntil\b|\btry(?:ing)?\b|"
    r"\b(?:this|that|these) (?:\w+ )?(?:time|one|branch|pr|mr|pull request|commit|release|ticket|issue|"
    r"task|sprint|week|day|"
    r"month|morning|afternoon|evening|fix|change|run|deploy(?:ment)?)\b",
    re.IGNORECASE,
)
# "In the frontend we use yarn" says the same as "we use yarn in the frontend".
_PLACE_FIRST = Pattern(
    r"^\W*((?:in|for|on|at) [^,.;:]{2,40}?),? ((?:we|i|always|never|use|please)\b.*)$", re.IGNORECASE | re.DOTALL
)
_BETWEEN = 1  # telling words that may stand between two of the statement's
_MORE = 2  # telling words that a clause may have beyond twice as many as the statement
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
_DAYS = Pattern(r"\bone day\b", re.IGNORECASE)  # how long, more often than some time
_GUESSES = frozenset(("hedge", "hypothesis"))
_NUMBERS = {word: str(at) for at, word in enumerate("zero one two three four five six seven eight nine ten".split())}
# Words by which two people say the same differently.
_SAYS_NOTHING = STOP_WORDS | frozenset(
    "always must should shall have has had use used uses using decide decided agree agreed prefer preferred want wants "
    "please let's lets go going take make made set switch switched move moved keep keeps project team user from now "
    "on new only just also will be is are our we i my s ll re ve m d".split()
)


def is_stated(text: str, said: Iterable[str]) -> bool:
    """Tells whether a sentence of the prompts `said` states what a text says: it asks nothing, reports nobody else,
    guesses nothing and holds for good unless the text does so too, and a clause of it has all the words that tell of
    the text's main clause in their order and close together, the same numbers, and denies where that denies.
    """
    main = _main(text)
    tells = _telling(main)
    if not tells:
        return False
    guesses = is_guess(text)
    is_whole, is_once = bool(_CLAUSE.search(_REST.sub("", text.strip()))), bool(_ONCE.search(text))
    sentences = (one for prompt in said for one in _SENTENCE.split(prompt))
    return any(
        not (_ASKS.search(one) or reports_others(one) or (_ONCE.search(one) and not is_once))
        and (guesses or not is_guess(one))
        and any(_says(clause, tells, _denies(main)) for clause in ([one] if is_whole else _clauses(one)))
        for one in sentences
    )


def is_guess(text: str) -> bool:
    """Tells whether a text only supposes what it says."""
    return is_unsure(_DAYS.sub("", text)) or not _GUESSES.isdisjoint(phrases(text))


def _clauses(sentence: str) -> list[str]:
    """Returns a sentence and its clauses; the place that stands first goes to the end of what is said of it."""
    found = _PLACE_FIRST.match(sentence)
    return [*_CLAUSE.split(sentence), *([f"{found[2]} {found[1]}"] if found else [])]


def _says(clause: str, tells: Sequence[str], denies: bool) -> bool:
    """Tells whether a clause says what the words tell, or its denial."""
    main = _main(clause)
    found = _telling(main)
    numbers = [word for word in tells if word.isdigit()]
    return (
        len(found) <= 2 * len(tells) + _MORE
        and _close_together(tells, found)
        and denies == _denies(main)
        and (not numbers or numbers == [word for word in found if word.isdigit()])
    )


def _main(text: str) -> list[str]:
    """Returns the words of a statement without its reason, unless hardly anything is left then."""
    main = words(_REST.sub("", text.strip()))
    return main if len(_telling(main)) >= _FEWEST else words(text)


def _denies(found: Sequence[str]) -> bool:
    return not _DENIES.isdisjoint(found)


def _telling(found: Iterable[str]) -> list[str]:
    telling = (_NUMBERS.get(word, word) for word in found if word in _NUMBERS or word not in _SAYS_NOTHING | _DENIES)
    return [word[:_START] if word.isalpha() else word for word in telling]


def _close_together(tells: Sequence[str], among: Sequence[str]) -> bool:
    """Tells whether all words stand there in their order, with few others between two of them."""
    starts = (at for at, word in enumerate(among) if word == tells[0])
    return any(_follow(tells[1:], among[at + 1 :]) for at in starts)


def _follow(tells: Sequence[str], among: Sequence[str]) -> bool:
    for word in tells:
        near = among[: _BETWEEN + 1]
        if word not in near:
            return False
        among = among[near.index(word) + 1 :]
    return True
