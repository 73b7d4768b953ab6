"""Judges whether a session used or contradicted a memory that it was shown, or whether that is unknown. Prefers
precision to recall.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..claude_code.person import blocks_of
from ..claude_code.transcript import ASSISTANT, TOOL_RESULT, TOOL_USE, USER, Turn, TurnReader, is_own_call
from ..language.claims import common, coverage, own_words, telling
from ..language.denial import CHANGE, avoided, denied
from ..lib.limits import SHORT_ID_DIGITS
from ..lib.pattern import Pattern
from ..lib.text import words
from ..model.delivery import CONTRADICTED, RANK, UNKNOWN, USED, Delivered
from ..shell import advice

CORRECTION_ENOUGH = 2.0  # least weight of the words that a correction and a memory must share
CORRECTION_SHARE = 0.5  # least share of the memory's words that it must cover

_CITED = Pattern(
    r"\bkeepstone[ :#]+((?:mem-)?[0-9a-f]{6,16}(?:(?:,| and| &) (?:mem-)?[0-9a-f]{6,16})*)\b", re.IGNORECASE
)
_ID = Pattern(r"[0-9a-f]{6,16}")
_DOUBTED = Pattern(
    r"\b(?:stale|outdated|out of date|wrong|no longer|any ?more|incorrect|ignor\w+|not apply|doesn'?t apply|"
    r"contradict\w*|disagrees?|conflicts?|but|although|however|none|irrelevant|unrelated|"
    r"not (?:relevant|needed|about|of use)|(?:doesn'?t|does not|don'?t|do not) (?:matter|help|apply|fit|concern)|"
    r"nothing (?:to do|about)|is about|only about|instead)\b",
    re.IGNORECASE,
)
# Words after a citation that say that the memory is not true here.
_MISSING = Pattern(
    r"\b(?:no such|there(?:'s| is| are) no|has no|have no|(?:doesn'?t|does not|don'?t|do not) exist|"
    r"(?:isn'?t|is not) (?:there|here|the case)|not found|no longer|is gone|was (?:removed|renamed|deleted)|not what|"
    r"turns out|is wrong|out of date|outdated)\b",
    re.IGNORECASE,
)
_RATED = Pattern(r"\bkeepstone rate (?:mem-)?([0-9a-f]{6,16}) outdated\b")
_CORRECTS = Pattern(
    r"^(?:(?:hey|ok|oh|ah|uh|hm+|argh|please|ey|wait|well)[,!. ]+)*(?:no+|nope|nah|don'?t|do not|stop|not|never|wrong|"
    r"wait|nein|nicht|stopp?|again|still|ugh|why)\b|\bi (?:said|told)\b|\binstead\b",
    re.IGNORECASE,
)
REFUSED = ("The user doesn't want to proceed", "The user rejected", "[Request interrupted", "User rejected")
SHELL = "Bash: "
ACTING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
# Tells whether the words occurred together in one prompt, file or output of the session before a turn.
OccurredTogether = Callable[[Sequence[str], Turn], bool]


def judge(
    delivered: Sequence[Delivered], processed: Iterable[Turn], new: Sequence[Turn], told: OccurredTogether
) -> dict[str, str]:
    """Returns the verdicts that the new turns justify, by memory id. `processed` turns were judged before."""
    turns = [*processed, *new]
    found = dict.fromkeys((memory.id for memory in delivered), UNKNOWN)
    for at in range(len(turns) - len(new), len(turns)):
        for memory_id, verdict in _verdicts(delivered, turns, at, told):
            found[memory_id] = max(found[memory_id], verdict, key=RANK.__getitem__)
    return found


def _verdicts(
    delivered: Sequence[Delivered], turns: Sequence[Turn], at: int, told: OccurredTogether
) -> Iterator[tuple[str, str]]:
    """Yields the verdicts of one turn."""
    turn = turns[at]
    if turn.role == USER:
        yield from ((memory.id, CONTRADICTED) for memory in _denied(delivered, turns, at))
    elif turn.role == ASSISTANT:
        cited = (memory for memory in delivered if _cites(turn.text, memory))
        yield from ((memory.id, USED) for memory in cited if not told([memory.digits[:SHORT_ID_DIGITS]], turn))
    elif turn.role == TOOL_USE:
        rated = tuple(_RATED.findall(turn.text))
        yield from ((memory.id, CONTRADICTED) for memory in delivered if memory.digits.startswith(rated) and rated)
        yield from ((memory.id, USED) for memory in delivered if _follows(memory, turns, at, told))
        yield from ((memory.id, USED) for memory in _obeyed(delivered, turns, at))


def _denied(delivered: Sequence[Delivered], turns: Sequence[Turn], at: int) -> list[Delivered]:
    since = _since(turns, at)
    cited = [any(turn.role == ASSISTANT and _cites(turn.text, memory) for turn in since) for memory in delivered]
    before = " ".join(turn.text for turn in since)
    found = denied([memory.content for memory in delivered], turns[at].text, before, cited)
    return [delivered[number] for number in sorted(found)]


def _since(turns: Sequence[Turn], at: int) -> list[Turn]:
    """Returns what the assistant said and did between the previous prompt and this one."""
    start = _prompt_before(turns, at) + 1
    return [turn for turn in turns[start:at] if turn.role != TOOL_RESULT]


def _prompt_before(turns: Sequence[Turn], at: int) -> int:
    return next((number for number in range(at - 1, -1, -1) if turns[number].role == USER), -1)


def _cites(text: str, memory: Delivered) -> bool:
    """Tells whether a text cites a memory and relies on it."""
    for match in _CITED.finditer(text):
        start = max(text.rfind(mark, 0, match.start()) for mark in (". ", "\n", "! ", "? ")) + 1
        end = _sentence_end(text, match.end())
        doubted = _DOUBTED.search(text[start:end]) or _MISSING.search(text[start : _sentence_end(text, end + 1)])
        if memory.digits.startswith(tuple(_ID.findall(match[1]))) and not doubted:
            return True
    return False


def _sentence_end(text: str, start: int) -> int:
    return min((at for mark in (". ", "\n") if (at := text.find(mark, start)) >= 0), default=len(text))


def _follows(memory: Delivered, turns: Sequence[Turn], at: int, told: OccurredTogether) -> bool:
    """Tells whether a command does what a memory prescribes, and only the memory had said so."""
    turn = turns[at]
    if not turn.text.startswith(SHELL):
        return False
    line, content = turn.text.removeprefix(SHELL), memory.content
    ran = [command.telling for command in advice.commands(content) if advice.runs(command, line)]
    ran += [flag.telling for flag in advice.flags(content) if advice.runs_with(flag, line)]
    corrected = words(_correction(turns, at))
    named = [*((tool,) for tool in advice.tools(content)), *advice.programs(content)]
    ran += [tool[:1] for tool in named if advice.runs_tool(tool, line)]
    return any(set(telling) <= set(corrected) or not told(telling, turn) for telling in ran)


def _obeyed(delivered: Sequence[Delivered], turns: Sequence[Turn], at: int) -> list[Delivered]:
    """Returns the memory that a correction repeats, if a call acts on it."""
    tool, _, target = turns[at].text.partition(": ")
    if tool not in ACTING and not (turns[at].text.startswith(SHELL) and advice.changes(target)):
        return []
    corrected = _correction(turns, at)
    met = [memory for memory in delivered if _reminds(corrected, memory.content)]
    return met if len(met) == 1 else []


def _reminds(corrected: str, content: str) -> bool:
    """Tells whether a correction says the same as a memory: it covers most of it, or mostly names what the memory
    forbids.
    """
    if avoided(content) & set(telling(corrected)):
        return coverage(corrected, content) >= CORRECTION_SHARE
    return common(content, corrected) >= CORRECTION_ENOUGH and coverage(content, corrected) >= CORRECTION_SHARE


def _correction(turns: Sequence[Turn], at: int) -> str:
    """Returns the user's own words directly before a turn if they correct the assistant's work, otherwise ""."""
    start = _prompt_before(turns, at)
    if start < 1 or not any(turn.role == TOOL_USE for turn in _since(turns, start)):
        return ""
    said = own_words(turns[start].text)
    return said if _CORRECTS.search(said) and not CHANGE.search(said) else ""


class Heard:
    """Reads what a session's records told the assistant: prompts, files and outputs, but not Keepstone's own answers.
    `refused` holds the records of calls that the user refused.
    """

    def __init__(self) -> None:
        self.parse = TurnReader()
        self.own: set[str] = set()
        self.made: dict[str, str] = {}
        self.refused: set[str] = set()

    def __call__(self, line: bytes, start: int = 0) -> tuple[Turn | None, str]:
        """Returns the turn in one more line, if it is one, and the text that it told. Raises ValueError if the line is
        not JSON.
        """
        turn = self.parse(line, start)
        if turn is None or turn.role == ASSISTANT:
            return turn, ""
        blocks = blocks_of((json.loads(line).get("message") or {}).get("content"))
        if turn.role == TOOL_USE:
            self._call(turn, blocks)
            return turn, ""
        told = "\n".join(map(self._result, blocks)) if turn.outcomes else ""
        return turn, turn.text if turn.role == USER else told

    def _call(self, turn: Turn, blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            call = str(block.get("id") or "")
            self.made[call] = turn.uuid
            if is_own_call(turn):
                self.own.add(call)

    def _result(self, block: Mapping[str, Any]) -> str:
        call, content = str(block.get("tool_use_id") or ""), block.get("content")
        if call in self.own:
            return ""
        parts = content if isinstance(content, list) else [{"text": content}]
        text = "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))
        if block.get("is_error") is True and text.startswith(REFUSED):
            self.refused.add(self.made.get(call, ""))
        return text


def stand_together(words: Sequence[str], text: str) -> bool:
    """Tells whether a text contains all of the words."""
    return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) for word in words)
