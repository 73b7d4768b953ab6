"""Tells whether a later statement takes an earlier one back: it gives another value or the opposite for the same thing,
or rejects by name what the earlier one chose. A statement about the same thing alone takes nothing back. Rules find the
plain cases; a linear model over `reversal_features.py` weighs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..lib.logistic import Linear
from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS
from .change_words import CHANGES, signs
from .claims import common, shared, telling
from .duplicates import markers, normalise
from .reversal_features import pair, subject_kept
from .reversal_subjects import (
    about_others,
    asks_or_allows,
    corrects,
    denies,
    differs_twice,
    ends_something,
    has_other_subject,
    is_of_a_part,
)
from .reversal_weights import BIAS, WEIGHTS
from .tool_families import SORTS_OF, are_rivals, named

# Probabilities of the reversal model from which a statement takes another back: without a rule, with a rule that
# agrees, and (REVERSAL_SOME) from which it contradicts the other. Tuned on the development pairs (benchmarks/capture).
REVERSAL_SURE = 0.8
REVERSAL_RULED = 0.4
REVERSAL_SOME = 0.6
REVERSAL_SHARED = 1.5  # weight of the words that two statements must share to be compared: one distinctive word

SameWords = Callable[[list[str], list[str]], bool]
_MODEL = Linear(BIAS, WEIGHTS)

_WEAK = frozenset(("now", "against", "instead"))  # signs that are as frequent in unrelated statements

TAKES_BACK, MAY_TAKE_BACK = "takes back", "may take back"  # results of `verdict`
CACHE_SIZE = 4_096  # cached texts
# Words that state a choice, but not which one.
_CHOOSING = frozenset(
    "use uses used using go goes going went pick picked chose chosen choose decide decided decision settle settled "
    "stick sticking stay staying keep keeping prefer prefers preferred want wants always never only "
    "everywhere here now then "
    "please repo project codebase team convention everything new final after actually instead rather over anymore more "
    "longer like likes run runs running write written switch switched move moved back let lets we i all".split()
)
_TERM = r"(?<![\w.+#-])[`\"']?(?P<term>[A-Za-z][\w.+#-]{0,60}(?: [A-Z]\w+)?)[`\"']?"
_ENDS = (
    r"(?=\s*(?:$|[.,;:!)]|(?:here|any ?more|any longer|now|and|for good|entirely|since|because|as of|"
    r"in favou?r)\b))"  # excludes "until Friday"
)
# Rejects for good: the named thing is gone, whatever replaced it.
_GONE = tuple(
    Pattern(pattern, re.IGNORECASE)
    for pattern in (
        r"\bno longer (?:use |using |go(?:ing)? with |support(?:ing)? |run(?:ning)? |on )?" + _TERM,
        r"\b(?:do not|don'?t|not|never|stop(?:ped)?|quit) (?:use|using|support|supporting|run|running) " + _TERM,
        r"\b(?:avoid|banned) " + _TERM,
        r"\b(?:moved|migrated|switched|moving|migrating|switching|move|switch|migrate) (?:[\w-]+ ){0,3}"
        r"(?:off|away from|from) " + _TERM,
        r"\b(?:drop|dropped|dropping|scrap|scrapped|ditch|ditched|kill|killed|forget|retire[ds]?|removed|replaced?|"
        r"bye) " + _TERM,
        _TERM + r" (?:is|are|was|were|got|has been) "
        r"(?:gone|dead|out|history|dropped|retired|off the table|replaced|"
        r"shut down|uninstalled|closed|deprecated|removed|scrapped|banned|forbidden|not allowed|"
        r"no longer (?:used|supported|allowed))" + _ENDS,
        r"\bno (?:more )?" + _TERM + r"(?: any ?more| any longer|,|\.|$)",
        r"\bnot (?:on |with |in )?" + _TERM + r" any ?(?:more|longer)\b",
        _TERM + r" (?:is|are)(?:n'?t| not) (?:used|supported|allowed)" + _ENDS,
        r"\btook over from " + _TERM,
    )
)
# Prefers something else to the named thing, for the subject of both statements.
_SECOND = tuple(
    Pattern(pattern + _TERM, re.IGNORECASE)
    for pattern in (
        r"\bnot (?:with |in |on |at |the |a )?",
        r"\binstead of (?:the |a )?",
        r"\bover ",
        r"\brather than ",
    )
)
# Where a rejection holds if it does not hold everywhere, such as "in the browser". Reasons do not count.
_WHERE = Pattern(r"\b(?:for|in|inside|within|on|at|against|under|before|after|during|when|while|if|unless)\s([^,;:.]+)")
_AIM = Pattern(r"\b(?:use|using|need|run|running)\s\S+\sto\s([^,;:.]+)")
_VERSION = Pattern(r"[`\"']?\s+(v?\d[\w.]*\w|v?\d)\b(?!\s?%)")
_CASE = Pattern(r"(?:but |and |only |not )?(?:for|in|on|at|when|while|if|unless|except)\b", re.IGNORECASE)
_REASON = Pattern(r"\b(?:because|since|so that|in favou?r of|as of)\b.*", re.IGNORECASE)
_DAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december".split()
)
_WHEN = _DAYS | frozenset("week month year last next today good future first".split())
_CHOOSES = (
    r"(?:use[sd]?|using|with|pick(?:ed)?|ch(?:o|oo)se|chosen|prefer(?:red)?|keep(?:ing)?|support(?:s|ed)?|like|love|"
    r"want|on|in|to|via|through|by|under|is|are|always|only|need(?:s|ed)?|requires?|run(?:s|ning)?)"
)
_TAKEN = r"(?:for|over|not|instead|rather|everywhere|only|always|it is|is (?:our|the)|wins)"
_CHOICE = Pattern(
    r"\b(?:use|using|go with|going with|went with|chose|picked|stick with|stay (?:on|with)|switch(?:ed)? to|"
    r"move[ds]? to|decided (?:on|for|to use)|settled on|keep|prefer) "
    r"(?P<value>[\w.+#-]+(?: \d[\w.]*)?),?(?: (?:here|now|not \S+|over \S+|instead of \S+|as the [\w ]{1,40}?),?)* "
    r"for (?P<slot>[^,.;:]+)",
    re.IGNORECASE,
)
_REFUSED = Pattern(r"\b(?:no longer|not|n['’]?t|never|stop(?:ped)?)(?: \w+)?\s*\Z", re.IGNORECASE)  # it chooses nothing
# Purposes that several tools serve at once: "pytest for tests" and "factories for tests".
_BROAD = frozenset(
    "test tests testing ci code python typescript javascript rust go java frontend backend web project days day hours "
    "hour minutes minute seconds second weeks months years users people".split()
)
# The subject of a statement ends at its verb. A number in the subject is a name: "server 2 runs Redis".
_VERB = Pattern(
    r"\b(?:is|are|(?:we|they)'re|it's|was|were|has|have|had|runs?|lives?|ships?|ends?|starts?|needs?|must|uses?|owns?|hosts?|contains?|"
    r"holds?|will|can|cannot|should|goes|takes?|sits|listens?|expires?|handles?|serves?|stays?|gets?|belongs|means|"
    r"covers?|says?|fails?|breaks?|allows?|supports?|requires?|does|do|comes?|keeps?)\b",
    re.IGNORECASE,
)
_MANY = frozenset("port ports host hosts server servers user users file files line lines".split())  # several things
_NEGATIONS = frozenset(
    "no not never without longer more anymore dont doesnt do does cant cannot wont isnt arent shouldnt mustnt must "
    "always ever please".split()
)


# A number that tells which one, not how many.
_LABELLED = Pattern(
    r"(?:\b(?:number|no|nr|ticket|issue|bug|pr|mr|server|node|step|line|reason|item|shard|worker|replica|host|machine|room|"
    r"team|group|case|test|option|rule|phase|part|level|stage|day|week|sprint|chapter|section|client|customer|user|board|"
    r"rev|gpu|disk|zone|dialog|service|task|tenant)s?[ .:]*|#|[A-Za-z][-_])(\d+)",
    re.IGNORECASE,
)
_SEVERAL = Pattern(
    r"\b(?:supports?|compatible with|tested (?:on|against|with)|works? (?:on|with)|available (?:in|on)|"
    r"translated into)\b",
    re.IGNORECASE,
)
_BESIDES = Pattern(r"\b(?:also|as well)\b|\btoo(?=\s*(?:[,.;!]|$))", re.IGNORECASE)  # additions take nothing back
_FILE = Pattern(r"(?<![\w/.:-])(?:[\w.-]{1,60}/){1,12}[\w-]{1,60}\.[A-Za-z]{1,5}\b")  # no "Node.js", no address
# Ends the use of one thing, and does nothing else.
_ENDS_ONLY = Pattern(
    r"\W*(?:we|i|they)?\s?"
    r"(?:(?:do not|don't|no longer|never|stop(?:ped)?) [a-z]+(?: (?:with|on|to|through|via))?|"
    r"dropped|drop|retired|removed|ditched|abandoned) (?:the |our |an? )?(?P<thing>[\w.+#/-]+)"
    r"(?: (?:for|in|on|at|as|any ?more|any longer|here)\b[^,;:.]*)?\W*",
    re.IGNORECASE,
)


def verdict(new: str, old: str, same_words: SameWords) -> str:
    """Returns the effect of a later statement on an earlier one: TAKES_BACK, MAY_TAKE_BACK, or "" for neither."""
    new, old = _apart(new, old)
    if _of_others(new, old) or _ends_a_part(new, old):
        return ""
    is_change = not CHANGES.isdisjoint(signs(new))
    if (is_change or len(_tools(new)) > 1) and swaps(new, old):
        return TAKES_BACK if is_change else MAY_TAKE_BACK
    ruled = reverses(new, old, same_words)
    if not ruled and (common(old, new) < REVERSAL_SHARED or _plainly(new) == _plainly(old)):
        return ""
    if _side_by_side(new, old) or about_others(new, old) or _ends_another(new, old) or differs_twice(new, old):
        return ""
    if ruled and (denies(new, old) or (_rejects(new, old) and denies(new, old, least=1))):  # `reverses` asks too
        return TAKES_BACK
    probability = _MODEL.probability(pair_features(new, old, ruled))
    if has_other_subject(new, old) or is_of_a_part(new, old):
        return MAY_TAKE_BACK if probability >= REVERSAL_SURE else ""
    if probability >= (REVERSAL_RULED if ruled else REVERSAL_SURE) and _same_subject(new, old, ruled):
        return TAKES_BACK
    besides = _BESIDES.search(new) or _BESIDES.search(old)
    return MAY_TAKE_BACK if probability >= REVERSAL_SOME and not besides else ""


def _apart(new: str, old: str) -> tuple[str, str]:
    """Returns two statements without their file paths if they name different files: words that two paths share say
    nothing about the statements. If only the files differ, the statements are returned unchanged.
    """
    if not _files(new) or not _files(old) or _files(new) & _files(old):
        return new, old
    bare = _FILE.sub("it", new), _FILE.sub("it", old)
    return (new, old) if _plainly(bare[0]) == _plainly(bare[1]) else bare


@lru_cache(CACHE_SIZE)
def _files(text: str) -> frozenset[str]:
    return frozenset(_FILE.findall(text))


def _same_subject(new: str, old: str, ruled: bool) -> bool:
    """Tells whether a statement without a sign of change names all of the earlier one's subject. If a rule takes it for
    a reversal, one word of the subject is enough.
    """
    if not CHANGES.isdisjoint(signs(new) - _WEAK):
        return True
    share = subject_kept(new, old)
    return share > 0 if ruled else share == 1.0


def _ends_another(new: str, old: str) -> bool:
    """Tells whether a statement does nothing but end the use of a thing of which the earlier says nothing."""
    ended = _ENDS_ONLY.fullmatch(_plain(new))
    return ended is not None and set(telling(ended["thing"])).isdisjoint(shared(new, old))


@lru_cache(CACHE_SIZE)
def _lists(text: str) -> bool:
    return bool(_SEVERAL.search(text))


def _side_by_side(new: str, old: str) -> bool:
    """Tells whether both list things that hold at the same time: supported versions, languages, platforms."""
    several = _lists(new) and _lists(old) and _markers(new)[0] == _markers(old)[0]
    return several and CHANGES.isdisjoint(signs(new))


def _of_others(new: str, old: str) -> bool:
    """Tells whether numbers show that the two are about different things: "fact number 1" and "fact number 2", or
    "queue 41 for tenant 1" and "queue 42 for tenant 2": of two numbers in the same words one says which thing it is.
    """
    one, other = set(_labels(new)), set(_labels(old))
    mine, theirs = set(_named(new)), set(_named(old))
    if one and other and not one & other or mine and theirs and not mine & theirs:
        return True
    numbers, before = _markers(new)[1], _markers(old)[1]
    if not 1 < len(numbers) == len(before):
        return False
    if sum(a != b for a, b in zip(numbers, before, strict=True)) < 2:
        return False
    return _telling(new) == _telling(old) and _numbered(new) == _numbered(old)


def ends(new: str, old: str, same_words: SameWords) -> bool:
    """Tells whether a later statement says that what an earlier one says is over, whatever holds now."""
    return ends_something(new) and verdict(new, old, same_words) == TAKES_BACK and denies(new, old, least=1)


def may_correct(text: str) -> bool:
    """Tells whether `swaps` or `ends` may hold for a text, whatever it is compared with."""
    return bool(_tools(text)) or ends_something(text)


def pair_features(new: str, old: str, ruled: bool) -> set[str]:
    """Returns the features of a pair of statements. `ruled` tells whether a rule says that the later takes the earlier
    back.
    """
    return pair(new, old) | ({"ruled"} if ruled else set())


def reverses(new: str, old: str, same_words: SameWords) -> bool:
    """Tells whether a rule says that a statement takes an earlier one back. `same_words` tells whether two lists of
    words are equal, except for endings and typos.
    """
    if not _words(new) & _words(old) or _plainly(new) == _plainly(old):
        return False  # no word in common: most pairs end here
    if _ends_a_part(new, old):
        return False
    if _other_marks(new, old, same_words) or _rejects(new, old) or _other_choice(new, old):
        return True
    return denies(new, old) or corrects(new, old)


# A new statement is compared with all known ones, so the results for each text are cached.
_plainly = lru_cache(CACHE_SIZE)(normalise)
_markers = lru_cache(CACHE_SIZE)(markers)


@lru_cache(CACHE_SIZE)
def _telling(text: str) -> tuple[str, ...]:
    words = _plainly(text).split()
    return tuple(word for word in words if word not in STOP_WORDS and not any(c.isdigit() for c in word))


@lru_cache(CACHE_SIZE)
def _numbered(text: str) -> tuple[str, ...]:
    """Returns the letters of the words with a digit: "host" of "host2" and "host3", "alpha" of "alpha7"."""
    numbered = (word for word in _plainly(text).split() if any(c.isdigit() for c in word))
    return tuple("".join(c for c in word if not c.isdigit()) for word in numbered)


@lru_cache(CACHE_SIZE)
def _words(text: str) -> frozenset[str]:
    return frozenset(_telling(text))


def _other_marks(new: str, old: str, same_words: SameWords) -> bool:
    """Tells whether the statements have the same words, but a different number or negation: "port 8080" and "port
    9090". With two different numbers they are about different things: "shard 1 listens on 8001" and "shard 2 listens on
    8002".
    """
    (nots, numbers), (other_nots, other_numbers) = _markers(new), _markers(old)
    opposite = sorted((len(nots), len(other_nots))) == [0, 1]  # two negations may cancel out, or say the same twice
    if opposite and (asks_or_allows(new) or (numbers and other_numbers and numbers != other_numbers)):
        return False
    if not opposite and (len(nots) != len(other_nots) or numbers == other_numbers or _named(new) != _named(old)):
        return False
    if len(numbers) != len(other_numbers) or sum(a != b for a, b in zip(numbers, other_numbers, strict=True)) > 1:
        return False
    if not opposite and _labels(new) != _labels(old):
        return False
    one, other = ([word for word in _telling(text) if word not in _NEGATIONS] for text in (new, old))
    telling = len(one) > 1 or (bool(_VERB.search(new)) and bool(set(one) - _MANY))
    return telling and same_words(one, other)


@lru_cache(CACHE_SIZE)
def _labels(text: str) -> tuple[str, ...]:
    return tuple(_LABELLED.findall(text))


@lru_cache(CACHE_SIZE)
def _named(text: str) -> tuple[str, ...]:
    """Returns the numbers in a statement's subject: they tell which server, not how many."""
    verb = _VERB.search(text)
    return markers(text[: verb.start()])[1] if verb else ()


