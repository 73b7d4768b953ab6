"""Computes the reversal model's features of two statements: what they share, what the later one rejects or replaces,
and signs of different subjects. All features are binary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS
from .alternatives import choices, is_choice, units, values
from .change_words import CHANGES, OLD_SIGNS, beside_ends, opposite, signs
from .claims import coverage, qualified, rival_styles, shared, stem, telling, weight
from .denial import PLACES, is_broken, is_unsure
from .duplicates import markers

CACHE_SIZE = 4_096  # texts whose results are cached
SHARES = (0.12, 0.25, 0.4, 0.55, 0.7, 0.85)  # steps of the share of one statement that the other names
HALVES = (0.01, 0.5, 0.99)
LENGTHS = (0.6, 0.9, 1.2, 1.8)  # steps of the later statement's length, in lengths of the earlier
NAME = 2.0  # the least weight of a word that is a name

_I = re.IGNORECASE
_VERB = Pattern(
    r"\b(?:is|are|was|were|has|have|had|runs?|lives?|ships?|ends?|starts?|needs?|must|uses?|owns?|hosts?|contains?|holds?|"
    r"will|can|cannot|should|goes|go|takes?|sits|listens?|expires?|handles?|serves?|stays?|gets?|belongs|means|covers?|"
    r"allows?|supports?|requires?|does|do|comes?|keeps?|put|write|run|store|send|format|deploy|push|test|build|prefer|"
    r"follows?|sign|live|work|works|reads?|returns?|responds?|reports?|sets?|lands?|moved|switched)\b",
    _I,
)
_REJECTED_FIRST = Pattern(
    r"\b(?:from|not|over|rather than|instead of|no longer|away from|no more|replaced|dropped|without|against|never)\s+"
    r"(?:the |a |our |use |using )?([\w.+#-]+)",
    _I,
)
_REJECTED_LAST = Pattern(
    r"([\w.+#-]+) (?:is|are|was|were|got|has been) (?:gone|dead|history|dropped|retired|removed|out|deleted|closed|"
    r"banned|forbidden)",
    _I,
)
_REJECTING = Pattern(
    r"\b(?:from|not|over|rather than|instead of|no longer|away from|no more|replaced|dropped|without|against|never|off|"
    r"out of|stop|stopped|quit|ditched|scrapped?|forget|deprecated|retired)\s+"
    r"(?:the |a |our |use |using |with |on |in )*([\w.+#-]+)",
    _I,
)
_FROM = Pattern(r"\b(?:from|off|away from|out of)\s+(?:the |a |our )?([\w.+#-]+)", _I)
_LABEL = Pattern(
    r"\b(hall|shard|worker|server|node|room|rack|sprint|release|migration|phase|step|line|site|rig|zone|replica|host|"
    r"machine|board|unit|plant|floor|building|lab|team|group|stage|version|v|port) ?#?(\d+)",
    _I,
)
# Things of which a project has many, each with a name.
_MANY = tuple(
    stem(word)
    for word in (
        "api service repo repository worker queue app server team module tool site db database databases environment "
        "table package customer client job machine host cluster library page screen form endpoint bucket project "
        "product company rig hall test tests docs backend frontend pipeline component box board firmware branch index "
        "cache importer exporter dashboard report jobs services repos teams bot script plugin"
    ).split()
)
_OTHERS = Pattern(
    r"\b(?:competitor|previous employer|former employer|last job|old job|old team|bank|regulator|vendor|customer's|"
    r"client's|upstream|their own|another (?:team|company|department)|other (?:team|company|project|repo)|sister|"
    r"friend|colleague at)\b",
    _I,
)
_VALUED = frozenset(("unit", "port", "version", "time", "date", "host", "value", "path", "choice"))
_OFTEN = frozenset(stem(word) for word in ("always", "never", "please"))
_WORD = Pattern(r"[a-z']+")
_TOKEN = Pattern(r"[A-Za-z][\w'/+.-]*|[.,;:!?]")
_PREPOSITIONS = {word: Pattern(rf"\b{word} (?:the |our |a )?([\w-]+)", _I) for word in ("for", "in", "on")}
_PERSON = Pattern(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+\b")


def pair(new: str, old: str) -> set[str]:
    """Returns the names of the features that hold for a later and an earlier statement."""
    found = set(_overlap(new, old))
    found.update(_signs(new, old))
    found.update(_ended(new, old))
    found.update(_turned(new, old))
    found.update(_rivals(new, old))
    found.update(_elsewhere(new, old))
    found.update(_words(new, old))
    return found | set(_together(new, old, found))


def _step(amount: float, steps: tuple[float, ...]) -> int:
    return sum(amount >= step for step in steps)


@lru_cache(CACHE_SIZE)
def _halves(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the distinctive words before a statement's verb and after it. If it begins with the verb or has none,
    both are the same.
    """
    verb = _VERB.search(text)
    if verb is None:
        first = last = text
    elif verb.start() > 2:
        first, last = text[: verb.start()], text[verb.end() :]
    else:
        first = last = text[verb.end() :]
    return frozenset(telling(first)), frozenset(telling(last))


