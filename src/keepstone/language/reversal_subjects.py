"""Tells of two statements whether they are about different things, so that neither takes the other back, and whether
the later denies the earlier in so many words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, words
from .change_words import CHANGES, signs
from .claims import shared, stem, telling
from .denial import is_unsure
from .duplicates import markers

CACHE_SIZE = 4_096  # texts whose results are cached
NAME_WORDS = 3
_PLACING = frozenset(("on", "at", "in", "per"))  # prepositions behind which where, when and how often stand
_COUNTED = frozenset("one two three four five six seven eight nine ten".split())

# The subject of a statement ends at its verb.
_VERB = Pattern(
    r"\b(?:is|are|was|were|has|have|had|runs?|ran|lives|live(?= (?:in|on|at|under|with)\b)|ships?|ends?|starts?|"
    r"needs?|must|uses?|used|owns?|hosts?|"
    r"contains?|holds?|will|can|cannot|should|goes|go|takes?|sits|listens?|expires?|handles?|serves?|stays?|gets?|"
    r"belongs|means|covers?|allows?|supports?|requires?|does|do|doesn't|don't|isn't|aren't|won't|can't|comes?|keeps?|"
    r"kept|writes?|stores?|sends?|deploys|builds|follows?|works?|reads?|returns?|responds?|reports?|sets|lands?|moved|switched|"
    r"stops|stopped|drops|dropped|quits?|ditched|abandoned|happens?|talks?|speaks?|connects?|depends|points|picked|chose|prefers?|pays?|signs?|logs|caches|"
    r"no longer|never)\b"
)
_WE = frozenset("we i you they it he she this that there everyone nobody one let please always never now".split())
_OURS = frozenset("we i always never please".split())  # whoever does it says nothing of what is meant
_SHOUTED = Pattern(r"\b(?:US|IT|AN|AS|IN|ME)\b")  # names, which are small words otherwise
# A thing after "for" ends at these.
_STOP = (
    "for|of|in|on|at|by|with|from|to|into|via|but|not|over|because|since|as|instead|rather|than|is|are|was|were|"
    "uses?|runs?|now|anymore|any|no|so|if|when|while|until|unless|after|before|we|i|it|they|which|that|who"
)
_FOR = Pattern(rf"\bfor\s+((?:(?!(?:{_STOP})\b)[\w.+#/'-]+\s?){{1,5}})", re.IGNORECASE)
# After "for" and no thing: how long, what for.
_NO_THING = frozenset(
    stem(word)
    for word in (
        "now good once ever everything everyone anything all long short speed reasons reason years year months month "
        "weeks week days day hours hour minutes minute seconds second while time times today tomorrow example instance "
        "sure real free fun safety performance simplicity consistency compatibility clarity us me them it moment new "
        "old current default whole entire same other future work works use purposes purpose case cases things just "
        "one two three four five six seven eight nine ten"
    ).split()
)
# Before a noun and no name of one of many: they say of one thing when.
_TIMES = frozenset(
    stem(word)
    for word in (
        "new old current former previous next last default whole entire same our all every each both any most some many"
    ).split()
)
_WEAK = frozenset(("now", "against", "instead"))  # signs that are as frequent in unrelated statements
_ENDS = frozenset(("no longer", "ended", "replaced"))  # signs that what is named is over
_CLAUSES = Pattern(r"[,;:.!?—–()]+(?:\s|$)|\b(?:but|and|so|because|since|instead|as)\b")
_DENIAL = Pattern(
    r"\b(?:no longer|any ?more|any longer|not|never|stop(?:ped)?|quit|don't|doesn't|do not|does not|isn't|aren't|won't|"
    r"can't|cannot|mustn't|shouldn't|no more)\b",
    re.IGNORECASE,
)
# A denial of some of it, or of its being all.
_PARTLY = Pattern(r"(?:\bnot|n't)\s+(?:just|only|all|always|every\w*|necessarily|quite|entirely|yet)\b", re.IGNORECASE)
_NOT_NUMBER = Pattern(
    r",?\s*\b(?:instead of|rather than|not|no longer|up from|down from|from) (?P<number>v?\d[\d.:,]*\d|\d)(?: to\b)?",
    re.IGNORECASE,
)
# What a choice was made against, between its other words, and the reason at a statement's end.
_REJECTED = Pattern(
    r"(?:, ?| )(?:and )?(?:not|instead of|rather than|in favou?r of|over)(?: (?:the|an?))? [\w.+#-]+"
    r"(?=, | (?:for|in|on|at|as|because|since)\b|[:;—–])(?:,(?= ))?",
    re.IGNORECASE,
)
_REASON = Pattern(
    r"(?:[:;,—–-]+ (?=(?:we|it|it's|its|they|that|this|there|otherwise|the|our|my)\b)|,? (?:because|since|so that)\b)"
    r"[^\n]*\Z",
    re.IGNORECASE,
)
# What is changed from one value to another: "switched the wiki from Notion to Confluence".
_CHANGED = Pattern(
    r"\b(?:switch|move|migrate|change|convert|port|switched|moved|migrated|changed|converted|ported) "
    r"(?P<thing>(?:(?!(?:from|to)\b)[\w./'-]+ ){1,5})from ",
    re.IGNORECASE,
)
_TOKEN = Pattern(r"[\w+#@/'-]+(?:[.:]\w+)*")
_CONDITION = Pattern(r"^\W*(?:if|when|whenever|while|unless|until|because|since|so that|in case)\b", re.IGNORECASE)
# Words of a denial that are no part of what it denies.
_DENYING = frozenset(
    stem(word)
    for word in (
        "no not never longer more anymore any stop stopped quit don't doesn't do does isn't aren't "
        "won't can't cannot mustn't shouldn't dont doesnt now today use used using since yesterday really actually "
        "us our it currently these days here everything everywhere don doesn isn aren won re ve ll m can mustn shouldn"
    ).split()
)
# Words of a choice that are no part of what was chosen.
_CHOOSING = frozenset(
    telling("go went pick picked choose chose chosen decide decided settle settled adopt adopted stick")
)


def about_others(new: str, old: str) -> bool:
    """Tells whether the things that two statements are about have different names: those after "for", two of a kind
    before the verb, or one and its value anywhere.
    """
    return _for_others(new, old) or _of_a_kind(new, old) or _in_two_places(new, old)


def has_other_subject(new: str, old: str) -> bool:
    """Tells whether two statements have no word of their subjects in common, and the later does not end in a clause of
    its own what the earlier says.
    """
    mine, theirs = frozenset(_subject(new)), frozenset(_subject(old))
    if not mine or not theirs or _known(mine, new, old) or _known(theirs, old, new):
        return False
    return not _ends_it(new, old)


@lru_cache(CACHE_SIZE)
def _purposes(text: str) -> frozenset[str]:
    """Returns the stems of the things after "for"."""
    keys = (key for phrase in _FOR.findall(_plain(text)) for key in telling(phrase))
    return frozenset(key for key in keys if not any(c.isdigit() for c in key)) - _NO_THING


def _for_others(new: str, old: str) -> bool:
    mine, theirs = _purposes(new), _purposes(old)
    own, other = mine - _known(mine, new, old), theirs - _known(theirs, old, new)
    return bool(own and other)  # "for client Otter" and "for client Seal": what they share is the kind


def _known(keys: frozenset[str], text: str, other: str) -> set[str]:
    """Returns those of a text's stems that another text has too."""
    return set(keys).intersection(shared(text, other))