def _rejects(new: str, old: str) -> bool:
    held = _held(old)
    others = held - _CHOOSING
    said = _words(new)
    for term in (_terms(_GONE, new) - _DAYS) & held:
        reaches = _reaches(_up_to(new, term), held)
        if _chooses(old, term) and reaches and (len(others) <= 4 or (others - {term}) & said):
            return True
    for term in _terms(_SECOND, new) & held:
        rest = others - {term}
        if _chooses(old, term) and _reaches(new, held) and (not rest or rest & said):
            return True
    return False


def _up_to(text: str, term: str) -> str:
    """Returns a statement without the clauses after the one that names a thing, if they have a verb of their own: "we
    dropped Jenkins, CI runs on GitHub Actions" drops it everywhere.
    """
    named = re.search(rf"\b{re.escape(term)}\b", text, re.IGNORECASE)
    if named is None:
        return text
    rest = re.split(r"([,;.:]\s)", text[named.end() :])
    kept = [rest[0]]
    for stop, clause in zip(rest[1::2], rest[2::2], strict=True):
        kept += [] if _VERB.search(clause) and not _CASE.match(clause) else [stop, clause]
    return text[: named.end()] + "".join(kept)


def _chooses(text: str, term: str) -> bool:
    """Tells whether a statement chooses the named thing, and does not just mention it or a part of it."""
    name = r"[`\"']?" + re.escape(term) + r"\b(?:\.js|[+#]+|-\w+)?[`\"']?"
    before = rf"\b{_CHOOSES} (?:the |a |our |only |always )*{name}"
    return bool(re.search(rf"{before}|{name},? {_TAKEN}\b|{name}\W*$", _plain(text), re.IGNORECASE))


