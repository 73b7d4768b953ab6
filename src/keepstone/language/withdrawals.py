"""Finds what a person takes back within the prompt that says it: "We use Redis. Just kidding!", and what they report
only to deny it: "Nobody said we use Redis".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..lib.pattern import Pattern
from .openers import judges_said

ALONE_WORDS = 3  # a sentence of fewer words goes with the one before it: "Never by hand."

_CALLS = Pattern(
    r"^(?:(?:no+(?![ -]?one\b)|nope|nah|wait|stop(?=\s*[,.!])|hey|hmm*|u[hm]m*|oh|ah|argh|ugh|oops|whoops|well|"
    r"actually|sorry|but|and|or|ok(?:ay)?|hold on|hang on|come on|lol|haha\w*|please|pls|apologies|pardon|"
    r"damn|yeah|i'm sorry)\b"
    r"[\s,.!:…—–-]*)+",
    re.IGNORECASE,
)
# Of these calls, those that mend what was said right before; "and", "but" or "well" only go on.
_MENDS = Pattern(
    r"\b(?:no+|nope|nah|wait|stop|actually|sorry|oops|whoops|hold on|hang on|apologies|pardon|argh)\b", re.IGNORECASE
)
_ADDS = Pattern(r"\b(?:and|also|too|either|neither|as well)\b", re.IGNORECASE)
_CLAUSE = r"(?=\s*(?:$|[,.;:!?…—–]|-\s|\b(?:we|i|our|please|it's|use)\b))"
_STATEMENT = (
    r"(?:(?:everything|all|what) (?:that )?(?:i|we)(?:'ve| have)?(?: just)? (?:said|wrote|typed|told you)|"
    r"(?:all (?:of )?)?(?:that|this)|it|them|both|everything|"
    r"(?:the|that|this|my)(?: (?:last|whole|previous|final))? (?:idea|plan|thing|rule|decision|note|part|point|bit|one|"
    r"sentence|statement|line|lot))"
)
# Takes back what was said right before. What stands behind it may be said instead.
_UNSAYS = Pattern(
    rf"(?:(?:please|actually|just|let's|you can|i)\s+)*(?:(?:scratch|strike|forget(?: about)?|ignore|disregard|unset|"
    rf"undo|cancel|withdraw|delete|scrap|discard|retract) {_STATEMENT}|(?:take|took) (?:that|it|this|all that) back|"
    r"never ?mind(?: (?:that|this|it|me))?|(?:i )?spoke too soon|on second thoughts?|"
    r"(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:just )?changed (?:my|our) minds?|my (?:bad|mistake|error|fault)|"
    r"(?:i )?misspoke|(?:small |slight |quick )?correction|(?:i|we) (?:was|were|am) (?:wrong|mistaken|mixed up)|"
    rf"(?:i )?(?:got|mixed|had|messed) (?:that|it|this|them)(?: all)? (?:wrong|up|backwards?))"
    rf"(?: (?:again|there|please))?{_CLAUSE}",
    re.IGNORECASE,
)
_NOT_MEANT = Pattern(
    r"(?:(?:i'm|i was|i am|only|just|that's|that was|this is|this was|a|totally) )*"
    r"(?:kidding|joking|jokes?|jk|j/k|messing with you|pulling your leg|teasing|trolling|psych|sarcasm|being sarcastic|"
    r"april fools?)\b(?! aside\b)|if only(?=\W*$)|(?:not really|as if|yeah,? right)(?=\W*$)|"
    r"i (?:wish|meant(?! it\b))\b",
    re.IGNORECASE,
)
_MEANT = Pattern(r"\bno (?:kidding|jokes?)\b", re.IGNORECASE)
_MEANS = Pattern(r"i mean\b", re.IGNORECASE)
_OVER = Pattern(
    r"(?:at least )?(?:not (?:any ?more|any longer|now|these days)|no longer|(?:but )?not since\b.*|"
    r"(?:that|this|it) (?:was|used to be)(?: (?:so|true|the (?:case|rule|plan)|how it was))?"
    r"(?: (?:before|once|then|back then|in the past|years? ago|last (?:week|month|year|summer)|until .*|till .*))?|"
    r"(?:that|this)(?:'s| is| has)(?: all| now| since)* (?:changed|history|over|in the past|the past|gone)|"
    r"those days are (?:over|gone))\W*",
    re.IGNORECASE,
)
_USED_TO = Pattern(
    r"(?P<doubt>(?:at least|or rather|or|rather)[ ,]+)*(?:(?:we|i|they|it|that's what we) (?:used to|did|once did)|"
    r"that's (?:how it|what it) (?:was|used to be))(?: (?:before|once|then|back then|until .*|till .*|last \w+))?\W*",
    re.IGNORECASE,
)
_NEGATED = Pattern(r"\b(?:no|not|never|without|only)\b|n't\b", re.IGNORECASE)
_EARLIER = Pattern(r"\b(?:earlier|before|yesterday|previous(?:ly)?|last (?:time|message|prompt|week))\b", re.IGNORECASE)
_EVERYTHING = Pattern(r"\b(?:everything|all|both|none)\b", re.IGNORECASE)
_LEANS = Pattern(
    r"^(?:and |but |so )?(?:it|its|it's|they|their|that|that's|this|these|those|because|same|not)\b", re.IGNORECASE
)
_TWO_WORDS = Pattern(r"(?:we|i|our|the)\W+[\w'-]+", re.IGNORECASE)
# What somebody is said to have claimed, or not to have.
_CLAIMS = (
    r"(?:,? (?:that|how|as if|like) (?=(?:we|our|i|i'm|we're|we've|this|the|it|it's|my|you|never|always|all)\b)|"
    r" (?=(?:we|i|we're|we've|i'm)\b))"
)
_SAID = (
    r"(?:said|claimed|told \w+|stated|insisted|suggested|decided|agreed|meant|implied|promised|wrote|thought|assumed)"
)
_SAY = r"(?:say|claim|tell \w+|state|insist|suggest|mean|imply|think|assume|believe|pretend)"
_SAYING = (
    r"(?:saying|claiming|telling \w+|stating|insisting|repeating|suggesting|pretending|thinking|assuming|believing|"
    r"acting|writing)"
)
_DENIES = Pattern(
    rf"(?:(?:nobody|no[ -]?one|none of us|neither of us)(?: here)?(?: has| have| is|'s)?(?: ever)? "
    rf"(?:{_SAID}|{_SAY}s?|{_SAYING})|"
    rf"(?:i|we)(?: have| had|'ve)? ?never(?: ever| once| actually)? {_SAID}|"
    rf"(?:i|we) (?:didn't|did not|haven't|wouldn't)(?: ever| actually)? (?:{_SAY}|{_SAID})|"
    rf"(?:please )?(?:stop|quit|enough of|no more) (?:(?:always|constantly) )?{_SAYING}|"
    r"(?:please )?(?:don't|do not) (?:say|claim|tell me|pretend|insist)|"
    rf"you(?:'ve|'re| have| are| just| always| still| keep| kept)* (?:{_SAID}|{_SAY}|{_SAYING})|"
    r"it(?:'s| is| was)?(?:n't| not)(?: (?:quite|at all|really|even|actually))?"
    r"(?: (?:true|right|correct|so|accurate|the case))?|"
    r"it(?:'s| is| was)(?: (?:simply|just|plain|a|an|completely|totally))* (?:false|wrong|untrue|incorrect|myth|lie|"
    r"rumou?r|misunderstanding|misconception|nonsense)|"
    r"(?:it'?s )?not(?: true)?(?= that (?:we|our|i)\b)|i (?:doubt|deny)|there(?:'s| is) no (?:rule|decision|policy))"
    rf"{_CLAIMS}|you(?:'ve| have| just)* (?:said|claimed|told me) (?=(?:our|the|this|it|it's|my)\b)",
    re.IGNORECASE,
)


def denies_claim(text: str) -> bool:
    """Tells whether a part reports a claim, to deny it or as the assistant's: "Nobody said we deploy on Fridays"."""
    return bool(_DENIES.match(_without_calls(text)))


