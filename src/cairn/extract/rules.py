"""The offline extractor: explicit statements in the user's own words, by their phrasing. Modest, free, English."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..core.candidate import Candidate
from ..core.transcript import USER
from ..core.window import Window

# A prompt longer than this is a document: what it decides was decided elsewhere. Proposed.
DOCUMENT_CHARS = 4_000
SENTENCE_CHARS = (12, 300)

_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BREAK = re.compile(r"(?<=[.!])[\"')]*\s+(?=[A-Z0-9\"'`(*])|(?<=\?)\s+|\n+")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_QUOTED = re.compile(r"^\s*(?:>|\||[+-]{3}\s|@@|\$\s|#\s|Traceback|\s*File \"|[A-Z]+Error\b|\[?\d{4}-\d\d-\d\d[T ])")
_BECAUSE = re.compile(r"^(?:because|since|that way|the reason|reason:|otherwise|so that)\b", re.IGNORECASE)

# What is asked, weighed or meant for this moment only is no memory.
_UNSETTLED = re.compile(
    r"\?|\b(?:maybe|perhaps|might|possibly|what if|should we|could we|can we|shall we|i wonder|wondering|not sure|"
    r"unsure|i guess|suppose|hypothetically|considering|haven'?t decided|if we|if i|let me know|think about|do you|"
    r"would you)\b",
    re.IGNORECASE,
)
_MOMENTARY = re.compile(
    r"\b(?:for now|this time|just (?:this )?once|temporarily|for the moment|for today|until i say|first,? let'?s|"
    r"in this (?:file|function|test|line|commit|pr)|remember to|(?:the )?other (?:one|file|function))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrasing that marks a memory. What the group `say` matches is the memory, else the whole sentence."""

    kind: str
    relevance: float  # CG-16's bands
    pattern: re.Pattern[str]


def _rule(kind: str, relevance: float, pattern: str) -> Rule:
    return Rule(kind, relevance, re.compile(pattern, re.IGNORECASE))


# In this order: the first rule that matches a sentence names it.
RULES = (
    # a correction that holds beyond this moment: it contrasts, or says always or never
    _rule(
        "preference",
        0.9,
        r"^(?:no|nope|wrong|actually|stop|wait)\b[\s,.!:;—-]+"
        r"(?P<say>(?:please |we |you should |always |never |don'?t )?"
        r"(?:use|uses|run|write|name|call|put|prefer|always|never|commit|import)\b.*"
        r"\b(?:not|never|always|instead|rather than|here|in this (?:repo|project|codebase))\b.*)$",
    ),
    _rule("decision", 0.85, r"^(?:final )?decision\s*:\s*(?P<say>.+)$"),
    _rule(
        "decision",
        0.85,
        r"\b(?:we|i)(?:'ve| have)? (?:now |finally |just )?(?:decided|chosen|settled|agreed|opted)\b\s+"
        r"(?:to|on|for|that|against|not)\b",
    ),
    _rule("decision", 0.85, r"\b(?:we|i) (?:chose|picked)\s+\S+.*\b(?:over|instead of|rather than|because|for|as)\b"),
    _rule(
        "decision", 0.85, r"^(?:(?:ok(?:ay)?|right|so|alright|yes|great|good)[,.!]?\s+)?let'?s (?:go|stick) with\s+\S+"
    ),
    _rule("decision", 0.85, r"\bwe(?:'re| are) (?:going|sticking) with\s+\S+"),
    _rule(
        "decision",
        0.85,
        r"\bwe(?:'ll| will| are going to|'re going to) (?:use|keep|adopt|stay (?:on|with)|build (?:on|with))\b.*"
        r"(?:\b(?:instead|rather than|because|over)\b|,? not )",
    ),
    _rule("preference", 0.85, r"\b(?:from now on|going forward)\b"),
    _rule("preference", 0.85, r"\bi(?:'d| would)? (?:really |strongly |much |generally |usually )?prefer\b"),
    _rule("preference", 0.85, r"\bmy (?:strong )?preference is\b"),
    _rule("preference", 0.85, r"\bi (?:always|never) (?!said|told|asked|meant|saw|see|know|knew|thought|heard)\w+"),
    _rule("preference", 0.85, r"^(?:please,? )?(?:always|never|don'?t ever|do not ever) (?!mind\b)\w+"),
    _rule("preference", 0.85, r"\bplease (?:always|never) \w+"),
    _rule("preference", 0.85, r"^(?:please )?(?:only )?use \S+.*(?:, (?:not|never) \S+|\binstead of \S+).*$"),
    _rule("convention", 0.75, r"\b(?:our|the) (?:team'?s? )?convention (?:is|here is)\b"),
    _rule("convention", 0.75, r"^(?:in this (?:repo|project|codebase|team),? )?we (?:always|never) \w+"),
    _rule("convention", 0.75, r"^in this (?:repo|project|codebase|team),? (?:we|all|every)\b"),
    _rule("solution", 0.75, r"\bthe (?:real |actual )?(?:fix|solution) was\b"),
    _rule("solution", 0.75, r"\b(?:that|this|it) (?:fixed|solved) (?:it|the \w+)\s*[:;,—-]\s*\S+"),
    _rule(
        "solution", 0.75, r"\bthe (?:problem|issue|bug|root cause|error) was\b.*\b(?:fixed|solved|resolved|works now)\b"
    ),
    _rule(
        "fact",
        0.65,
        r"^(?:please )?"
        r"(?:remember|note|keep in mind|be aware|fyi|for the record|just so you know|for your information)\b"
        r"[\s,:—-]+(?:that\s+)?(?P<say>.+)$",
    ),
    _rule(
        "fact",
        0.65,
        r"^(?:our (?:\S+ ){1,3}|(?:the )?(?:production|prod|staging)(?: \S+){0,2} |"
        r"(?:the )?(?:deploys?|deployments?|ci) )"
        r"(?:runs?|lives?|(?:is|are) (?:hosted|deployed|located)|listens?|needs?|requires?)\b\s+\S+",
    ),
)

