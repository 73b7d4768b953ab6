"""What a model's client is to an extractor: one request in, one answer or one failure out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..core.defaults import COUNT_MAX, REQUEST_CHARS_PER_TOKEN
from ..core.usage import Account, Caps, Reservation, Spent

INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
# What a failure is good for: another try, the rules for this window, the rules for the rest of this run.
AGAIN, WINDOW, RUN = "again", "window", "run"


@dataclass(frozen=True, slots=True)
class Request:
    """`schema` describes the answer as JSON; `prompt` is the only part that holds anybody's words."""

    system: str
    prompt: str
    schema: dict[str, object]
    answer_tokens: int

    @property
    def estimate(self) -> Spent:
        """What it may take, on the safe side."""
        sent = len((self.system + self.prompt + str(self.schema)).encode())
        return Spent(-(-sent // REQUEST_CHARS_PER_TOKEN), self.answer_tokens)


@dataclass(frozen=True, slots=True)
class Reply:
    """`answer` is text, or what a client has made of it."""

    answer: object
    spent: Spent | None


class Failed(Exception):
    """`then` is AGAIN, WINDOW or RUN; `after` the seconds a server asks to be left alone; no `spent` means unknown."""

    def __init__(self, problem: str, then: str, *, after: float = 0.0, spent: Spent | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.then = then
        self.after = after
        self.spent = spent


class Client(Protocol):
    def ask(self, request: Request) -> Reply:
        """Makes one request, never a second one by itself. Raises Failed."""
        ...


class Budget(Protocol):
    """Counts what a paid extractor spends, and holds the day's caps."""

    def reserve(self, account: Account, estimate: Spent, caps: Caps, now: float) -> Reservation | None:
        """Counts a call before it is made. Returns None if the day's caps leave no room for it."""
        ...

    def record_spend(self, held: Reservation, spent: Spent | None, problem: str, now: float) -> None:
        """Replaces a call's estimate with what it took, if that is known, and records what went wrong."""
        ...

    def fail(self, account: Account, problem: str, now: float) -> None:
        """Records why no call can be made."""
        ...


def counted(usage: object, names: tuple[str, ...]) -> int | None:
    """The sum of a usage's counts, the first of which must be there; None for what can't be."""
    found = [usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None) for name in names]
    numbers = [0 if number is None else number for number in found]
    if found[0] is None or not all(type(number) is int and 0 <= number <= COUNT_MAX for number in numbers):
        return None
    return sum(numbers)