def _kept(new: str, old: str) -> tuple[float, float]:
    """Returns the shares of the earlier statement's words, before its verb and after it, that the later one names."""
    named = set(shared(old, new))
    first, last = ((len(half & named) / len(half) if half else 0.0) for half in _halves(old))
    return first, last


@lru_cache(CACHE_SIZE)
def _subject(text: str) -> frozenset[str]:
    """Returns the distinctive words before a statement's verb."""
    verb = _VERB.search(text)
    return frozenset(telling(text[: verb.start()])) - _OFTEN if verb else frozenset()


def subject_kept(new: str, old: str) -> float:
    """Returns the share of the earlier statement's subject that the later one names, 0..1; 1 if it has no subject."""
    subject = _subject(old)
    return len(subject & set(shared(old, new))) / len(subject) if subject else 1.0


def _overlap(new: str, old: str) -> Iterator[str]:
    named, words = shared(old, new), list(telling(old))
    first, last = _kept(new, old)
    yield f"old named {_step(coverage(old, new), SHARES)}"
    yield f"new named {_step(coverage(new, old), SHARES)}"
    yield f"shared {min(len(named), 5)}"
    yield f"telling {min(sum(weight(word) >= 1.5 for word in named.values()), 4)}"
    yield f"subject {_step(first, HALVES)}"
    yield f"rest {_step(last, (0.01, 0.34, 0.5, 0.99))}"
    yield f"kept {_step(first, HALVES)}{_step(last, HALVES)}"
    yield f"length {_step(len(new) / max(1, len(old)), LENGTHS)}"
    if words:
        yield "first kept" if words[0] in named else "first gone"
        yield "last kept" if words[-1] in named else "last gone"
        if words[0] == next(iter(telling(new)), ""):
            yield "same first"
    if set(words) <= set(named):
        yield "all kept"


@lru_cache(CACHE_SIZE)
def _doubts(text: str) -> tuple[str, ...]:
    doubts = {"unsure": is_unsure(text), "broken": is_broken(text), "asks": "?" in text}
    doubts["others"] = bool(_OTHERS.search(text))
    return tuple(name for name, holds in doubts.items() if holds)


def _signs(new: str, old: str) -> Iterator[str]:
    yield from (f"new: {sign}" for sign in signs(new))
    yield from (f"old: {sign}" for sign in signs(old) if sign in OLD_SIGNS)
    yield from _doubts(new)


_markers = lru_cache(CACHE_SIZE)(markers)


@lru_cache(CACHE_SIZE)
def _rejected(text: str) -> frozenset[str]:
    """Returns the stems of the words that a statement itself rejects."""
    return frozenset(stem(word) for pattern in (_REJECTED_FIRST, _REJECTED_LAST) for word in pattern.findall(text))


@lru_cache(CACHE_SIZE)
def _unwanted(text: str) -> frozenset[str]:
    """Returns the stems of the words after a word of rejection."""
    return frozenset(stem(word) for word in _REJECTING.findall(text))


@lru_cache(CACHE_SIZE)
def _left(text: str) -> str:
    """Returns the stem of the thing that a statement moves away from, or ""."""
    found = _FROM.search(text)
    return stem(found[1]) if found else ""


