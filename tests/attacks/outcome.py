"""What comes of attempts, and what a surface is: a way in, the texts that try it, and what would count as through."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

BLOCKED, QUARANTINED, DELIVERED = "blocked", "quarantined", "delivered"
SHOWN_CHARS = 160  # of a text that came through


@dataclass(slots=True)
class Outcome:
    """What came of the attempts at one surface; `leaks` are those that came through, and how; `notes` are numbers that
    a reader may want.
    """

    surface: str
    counts: dict[str, int] = field(default_factory=lambda: {BLOCKED: 0, QUARANTINED: 0, DELIVERED: 0})
    leaks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, text: str, how: str = "") -> None:
        self.counts[what] += 1
        if what == DELIVERED:
            self.leaks.append(f"{text[:SHOWN_CHARS]!r}{f': {how}' if how else ''}")

    def judge(self, text: str, problems: Sequence[str], waits: bool = False) -> None:
        """One attempt, by what is wrong after it; nothing, then it was blocked, or waits for a person's word."""
        self.add(DELIVERED if problems else QUARANTINED if waits else BLOCKED, text, "; ".join(problems))

    def join(self, part: Outcome) -> None:
        """Takes in what came of other attempts at the same surface."""
        for what, count in part.counts.items():
            self.counts[what] += count
        self.leaks += part.leaks
        self.notes += part.notes

    @property
    def attempts(self) -> int:
        return sum(self.counts.values())


def each(name: str, texts: Sequence[str], tried: Callable[[str], Iterable[str]]) -> Outcome:
    """What came of each text, by what was wrong after it."""
    made = Outcome(name)
    for text in texts:
        made.judge(text, list(tried(text)))
    return made


def argument(text: str) -> str:
    """A text as a command finds it among its words: no NUL, and what is no character as the bytes it was."""
    return os.fsdecode(text.replace("\0", "").encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Surface:
    """A way in. `delivered` says what would count as through; `outside` are texts by somebody who had not seen the
    defences, `inside` are aimed at them. A `control` is no attack: what it tries has to come through.
    """

    name: str
    delivered: str
    run: Callable[[Path, Sequence[str]], Outcome]
    outside: Sequence[str] = ()
    inside: Sequence[str] = ()
    control: bool = False

    def blind(self, made: Outcome) -> list[str]:
        """What a control says of a harness that sees nothing come through."""
        tried = len(self.texts())
        lost = tried - made.counts[DELIVERED]
        return [f"{self.name}: {lost} of {tried} did not come through"] if lost else []

    def texts(self, every: int = 1) -> list[str]:
        """Those that are tried: each, or each Nth of both."""
        return [*self.outside[::every], *self.inside[::every]]