def _plain(text: str) -> str:
    return text.replace("’", "'")


@lru_cache(CACHE_SIZE)
def _subject(text: str) -> tuple[str, ...]:
    """Returns the stems of the distinctive words before a statement's verb, in order."""
    plain = _plain(text)
    verb = _VERB.search(plain)
    keys = telling(_SHOUTED.sub(r"\g<0>1", plain[: verb.start()])) if verb else ()
    return tuple(key for key in keys if key not in _WE and key not in _TIMES)


def _of_a_kind(new: str, old: str) -> bool:
    """Tells whether the subjects are of one kind and differ in a word on the same side of its noun: "tenant Acme" and
    "tenant Globex", "the staging database" and "the live database".
    """
    mine, theirs = _subject(new), _subject(old)
    own = set(mine) - set(theirs) - _known(frozenset(mine), new, old)
    other = set(theirs) - set(mine) - _known(frozenset(theirs), old, new)
    return any(
        noun in theirs and own & _beside(mine, noun, side) and other & _beside(theirs, noun, side)
        for noun in mine
        for side in (-1, 1)
    )


@lru_cache(CACHE_SIZE)
def _said(text: str) -> tuple[str, ...]:
    """Returns the words of a statement without its reason."""
    return tuple(words(_REASON.sub("", _plain(text))))


