"""Makes one statement of a question that asks for yes or no and its answer: "Should new tables have an id?", "Yes"
becomes "New tables should have an id". Most such questions are about what to do next, and decide nothing that lasts.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from .answers import clause, is_at_hand, is_of_the_moment, points_to_the_talk, without_asides

_ANSWER = Pattern(r"^(?P<word>yes|yep|yeah|yup|sure|no|nope|nah)\b[\s,.;:!–—-]*(?P<more>.*)$", re.IGNORECASE)
_QUESTION = Pattern(
    r"^(?P<helper>should|shall|must|will|may|can|do|does) (?P<rest>(?!(?:you|it|this|that|these|those|there|he|she)\b)"
    r"(?!.*\bor\b)[^?]+)\?*$",
    re.IGNORECASE,
)
# What makes a question one of a rule: how often, or of how many things.
_ALWAYS = Pattern(
    r"\b(?:always|ever|never|by default|in general|generally|from now on|without asking|in every|each time)\b",
    re.IGNORECASE,
)
_ALL = Pattern(
    r"^(?:every|each|only|new(?= \S+s\b)|all(?! (?:the|of|old|existing|current|failing|unused|new)\b)) ",
    re.IGNORECASE,
)
_SOME = Pattern(r"\b(?:all|every|each|any|both|only|always|ever|never|everything|everywhere|anything)\b", re.IGNORECASE)
_ADVERB = Pattern(r"^(?P<who>.+) (?P<adverb>always|ever|never|also)$", re.IGNORECASE)
# What may be done in general, and not with the one thing in hand: "may I add dependencies in this repo".
_MAY_I = Pattern(r"^(?:may|can|should) i\b", re.IGNORECASE)
_HERE = Pattern(r"\b(?:in|to|for) (?:this|the) (?:repo|repository|project|codebase)\b", re.IGNORECASE)
_THE = Pattern(r"\b(?:the|your|my|it|them)\b", re.IGNORECASE)
# Something lasts in what it is or has. What is to be done to it ("be renamed") is done once.
_DONE_TO = Pattern(r"^\w+(?:ed|en|pt|lt|nt|wn|un)\b", re.IGNORECASE)
# The question's verb over again: "yes, reject them".
_ECHO = Pattern(
    r"^(?P<often>(?:never|always) )?(?P<verb>[a-z]+) (?:them|it|those|that|these)(?: please)?$", re.IGNORECASE
)
# What is added to an answer, and says nothing that could be kept, or that it is for now.
_IDLE = Pattern(
    r"^(?:please|thanks|thx|do (?:it|that|so)|go (?:ahead|on|for it)|(?:that'?s|sounds) (?:fine|good|ok\w*|right)|"
    r"of course|i'?ll|i will|let me|(?:but |just )?(?:not (?:yet|now|sure)|later|for now)|skip|leave|thank you)\b|"
    r"\b(?:this|first) (?:pr|time|week|month|sprint|release|version|one|change)\b|\b(?:for now|until|by \w+day|mvp)\b",
    re.IGNORECASE,
)
_EXCEPT = Pattern(r"^(?:except|unless|other than)\b", re.IGNORECASE)


def decided_by_yes_no(question: str, answer: str) -> tuple[str, bool]:
    """Returns what an answer of yes or no decides, and whether that is sure to be a rule; ("", False) if the question
    is of the moment. What the answer adds is kept with it.
    """
    asked, answer = without_asides(question), " ".join(answer.split()).rstrip(".")
    given, found = _ANSWER.match(answer), _QUESTION.match(asked)
    if not given or not found or "?" in answer or _IDLE.match(given["more"]):
        return "", False
    more, both = given["more"], f"{asked.rstrip('? ')}? {answer}"
    if _MAY_I.match(asked):
        return (both if _is_permission(asked) else ""), False
    bare = _HERE.sub("", asked)
    if is_of_the_moment(bare, answer) or points_to_the_talk(bare) or is_at_hand(bare):
        return "", False
    echo = _ECHO.match(more)
    parts = clause(found["rest"].strip(), echo["verb"].lower()) if echo else None
    more = "" if parts and echo and not echo["often"] and given["word"][:1].lower() == "y" else more
    parts = parts or clause(found["rest"].strip())
    if not parts or (parts[1].lower() == "be" and _DONE_TO.match(parts[2])):
        return (both if _ALWAYS.search(asked) or _ALL.match(found["rest"]) else ""), False
    helper, is_no = found["helper"].lower(), given["word"][:1].lower() == "n"
    if helper in ("do", "does") and parts[0].lower().split()[0] != "we":
        return "", False  # how things are at the moment
    is_rule = bool(_ALWAYS.search(asked) or _ALL.match(found["rest"]))
    if is_no and (more or is_rule or _SOME.search(asked) or helper in ("must", "shall")):
        return both, False  # "not every" is no "none", and "need not" no "must not"
    if more and not _EXCEPT.match(more) or re.search(r"\b(?:any|ever)\b", asked, re.IGNORECASE):
        return both, False
    told = _told(helper, *parts, is_no)
    return f"{told}, {more}" if more else told, is_rule


def _is_permission(asked: str) -> bool:
    """Tells whether it is asked what the assistant may do in general."""
    if _ALWAYS.search(asked):
        return True
    return (
        not asked.lower().startswith("should") and bool(_HERE.search(asked)) and not _THE.search(_HERE.sub("", asked))
    )


def _told(helper: str, who: str, verb: str, more: str, is_no: bool) -> str:
    found = _ADVERB.match(who)
    who, adverb = (found["who"], found["adverb"]) if found else (who, "")
    said = "" if helper == "do" and not is_no else helper
    told = " ".join(filter(None, (who, said, "not" if is_no else "", adverb, verb, more)))
    return told[:1].upper() + told[1:]
