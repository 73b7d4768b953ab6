"""`make train`: fits the statement model to the development half and writes capture/extractors/statements.json.

`--small` fits it to a few sessions and writes nothing, to show that this program works.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fitting import fit
from labels import prompts, sessions, stating

from keepstone.capture.extractors.statements import WEIGHTS
from keepstone.language.prompt_parts import parts
from keepstone.language.statement_features import features

COST = 0.1  # of an error against the penalty; the best of 0.03 to 0.2 in five-fold cross-validation
KIND_COST = 0.1
SEEN_MIN = 3  # examples that a feature must be in
SMALL = 0.008  # weights below that are left out: together they move no score by more than a hundredth
KIND_SMALL = 0.02  # the same of the kinds, where only the order counts


@dataclass(frozen=True, slots=True)
class Example:
    """A part's features, and the kind that it states or ""."""

    features: set[str]
    kind: str


def main() -> None:
    is_small = "--small" in sys.argv
    given = sessions("development")[:: 300 if is_small else 1]
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
    if not is_small:
        WEIGHTS.write_text(text + "\n", encoding="utf-8")
    print(f"{len(rows):,} parts of {len(given):,} sessions, {len(kept):,} state something: {len(text):,} bytes")


def examples(session: dict[str, Any]) -> Iterator[Example]:
    """Every part of a session's prompts."""
    for prompt in prompts([session]):
        said = parts(prompt.text)
        states = stating(said, prompt)
        for at in range(len(said)):
            yield Example(features(said, at, prompt.reply), states.get(at, ""))


def _model(weights: Sequence[float], names: Sequence[str], small: float) -> dict[str, object]:
    kept = {name: round(weights[place], 3) for place, name in enumerate(names) if abs(weights[place]) >= small}
    return {"bias": round(weights[-1], 4), "weights": kept}


if __name__ == "__main__":
    sys.exit(main())
