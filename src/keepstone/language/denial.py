"""Tells whether a person clearly says, in their own words, that a certain memory no longer holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..lib.limits import SAID_CHARS
from ..lib.pattern import Pattern
from .claims import (
    common,
    coverage,
    own_words,
    qualified,
    rival_styles,
    rivals,
    sentences,
    shared,
    stem,
    telling,
    weight,
)

DENIAL_ENOUGH = 3.0  # weight of the words that a denial and a memory must share: two distinctive words
DENIAL_SOME = 1.5  # the same if they name different values: one distinctive word

_UNSURE = Pattern(
    r"\?|\b(?:if|what if|hypothetically|suppose|imagine|pretend|maybe|perhaps|might|could|would|should we|i think|"
    r"i guess|"
    r"i wonder|not sure|probably|afaik|let'?s say|in theory|somebody|someone|(?:he|she|they) (?:says?|said)|heard|"
    r"rumou?rs?|wenn|falls|vielleicht|angeblich|plan to|planning|going to|gonna|will|next (?:week|month|sprint|year|"
    r"quarter)|once we|until|tomorrow|soon|eventually|someday|one day|considering|thinking (?:of|about)|wish|todo)\b",
    re.IGNORECASE,
)
_ONCE = Pattern(
    r"\b(?:this time|just once|for now|only today|today only|temporarily|this once|for this (?:one|pr|branch|test|run)|"
    r"in this case|here only|ausnahmsweise|for the moment|right now|at the moment)\b",
    re.IGNORECASE,
)
_ELSEWHERE = Pattern(
    r"\b(?:other (?:repo|project|team|company)|side project|at (?:home|my (?:old|last|previous))|my (?:own|private))\b",
    re.IGNORECASE,
)
# Software that does not work: a bug, not a change of facts.
_BROKEN = Pattern(
    r"(?<!we )(?<!they )(?<!you )\b(?:doesn'?t|does not|don'?t|didn'?t|isn'?t|no longer|stopped|won'?t) (?:even |"
    r"really )?"
    r"(?:work|start|load|show|compil|build|pass|render|respond|open|boot|connect|appear|display|scroll|updat|sync)\w*|"
    r"\b(?:broken|crash\w*|fails?|failing|hangs?|times? out|geht nicht|funktioniert nicht|kaputt|(?:is|was|got|"
    r"gets) killed)\b",
    re.IGNORECASE,
)
_ENDED = (
    r"removed|deleted|dropped|retired|decommissioned|deprecated|replaced|switched|moved|migrated|renamed|closed|"
    r"shut down|"
    r"turned off|abandoned|scrapped|ditched|changed|lifted|bumped|raised|lowered|upgraded|reversed|revoked|reverted|"
    r"axed|nuked|"
    r"phased out|torn down|cancell?ed|rolled back|kicked out|thrown out|merged into|split|sold|sunset|rotated|relaxed|"
    r"doubled|"
    r"handed (?:over )?to|unplugged|taken down|wiped|swapped(?: out)?"
)
# Says on its own that something has changed or is wrong.
CHANGE = Pattern(
    r"\bno longer\b|\bany ?more\b|\bany longer\b|\bnicht mehr\b|\bkeine?n? .*mehr\b|\bya no\b|\bne .{1,20} plus\b|"
    rf"\b(?:is|are|was|were|been|got|has|have|'s|'re) (?:been )?(?:now |just |all |long |finally |since )?(?:{_ENDED}|"
    rf"gone|dead|"
    r"obsolete|outdated|stale|wrong|history|switched off|fixed for real|over|expired|allowed now|fine now|back on)\b|"
    rf"\b(?:\w+) (?:\w+ly )?(?:'ve |have |has )?(?:{_ENDED}|stopped|killed|left|quit|got rid of|threw out|went back|"
    rf"downgraded|"
    r"gone back|took over|handed over|ripped out|became|went up|went down|ended|expired|threw away|tossed)\b|"
    r"\bused to\b|\bthe (?:dead|old|wrong) one\b|\bthe wrong\b|\bold news\b|\bout of date\b|"
    r"\bwe (?:pinned|use|run|do|have|are) (?:[\w.]+ ){1,4}again\b|\bno need (?:for|to)\b|\bthere(?:'s| is| are) no\b|"
    r"\b(?:doesn't|don't|does not) exist\b|\bnot since\b|\bhasn't been\b|\bhaven't (?:\w+ )?(?:used|had|done)\b|"
    r"\bout (?:of )?the window\b|\bno more\b|"
    r"\b(?:veraltet|abgeschafft|umgestellt|umgezogen|abgelöst|ersetzt|stimmt nicht|gibt'?s nicht|abgeschaltet|"
    r"anders)\b",
    re.IGNORECASE,
)
# _GONE: the thing named right before it no longer exists. _GIVEN_UP: the thing named right after it was abandoned.
_GONE = Pattern(
    r"\b(?:(?:is|are|was|were|been|got|has|have|'s|'re) (?:been )?(?:now |just |all |long |finally |since )?"
    r"(?:removed|deleted|dropped|killed|retired|decommissioned|replaced|closed|shut down|turned off|switched off|"
    r"abandoned|scrapped|ditched|lifted|gone|dead|obsolete|axed|nuked|phased out|torn down|cancell?ed|expired|over|"
    r"history|sunset|wiped|taken down|abgeschafft|ersetzt|weg)|left|quit|gibt'?s nicht mehr)\b",
    re.IGNORECASE,
)
_GIVEN_UP = Pattern(
    r"\b(?:(?:we|they|i|he|she) (?:\w+ )?(?:killed|dropped|removed|deleted|retired|scrapped|abandoned|ditched|axed|"
    r"nuked|cancell?ed|got rid of|threw out|shut down|closed|quit|replaced|changed my mind (?:on|about))|"
    r"(?:moved|went|migrated|switched) (?:away )?(?:off|from)|there(?:'s| is| are) no|has no|no more)\b",
    re.IGNORECASE,
)
_ALLOWED = Pattern(r"\b(?:can|may|kannst|darfst|dürfen) .{1,40}\b(?:again|wieder)\b", re.IGNORECASE)
_LATELY = Pattern(
    r"\b(?:now|since|these days|nowadays|by now|from now on|meanwhile|lately|already|as of|again|inzwischen|jetzt|seit|"
    r"mittlerweile|schon)\b",
    re.IGNORECASE,
)
_OPENING = Pattern(
    r"^(?:(?:hm+|uh+|ah+|oh|ok(?:ay)?|careful|well|hey|btw|fyi|right|also|and|ja|übrigens|sorry|wait)[,!.: ]+)+",
    re.IGNORECASE,
)
_SAYS_NO = Pattern(r"^(?:no+|nope|nah|wrong|actually|nein|falsch|stop)\b", re.IGNORECASE)
# Refers to the assistant's last words or actions.
_ABOUT_THAT = Pattern(
    r"^(?:no+|nope|nah|wrong|not any ?more|that|this|it|they|we (?:upgraded|changed|moved|switched|dropped|stopped|"
    r"pinned)|"
    r"actually|outdated|stale|nein|das|stimmt nicht)\b",
    re.IGNORECASE,
)
_REJECTS = Pattern(
    r"^(?:no+[,!. ]+|nope[,!. ]+|nah[,!. ]+)?(?:(?:that|this|it|the|der|die|das)(?:'s| is|s| \w+ is|"
    r" \w+)? (?:all )?(?:wrong|outdated|"
    r"old|dead|not true|not right|stale|history|obsolete|incorrect|stimmt nicht|no longer|"
    r"not (?:needed|the case|so|like that) any ?more)|not any ?more|outdated|stimmt nicht mehr)\b",
    re.IGNORECASE,
)
_ENOUGH_OF_IT = Pattern(r"^(?:no+[,!. ]+)?(?:please |pls )*(?:stop|no more|enough|quit)\b", re.IGNORECASE)
_NEGATED = Pattern(r"\b(?:no|not|never|without|don'?t|avoid|kein\w*|nie|nicht)\b", re.IGNORECASE)
# _TO: the value that a sentence says to hold now. _AVOIDED: a value that it rejects.
_TO = Pattern(
    r"\b(?:to|now|it'?s|its|use|uses|using|is|nach|auf|jetzt|with|by|went with|called|via)\s+"
    r"(?:the |a |an |on |in |at |with )*([\w./:@+-]+)",
    re.IGNORECASE,
)
_AVOIDED = Pattern(
    r"\b(?:never|not|no|instead of|rather than|without|don'?t|nie|statt|kein\w*|dropped|(?:moved|migrated|switched|"
    r"went) "
    r"(?:away )?(?:from|off))\s+(?:use |run |the |a )*([\w./@-]+)",
    re.IGNORECASE,
)
# Names which one of several a sentence is about.
_OF_WHICH = Pattern(
    r"\b(?:in|for|on|of|at|im|für)\s+(?:the|my|your|our|their|his|her|a|dem|den|die)\s+([\w-]+) (?:app|apps|repo|"
    r"service|project|"
    r"team|laptop|machine|box|branch|module|package|client|site|product|company|cluster|importer|exporter|tests?)\b",
    re.IGNORECASE,
)
# Environments that each have their own version of everything, by the stems of their names.
PLACES = {
    stem(name): place
    for place, names in {
        "prod": "prod production",
        "staging": "staging stage stg preprod",
        "dev": "dev development local locally localhost",
        "ci": "ci pipeline",
        "sandbox": "sandbox canary beta",
        "web": "web frontend browser",
        "server": "backend",
        "mobile": "mobile ios android",
        "windows": "windows",
        "mac": "mac macos",
        "linux": "linux",
        "eu": "eu europe",
        "us": "us usa",
    }.items()
    for name in names.split()
}
SUBJECT = 1.5  # weight added if the changed thing is the memory's subject
SUBJECT_CHARS = 24  # on either side of the word for a change, within which the changed thing is named
SUBJECT_WORDS = 3  # first distinctive words of a memory that may name its subject


def denied(contents: Sequence[str], said: str, before: str, cited: Sequence[bool]) -> set[int]:
    """Returns the indexes of the memories that a prompt denies: at most one per sentence, the one that it matches best.
    `before` is the text of the assistant since the previous prompt, `cited` tells for each memory whether the assistant
    cited it there.
    """
    found = set()
    for part, context in _parts(said, before):
        graded = [(_grade(content, part, context, cited[at]), at) for at, content in enumerate(contents)]
        ranked = sorted(
            (grade, coverage(contents[at], part), coverage(contents[at], context), at) for grade, at in graded
        )
        best, second = ranked[-1], ranked[-2] if len(ranked) > 1 else (0.0,)
        if best[0] and best[:3] != second[:3]:
            found.add(best[3])
    return found


def is_unsure(text: str) -> bool:
    """Tells whether a text guesses, plans or asks."""
    return bool(_UNSURE.search(text))


def is_broken(text: str) -> bool:
    """Tells whether a text reports software that does not work."""
    return bool(_BROKEN.search(text))


def _parts(said: str, before: str) -> list[tuple[str, str]]:
    """Returns each sentence that may deny something and is not a guess, with the sentences around it."""
    before = before[-SAID_CHARS:]
    every = [_OPENING.sub("", part) for part in sentences(own_words(said))]
    return [
        (part, " ".join((*([before] if not at else every[at - 1 : at]), *every[at + 1 : at + 2])))
        for at, part in enumerate(every)
        if any(sign.search(part) for sign in (CHANGE, _LATELY, _SAYS_NO, _REJECTS, _ENOUGH_OF_IT, _ALLOWED))
        and not any(doubt.search(part) for doubt in (_UNSURE, _ONCE, _ELSEWHERE))
    ]


def _grade(content: str, part: str, context: str, cited: bool) -> float:
    """Returns how surely a sentence denies a memory, 0 if it does not."""
    if _ENOUGH_OF_IT.match(part) and not _NEGATED.search(content) and coverage(content, part) >= 0.5:
        return DENIAL_ENOUGH
    if _ALLOWED.search(part):
        return DENIAL_ENOUGH if avoided(content) & set(telling(part)) else 0.0
    rival, score, near = rivals(content, part), common(content, part), common(content, context)
    if (_BROKEN.search(part) and not rival) or _agrees(content, part) or _is_elsewhere(content, part, context):
        return 0.0
    if not _names_subject(content, part):
        score = 0.0
    if _swaps(content, part):
        return max(score, DENIAL_ENOUGH)
    change = CHANGE.search(part)
    if change:
        score += _on_subject(content, part)
    grades = (
        max(score, DENIAL_SOME) if change and _changes(part, score, near, rival, cited) else 0.0,
        max(score, DENIAL_SOME)
        if _REJECTS.match(part) and (cited or near >= DENIAL_ENOUGH or min(score, near) >= DENIAL_SOME)
        else 0.0,
        max(score, DENIAL_SOME) if rival and _replaces(content, part, score, near, cited) else 0.0,
    )
    return max(grades)


def _changes(part: str, score: float, near: float, rival: bool, cited: bool) -> bool:
    """Tells whether a sentence about a change is about this memory."""
    if _ABOUT_THAT.match(part) and (cited or near >= 2 * DENIAL_ENOUGH):
        return True
    return score >= DENIAL_ENOUGH or (score >= DENIAL_SOME and (rival or score + near / 2 >= 2 * DENIAL_ENOUGH))


def _replaces(content: str, part: str, score: float, near: float, cited: bool) -> bool:
    """Tells whether a sentence replaces the memory's value by another."""
    lately, no = bool(_LATELY.search(part)), bool(_SAYS_NO.match(part))
    if (lately or no) and score >= DENIAL_SOME:
        return True
    return (no and (cited or near >= DENIAL_ENOUGH)) or (lately and rival_styles(content, part))


