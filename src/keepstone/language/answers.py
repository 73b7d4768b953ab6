"""Makes one statement of a question and its answer: "Which database should billing use?", "PostgreSQL" becomes "Billing
should use PostgreSQL".
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern

_MODAL = r"should|shall|must|will|would|can|could|may|do|does|did"
_AUXILIARY = ("do", "does")  # they fall away in a statement: "do we format" is "we format"
# What is asked for, the verb's helper, who, and what is done: "Which database | should | the billing service | use".
_ASKED = Pattern(
    rf"^(?P<word>which|what|where|how|when|who)\b(?P<thing>[^?]*?)\s\b(?P<helper>{_MODAL})\b\s+(?P<rest>[^?]+)\?*$",
    re.IGNORECASE,
)
_SUBJECT = Pattern(
    r"^(?P<who>we|i|you|it|they|this|(?:(?:the|our|my|a|an|this|that|all|each|every)\s+)?(?:[\w./'`-]+\s+){0,4}?"
    r"[\w./'`-]+)\s+(?P<verb>be|use|run|live|go|store|keep|put|write|format|name|call|handle|deploy|ship|support|target|"
    r"follow|return|log|sort|show|look|work|default|apply|serve|host|test|build|read|take|expire|start|end|"
    r"cover|own|review|release|version|import|export|send|receive|cache|render|validate|retry|fail|need|require|prefer|"
    r"want|have)\b(?P<more>.*)$",
    re.IGNORECASE,
)
_IS = Pattern(r"^(?:what|which)(?P<thing>[^?]*?)\s(?P<verb>is|are)\s+(?P<who>[^?]+)\?*$", re.IGNORECASE)
_PREPOSITION = Pattern(
    r"^(?:in|on|at|by|with|as|to|from|under|inside|beside|via|into|per|after|before|every)\b", re.IGNORECASE
)
# What is asked for this moment alone, and what says nothing without the talk around it.
_MOMENTARY = Pattern(
    r"\b(?:next|now|first|today|tonight|this time|right now|currently|proceed|continue|go on|instead|help|start with|"
    r"fix|try|commit|push|merge|run it|do you want|would you like|should i|shall i|can i|may i|i should)\b",
    re.IGNORECASE,
)
_DEICTIC = Pattern(
    r"\b(?:option|approach|one|ones|way|step|task|part|issue|bug|error|problem|fix|change|branch|pr|file|files|test|"
    r"this|these|that|those|above|below)\b",
    re.IGNORECASE,
)
_MACHINE = Pattern(r"\b(?:servers?|machines?|hosts?|clusters?|boxe?s?|branch(?:es)?|platforms?|pages)$", re.IGNORECASE)
_POINTS = Pattern(r"\b(?:this|these|that|those|of|above|below)\b", re.IGNORECASE)
_REFERS = Pattern(
    r"^\W*(?:option|number|the (?:first|second|third|last|other)|both|neither|none|all|any|either)\b", re.IGNORECASE
)


def decided(question: str, answer: str) -> str:
    """Returns what was decided by an answer to a question, as one statement, or "" if it holds for the moment alone or
    cannot be understood without the conversation.
    """
    question, answer = " ".join(question.split()), " ".join(answer.split()).rstrip(".")
    if _MOMENTARY.search(question) or _REFERS.match(answer):
        return ""
    told = _done(question, answer) or _is(question, answer)
    return told[:1].upper() + told[1:]


def _done(question: str, answer: str) -> str:
    """Returns the statement for a question of what somebody should do or does."""
    found = _ASKED.match(question)
    if not found or _DEICTIC.search(_head(found["thing"])):
        return ""
    helper, thing, word = found["helper"].lower(), found["thing"].strip(), found["word"].lower()
    parts = _SUBJECT.match(found["rest"].strip())
    if not parts:
        return f"{question.rstrip('?')}: {answer}"
    verb = _present(parts["verb"], helper) if helper in _AUXILIARY else f"{helper} {parts['verb']}"
    more, leads = parts["more"].strip(), bool(_PREPOSITION.match(answer))
    if word in ("which", "what", "who") and not leads:
        article = "the " if verb.endswith("have") else ""
        named = f"{article}{thing} {answer}" if article or answer.isdigit() else _joined(answer)
        return f"{parts['who']} {verb} {named}{' ' + more if more else ''}"
    joint = " " if leads else _joint(word, answer)
    answer = answer[0].lower() + answer[1:] if leads else answer
    return f"{parts['who']} {verb}{' ' + more if more else ''}{joint}{answer}"


def _joint(word: str, answer: str) -> str:
    """Returns what stands before an answer that has no preposition of its own."""
    if word != "where":
        return ": "
    return " on " if _MACHINE.search(answer) else " in "


def _head(thing: str) -> str:
    """Returns a noun without those before it that say which: of a "test runner", "runner"."""
    return thing.split()[-1] if thing.split() and not _POINTS.search(thing) else thing


def _is(question: str, answer: str) -> str:
    """Returns the statement for a question of what something is."""
    found = _IS.match(question)
    return f"{found['who'].strip()} {found['verb']} {answer}" if found and not _DEICTIC.search(question) else ""


def _present(verb: str, helper: str) -> str:
    """Returns the verb after "do" or "does" without them."""
    if helper == "do":
        return verb
    if verb == "have":
        return "has"
    if verb == "be":
        return "is"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")


def _joined(answer: str) -> str:
    """Returns the options of an answer with "and" before the last."""
    head, comma, last = answer.rpartition(", ")
    return f"{head} and {last}" if comma and "," not in last else answer
