"""What a paid extractor may spend on a day, and has spent: the values of the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from ..lib.limits import EXTRACTOR_MODELS, REQUEST_TOKENS

# US dollars for a million tokens (input, output): platform.claude.com/docs, models overview, as of November 2026
PRICES = {"claude-haiku-4-5": (1.0, 5.0), "claude-haiku-5-5": (0.1, 0.5)}


@dataclass(frozen=True)
class Caps:
    """The most of a UTC day, over all extractors and models."""

    calls: int
    tokens: int

    def leave_room(self, calls: int, tokens: int, wanted: int = 0) -> bool:
        """Whether one more call fits. One that would not take a full window does not: status can say so exactly."""
        return calls < self.calls and tokens + max(wanted, REQUEST_TOKENS) <= self.tokens


@dataclass(frozen=True)
class BudgetAccount:
    """Whom the ledger charges."""

    extractor: str
    model: str


@dataclass(frozen=True)
class Spent:
    """What a call took; a cost that nobody can tell is None."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


NOTHING = Spent(cost_usd=0.0)


@dataclass(frozen=True)
class Reservation:
    """A call that is counted before it is made: on which day, to whom, and what it is thought to take."""

    day: str
    account: BudgetAccount
    estimate: Spent


@dataclass(frozen=True)
class DayUsage:
    """A day's sums. `uncosted` calls have no known cost; `problem` is the last one, at `problem_at`."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    uncosted: int = 0
    failures: int = 0
    problem: str | None = None
    problem_at: float | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def cost(model: str, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars at list price, or None for a model whose price is not in the table."""
    for name, (for_input, for_output) in PRICES.items():
        if model == name or (model.startswith(name + "-") and model[len(name) + 1 :].isdigit()):  # a dated snapshot
            return (input_tokens * for_input + output_tokens * for_output) / 1_000_000
    return None


def account_of(extractor: str, model: str) -> BudgetAccount:
    """The account of what the settings say; no model means the extractor's own, and the rules have none."""
    if extractor not in EXTRACTOR_MODELS:
        return BudgetAccount(extractor, "")
    return BudgetAccount(extractor, model or EXTRACTOR_MODELS[extractor])
