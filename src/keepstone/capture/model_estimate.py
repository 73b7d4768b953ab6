"""Estimates what a model would have been asked about sessions of the past. Only reads, and asks nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..claude_code.transcript_files import Reading, Turns, branches_of
from ..claude_code.window import windows
from ..model.cursor import Cursor
from .extractors import prompt
from .extractors.model_extractor import ASK_CHARS


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """The calls for some sessions, with an upper estimate of their tokens."""

    sessions: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def estimate(paths: Iterable[str]) -> ModelEstimate:
    """Returns the estimate for transcripts. What can't be read counts nothing."""
    sessions = calls = sent = received = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                is_over = branches_of(file, Cursor()).is_over
                found = windows(Turns(file, lambda turn: turn, is_over).read(Reading()))
                requests = [
                    prompt.request(window).estimate for window in found if prompt.spoken_chars(window) >= ASK_CHARS
                ]
        except OSError:
            continue
        sessions += 1
        calls += len(requests)
        sent += sum(one.input_tokens for one in requests)
        received += sum(one.output_tokens for one in requests)
    return ModelEstimate(sessions, calls, sent, received)