def withdraws_what_is_before(sentence: str, before: str) -> bool:
    """Tells whether a sentence, or clause, takes back the one before it in the same prompt."""
    plain = _without_calls(sentence)
    if _UNSAYS.match(plain) or judges_said(plain):
        return not _EARLIER.search(plain)
    if (_NOT_MEANT.match(plain) and not _MEANT.search(sentence)) or _OVER.fullmatch(plain):
        return True
    calls = sentence[: len(sentence) - len(plain)]
    used = _USED_TO.fullmatch(plain)
    if used:
        return bool(calls or used["doubt"]) or not _NEGATED.search(before)
    mends = bool(_MENDS.search(calls)) and not _ADDS.search(sentence)
    return bool(calls) and (bool(_MEANS.match(plain)) or (mends and _says_again(plain, before)))


def _says_again(text: str, before: str) -> bool:
    """Tells whether a sentence begins as the one before it does: "We use Redis. No, we use Kafka"."""
    one, other = _TWO_WORDS.match(text), _TWO_WORDS.match(_without_calls(before))
    return one is not None and other is not None and one[0].casefold() == other[0].casefold()


def without_withdrawal(sentence: str) -> str:
    """Returns a sentence without the words at its beginning that take back what is before it."""
    plain = _without_calls(sentence)
    found = _UNSAYS.match(plain)
    return plain[found.end() :].lstrip(" ,.;:!?…—–-") if found else sentence


def first_withdrawn(sentences: Sequence[str], by: str) -> int:
    """Returns from which of the sentences on a prompt is taken back by the one that follows them."""
    if _EVERYTHING.search(by):
        return 0
    at = len(sentences) - 1
    while at > 0 and _needs_one_before(sentences[at]):
        at -= 1
    return at


def _needs_one_before(sentence: str) -> bool:
    plain = _without_calls(sentence)
    return len(plain.split()) < ALONE_WORDS or bool(_LEANS.match(plain))


def is_call(text: str) -> bool:
    """Tells whether a text says nothing: "No, wait"."""
    return not _without_calls(text)


def _without_calls(text: str) -> str:
    return _CALLS.sub("", text)
