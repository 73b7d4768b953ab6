"""The labelled sessions: their prompts, and which parts of those state a memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstone.claude_code.transcript import typed
from keepstone.language.prompt_parts import Part

HERE = Path(__file__).resolve().parent
SPAN_MAX = 4  # parts that one label may spread over


@dataclass(frozen=True, slots=True)
class Gold:
    """A memory that a careful colleague would write down: its kind, and what its text must hold."""

    kind: str
    words: tuple[str, ...]
    turns: tuple[int, ...]

    def is_in(self, text: str) -> bool:
        return all(word.lower() in text.lower().replace("’", "'") for word in self.words)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person typed, whether the assistant had spoken before, and what of it is to be kept."""

    text: str
    reply: bool
    golds: tuple[Gold, ...]


def sessions(name: str) -> list[dict[str, Any]]:
    """The sessions of a half: `development` or `held_out`."""
    with (HERE / f"{name}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def golds(session: dict[str, Any]) -> list[Gold]:
    return [Gold(gold["kind"], tuple(gold["words"]), _turns(gold["turn"])) for gold in session["gold"]]


def _turns(given: int | list[int]) -> tuple[int, ...]:
    return tuple(given) if isinstance(given, list) else (given,)


def prompts(given: Iterable[dict[str, Any]]) -> Iterator[Prompt]:
    """Every prompt of some sessions, as the transcript's parser gives it."""
    for session in given:
        reply = False
        for number, turn in enumerate(session["turns"]):
            if "user" in turn:
                here = tuple(gold for gold in golds(session) if number in gold.turns)
                yield Prompt(typed(turn["user"]), reply, here)
            reply = reply or "assistant" in turn


def stating(parts: Sequence[Part], prompt: Prompt) -> dict[int, str]:
    """The parts that state a gold memory of the prompt, with its kind: of each the shortest run with its words."""
    found: dict[int, str] = {}
    for gold in prompt.golds:
        runs = [
            (high - low, sum(len(part.text) for part in parts[low:high]), low, high)
            for low in range(len(parts))
            for high in range(low + 1, min(low + SPAN_MAX, len(parts)) + 1)
            if gold.is_in(" ".join(part.text for part in parts[low:high]))
        ]
        if runs:
            _, _, low, high = min(runs)
            found.update(dict.fromkeys(range(low, high), gold.kind))
    return found
