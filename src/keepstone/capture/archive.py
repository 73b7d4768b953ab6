"""Chooses what the archive keeps of a window: what a person said, and the assistant's closing message of each turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..claude_code.transcript import ASSISTANT, USER, Turn
from ..claude_code.window import Window
from ..model.memory import QUARANTINED
from ..model.trust import suspicion
from ..model.turn import PLAN, PROGRAM


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said in a session. `answers` is the record of the prompt that the assistant's message closes, ""
    if it stands before the window, or what the user was asked: the question, or the denied call.
    """

    record_uuid: str
    speaker: str
    text: str
    said_at: float
    answers: str = ""
    trust: str = "trusted"


def said_in(
    window: Window,
    heard: Callable[[Iterable[Turn]], Iterable[Turn]],
    when: Callable[[Turn], float],
    others: Callable[[Turn], bool],
) -> list[Said]:
    """Returns what the archive keeps of the window's new turns, in their order. Of the assistant's messages to a
    prompt, only the last one closes it. `others` tells whether a prompt may hold what others wrote.
    """
    prompt = next((turn.uuid for turn in reversed(window.processed) if turn.role == USER), "")
    found: dict[str, Said] = {}
    for turn in heard(window.new):
        if turn.role == USER and turn.text:
            prompt = turn.uuid
            trust = QUARANTINED if others(turn) else "trusted"
            found[prompt] = Said(prompt, _speaker(turn), turn.text, when(turn), turn.denied, trust)
        elif turn.role == ASSISTANT and turn.text:
            trust = QUARANTINED if turn.outside or suspicion((turn.text,)) else "trusted"
            found[f"after {prompt}"] = Said(turn.uuid, ASSISTANT, turn.text, when(turn), prompt, trust)
    return list(found.values())


def _speaker(turn: Turn) -> str:
    if turn.by_program:
        return PROGRAM
    return PLAN if turn.chosen and not turn.answers else USER