def _ended(new: str, old: str) -> Iterator[str]:
    """Yields features of things that the earlier statement names and the later one ends."""
    theirs = telling(old)
    gone = beside_ends(new) & set(theirs)
    if gone:
        yield "ends"
        if any(_is_name(theirs[key]) for key in gone):
            yield "ends name"
        if list(theirs)[-1] in gone:
            yield "ends last"
    if _left(new) in theirs:
        yield "from"
    yield from _turned_down(new, old, gone)


def _turned_down(new: str, old: str, gone: frozenset[str]) -> Iterator[str]:
    """Yields features of things that the earlier statement wants and the later one rejects or still names."""
    theirs, mine = telling(old), set(telling(new))
    held = set(theirs) - _rejected(old)
    unwanted = _unwanted(new) | gone
    if unwanted & held:
        yield "rejects"
        yield f"rejects {_step(coverage(old, new), SHARES[:4])}"
        if any(_is_name(theirs[key]) for key in unwanted & held):
            yield "rejects name"
    elif unwanted & _rejected(old) & set(theirs):
        yield "rejects the same"
    names = {key for key in held if _is_name(theirs[key])}
    if names and names <= mine - unwanted:
        yield "names kept"
    if names and not names & mine:
        yield "names gone"


def _is_name(word: str) -> bool:
    return weight(word) >= NAME or is_choice(word)


def _turned(new: str, old: str) -> Iterator[str]:
    """Yields features for a negation or opposite in only one of the two."""
    (nots, _), (other_nots, _) = _markers(new), _markers(old)
    share = _step(coverage(old, new), SHARES)
    if bool(nots) != bool(other_nots):
        yield "negated"
        yield f"negated {share}"
        yield "negated now" if nots else "negated before"
    elif nots:
        yield "both negated"
    if opposite(new, old):
        yield "opposite"
        yield f"opposite {min(share, 4)}"


def _rivals(new: str, old: str) -> Iterator[str]:
    """Yields features for values of one sort in both."""
    mine, theirs = units(new), units(old)
    for unit in mine.keys() & theirs.keys():
        yield "unit same" if mine[unit] & theirs[unit] else "unit rival"
    if mine and theirs and not mine.keys() & theirs.keys():
        yield "other unit"
    here, there = values(new), values(old)
    yield from (f"{sort} new" for sort in here.keys() - there.keys())
    yield from (f"{sort} old" for sort in there.keys() - here.keys())
    for sort in here.keys() & there.keys():
        how = "same" if here[sort] & there[sort] else "rival"
        yield from (f"{sort} {how}", f"value {how}")
    yield from _other_choice(new, old)
    if rival_styles(old, new):
        yield "style rival"


def _other_choice(new: str, old: str) -> Iterator[str]:
    """Yields features for names of one family of tools in both."""
    chosen, before = choices(new), choices(old)
    for line in chosen.keys() & before.keys():
        if not chosen[line] - before[line]:
            yield "choice same"
            continue
        yield "choice rival"
        yield f"choice rival {min(_step(coverage(old, new), SHARES), 3)}"
        if chosen[line] & before[line]:
            yield "choice both"


@lru_cache(CACHE_SIZE)
def _before(text: str) -> Mapping[str, frozenset[str]]:
    """Returns, for each distinctive word, the stems of the distinctive words right before it."""
    found: dict[str, frozenset[str]] = {}
    words = _TOKEN.findall(text)
    for first, second in zip(words, words[1:], strict=False):
        if second[0].isalpha() and second.lower() not in STOP_WORDS:
            which = {stem(first)} if first[0].isalpha() and first.lower() not in STOP_WORDS else set()
            found[stem(second)] = found.get(stem(second), frozenset()) | which
    return found


@lru_cache(CACHE_SIZE)
def _labels(text: str) -> Mapping[str, str]:
    """Returns the number of each numbered thing in a text."""
    return dict(_LABEL.findall(text.lower()))


@lru_cache(CACHE_SIZE)
def _places(text: str) -> frozenset[str]:
    return frozenset(PLACES[key] for key in telling(text) if key in PLACES)


