"""`make train`: fits the statement model to the development half and writes src/cairn/extract/statements.json.

Logistic regression with an L2 penalty, by stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, JMLR 14, 2013):
in plain Python, the same weights in every run.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labels import prompts, sessions, stating

from cairn.core.features import features
from cairn.core.parts import parts
from cairn.extract.statements import WEIGHTS

COST = 0.1  # of an error against the penalty; the best of 0.03 to 0.2 in five-fold cross-validation
KIND_COST = 0.1
SEEN_MIN = 3  # examples that a feature must be in
SMALL = 0.008  # weights below that are left out: together they move no score by more than a hundredth
KIND_SMALL = 0.02  # the same of the kinds, where only the order counts
EPOCHS = 30
NEWTON = 4


@dataclass(frozen=True, slots=True)
class Example:
    """A part's features, and the kind that it states or ""."""

    features: set[str]
    kind: str


def main() -> None:
    given = sessions("development")
    taken = [example for session in given for example in examples(session)]
    seen = Counter(name for example in taken for name in example.features)
    names = sorted(name for name, count in seen.items() if count >= SEEN_MIN)
    number = {name: place for place, name in enumerate(names)}
    rows = [[number[name] for name in sorted(example.features) if name in number] for example in taken]
    lasting = fit(rows, [1.0 if example.kind else -1.0 for example in taken], len(names), COST)
    kept = [(row, example.kind) for row, example in zip(rows, taken, strict=True) if example.kind]
    kinds = {
        kind: fit([row for row, _ in kept], [1.0 if own == kind else -1.0 for _, own in kept], len(names), KIND_COST)
        for kind in sorted({kind for _, kind in kept})
    }
    made = {
        "trained": {"sessions": len(given), "parts": len(rows), "stating": len(kept)},
        **_model(lasting, names, SMALL),
        "kinds": {kind: _model(weights, names, KIND_SMALL) for kind, weights in kinds.items()},
    }
    text = json.dumps(made, ensure_ascii=False, indent=0)
    WEIGHTS.write_text(text + "\n", encoding="utf-8")
    print(f"{len(rows):,} parts of {len(given):,} sessions, {len(kept):,} state something: {len(text):,} bytes")


def examples(session: dict[str, Any]) -> Iterator[Example]:
    """Every part of a session's prompts."""
    for prompt in prompts([session]):
        said = parts(prompt.text)
        states = stating(said, prompt)
        for at in range(len(said)):
            yield Example(features(said, at, prompt.reply), states.get(at, ""))


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


def _model(weights: Sequence[float], names: Sequence[str], small: float) -> dict[str, object]:
    kept = {name: round(weights[place], 3) for place, name in enumerate(names) if abs(weights[place]) >= small}
    return {"bias": round(weights[-1], 4), "weights": kept}


if __name__ == "__main__":
    sys.exit(main())
