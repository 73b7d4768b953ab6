"""A linear classifier, used by the statement model and the reversal model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Linear:
    """A logistic model over binary features."""

    bias: float
    weights: Mapping[str, float]

    def log_odds(self, found: Iterable[str]) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) for name in found)

    def probability(self, found: Iterable[str]) -> float:
        return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, self.log_odds(found)))))
