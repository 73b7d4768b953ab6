"""Defines the interface between an extractor and a model's client: one request in, one answer or one failure out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...lib.limits import COUNT_MAX
from ..budget import BudgetAccount, Caps, Reservation, Spent

REQUEST_CHARS_PER_TOKEN = 3  # bytes of UTF-8: JSON and code take more tokens than prose, which has 4

INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
# The reaction to a failure: retry, use the rules for this window, or use the rules for the rest of this run.
AGAIN, WINDOW, RUN = "again", "window", "run"


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model. `schema` is the JSON schema of the answer. Only `prompt` contains text of the session."""

    system: str
    prompt: str
    schema: dict[str, object]
    answer_tokens: int

    @property
    def estimate(self) -> Spent:
        """Returns an upper estimate of the request's tokens."""
        sent = len((self.system + self.prompt + str(self.schema)).encode())
        return Spent(-(-sent // REQUEST_CHARS_PER_TOKEN), self.answer_tokens)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. `answer` is text, or JSON that the client has parsed."""

    answer: object
    spent: Spent | None


class Failed(Exception):
    """A request that failed. `then` is AGAIN, WINDOW or RUN; `after` is the number of seconds that a server asks to
    wait. If `spent` is None, the spending is unknown.
    """

    def __init__(self, problem: str, then: str, *, after: float = 0.0, spent: Spent | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.then = then
        self.after = after
        self.spent = spent


class ModelClient(Protocol):
    def ask(self, request: Request) -> Reply:
        """Makes exactly one request. Raises Failed."""
        ...


class Budget(Protocol):
    """Counts the spending of a paid extractor, and enforces the day's caps."""

    def reserve(self, account: BudgetAccount, estimate: Spent, caps: Caps, now: float) -> Reservation | None:
        """Counts a call before it is made. Returns None if it does not fit the day's caps."""
        ...

    def record_spend(self, held: Reservation, spent: Spent | None, problem: str, now: float) -> None:
        """Replaces a call's estimate with its real spending if that is known, and stores the problem if
        there was one.
        """
        ...

    def fail(self, account: BudgetAccount, problem: str, now: float) -> None:
        """Stores the reason why no call can be made."""
        ...


def counted(usage: object, names: tuple[str, ...]) -> int | None:
    """Returns the sum of a usage's counts. Returns None if the first is missing or any is not a valid number."""
    found = [usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None) for name in names]
    numbers = [0 if number is None else number for number in found]
    if found[0] is None or not all(type(number) is int and 0 <= number <= COUNT_MAX for number in numbers):
        return None
    return sum(numbers)
