"""Logistic regression with an L2 penalty, by stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, JMLR 14,
2013): in plain Python, the same weights in every run.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

EPOCHS = 30
NEWTON = 4


def fit(rows: Sequence[Sequence[int]], labels: Sequence[float], width: int, cost: float) -> list[float]:
    """Weights, the last one the bias, that minimise 0.5 |w|^2 + cost * sum of log(1 + exp(-label * w.x))."""
    order = list(range(len(rows)))
    random.seed(0)
    weights = [0.0] * (width + 1)
    dual = [cost * 1e-3] * len(rows)
    for row, label, alpha in zip(rows, labels, dual, strict=True):
        for place in (*row, width):
            weights[place] += label * alpha
    for _ in range(EPOCHS):
        random.shuffle(order)
        for at in order:
            row, label = rows[at], labels[at]
            margin = label * (weights[width] + sum(weights[place] for place in row))
            new = _step(dual[at], margin, len(row) + 1, cost)
            change = label * (new - dual[at])
            dual[at] = new
            weights[width] += change
            for place in row:
                weights[place] += change
    return weights


def _step(alpha: float, margin: float, square: int, cost: float) -> float:
    """The dual variable that is best for one example, the others as they are: by Newton's method, within bounds."""
    low, high = cost * 1e-9, cost * (1 - 1e-9)
    new = alpha
    for _ in range(NEWTON):
        slope = margin + square * (new - alpha) + math.log(new / (cost - new))
        bend = square + cost / (new * (cost - new))
        new = min(high, max(low, new - slope / bend))
    return new
