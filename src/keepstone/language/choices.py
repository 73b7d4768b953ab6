"""What a short reply says beside the message that it answers: "B, drop the cache table", "take the second",
"1. newest 2. limits.toml". What is unsure, asked or meant for the moment is no choice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..lib.pattern import Pattern
from ..lib.text import one_line
from .answers import decided, stated
from .offers import ORDINALS, WORD, Item, Message, Offer

REPLY_CHARS = 400  # a longer reply says itself what it means
REST_WORDS = 8  # behind an option, on what falls away by it

_OPENER = (
    r"(?:(?:yes|yeah|yep|yup|ok(?:ay)?|good|great|sure|nice|perfect|fine|alright|cool|thanks|so|then|s[ií]|sim|vale)"
    r"\b[\s,.!:–—]*)*"
)
_VERB = (
    r"(?P<verb>(?:(?:let'?s|i'?d|i'?ll|i|we|please)\s+)*(?:(?:do|go|take|use|pick|choose|prefer|implement|want|say|like|"
    r"vote|make it|vamos|vai|prefiero|hacemos|dale)\b\s*)?(?:(?:with|for|por|com|con)\s+)?(?:(?:the|la|el)\s+)?)"
)
_CLOSER = r"(?:\s+(?:then|please|pls|it is|sounds (?:pretty |very )?good))?"
# Behind what is chosen stands nothing, or another sentence or clause.
_BEHIND = r"(?P<rest>\s*$|\s*[,;.!\n–—:)].*|\s-\s.*)$"
_LABEL = Pattern(
    rf"^{_OPENER}{_VERB}(?:(?P<word>{WORD}|number|#)\s*)?\(?(?P<label>(?P<number>\d{{1,2}})?(?P<letter>[a-h])?)"
    rf"(?<=[\da-hA-H]){_CLOSER}{_BEHIND}",
    re.IGNORECASE | re.DOTALL,
)
_NTH = Pattern(
    rf"^{_OPENER}{_VERB}(?P<nth>first|second|third|fourth|last|former|latter)(?P<word>\s+(?:one|{WORD}))?{_CLOSER}{_BEHIND}",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = Pattern(
    rf"^{_OPENER}{_VERB}[\"'`]?(?P<name>[\w@./+#-]*\w)[\"'`]?"
    r"(?:\s+(?:it is|then|please|is (?:better|fine|good)|for sure|of course))?[.!]*$",
    re.IGNORECASE,
)
_ITEM = Pattern(r"(?:^|(?<=\s))\(?(?P<number>\d{1,2})[).:][ \t]*(?=\S)")
# What takes a choice back, asks, or limits it.
_UNSURE = Pattern(
    r"\?|^(?:but |pero |mas |e |y )?(?:no\b\s*(?:[,.!;]|$|wait)|n[aã]o\b|not (?:sure|yet|now)|wait\b|hm+\b|maybe|"
    r"perhaps|or\b|if\b|is\b|isn'?t|was\b|because i|just\b|only\b|i (?:don'?t|do not|guess|think|meant)|"
    r"never\W*$|why\b|what\b|how\b|(?:could|can|would|will) you)|"
    r"\b(?:maybe|perhaps|probably|possibly|not sure|i think|i meant|on second thought|"
    r"never mind|for now|until|till|temporarily|this time|today|tomorrow|at the moment|"
    r"right now|i guess|in progress|unless|only (?:for|if|when))\b",
    re.IGNORECASE,
)
# Another label in the rest: several are chosen, or each is judged.
_SEVERAL = Pattern(
    rf"(?:^|[\s,;.(])(?:\d{{1,2}}[a-h]?[).:]|\d{{1,2}}[a-h]\b|(?:{WORD} )?(?-i:[A-H])(?=[).:,]|$|\s+(?:for|in|is)\b)|"
    rf"{WORD} \w\b)|^(?:and|or|\+|&|y|e)?\s*(?:\d{{1,2}}|[a-h])\b(?!')",
    re.IGNORECASE,
)
# What falls away by a choice, and says nothing without it.
_DROPS = Pattern(r"^(?:and |but )?(?:drop|get rid of|remove|delete|no|without|not|instead of)\b", re.IGNORECASE)
_THIS = Pattern(r"^(?:this|that)(?: one)?(?=[.,!]|$)[.,!]*\s*", re.IGNORECASE)
# An option or an answer by which nothing is settled, or that tells what was done.
_EMPTY = Pattern(
    r"^\W*(?:keep (?:what|it|this|that|as)|nothing|none|ask\b|don'?t|do not|leave (?:it|this|that|as)|"
    r"(?:yes|no|good|fine|great|correct|right|agreed|same|yep|nope|ok(?:ay)?|sure|both|neither|either|s[ií]|later|skip|"
    r"no idea|not sure|you (?:decide|choose)|whatever(?! is\b)|up to you|n/?a|todas?|no lo se)\W*$|"
    r"(?:i|it|we|then|first|not|no|see|as i|by the way|in (?:my|the moment|a \w+)|what|why|hm+|he|she|they|there|"
    r"that|this|wrong|done|fixed|failed|skipped|works?|working|in progress|irrelevant|ready|checked|tested|"
    r"added|removed|changed|updated|passed)\b)",
    re.IGNORECASE,
)
# "Shall I name it queue.toml or outbox.toml?"
_OR = Pattern(
    r"^(?P<before>.*?\s)(?P<first>[\w@./+#'\"`-]+),? or (?P<second>[\w@./+#'\"`-]+)(?: [^?]{1,60})?\?$", re.IGNORECASE
)
_EDGES = "\"'`"
_ADVERBS = Pattern(
    r"^(?:here|there|now|later|it|this|that|yes|no|both|none|first|last|more|less|wait|up|down|new|old)$", re.IGNORECASE
)
# What a name is chosen for, and stays.
_LASTS = Pattern(r"\b(?:name|call|named|called)\b", re.IGNORECASE)
# A question of the work at hand, of how things are, or two in one.
_AT_HAND = Pattern(
    r"(?<!name )(?<!call )\b(?:it|this|that|these|those|your|my)\b|\bthe (?:fix|new|old|demo|spike|branch|run)\b|"
    r"\b(?:tomorrow|today|now|first|next|current(?:ly)?|existing)\b|\band (?:how|what|which|where|when|who)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of the user's among what the assistant has offered: `content` is it, written out, `offered` the
    assistant's words, and `words` the user's. `is_clear` tells whether it can be understood alone, `is_plain` whether
    it is one statement as well; `left` is what else the reply says.
    """

    content: str
    offered: str
    words: str
    is_clear: bool = False
    is_plain: bool = False
    left: str = ""