def _elsewhere(new: str, old: str) -> Iterator[str]:
    """Yields features for different subjects: another place, another one of many, other people."""
    here, there = _places(new), _places(old)
    if here and there:
        yield "place same" if here & there else "place other"
    elif here or there:
        yield "place new" if here else "place old"
    ours, other = qualified(new), qualified(old)
    yield from ("kind same" if ours[noun] & other[noun] else "kind other" for noun in ours.keys() & other.keys())
    labels = _labels(new)
    if any(labels.get(label, number) != number for label, number in _labels(old).items()):
        yield "label other"
    yield from _modified(new, old)
    yield from _in_what(new, old)
    yield from _who(new, old)


@lru_cache(CACHE_SIZE)
def _behind(text: str) -> Mapping[str, frozenset[str]]:
    """Returns the stems of the words after each preposition."""
    return {word: frozenset(stem(name) for name in pattern.findall(text)) for word, pattern in _PREPOSITIONS.items()}


def _in_what(new: str, old: str) -> Iterator[str]:
    """Yields features for the words after "for", "in" and "on"."""
    for word in _PREPOSITIONS:
        before, now = _behind(old)[word], _behind(new)[word]
        if now and not before:
            yield f"{word} new"
        elif now and before:
            yield f"{word} same" if now & before else f"{word} other"


@lru_cache(CACHE_SIZE)
def _people(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _PERSON.findall(text))


def _who(new: str, old: str) -> Iterator[str]:
    now, before = _people(new), _people(old)
    if now - before:
        yield "person swapped" if before - now else "person new"
    elif before - now:
        yield "person gone"


def _modified(new: str, old: str) -> Iterator[str]:
    """Yields features for the words right before the nouns that both have."""
    mine, theirs, after, before = telling(new), telling(old), _before(new), _before(old)
    for noun in after.keys() & before.keys():
        now, then = after[noun], before[noun]
        if now & then:
            yield "noun same"
        elif now and then:
            yield "noun moved" if then & set(mine) or now & set(theirs) else "noun other"
        elif now and not now & set(theirs):
            yield "noun narrowed"
        elif then and not then & set(mine):
            yield "noun widened"
        if noun in _MANY and now and then:
            yield "one of many, same" if now & then else "one of many, other"


@lru_cache(CACHE_SIZE)
def _every_word(text: str) -> frozenset[str]:
    return frozenset(f"w {word}" for word in _WORD.findall(text.lower()))


@lru_cache(CACHE_SIZE)
def _starts(text: str) -> frozenset[str]:
    """Returns the first five letters of each distinctive word."""
    return frozenset(key[:5] for key in telling(text))


def _words(new: str, old: str) -> Iterator[str]:
    mine, theirs, named = telling(new), telling(old), shared(old, new)
    added = [key for key in mine if key not in theirs and key[:5] not in _starts(old)]
    lost = [key for key in theirs if key not in named]
    yield f"added {min(len(added), 6)}"
    yield f"lost {min(len(lost), 5)}"
    yield f"names added {min(sum(weight(mine[key]) >= NAME for key in added), 3)}"
    yield f"names lost {min(sum(weight(theirs[key]) >= NAME for key in lost), 3)}"
    yield from _every_word(new)


def _together(new: str, old: str, found: set[str]) -> Iterator[str]:
    """Yields features that combine two others."""
    share = _step(coverage(old, new), SHARES)
    first, last = _kept(new, old)
    both = f"{_step(first, HALVES[1:])}{_step(last, HALVES[1:])}"
    change = not CHANGES.isdisjoint(signs(new))
    yield "change" if change else "no change"
    if any(name.endswith(" rival") for name in found):
        yield "rival"
        yield "rival and change" if change else "plain rival"
        yield f"rival, old named {share}"
        yield f"rival, kept {both}"
    if any(name.endswith(" same") and name.split(" ")[0] in _VALUED for name in found):
        yield "same value"
    if change:
        yield f"change, old named {share}"
        yield f"change, kept {both}"
        yield "change, ends" if "ends" in found else "change, ends nothing"
    if "ends" in found:
        yield f"ends, old named {share}"
