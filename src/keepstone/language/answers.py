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


# What is said beside the question itself, and questions that ask the user what "we" should do.
_ASIDE = Pattern(r"\s*\([^()]*\)\s*(?=\?|$)|(?<=\?)\s.*$")
_FRONT = Pattern(
    r"^(?P<where>(?:for|in|on|with) [^,?]+), (?P<asked>(?:which|what|where|how|when|who)\b.*?)\?*$", re.IGNORECASE
)
_LED = Pattern(r"^(?P<by>in|on|at|for|from|with|to|under|by|into) (?P<asked>(?:which|what)\b.*?)\?*$", re.IGNORECASE)
_OF_THESE = Pattern(r"^(which|what) of (?:these|the|those) (?=\w+s\b)", re.IGNORECASE)
_YOU = Pattern(
    r"\b(?:(?:do|would) you (?:want|like|prefer)(?: (?:me |us )?to use)?|(?:should|shall|can) i (?:use|choose|take)|"
    r"are you using)(?= (?:for|in|as|with|on)\b)",
    re.IGNORECASE,
)
_PREFER = Pattern(r"^do you (?:prefer|want)\b", re.IGNORECASE)
_CHOICE = Pattern(r"^(?:should|shall|must|do|does|will|would)\b.* or .*", re.IGNORECASE)
_PLACED = Pattern(
    r"^(?:where|how|when) (?P<verb>is|are) (?P<who>[^?]+?) (?P<done>\w+(?:ed|en|pt|lt|nt|wn|un|de|ld|et))\?*$",
    re.IGNORECASE,
)
_STRANDED = Pattern(r"\b(?:in|on|at|from|with|to|for|by|under|against|into|called|named)$", re.IGNORECASE)
_WHO_DOES = Pattern(r"^who (?P<does>\w+s \S[^?]*?)\?*$", re.IGNORECASE)
_OPEN = Pattern(
    r"^(?:which|what|who|how (?:many|much|long|often)|(?:pick|choose|select)(?= .* for )) ?(?P<asked>[^?]*?)\?*$",
    re.IGNORECASE,
)
# What is asked of the past or the present, not of what shall be.
_NEWS = Pattern(
    r"\b(?:did|was|were|went|happen\w*|are you|is it|have you|do you (?:see|get|mean|think|know)|see|seeing|fail\w*)\b",
    re.IGNORECASE,
)


def decided(question: str, answer: str) -> str:
    """Returns what was decided by an answer to a question, as one statement, or "" if it holds for the moment alone or
    cannot be understood without the conversation.
    """
    question, answer = _plain(question), " ".join(answer.split()).rstrip(".")
    if _MOMENTARY.search(question) or _NEWS.search(question) or _REFERS.match(answer):
        return ""
    told = _done(question, answer) or _is(question, answer) or _placed(question, answer) or _open(question, answer)
    return told[:1].upper() + told[1:]


def _plain(question: str) -> str:
    """Returns a question as one that asks what "we" should do, without asides, and with what it is about behind."""
    plain = _ASIDE.sub("", " ".join(question.split()))
    plain = _PREFER.sub("should we use", _YOU.sub("should we use", plain.replace("hat's ", "hat is ")))
    plain = _OF_THESE.sub(r"\1 ", plain)
    if found := _FRONT.match(plain):
        plain = f"{found['asked']} {found['where'].lower()}?"
    if found := _LED.match(plain):
        plain = f"{found['asked']} {found['by'].lower()}?"
    return plain


def _placed(question: str, answer: str) -> str:
    """Returns the statement for a question of where or how something is kept, or who does it."""
    if found := _PLACED.match(question):
        joint = "" if _PREPOSITION.match(answer) else _joint(question.split()[0].lower(), answer).strip()
        lead = f" {joint}" if joint not in ("", ":") else joint
        return f"{found['who']} {found['verb']} {found['done']}{lead} {answer}"
    who = _WHO_DOES.match(question)
    return f"{answer} {who['does']}" if who and not who["does"].lower().startswith("is ") else ""


def _open(question: str, answer: str) -> str:
    """Returns the statement for a choice between what a question names, or what it asks for with the answer."""
    if _CHOICE.match(question):
        item = rf"(?:{re.escape(answer)}|[\w./+#-]+)"
        found = re.search(rf"{item}(?:, {item})*,? or {item}(?!\w)", question, re.IGNORECASE)
        among = re.split(r",? or |, ", found[0]) if found else []
        is_named = answer.casefold() in (one.casefold() for one in among)
        chosen = question.replace(found[0], answer) if found and is_named else question
        return _done(f"how {chosen[0].lower()}{chosen[1:]}", "") if chosen != question else ""
    asks = _OPEN.match(question)
    if not asks or not asks["asked"] or _DEICTIC.search(asks["asked"]):
        return ""
    asked = asks["asked"] if len(asks["asked"].split()) == 1 or question[0] in "pPcCsS" else question.rstrip("?")
    return f"{asked.removeprefix('a ').removeprefix('an ')}: {answer}"


def _done(question: str, answer: str) -> str:
    """Returns the statement for a question of what somebody should do or does."""
    found = _ASKED.match(question)
    if not found or _DEICTIC.search(_head(found["thing"])):
        return ""
    helper, thing, word = found["helper"].lower(), found["thing"].strip(), found["word"].lower()
    parts = _SUBJECT.match(found["rest"].strip())
    if not parts:
        return f"{question.rstrip('?')}: {answer}"
    verb = _present(parts["verb"], helper) if helper in _AUXILIARY else f"{found['helper']} {parts['verb']}"
    more, leads = parts["more"].strip(), bool(_PREPOSITION.match(answer))
    if not answer or _STRANDED.search(more):
        kind = f"the {thing} " if answer and thing and not leads and answer[0].isdigit() else ""
        return f"{parts['who']} {verb} {more} {kind}{answer}".strip()
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