def choices(before: str, said: str) -> list[Choice]:
    """Returns what a reply chooses of what the message `before` it offers; nothing if it can be understood alone, or
    the message doesn't show what it points to.
    """
    said = said.strip()
    if not before or not said or len(said) > REPLY_CHARS:
        return []
    message = Message(before)
    if answers := _answered(said):
        return _answers(message.questions(), answers)
    one = _labelled(message, said) or _nth(message, said) or _named(message, said)
    return [one] if one else []


def _answered(said: str) -> list[str]:
    """Returns the answers of a reply that numbers them from 1 on, or nothing."""
    marks = list(_ITEM.finditer(said))
    if len(marks) < 2 or marks[0].start() or [int(mark["number"]) for mark in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(said)]
    return [said[mark.end() : end].strip(" \t\n,;(") for mark, end in zip(marks, ends, strict=True)]


def _answers(asked: list[Item], answers: list[str]) -> list[Choice]:
    """Returns the answers to a list of questions. The last one holds what else the reply says."""
    if len(answers) > len(asked):
        return []
    found, left = [], []
    for number, (item, answer) in enumerate(zip(asked, answers, strict=False), start=1):
        first, more = _first(answer)
        one = _answer(item, number, first)
        found += [one] if one else []
        left += [more if one else answer]
    if not found:
        return []
    return [*found[:-1], replace(found[-1], left="\n".join(filter(None, left)))]


def _first(answer: str) -> tuple[str, str]:
    """Returns an answer's first sentence, and the rest."""
    head, *more = re.split(r"[;\n]|[.!](?=\s)", answer, maxsplit=1)
    return head.strip(" .!"), "".join(more).strip()


