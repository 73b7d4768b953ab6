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
from collections.abc import Sequence

from labels import prompts, sessions, stating

from cairn.core.features import features
from cairn.core.parts import parts
from cairn.extract.statements import WEIGHTS

COST = 0.1  # of an error against the penalty; the best of 0.05, 0.1 and 0.3 in five-fold cross-validation
KIND_COST = 0.1
SEEN_MIN = 3  # examples that a feature must be in
SMALL = 0.008  # weights below that are left out: together they move no score by more than a hundredth
EPOCHS = 30
NEWTON = 4

Example = tuple[Sequence[int], float]


def main() -> None:
    given = sessions("development")
    found, labels = examples(given)
    seen = Counter(name for names in found for name in names)
    names = sorted(name for name, count in seen.items() if count >= SEEN_MIN)
    number = {name: place for place, name in enumerate(names)}
    rows = [[number[name] for name in sorted(row) if name in number] for row in found]
    lasting = _model(fit(rows, [1.0 if label else -1.0 for label in labels], len(names), COST), names)
    kept = [(row, label) for row, label in zip(rows, labels, strict=True) if label]
    kinds = {
        kind: _model(
            fit([row for row, _ in kept], [1.0 if label == kind else -1.0 for _, label in kept], len(names), KIND_COST),
            names,
        )
        for kind in sorted({label for _, label in kept})
    }
    trained = {"sessions": len(given), "parts": len(rows), "stating": len(kept)}
    text = json.dumps({"trained": trained, **lasting, "kinds": kinds}, ensure_ascii=False, indent=0)
    WEIGHTS.write_text(text + "\n", encoding="utf-8")
    print(f"{len(rows):,} parts of {len(given):,} sessions, {len(kept):,} state something: {len(text):,} bytes")


def examples(given: Sequence[dict[str, object]]) -> tuple[list[set[str]], list[str]]:
    """The features of every part, and the kind that it states or ""."""
    found, labels = [], []
    for prompt in prompts(given):
        said = parts(prompt.text)
        states = stating(said, prompt)
        for at in range(len(said)):
            found.append(features(said, at, prompt.reply))
            labels.append(states.get(at, ""))
    return found, labels


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


def _model(weights: Sequence[float], names: Sequence[str]) -> dict[str, object]:
    kept = {name: round(weights[place], 3) for place, name in enumerate(names) if abs(weights[place]) >= SMALL}
    return {"bias": round(weights[-1], 4), "weights": kept}


if __name__ == "__main__":
    sys.exit(main())