def _reaches(new: str, held: frozenset[str]) -> bool:
    """Tells whether a rejection limited to a place or case covers the earlier statement's. An unlimited one does."""
    plain = _REASON.sub("", _plain(new))
    for pattern in _SECOND:
        plain = re.sub(r"\S+ " + pattern.pattern.replace("?P<term>", "?:"), "…", plain, flags=re.IGNORECASE)
    found = (match for pattern in (_WHERE, _AIM) for match in pattern.finditer(plain))
    where = {word for match in found for word in _telling(match[1])} - _CHOOSING - _WHEN
    return len(where & held) * 2 > len(where) or not where


def _plain(text: str) -> str:
    return text.replace("’", "'")


@lru_cache(2 * CACHE_SIZE)
def _terms(patterns: tuple[Pattern, ...], text: str) -> frozenset[str]:
    return frozenset(named.split()[0] for named in _things(patterns, text) if named) - STOP_WORDS - _CHOOSING


@lru_cache(2 * CACHE_SIZE)
def _things(patterns: tuple[Pattern, ...], text: str) -> frozenset[str]:
    """Returns the things that a text rejects, each with its whole name and its version: "stripe radar", "mysql 5.7"."""
    plain = _plain(text)
    found = (match for pattern in patterns for match in pattern.finditer(plain))
    names = (f"{_name_of(one['term'])} {_version_after(plain, one.end('term'))}" for one in found)
    return frozenset(" ".join(normalise(name).split()) for name in names)