def _answer(item: Item, number: int, answer: str) -> Choice | None:
    """Returns the answer to a question, None if it settles nothing."""
    label = _LABEL.match(answer)
    letter = (label["letter"] or "").upper() if label and not label["number"] else ""
    option = next((one for one in item.under if one.label == letter), None)
    if item.under and not option or letter and not option or "?" not in item.text:
        return None
    if option and label and label["rest"].strip(" .!") and not label["rest"].strip().startswith(","):
        return None
    told = option.name if option else answer
    question = item.text.split("?")[0] + "?"
    if _EMPTY.match(told) or _UNSURE.search(answer) or _AT_HAND.search(question):
        return None
    plain = "" if re.search(r"\bor\b", told) else stated(question, told)
    clear = plain or decided(question, told)[0]
    if not clear:
        return None
    offered = f"{number}. {question}{f' {letter}) {option.text}' if option else ''}"
    return Choice(clear, offered, answer, True, bool(plain))


def _labelled(message: Message, said: str) -> Choice | None:
    found = _LABEL.match(said)
    if not found:
        return None
    if found["number"] and found["letter"]:
        asked = message.questions()
        at = int(found["number"]) - 1
        item = asked[at] if 0 <= at < len(asked) else None
        offer = Offer(item.under, item.text) if item else None
        return _chosen(offer, found["letter"].upper(), found["rest"], said)
    label = found["label"].upper()
    return _chosen(message.offer(label.isalpha()), label, found["rest"], said)


def _nth(message: Message, said: str) -> Choice | None:
    found = _NTH.match(said)
    if not found or not (found["verb"].strip() or found["word"]) and found["rest"].strip():
        return None
    offer = message.offer(None) or message.told_ways()
    nth = found["nth"].lower()
    if offer is None or nth in ("former", "latter") and len(offer.items) != 2:
        return None
    at = {"former": 0, "latter": 1, "last": len(offer.items) - 1}.get(nth)
    at = ORDINALS.index(nth) if at is None else at
    label = offer.items[at].label if at < len(offer.items) else ""
    return _chosen(offer, label, found["rest"], said)


def _chosen(offer: Offer | None, label: str, rest: str, said: str) -> Choice | None:
    """Returns the choice of an option, None if the rest of the reply takes it back or names another one."""
    item = next((one for one in offer.items if one.label == label), None) if offer else None
    rest = _THIS.sub("", rest.strip(" ,;.:!)–—<-\n\t"))
    if not offer or item is None or not item.text or _EMPTY.match(item.text):
        return None
    if "?" in said or _UNSURE.search(rest) or _SEVERAL.search(rest):
        return None
    option = item.text.rstrip(".:;? ")
    is_of_the_work = bool(_AT_HAND.search(offer.question))
    plain = "" if is_of_the_work else stated(offer.question, item.name.rstrip(".:;? "))
    clear = plain or ("" if is_of_the_work else decided(offer.question, option)[0])
    content = clear or option[:1].upper() + option[1:]
    is_dropping = not plain and bool(_DROPS.match(rest)) and "\n" not in rest and len(rest.split()) <= REST_WORDS
    content = f"{content}; {one_line(rest).removeprefix('and ')}" if is_dropping else content
    return Choice(content, f"{label}) {item.text}", said, bool(clear), bool(plain), "" if is_dropping else rest)


def _named(message: Message, said: str) -> Choice | None:
    """Returns the choice of one of the two names that the last question offers."""
    found, question = _NAMED.match(said), message.question
    asked = _OR.match(question)
    if not found or not asked:
        return None
    names = [one.strip(_EDGES) for one in (asked["first"], asked["second"])]
    name = next((name for name in names if name.casefold() == found["name"].casefold()), "")
    if len(name) < 2 or _ADVERBS.match(name) or _AT_HAND.search(question):
        return None
    plain = stated(question, name)
    clear = plain or decided(question, name)[0]
    if not clear and not _LASTS.search(asked["before"]):
        return None
    return Choice(clear or f"{question} {name}", question, said, True, bool(plain))
