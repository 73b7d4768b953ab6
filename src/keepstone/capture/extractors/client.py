"""The interface between an extractor and a model's client: one request in, one answer or one failure out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...lib.limits import COUNT_MAX
from ..budget import BudgetAccount, Caps, Reservation, Spent

REQUEST_CHARS_PER_TOKEN = 3  # UTF-8 bytes: JSON and code take more tokens than prose's 4

INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
# What follows a failure: another try, the rules for this window, or the rules for the rest of this run.
AGAIN, WINDOW, RUN = "again", "window", "run"


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model. `schema` describes the answer as JSON; only `prompt` contains text of the session."""

    system: str
    prompt: str
    schema: dict[str, object]
    answer_tokens: int

    @property
    def estimate(self) -> Spent:
        """Returns an upper estimate of what the request takes."""
        sent = len((self.system + self.prompt + str(self.schema)).encode())
        return Spent(-(-sent // REQUEST_CHARS_PER_TOKEN), self.answer_tokens)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. `answer` is text, or text that the client has parsed."""

    answer: object
    spent: Spent | None


class Failed(Exception):
    """A request that failed. `then` is AGAIN, WINDOW or RUN, `after` the seconds that a server asks to wait. Without
    `spent`, the spending is unknown.
    """

    def __init__(self, problem: str, then: str, *, after: float = 0.0, spent: Spent | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.then = then
        self.after = after
        self.spent = spent


class Client(Protocol):
    def ask(self, request: Request) -> Reply:
        """Makes exactly one request. Raises Failed."""
        ...


class Budget(Protocol):
    """Counts what a paid extractor spends, and holds the day's caps."""

    def reserve(self, account: BudgetAccount, estimate: Spent, caps: Caps, now: float) -> Reservation | None:
        """Counts a call before it is made. Returns None if the day's caps leave no room for it."""
        ...

    def record_spend(self, held: Reservation, spent: Spent | None, problem: str, now: float) -> None:
        """Replaces a call's estimate with what it took, if that is known, and records what went wrong."""
        ...

    def fail(self, account: BudgetAccount, problem: str, now: float) -> None:
        """Records why no call can be made."""
        ...


def counted(usage: object, names: tuple[str, ...]) -> int | None:
    """Returns the sum of a usage's counts, None if the first is missing or one is not a valid number."""
    found = [usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None) for name in names]
    numbers = [0 if number is None else number for number in found]
    if found[0] is None or not all(type(number) is int and 0 <= number <= COUNT_MAX for number in numbers):
        return None
    return sum(numbers)