def _name_of(term: str) -> str:
    """Returns a term without a second word that is no part of its name."""
    first, _, second = term.partition(" ")
    is_name = second[:1].isupper() and not {second.lower()} & (_CHOOSING | _WHEN | STOP_WORDS)
    return term if is_name else first


def _version_after(text: str, at: int) -> str:
    found = _VERSION.match(text, at)
    return found[1] if found else ""


def _ends_a_part(new: str, old: str) -> bool:
    """Tells whether all that the later statement rejects of what the earlier names is a part of it, an addition to it
    or another version.
    """
    said = f" {normalise(_plain(old))} "
    things = [thing for thing in _things(_GONE, new) if thing and f" {thing.split()[0]} " in said]
    return bool(things) and not any(f" {thing} " in said for thing in things)


@lru_cache(CACHE_SIZE)
def _held(text: str) -> frozenset[str]:
    """Returns the distinctive words of a statement without those that it rejects itself."""
    return _words(text) - _terms(_GONE, text) - _terms(_SECOND, text)


@lru_cache(CACHE_SIZE)
def _choice(text: str) -> re.Match[str] | None:
    found = _CHOICE.search(text)
    return None if found and _REFUSED.search(text, 0, found.start()) else found


def _other_choice(new: str, old: str) -> bool:
    """Tells whether both choose a value for the same purpose, but a different one: "use MySQL for billing" and "use
    PostgreSQL for billing".
    """
    one, other = _choice(new), _choice(old)
    if not one or not other or one["value"].lower() == other["value"].lower():
        return False
    if {one["value"].lower(), other["value"].lower()} & STOP_WORDS:
        return False
    slots = [_purpose(choice["slot"]) for choice in (one, other)]
    return slots[0] == slots[1] and not all(word in _BROAD or word.isdigit() for word in slots[0])


def swaps(new: str, old: str) -> bool:
    """Tells whether both name tools, each of another family, of which each has a rival in the other statement, and say
    the same besides: "npm and Jest" and "pnpm and Vitest".
    """
    names, before = _tools(new), _tools(old)
    if not 0 < len(names) == len(before) or names & before:
        return False
    if _words(new) - _CHOOSING - names != _words(old) - _CHOOSING - before:
        return False
    if _BESIDES.search(new) or _BESIDES.search(old) or _lists(new) or _markers(new)[0] or _markers(old)[0]:
        return False
    pairs = [(one, other) for one in names for other in before if are_rivals(one, other)]
    return len(pairs) == len(names) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


@lru_cache(CACHE_SIZE)
def _tools(text: str) -> frozenset[str]:
    return frozenset(word for word in _words(text) if named(word) in SORTS_OF)


def _purpose(slot: str) -> set[str]:
    return set(normalise(slot).split()) - STOP_WORDS - _CHOOSING