def _subjects(content: str) -> list[str]:
    """Returns the words that may name a memory's subject: its first distinctive ones."""
    return [key for key, word in telling(content).items() if weight(word) >= DENIAL_SOME][:SUBJECT_WORDS]


def _names_subject(content: str, part: str) -> bool:
    return bool(set(_subjects(content)) & set(shared(content, part)))


def _on_subject(content: str, part: str) -> float:
    """Returns the added weight if the ended thing is the memory's subject, or if the sentence names something that the
    memory rejects.
    """
    beside = " ".join(
        [part[max(0, sign.start() - SUBJECT_CHARS) : sign.start()] for sign in _GONE.finditer(part)]
        + [part[sign.end() : sign.end() + SUBJECT_CHARS] for sign in _GIVEN_UP.finditer(part)]
    )
    around = shared(content, beside)
    named = set(_subjects(content)) & set(around) or any(weight(word) >= 2 for word in around.values())
    return SUBJECT * bool(named) + SUBJECT * bool(avoided(content) & set(telling(part)))


def avoided(text: str) -> set[str]:
    """Returns the stems of the words that a text rejects."""
    return {stem(word) for word in _AVOIDED.findall(text)}


def _swaps(content: str, part: str) -> bool:
    """Tells whether a sentence wants what the memory rejects, and rejects what it wants."""
    mine, theirs = avoided(content), avoided(part)
    wanted = {key for key in telling(content) if key not in mine}
    return bool((set(telling(part)) - theirs) & mine) and any(
        key == other or key.startswith(other + "-") for key in wanted for other in theirs
    )


def _agrees(content: str, part: str) -> bool:
    """Tells whether a sentence agrees with a memory: it states the memory's value, or names only things that the memory
    rejects.
    """
    mine, named, shunned = telling(content), set(telling(part)), avoided(content)
    news = {stem(word) for word in _TO.findall(part)} - avoided(part)
    if any(key in mine and key not in shunned and weight(mine[key]) >= 2 for key in news):
        return True
    return bool(shunned & named) and not _swaps(content, part) and not (set(mine) - shunned) & named


def _is_elsewhere(content: str, part: str, context: str) -> bool:
    """Tells whether a sentence is about another environment, or another thing of the same name."""
    mine, named = telling(content).keys(), telling(part).keys()
    here, there = ({PLACES[key] for key in keys if key in PLACES} for keys in (mine, named))
    if here and there and not here & there:
        return True
    if any(stem(which) not in mine | telling(context).keys() for which in _OF_WHICH.findall(part)):
        return True
    ours, theirs = qualified(content), qualified(part)
    return any(not (theirs[noun] & mine) and not (ours[noun] & named) for noun in theirs.keys() & ours.keys())
