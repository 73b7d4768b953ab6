"""Defines the values of the spending ledger: prices, caps and usage of paid extractors."""

from __future__ import annotations

from dataclasses import dataclass

from ..lib.limits import EXTRACTOR_MODELS, REQUEST_TOKENS

# US dollars per million tokens (input, output): platform.claude.com/docs, models overview, as of November 2026.
PRICES = {"claude-haiku-4-5": (1.0, 5.0), "claude-haiku-5-5": (0.1, 0.5)}


@dataclass(frozen=True)
class Caps:
    """The limits of one UTC day, for all extractors and models together."""

    calls: int
    tokens: int

    def leave_room(self, calls: int, tokens: int, wanted: int = 0) -> bool:
        """Tells whether one more call fits. A call must have room for a full window, so that `keepstone status` can
        tell exactly.
        """
        return calls < self.calls and tokens + max(wanted, REQUEST_TOKENS) <= self.tokens


@dataclass(frozen=True)
class BudgetAccount:
    """The extractor and model that the ledger charges."""

    extractor: str
    model: str


@dataclass(frozen=True)
class Spent:
    """The spending of a call. `cost_usd` is None if the cost is unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


NOTHING = Spent(cost_usd=0.0)


@dataclass(frozen=True)
class Reservation:
    """A call that is counted before it is made: its UTC day, its account, and its estimated spending."""

    day: str
    account: BudgetAccount
    estimate: Spent


@dataclass(frozen=True)
class DayUsage:
    """The sums of a day. `uncosted` counts calls of unknown cost; `problem` is the last failure, at `problem_at`."""

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
    """Returns the cost in US dollars at list price, or None for a model that is not in the table."""
    for name, (for_input, for_output) in PRICES.items():
        if model == name or (model.startswith(name + "-") and model[len(name) + 1 :].isdigit()):  # a dated snapshot
            return (input_tokens * for_input + output_tokens * for_output) / 1_000_000
    return None


def account_of(extractor: str, model: str) -> BudgetAccount:
    """Returns the account for the settings. Without a model, the extractor's default is used; the rules have none."""
    if extractor not in EXTRACTOR_MODELS:
        return BudgetAccount(extractor, "")
    return BudgetAccount(extractor, model or EXTRACTOR_MODELS[extractor])