def _in_two_places(new: str, old: str) -> bool:
    """Tells whether two statements have other names in two places or more of the same words, of which one says which of
    a kind is meant: "app one on host alpha7" and "app two on host alpha8", "the alpha shop in Frankfurt" and "the beta
    shop in Dublin". Their reasons do not count, and a sign of change may change both.
    """
    if not CHANGES.isdisjoint(signs(new) - _WEAK):
        return False
    mine, theirs = _said(new), _said(old)
    frame = [word for word in mine if word in set(theirs)]
    if frame != [word for word in theirs if word in set(mine)] or 2 * len(frame) < max(len(mine), len(theirs)):
        return False
    pairs = list(zip(_gaps(mine, frame), _gaps(theirs, frame), strict=True))
    places = [at for at, pair in enumerate(pairs) if any(pair)]
    if len(places) < 2 or not all(_is_name(gap) for at in places for gap in pairs[at]):
        return False
    end = _end_of_object(frame)
    return any(at <= end and _says_which(frame, at, pairs[at][0]) for at in places)


STATEMENT_WORDS = 100  # longer texts are no two statements of one form, and comparing them takes the cube of the length


def differs_twice(new: str, old: str) -> bool:
    """Tells whether two statements say the same of other things: they differ in two places or more, which both fill
    ("keep the logs of Oslo for 30 days", "keep the logs of Rome for 90 days"), or in what is changed from one value to
    another. A sign of change that only the later one has may change both.
    """
    if not CHANGES.isdisjoint(signs(new) - signs(old) - _WEAK):
        return False
    mine, theirs = (_CHANGED.search(_plain(text)) for text in (new, old))
    if mine and theirs:
        things = [set(_tokens(found["thing"])) - (STOP_WORDS - _COUNTED) for found in (mine, theirs)]
        return bool(things[0] - things[1] and things[1] - things[0])
    before, after = _tokens(old), _tokens(new)
    if max(len(before), len(after)) > STATEMENT_WORDS:
        return False
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    by_us = not _OURS.isdisjoint(before) and not _OURS.isdisjoint(after)
    if not by_us and set(_subject(new)) == set(_subject(old)) != set():
        return False  # of the same thing, two values may change at once
    places = 0
    for step, low, high, start, end in steps:
        if step != "equal":
            pair = before[low:high], after[start:end]
            if not all(_is_name(gap) or _is_other(gap, by_us) for gap in pair):
                return False
            places += 1 + (_counts(before, low, high) and _counts(after, start, end))
    return places > 1


@lru_cache(CACHE_SIZE)
def _tokens(text: str) -> tuple[str, ...]:
    """Returns the words of a statement without its reason; a number with its point is one."""
    return tuple(word.lower() for word in _TOKEN.findall(_REASON.sub("", _plain(text))))


def _is_other(gap: Sequence[str], by_us: bool) -> bool:
    """Tells whether the only word in one place is a name although it looks like none: a letter, or what would be a verb
    if something else than "we" did it ("we freeze deploys").
    """
    return len(gap) == 1 and (len(gap[0]) == 1 or by_us and gap[0].endswith("s") and gap[0] not in STOP_WORDS)


def _counts(said: Sequence[str], low: int, high: int) -> bool:
    """Tells whether the words of one place end in a number that counts what follows: "retry payments 3 times"."""
    follows = said[high : high + 1]
    return high - low > 1 and said[high - 1][0].isdigit() and bool(follows) and follows[0] not in STOP_WORDS


def _end_of_object(frame: list[str]) -> int:
    """Returns the place of the first preposition of place or time behind the verb. What is named after it belongs to
    the value: "runs on host beta2, port 5433".
    """
    verb = next((at for at, word in enumerate(frame) if _VERB.fullmatch(word)), len(frame))
    return next((at for at in range(verb + 1, len(frame)) if frame[at] in _PLACING), len(frame))


def _says_which(frame: list[str], at: int, name: list[str]) -> bool:
    """Tells whether a name stands beside the noun of its kind. A number before a noun counts: "10 minutes"."""
    counts = name[-1].isdigit() or name[-1] in _COUNTED
    beside = frame[max(0, at - 1) : at if counts else at + 1]
    nouns = (word for word in beside if word not in STOP_WORDS | _WE | _PLACING and not _VERB.fullmatch(word))
    return not name[0].isdigit() and any(stem(word) not in _CHOOSING for word in nouns)


def _gaps(said: Sequence[str], frame: list[str]) -> list[list[str]]:
    """Returns the words of a text before, between and after those of the frame."""
    gaps: list[list[str]] = [[]]
    for word in said:
        if len(gaps) <= len(frame) and word == frame[len(gaps) - 1]:
            gaps.append([])
        else:
            gaps[-1].append(word)
    return gaps


