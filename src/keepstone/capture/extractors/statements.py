"""The statement model: which parts of a prompt state something that lasts, and of what kind. A linear model over
`core.features`, trained on the labelled sessions of `benchmarks/capture` and shipped as `statements.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...language.features import features, is_explicit
from ...language.prompt_parts import Part
from ...lib.logistic import Linear

# What the rules keep of a prompt (benchmarks/capture)
EXPLICIT_BONUS = 0.2  # for the plain phrasings ("we decided to"): what a newcomer tries must work

WEIGHTS = Path(__file__).with_name("statements.json")


@dataclass(frozen=True, slots=True)
class Statements:
    """Whether a part states something that lasts, and as what kind."""

    lasting: Linear
    kinds: Mapping[str, Linear]

    def scores(self, parts: Sequence[Part], reply: bool) -> list[float]:
        """The probability of each part of a prompt; `reply`: it comes after something that the assistant said."""
        return [self._score(features(parts, at, reply)) for at in range(len(parts))]

    def _score(self, found: set[str]) -> float:
        return min(1.0, self.lasting.probability(found) + (EXPLICIT_BONUS if is_explicit(found) else 0.0))

    def kind(self, parts: Sequence[Part], at: Iterable[int], reply: bool) -> str:
        """The likeliest kind of what some parts state together."""
        found = set().union(*(features(parts, place, reply) for place in at))
        return max(self.kinds, key=lambda kind: (self.kinds[kind].log_odds(found), kind))

    def reasons(self, parts: Sequence[Part], at: int, reply: bool, count: int = 3) -> list[str]:
        """The features that moved a part's score most, as `+name` or `-name`."""
        found = features(parts, at, reply)
        moved = sorted(found, key=lambda name: (-abs(self.lasting.weights.get(name, 0.0)), name))[:count]
        return [f"{'+' if self.lasting.weights.get(name, 0.0) > 0 else '-'}{name}" for name in moved]


@cache
def statements() -> Statements:
    """The model as it is shipped."""
    with WEIGHTS.open(encoding="utf-8") as file:
        given = json.load(file)
    return Statements(
        Linear(given["bias"], given["weights"]),
        {kind: Linear(model["bias"], model["weights"]) for kind, model in given["kinds"].items()},
    )