# User scope is for universal statements, and never for text that names a path, host, address, person or customer.
_UNIVERSAL = re.compile(
    r"\b(?:in|for|across|on) (?:all|every|any|each)(?: of)?(?: my| the)? "
    r"(?:projects?|repos?|repositories|codebases?)\b|"
    r"\bi always\b|\beverywhere i work\b|\bregardless of (?:the )?project\b",
    re.IGNORECASE,
)
_PARTICULAR = re.compile(
    r"\S/\S|\\\S|~/|\b[\w-]+\.[a-z]{2,}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\S@\S|"
    r"(?i:\b(?:customers?|clients?|colleagues?|boss|manager|mr|mrs|ms|dr|he|she|his|her)\b)|"
    r"\b(?:ask|tell|ping|cc|for|by|from|with)\s+[A-Z][a-z]+\b|\b[A-Z][a-z]+'s\b"
)


_LEAD = re.compile(
    r"^(?:(?:hello|hi|hey|ok(?:ay)?|yes|yeah|right|so|alright|great|good|thanks|thank you|also|and|btw)\b"
    r"[\s,.!:;—-]+)+",
    re.IGNORECASE,
)


class Rules:
    """The offline extractor. It reads only what the user typed, and keeps only what a rule's phrasing marks."""

    def extract(self, window: Window) -> list[Candidate]:
        found = []
        for turn in window.new:
            if turn.role == USER and len(turn.text) <= DOCUMENT_CHARS:
                found += _candidates(turn.uuid, turn.text)
        return found


def _candidates(record_uuid: str, text: str) -> list[Candidate]:
    found = []
    sentences = _sentences(text)
    for place, sentence in enumerate(sentences):
        rule = _match(sentence)
        if rule is None:
            continue
        said = rule.pattern.search(sentence)
        content = (said.groupdict().get("say") if said else None) or _LEAD.sub("", sentence)
        excerpt = sentence
        following = sentences[place + 1] if place + 1 < len(sentences) else ""
        if _BECAUSE.match(following):
            content, excerpt = f"{content} {following}", f"{sentence} {following}"
        found.append(
            Candidate(
                kind=rule.kind,
                content=content[0].upper() + content[1:].rstrip(" .!"),
                relevance=rule.relevance,
                record_uuid=record_uuid,
                excerpt=excerpt,
                method="user",
                scope=_scope(sentence),
            )
        )
    return found


def _sentences(text: str) -> list[str]:
    """The text's sentences in order; code blocks, quotations, logs and shell lines left out."""
    lines = [line for line in _FENCED.sub("\n", text).split("\n") if not _QUOTED.match(line)]
    parts = (_BULLET.sub("", part).strip() for part in _BREAK.split("\n".join(lines)) if part)
    return [part for part in parts if part]


def _match(sentence: str) -> Rule | None:
    low, high = SENTENCE_CHARS
    if not low <= len(sentence) <= high or _UNSETTLED.search(sentence) or _MOMENTARY.search(sentence):
        return None
    return next((rule for rule in RULES if rule.pattern.search(sentence)), None)


def _scope(sentence: str) -> str:
    universal = _UNIVERSAL.search(sentence) and not _PARTICULAR.search(sentence)
    return "user" if universal else "project"
