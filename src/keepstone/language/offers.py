"""What a message of the assistant's offers to choose from: its last list of options, its list of questions, or two
ways that it tells in a sentence; each with the question that asks for the choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..lib.pattern import Pattern
from ..lib.text import clip, one_line

OFFER_CHARS = 4_000  # of the message's end, where what is offered stands
OPTION_CHARS = 200  # of one option
QUESTION_CHARS = 300  # a longer question is none
NEAR_CHARS = 200  # between a question and the list that it is about

WORD = r"(?:option|approach|alternative|variant|choice|way|plan|solution|opci[oó]n|op[cç][aã]o|opzione|alternativa)"
_FENCED = Pattern(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)
# How an option, or a question of a list, begins: "A)", "**Option 2:**", "3.", "- b)".
_MARK = Pattern(
    rf"(?:^[ \t]{{0,8}}(?:[-*•#]{{1,4}}[ \t])?|(?<=[\s:;,.?!]))[*_(]{{0,3}}(?:(?P<word>{WORD})[ \t])?"
    r"(?P<label>[A-Ha-h]|\d{1,2})(?:[).:][*_]{0,2}|[*_]{1,2}[:.]?|[ \t]?[–—-])[ \t]{1,4}(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = Pattern(r"(?<=[.!?])[*_]{0,2}\s|\n")
_JOIN = Pattern(r",?\s(?:or|and|o|y)$", re.IGNORECASE)  # before the next option of a sentence
_HEAD_WORDS = 4  # "Quick fix." before what it is
_MARKDOWN = Pattern(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
# What follows the name of an option.
_ABOUT = Pattern(r"^(?P<name>[\w@.+#/-]+(?: [\w@.+#/-]+){0,2})(?: [–—-] |: | \().*$")
# What says that a list is one of options, where no question does.
_OFFERS = Pattern(
    rf"\b(?:{WORD}s?|opciones|ways|choices|possibilities|either|prefer|choose|pick|decide)\b[^\n]{{0,120}}\s*$",
    re.IGNORECASE,
)
# A question that says nothing of what is chosen: "Which one do you prefer?"
_ANY = Pattern(
    r"\b(?:which|what|how|want|shall|should|would|do|does|cu[aá]l|qu[eé])\b.*\b(?:prefer\w*|prefieres?|want|like|choose|"
    r"pick|think|proceed|rather|mind|do|go (?:with|ahead|for)|handle (?:it|this))\b|"
    r"^(?:which|what)(?: one| way| option| approach)?(?: (?:is|would be|sounds) \w+)?\W*$|^thoughts\W*$",
    re.IGNORECASE,
)
_BEFORE_QUESTION = ("\n", "? ", "! ", ". ")
ORDINALS = ("first", "second", "third", "fourth")
_TOLD = Pattern(
    r"\b(?:the )?(?P<ordinal>first|second|third|fourth)(?: (?:one|way|option|approach|is))?[:,]? "
    r"(?P<text>[^.?!;\n]{3,200}?)(?=[.,;]? (?:and |or |but )?(?:the )?(?:second|third|fourth)\b|[.;?!]|\n|$)",
    re.IGNORECASE,
)
_EITHER = Pattern(
    r"(?:\b(?:two|2) (?:ways|options|choices|approaches|possibilities)\W{1,3}|\beither )"
    r"(?P<first>[^.?!;\n]{3,200}?),? or (?P<second>[^.?!;\n]{3,200})",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Item:
    """An option or a question of a list, and the options that stand under it. `label` is "A", "B", ... or "1", ..."""

    label: str
    text: str
    under: list[Item] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Returns the option without what is said about it: "PostgreSQL — fast" is "PostgreSQL"."""
        found = _ABOUT.match(self.text)
        return found["name"] if found else self.text


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be chosen, and the `question` about it, "" if it says no more than "which one?"."""

    items: Sequence[Item]
    question: str = ""


@dataclass(slots=True)
class _Run:
    items: list[Item]
    start: int
    end: int
    is_named: bool  # its labels are words: "Option A"


class Message:
    """A message of the assistant's, cut to its end."""

    def __init__(self, text: str) -> None:
        self._text = _FENCED.sub("\n", text[-OFFER_CHARS:])
        self._runs = self._lists()

    @property
    def question(self) -> str:
        """Returns the last question, "" if the message asks nothing."""
        return _question(self._text)

    def questions(self) -> list[Item]:
        """Returns the last numbered list that asks something, [] if there is none."""
        return next(
            (run.items for run in reversed(self._runs) if run.items[0].label == "1" and _asks(run.items)), list[Item]()
        )

    def offer(self, is_letter: bool | None) -> Offer | None:
        """Returns the last list of options; that with letters or with numbers if `is_letter` tells which. None if there
        is none, or something else is asked last.
        """
        runs = [run for run in self._runs if is_letter is None or run.items[0].label.isalpha() == is_letter]
        under = [item for run in self._runs for item in run.items if item.under and is_letter is not False]
        if under and (not runs or runs[-1].end < self._runs[-1].end):
            return Offer(under[0].under, under[0].text) if len(under) == 1 else None
        if not runs or _asks(runs[-1].items[:-1]):  # "A) the one or B) the other?" asks at its end
            return None
        return self._asked(runs[-1])

    def told_ways(self) -> Offer | None:
        """Returns two or more ways that the message tells in a sentence, None if it tells none."""
        if self._runs:
            return None
        told = {one["ordinal"].lower(): one["text"] for one in _TOLD.finditer(self._text)}
        ways = [told[name] for name in ORDINALS if name in told]
        if len(ways) < 2:
            found = list(_EITHER.finditer(self._text))
            ways = [found[-1]["first"], found[-1]["second"]] if found else []
        items = [Item(str(at), clip(_plain(text), OPTION_CHARS)) for at, text in enumerate(ways, start=1)]
        return Offer(items) if items else None

    def _asked(self, run: _Run) -> Offer | None:
        """Returns a list with the question right before it, unless another one follows it, or nothing is asked."""
        before, after = self._text[: run.start], self._text[run.end :]
        led_by = _question(before) if before.rfind("?") >= len(before) - NEAR_CHARS else ""
        last = _question(after)
        if last and last != led_by and not _ANY.search(last):
            return None
        is_asked = led_by or last or _asks(run.items) or run.is_named
        if not is_asked and not _OFFERS.search(before.rstrip(": \n")):
            return None
        return Offer(run.items, "" if _ANY.search(led_by) else led_by)

    def _lists(self) -> list[_Run]:
        """Returns the lists: runs of "A", "B", ... and of "1", "2", ...; letters under a number belong to it."""
        found: list[_Run] = []
        open_runs: dict[bool, _Run] = {}
        marks = list(_MARK.finditer(self._text))
        for mark, following in zip(marks, [*marks[1:], None], strict=False):
            label, is_number = mark["label"].upper(), mark["label"].isdecimal()
            text, end = self._item(mark.end(), following.start() if following else len(self._text))
            run = open_runs.get(is_number)
            if run and label == _after(run.items[-1].label):
                run.items.append(Item(label, text))
                run.end = end
            elif label in ("A", "1"):
                run = _Run([Item(label, text)], mark.start(), end, bool(mark["word"]))
                numbers = None if is_number or mark["word"] else open_runs.get(True)
                if numbers:
                    numbers.items[-1].under = run.items
                else:
                    found.append(run)
            else:
                continue
            open_runs[is_number] = run
            if is_number:
                open_runs.pop(False, None)
            elif open_runs.get(True):
                open_runs[True].end = end
        return [run for run in found if len(run.items) > 1]

    def _item(self, start: int, stop: int) -> tuple[str, int]:
        """Returns what an item says, its first sentence, and the next one if that is only a heading; and where it ends.
        A question behind the last option is no part of it.
        """
        line = self._text[start:stop]
        for end in _ENDS.finditer(line):
            is_whole = len(line[: end.start()].split()) > _HEAD_WORDS or "\n" in end.group()
            if line[: end.start()].strip() and (is_whole or "?" in line[end.end() :]):
                line = line[: end.start()]
                break
        text = _JOIN.sub("", _plain(line.strip().rstrip(",;(*_-•# \t\n")))
        return clip(one_line(text), OPTION_CHARS), start + len(line)


def _after(label: str) -> str:
    return str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)


def _asks(items: Sequence[Item]) -> bool:
    return any("?" in item.text for item in items)


def _plain(text: str) -> str:
    return _MARKDOWN.sub("", text).strip()


def _question(text: str) -> str:
    """Returns the last question of a text, "" if it asks nothing."""
    asked = text[: text.rfind("?") + 1]
    start = max(asked.rfind(mark, 0, -1) + 1 for mark in _BEFORE_QUESTION)
    found = _plain(one_line(asked[start:]))
    return found if len(found) <= QUESTION_CHARS else ""
