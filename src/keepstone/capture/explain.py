"""Explains which statements the rules would keep of a transcript, and why. Only reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..claude_code.observation import Observation
from ..claude_code.transcript import USER, Turn
from ..claude_code.transcript_files import Reading, Turns, branches_of
from ..claude_code.window import windows
from ..model.candidate import CHOSEN, PROGRAM_SAID, Candidate
from ..model.cursor import Cursor
from .by_program import Programs
from .echo import quotes_line
from .extractors.rules import Judgement, Rules
from .observe import Digest
from .pipeline import accepted, attributed, unreadable
from .proven_solutions import solutions


@dataclass(frozen=True, slots=True)
class ExplainedTurn:
    """A turn of the user's: its record, its time, and the judgements on its passages."""

    record_uuid: str
    at: str
    passages: list[Judgement]


@dataclass(slots=True)
class Explained:
    """The user's turns, the proven solutions, and the number of other turns."""

    turns: list[ExplainedTurn] = field(default_factory=list)
    proven: list[Judgement] = field(default_factory=list)
    others: int = 0
    skipped: int = 0


def explain(
    path: str, redact: Callable[[str], str], programs: Programs, is_memory: Callable[[str], bool] = lambda name: False
) -> Explained:
    """Returns what the rules keep and drop in a transcript; `is_memory` tells whether an id begins that of a memory.
    Raises KeepstoneError if the file cannot be read.
    """
    found, reading, rules = Explained(), Reading(), Rules()
    digest, observed = Digest(redact, "/"), list[Observation]()
    try:
        with open(path, "rb") as file:
            is_over = branches_of(file, Cursor()).is_over
            for window in windows(Turns(file, lambda turn: turn.redacted(redact), is_over).read(reading)):
                observed += digest.observed_in(window, lambda turn: 0.0).rows
                found.others += sum(turn.role != USER for turn in window.new)
                for turn, judged in rules.explain(window):
                    judged = [_waiting(_unless_shown(one, is_memory), turn, path, redact) for one in judged]
                    found.turns.append(ExplainedTurn(turn.uuid, turn.at, _attributed(turn, judged, programs)))
    except OSError as problem:
        raise unreadable(path, problem) from problem
    proven = solutions(sorted(observed, key=lambda made: made.place))
    found.proven = [Judgement(made.text, "solution", _proof(made.check)) for made in proven]
    found.skipped = reading.skipped
    return found


def _waiting(one: Judgement, turn: Turn, path: str, redact: Callable[[str], str]) -> Judgement:
    """Returns a judgement with why its passage waits for review, if it does."""
    if not one.kind:
        return one
    made = Candidate(one.kind, one.text, 0.0, turn.uuid, one.text, CHOSEN if one.chosen else USER)
    candidate = accepted(attributed(made, turn, path), redact)
    suspect = candidate.suspect if candidate else ""
    return replace(one, waits=suspect, why=f"{suspect}, so it waits for review, {one.why}") if suspect else one


def _unless_shown(one: Judgement, is_memory: Callable[[str], bool]) -> Judgement:
    return replace(one, kind="", why="a line of Keepstone's own") if quotes_line(one.text, is_memory) else one


def _attributed(turn: Turn, judged: list[Judgement], programs: Programs) -> list[Judgement]:
    """Returns the judgements on a prompt; those on a program's say so, and what the setting `programs` makes of it."""
    if not turn.by_program:
        return judged
    if programs.ignores(turn.by_program):
        return [replace(one, kind="", why=f"{PROGRAM_SAID}, and the setting programs is ignore") for one in judged]
    said = PROGRAM_SAID if programs.speak_for_user else f"{PROGRAM_SAID}, so it waits for review"
    waits = "" if programs.speak_for_user else PROGRAM_SAID
    return [
        replace(one, why=f"{said}, {one.why}", waits=one.waits or waits)
        if one.kind
        else replace(one, why=f"{PROGRAM_SAID}, {one.why}")
        for one in judged
    ]


def _proof(check: str) -> str:
    return f"`{check}` failed before and passed after" if check else "the user said that it works"