def _is_name(gap: Sequence[str]) -> bool:
    """Tells whether the words in one place are a name or a number: a few, without a verb."""
    said = " ".join(gap)
    return 0 < len(gap) <= NAME_WORDS and not _VERB.search(said) and bool(set(gap) - (STOP_WORDS - _COUNTED))


def _beside(keys: tuple[str, ...], noun: str, side: int) -> set[str]:
    at = keys.index(noun) + side
    return {keys[at]} if 0 <= at < len(keys) else set()


def is_of_a_part(new: str, old: str) -> bool:
    """Tells whether the later statement is about some of the things only that the earlier names after "for"."""
    mine, theirs = _purposes(new), _purposes(old)
    known = _known(theirs, old, new)
    return bool(mine and known) and bool(theirs - known) and not mine - _known(mine, new, old)


@lru_cache(CACHE_SIZE)
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(clause for clause in _CLAUSES.split(_plain(text)) if telling(clause))


def _ends_it(new: str, old: str) -> bool:
    """Tells whether a clause of the later statement without another subject ends what the earlier one names."""
    for clause in _clauses(new):
        if not _ENDS.isdisjoint(signs(clause)):
            subject = frozenset(_subject(clause))
            if subject <= _known(subject, clause, old) and shared(clause, old):
                return True
    return False


def asks_or_allows(text: str) -> bool:
    """Tells whether a denial is a question, or one of a part: "not just with Helm"."""
    return "?" in text or bool(_PARTLY.search(_plain(text)))


@lru_cache(CACHE_SIZE)
def _core(text: str) -> str:
    """Returns a statement without what it rejects ("Postgres, not MySQL, for billing") and without its reason, unless
    too little is left.
    """
    text = _plain(text)
    core = _REASON.sub("", _REJECTED.sub("", text))
    return core if len(telling(core)) > 1 else text


@lru_cache(CACHE_SIZE)
def _denials(text: str) -> tuple[str, ...]:
    """Returns the clauses of a statement that deny something, none if it asks, guesses or denies a part of it."""
    if not _DENIAL.search(_plain(text)) or asks_or_allows(text) or is_unsure(text):
        return ()
    return tuple(clause for clause in _clauses(text) if _DENIAL.search(clause) and not _CONDITION.search(clause))


def denies(new: str, old: str, least: int = 2) -> bool:
    """Tells whether a clause of the later statement says of all that the earlier one says that it does not hold (any
    longer): "We don't deploy with Helm any more, we use Kustomize". A denial of a part or in some case does not. That
    it was a choice, against what, and why, need not be denied too, only `least` words of it.
    """
    clauses = _denials(new)
    if not clauses or _DENIAL.search(old := _core(old)):
        return False
    return any(len(_covered(clause, old)) >= least for clause in clauses)


def ends_something(text: str) -> bool:
    """Tells whether a text says that something is over: "No more jest"."""
    return bool(_denials(text)) and not _ENDS.isdisjoint(signs(text))


def states(text: str, old: str) -> bool:
    """Tells whether a text says all that a statement says, and nothing else: whoever denies it denies the statement.
    Against what that was a choice, for what and why need not be said too.
    """
    return markers(text)[0] == markers(old := _core(old))[0] and bool(_covered(_core(text), old))


def _covered(text: str, old: str) -> set[str]:
    """Returns the stems of a statement that a text has too; none unless it has all of them, but for the things after
    "for", and no others.
    """
    said, mine = frozenset(telling(old)) - _DENYING - _CHOOSING, frozenset(telling(text)) - _DENYING
    known = _known(said, old, text)
    is_all = known == said or said - known <= _purposes(old) and not _purposes(text)
    if not is_all or mine - _known(mine, text, old) or _is_of_other_number(text, old):
        return set()
    return known


def _is_of_other_number(text: str, other: str) -> bool:
    """Tells whether two texts name different numbers, as versions of a thing."""
    mine, theirs = set(markers(text)[1]), set(markers(other)[1])
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def corrects(new: str, old: str) -> bool:
    """Tells whether the later statement rejects a number of the earlier one for another: "45 seconds instead of 30"."""
    found = _NOT_NUMBER.search(new)
    if not found:
        return False
    numbers, before = markers(_NOT_NUMBER.sub(" ", new))[1], markers(old)[1]
    if before != markers(found["number"])[1] or len(numbers) != 1 or numbers == before:
        return False
    mine, theirs = (_besides(text) for text in (_NOT_NUMBER.sub(" ", new), old))
    return len(theirs) > 1 and mine == theirs


def _besides(text: str) -> frozenset[str]:
    """Returns the stems of a statement without its numbers and words for a change."""
    return frozenset(key for key in telling(text) if not key[0].isdigit()) - _DENYING
