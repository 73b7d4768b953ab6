"""What a short reply says beside the message that it answers: "B, drop the cache table", "take the second",
"1. newest 2. limits.toml".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..lib.pattern import Pattern
from ..lib.text import clip, one_line
from .answers import decided, stated

OFFER_CHARS = 4_000  # of the message's end, where what is offered stands
OPTION_CHARS = 200  # of one option
REST_WORDS = 12  # behind the option: more are statements of their own
REPLY_CHARS = 400  # a longer reply says itself what it means
QUESTION_WORDS = 3  # a question of fewer words says nothing beside its answer

_WORD = r"(?:option|approach|alternative|variant|choice|way|plan|solution|opci[oó]n|op[cç][aã]o|opzione|alternativa)"
# How an option, or a question of a list, begins: "A)", "**Option 2:**", "3.", "- b)".
_MARK = Pattern(
    rf"(?:^[ \t]*(?:[-*•#]+[ \t]+)?|(?<=[\s(:;,.?!]))[*_(]*(?:(?P<word>{_WORD})[ \t]+)?(?P<label>[A-Ha-h]|\d{{1,2}})"
    r"(?P<sign>[).:][*_]*|[*_]+[:.]?|[ \t]+[–—-])[ \t]+(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = Pattern(r"(?<=[.!?])[*_]*\s|\n")
_HEAD_WORDS = 4  # "Quick fix." before what it is
_MARKDOWN = Pattern(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_ORDINALS = ("first", "second", "third", "fourth")
_TOLD = Pattern(
    r"\b(?:the )?(?P<ordinal>first|second|third|fourth)(?: (?:one|way|option|approach|is))?[:,]? "
    r"(?P<text>.+?)(?=[.,;]? (?:and |or |but )?(?:the )?(?:second|third|fourth)\b|[.;?!]|\n|$)",
    re.IGNORECASE,
)
_EITHER = Pattern(
    r"(?:\b(?:two|2) (?:ways|options|choices|approaches|possibilities)\W+|\beither )"
    r"(?P<first>[^.?!;\n]+?),? or (?P<second>[^.?!;\n]+)",
    re.IGNORECASE,
)
# "Shall I name it queue.toml or outbox.toml?"
_OR = Pattern(
    r"^(?P<before>.*?\s)(?P<first>[\w@./+#'\"`-]+),? or (?P<second>[\w@./+#'\"`-]+)(?: [^?]{1,60})?\?$", re.IGNORECASE
)
# A question that says nothing of what is chosen: "Which one do you prefer?"
_ANY = Pattern(
    r"\b(?:which|what|how|want|shall|should|would|do)\b.*\b(?:prefer\w*|want|like|choose|pick|think|proceed|rather|mind|"
    r"go (?:with|ahead|for)|handle (?:it|this))\b|^which(?: one| way| option| approach)?\?*$",
    re.IGNORECASE,
)
_BEFORE_QUESTION = ("\n", "? ", "! ", ". ")
_VERB = (
    r"(?:(?:let'?s|i'?d|i'?ll|i|we|please)\s+)*(?:(?:do|go|take|use|try|pick|choose|prefer|implement|want|say|like|vote|"
    r"make it|vamos|vai|prefiero|hacemos|dale)\b\s*)?(?:(?:with|for|por|com|con)\s+)?(?:(?:the|la|el|a)\s+)?"
)
_OPENER = (
    r"(?:(?:yes|yeah|yep|yup|ok(?:ay)?|good|great|sure|nice|perfect|fine|alright|cool|thanks|hm+|so|then|s[ií]|sim|vale)"
    r"\b[\s,.!:–—-]*)*"
)
_LABEL = Pattern(
    rf"^{_OPENER}{_VERB}(?:(?P<word>{_WORD}|number|#)\s*)?(?P<label>\d{{1,2}}(?P<sub>[a-h])?|[a-h])(?P<sign>[).:]?)"
    r"(?=\s|$|[,;!–—-])(?:\s+(?:then|please|pls|it is|sounds (?:pretty |very )?good))?(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NTH = Pattern(
    rf"^{_OPENER}{_VERB}(?P<ordinal>first|second|third|fourth|last|former|latter)(?:\s+(?:one|{_WORD}))?\b"
    r"(?:\s+(?:then|please|it is))?(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ITEM = Pattern(r"(?:^|(?<=\s))\(?(?P<number>\d{1,2})[).:][ \t]*(?=\S)")
# What follows a choice and says something of its own: a statement, or the work at hand.
_OWN = Pattern(
    r"^(?:and |but )?(?:we|i|our|my|never|always|remember|then|next|now|also|start|begin|go|commit|push|continue|"
    r"proceed|please|let me|make|do|implement|write|fix|run|update|check|can you|could you|for now|first|thanks?)\b",
    re.IGNORECASE,
)
_SETTLES = Pattern(
    rf"^{_OPENER}{_VERB}(?P<name>\S+?)[.,!]*"
    r"(?:\s+(?:it is|then|please|is (?:better|fine|good)|for sure|of course))?[.!]*$",
    re.IGNORECASE,
)
_NAMES = Pattern(r"^[\"'`]?(?P<name>[\w@./+#-]*\w)[\"'`]?$")
_THIS = Pattern(r"^(?:this|that)(?: one)?\b[.!]*\s*", re.IGNORECASE)
_SEVERAL = Pattern(r"^(?:and|or|\+|&|y|e)?\s*(?:\d{1,2}|[a-h])\b(?![')])", re.IGNORECASE)  # "A and B"
_HERE = Pattern(r"^(?:here|there|now|later|it|this|that|yes|no|both|none|first|last|more|less|wait)$", re.IGNORECASE)
# What a name is chosen for, and stays.
_LASTS = Pattern(
    r"\b(?:names?d?|call(?:ed)?|us(?:e|ing)|put|stor(?:e|ing)|keep|support|target|default|be|go|live|adopt|format|deploy|"
    r"host|written|write it in)\b",
    re.IGNORECASE,
)
_BARE = Pattern(
    r"^\W*(?:yes|no|good|fine|great|correct|right|agreed|same|yep|nope|ok(?:ay)?|sure|both|neither|none|either|s[ií]|"
    r"later|skip|(?:i )?(?:do not|don'?t) know|no idea|not sure|"
    r"you (?:decide|choose)|whatever(?! is\b)|up to you|n/?a|todas?|no lo se)\b\W*$",
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


@dataclass(slots=True)
class _Item:
    """An option or a question of a list, and the options that stand under it."""

    label: str
    text: str
    under: list[_Item] = field(default_factory=list)


def choices(before: str, said: str) -> list[Choice]:
    """Returns what a reply chooses of what the message `before` it offers; nothing if it can be understood alone, or
    the message doesn't show what it points to.
    """
    said, before = said.strip(), before[-OFFER_CHARS:]
    if not before or not said or len(said) > REPLY_CHARS:
        return []
    lists = _lists(before)
    if answers := _answered(said):
        return [one for number, answer in answers if (one := _answer(lists, number, answer))]
    one = _labelled(lists, before, said) or _nth(lists, before, said) or _named(before, said)
    return [one] if one else []


def _lists(text: str) -> list[list[_Item]]:
    """Returns the lists of a message: runs of "A", "B", ... and of "1", "2", ...; letters under a number are its."""
    found: list[list[_Item]] = []
    open_runs: dict[bool, list[_Item]] = {}
    for mark in _MARK.finditer(text):
        label, is_number = mark["label"].upper(), mark["label"].isdecimal()
        run = open_runs.get(is_number, [])
        if run and label == _after(run[-1].label):
            run.append(_Item(label, _text(text, mark.end())))
        elif label in ("A", "1"):
            numbers = open_runs.get(True) if not is_number else None
            run = [_Item(label, _text(text, mark.end()))]
            if numbers and not mark["word"]:
                numbers[-1].under = run
            else:
                found.append(run)
        else:
            continue
        open_runs[is_number] = run
        if is_number:
            open_runs.pop(False, None)
    return [run for run in found if len(run) > 1]


def _after(label: str) -> str:
    return str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)


def _text(text: str, start: int) -> str:
    """Returns what an item says: its first sentence, and the next one if that is only a heading; no item after it."""
    mark = _MARK.search(text, start)
    line = text[start : mark.start() if mark else len(text)].strip().rstrip(",;(*_-•# \t\n")
    end = next(
        (
            end
            for end in _ENDS.finditer(line)
            if len(line[: end.start()].split()) > _HEAD_WORDS or "?" in line[end.end() :] or "\n" in end.group()
        ),
        None,
    )
    return clip(one_line(_plain(line[: end.start()] if end else line)), OPTION_CHARS)


def _plain(text: str) -> str:
    return _MARKDOWN.sub("", text).strip()


def _answered(said: str) -> list[tuple[int, str]]:
    """Returns the answers of a reply that numbers them from 1 on, or nothing."""
    marks = list(_ITEM.finditer(said))
    if len(marks) < 2 or marks[0].start() or [int(mark["number"]) for mark in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(said)]
    said_to = ((int(mark["number"]), said[mark.end() : end]) for mark, end in zip(marks, ends, strict=True))
    return [(number, answer.strip(" \t\n,;.(")) for number, answer in said_to]


def _answer(lists: Sequence[list[_Item]], number: int, answer: str) -> Choice | None:
    """Returns the answer to a question of the last list of questions."""
    asked = next((run for run in reversed(lists) if run[0].label == "1" and any("?" in item.text for item in run)), [])
    if number > len(asked) or not answer or _BARE.match(answer):
        return None
    item = asked[number - 1]
    question = item.text.split("?")[0] + "?"
    label = _LABEL.match(answer)
    option = next((one.text for one in item.under if label and one.label == label["label"].upper()), "")
    if label and label["label"].isalpha() and not label["rest"].strip() and not option:
        return None
    plain = stated(question, option or answer)
    told = plain or decided(question, option or answer)
    is_clear = bool(told)
    if not told and len(question.split()) >= QUESTION_WORDS:
        told = f"{question} {option or answer}"
    offered = f"{number}. {item.text}{f' {answer}) {option}' if option else ''}"
    return Choice(told, offered, answer, is_clear, bool(plain)) if told else None


def _labelled(lists: Sequence[list[_Item]], before: str, said: str) -> Choice | None:
    found = _LABEL.match(said)
    if not found:
        return None
    label, rest = found["label"].upper(), found["rest"]
    is_letter = label.isalpha()
    # "a new file", "3 files": an article or an amount
    if not found["word"] and rest.strip() and not (found["sign"] or rest.lstrip(" ")[:1] in ",;.!\n–—-"):
        return None
    if found["sub"]:
        runs = [run for run in lists if run[0].label == "1"]
        number, letter = int(label[:-1]), label[-1]
        asked = runs[-1][number - 1] if runs and 0 < number <= len(runs[-1]) else _Item("", "")
        item = next((one for one in asked.under if one.label == letter), None)
        return _made(item, asked.text, found["label"], rest, said)
    runs = [run for run in lists if run[0].label.isalpha() == is_letter]
    if not runs and is_letter:
        runs = [item.under for run in lists for item in run if item.under]
    item = next((one for one in runs[-1] if one.label == label), None) if runs else None
    return _made(item, before, found["label"], rest, said)


def _nth(lists: Sequence[list[_Item]], before: str, said: str) -> Choice | None:
    found = _NTH.match(said)
    if not found:
        return None
    offered = lists[-1] if lists else _told(before)
    named = {"former": 0, "latter": 1, "last": len(offered) - 1}
    at = named.get(found["ordinal"].lower())
    at = _ORDINALS.index(found["ordinal"].lower()) if at is None else at
    item = offered[at] if 0 <= at < len(offered) else None
    return _made(item, before, found["ordinal"], found["rest"], said)


def _told(text: str) -> list[_Item]:
    """Returns the options that a message tells without a list: "two ways: X, or Y", "the first ..., the second ..."."""
    told = {one["ordinal"].lower(): one["text"] for one in _TOLD.finditer(text)}
    in_order = [told[name] for name in _ORDINALS if name in told]
    if len(in_order) < 2:
        ways = list(_EITHER.finditer(text))
        in_order = [ways[-1]["first"], ways[-1]["second"]] if ways else []
    return [_Item(str(at), clip(_plain(text), OPTION_CHARS)) for at, text in enumerate(in_order, start=1)]


def _made(item: _Item | None, before: str, label: str, rest: str, said: str) -> Choice | None:
    if item is None or not item.text:
        return None
    rest = _THIS.sub("", rest.strip(" ,;.:!–—-<>\"'\n\t"))
    if _SEVERAL.match(rest):
        return None
    is_own = bool(_OWN.match(rest)) or "\n" in rest or len(rest.split()) > REST_WORDS
    added = "" if is_own else one_line(rest).removeprefix("and ")
    option, question = item.text.rstrip(".:;? "), _question(before)
    plain = stated(question, option)
    clear = plain or ("" if _ANY.search(question) else decided(question, option))
    told = clear or option[:1].upper() + option[1:]
    content = f"{told}; {added}" if added else told
    return Choice(content, f"{label}) {item.text}", said, bool(clear), bool(plain), rest if is_own else "")


def _question(before: str) -> str:
    """Returns the last question of a message, "" if it asks nothing."""
    asked = before[: before.rfind("?") + 1]
    start = max(asked.rfind(mark, 0, -1) + 1 for mark in _BEFORE_QUESTION)
    return _plain(one_line(asked[start:]))


def _named(before: str, said: str) -> Choice | None:
    """Returns the choice of one of the two names that the last question offers."""
    found, question = _SETTLES.match(said), _question(before)
    asked = _OR.match(question)
    if not found or not asked:
        return None
    names = [name["name"] for one in (asked["first"], asked["second"]) if (name := _NAMES.match(one))]
    chosen = next((name for name in names if name.casefold() == found["name"].strip("\"'`.,!").casefold()), "")
    if not chosen or len(names) < 2 or len(chosen) < 2 or _HERE.match(chosen):
        return None
    plain = stated(question, chosen)
    clear = plain or decided(question, chosen)
    is_clear = bool(clear or _LASTS.search(asked["before"]))
    return Choice(clear or f"{question} {chosen}", question, said, is_clear, bool(plain))
