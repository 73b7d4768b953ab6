"""The offline extractor: explicit statements in the user's own words, by their phrasing. Modest, free, English.

A missed statement costs a sentence said again; a false one misleads every later session. So a rule takes a listed verb
rather than any, and what refers to something outside its own sentence is left.
"""

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
_CITED = re.compile(r"^\s*(?:>|\||[+-]{3}\s|@@|\$\s|#\s|Traceback|\s*File \"|[A-Z]+Error\b|\[?\d{4}-\d\d-\d\d[T ])")
_QUOTE = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|(?<!\w)'[^'\n]{12,}'(?!\w)")
_BECAUSE = re.compile(r"^(?:because|since|that way|the reason|reason:|otherwise|so that)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:hello|hi|hey|ok(?:ay)?|yes|yeah|right|so|alright|great|good|thanks|thank you|also|and|btw|by the way|"
    r"sorry|actually|well|no|nope|wait|hmm?|nice|forget that|forget it|scratch that|never ?mind|one more thing)\b"
    r"[\s,.!:;—-]+)+",
    re.IGNORECASE,
)

# A prompt that hands over a text to work on: what stands in it is not what the user says.
_TEXT_TO_WORK_ON = re.compile(
    r"\b(?:translate|rephrase|reword|rewrite|proofread|paraphrase|summari[sz]e|imagine|pretend|role-?play|user story|"
    r"as an? (?:user|admin|developer|customer)|"
    r"(?:page|docs?|documentation|readme|article|website|blog|log|output|manual|changelog|vendor) "
    r"(?:says?|said|states?|reads?)|"
    r"(?:this|these|following|here(?:'s| is) (?:the|a|an|my|our|some)) (?:\w+ ){0,2}"
    r"(?:text|draft|ticket|e?mail|message|transcript|article|essay|poem|tweet|press release)s?|"
    r"write (?:me )?(?:a|an|the|some) (?:\w+ ){0,3}(?:sentence|story|text|paragraph|post|mail|email|message|letter|"
    r"dialogue|example|doc|docs|documentation|readme|comment))\b",
    re.IGNORECASE,
)
# What is asked, weighed, joked or meant for this moment only is no memory.
_UNSETTLED = re.compile(
    r"\?|\b(?:maybe|perhaps|might|possibly|what if|should we|could we|can we|shall we|i wonder|wondering|not sure|"
    r"unsure|i guess|suppose|assum\w+|hypothetically|considering|haven'?t decided|if we|if i|let me know|think about|"
    r"do you|would you|haha\w*|lol|jk|just kidding)\b",
    re.IGNORECASE,
)
_MOMENTARY = re.compile(
    r"\b(?:for now|right now|currently|today|tonight|this time|just (?:this )?once|temporarily|for the moment|"
    r"until i say|first,? let'?s|for this (?:task|one|time|pr|commit|test)|again|still|urgent|lunch|home|coffee|"
    r"screenshot|"
    r"in this (?:file|function|test|line|commit|pr)|remember to|(?:the )?other (?:one|file|function|test))\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"\b(?:with|on|for|prefer|chose|picked|use|do|always|never)\s+(?:that|this|it|them|these|those|you|option \w+|"
    r"your \w+|a plan|plan \w+|number \w+|the (?:first|second|third|last|other|latter|former|same)\b)"
    r"(?:\s+(?:one|option|way|already|then|too|please|first|instead|error))*\s*[.!]*$|\bprefer you\b",
    re.IGNORECASE,
)
# Verbs of working habits: "I always get this error" is no preference.
_HABIT = (
    r"(?:use|run|write|commit|push|put|add|name|keep|start|test|check|ask|create|include|format|merge|squash|rebase|"
    r"deploy|edit|delete|remove|touch|mock|import|call|return|document|explain|show|answer|reply|prefer|follow|make|set|"
    r"update|"
    r"install|read|log|sign|skip|want|like|avoid|indent|review|build|ship|release|tag|type|throw|catch|store|pin|force)"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrasing that marks a memory. What the group `say` matches is the memory, else the whole sentence."""

    kind: str
    relevance: float  # CG-16's bands
    pattern: re.Pattern[str]


def _rule(kind: str, relevance: float, pattern: str) -> Rule:
    return Rule(kind, relevance, re.compile(pattern, re.IGNORECASE))


# In this order: the first rule that matches a sentence names it. They see it without its lead ("OK, ").
CORRECTION = _rule(
    "preference",
    0.9,  # a correction that holds beyond this moment: it contrasts, or says always or never
    r"^(?:no|nope|wrong|actually|stop|wait)\b[\s,.!:;—-]+"
    r"(?P<say>(?:please |we |you should |always |never |don'?t )?"
    r"(?:use|uses|run|write|name|call|put|prefer|always|never|commit|import)\b.*"
    r"\b(?:not|never|always|instead|rather than|here|in this (?:repo|project|codebase))\b.*)$",
)
RULES = (
    _rule("decision", 0.85, r"^(?:final )?decision\s*:\s*(?P<say>.+)$"),
    _rule(
        "decision",
        0.85,
        r"\b(?:we|i)(?:'ve| have)? (?:now |finally |just )?(?:decided|chosen|settled|agreed|opted)\b\s*"
        r"(?:\bto (?!have|go\b|leave|take|eat|sleep|wait|stop|call it)|\b(?:on|for|that|against|not)\b|:)",
    ),
    _rule("decision", 0.85, r"\b(?:we|i) (?:chose|picked)\s+\S+.*\b(?:over|instead of|rather than|because|for|as)\b"),
    _rule("decision", 0.85, r"^let'?s (?:go|stick) with\s+\S+"),
    _rule("decision", 0.85, r"^let'?s (?:use|adopt|switch to|move to)\s+\S+.*\b(?:for|not|instead|because|over|as)\b"),
    _rule("decision", 0.85, r"\bwe(?:'re| are) (?:going|sticking) with\s+\S+"),
    _rule(
        "decision",
        0.85,
        r"\bwe(?:'re| are| will|'ll)? (?:no longer|not) (?:use|using|go with|going with|support|supporting)\b|"
        r"\bwe (?:should not|shouldn'?t|don'?t|do not|won'?t) (?:use|support|allow)\b.*\b(?:any ?more|any longer)\b",
    ),
    _rule(
        "decision",
        0.85,
        r"\bwe(?:'ll| will| are going to|'re going to) (?:use|keep|adopt|stay (?:on|with)|build (?:on|with))\b.*"
        r"(?:\b(?:instead|rather than|because|over)\b|,? not )",
    ),
    _rule("preference", 0.85, rf"\b(?:from now on|going forward)\b,? (?!let'?s)(?:please )?(?:\w+ )?{_HABIT}\b"),
    _rule("preference", 0.85, r"\bi(?:'d| would)? (?:really |strongly |much |generally |usually )?prefer\b"),
    _rule("preference", 0.85, r"\bmy (?:strong )?preference is\b"),
    _rule("preference", 0.85, rf"\bi (?:always|never) {_HABIT}\b"),
    _rule("preference", 0.85, rf"^(?:please,? )?(?:always|never|don'?t ever|do not ever) {_HABIT}\b"),
    _rule("preference", 0.85, rf"^(?:please,? )?(?:always|never) \w+ly {_HABIT}\b"),
    _rule("preference", 0.85, r"^(?:please )?(?:only )?use \S+.*(?:, (?:not|never) \S+|\binstead of \S+).*$"),
    _rule("convention", 0.75, r"\b(?:our|the) (?:team'?s? )?convention (?:is|here is)\b"),
    _rule("convention", 0.75, rf"^(?:in this (?:repo|project|codebase|team),? )?we (?:always|never) {_HABIT}\b"),
    _rule("convention", 0.75, r"^in this (?:repo|project|codebase|team),? (?:we|all|every)\b"),
    _rule("solution", 0.75, r"\bthe (?:real |actual )?(?:fix|solution) was\b"),
    _rule("solution", 0.75, r"\b(?:that|this|it) (?:fixed|solved) (?:it|the \w+)\s*[:;—-]\s*(?!but\b)\S+"),
    _rule(
        "solution", 0.75, r"\bthe (?:problem|issue|bug|root cause|error) was\b.*\b(?:fixed|solved|resolved|works now)\b"
    ),
    _rule(
        "fact",
        0.65,
        r"^(?:please )?(?:remember|note|keep in mind|be aware)(?: this:| that\b|:)\s*(?P<say>.+)$",
    ),
    _rule(
        "fact",
        0.65,
        r"^(?:fyi|for the record|just so you know|for your information)\b[\s,:—-]+(?:that\s+)?"
        r"(?P<say>(?!i\b|i'm\b|this\b|it\b).*\b(?:is|are|runs?|needs?|lives?|uses?|requires?|has|have|must)\b.*)$",
    ),
    _rule(
        "fact",
        0.65,
        r"^(?:our (?:\S+ ){1,3}|(?:the )?(?:production|prod|staging)(?: \S+){0,2} |"
        r"(?:the )?(?:deploys?|deployments?|ci) )"
        r"(?:runs?|lives?|(?:is|are) (?:hosted|deployed|located|on|at)|listens?|needs?|requires?)\b\s+\S+",
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


class Rules:
    """The offline extractor. It reads only what the user typed, and keeps only what a rule's phrasing marks."""

    paid = False

    def extract(self, window: Window) -> list[Candidate]:
        found = []
        for turn in window.new:
            if turn.role == USER and len(turn.text) <= DOCUMENT_CHARS and not _TEXT_TO_WORK_ON.search(turn.text):
                found += _candidates(turn.uuid, turn.text)
        return found


def _candidates(record_uuid: str, text: str) -> list[Candidate]:
    found = []
    sentences = _sentences(text)
    for place, sentence in enumerate(sentences):
        matched = _match(sentence)
        if matched is None:
            continue
        rule, content = matched
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
                scope=_scope(excerpt),
            )
        )
    return found


def _sentences(text: str) -> list[str]:
    """The text's sentences in order; code blocks, quotations, logs and shell lines left out."""
    lines = [line for line in _FENCED.sub("\n", text).split("\n") if not _CITED.match(line)]
    parts = (_BULLET.sub("", part).strip() for part in _BREAK.split("\n".join(lines)) if part)
    return [part for part in parts if part]


def _match(sentence: str) -> tuple[Rule, str] | None:
    """The rule that marks a sentence and what is to be kept of it; quoted words are somebody else's."""
    low, high = SENTENCE_CHARS
    own = _QUOTE.sub('""', sentence)
    if not low <= len(sentence) <= high or any(sign.search(own) for sign in (_UNSETTLED, _MOMENTARY, _DANGLING)):
        return None
    stripped = _LEAD.sub("", sentence)
    for rule, text in ((CORRECTION, sentence), *((rule, stripped) for rule in RULES)):
        said = rule.pattern.search(text)
        if said and rule.pattern.search(_QUOTE.sub('""', text)):
            return rule, said.groupdict().get("say") or text
    return None


def _scope(said: str) -> str:
    universal = _UNIVERSAL.search(said) and not _PARTICULAR.search(said)
    return "user" if universal else "project"
