"""The statement model: tells which parts of a prompt state something lasting, and of what kind. It is a linear model
over `language.statement_features`, trained on the labelled sessions of `benchmarks/capture` and shipped as
`statements.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...language.prompt_parts import Part
from ...language.statement_features import features, is_explicit, is_plain, may_be_plain
from ...lib.logistic import Linear

EXPLICIT_BONUS = 0.2  # for plain phrasings ("we decided to"): a new user's first attempt must work
RARE, RARE_BONUS = "p:x_use_only", 0.3  # "use X only for Y": plain too, and not among what the model was trained on

WEIGHTS = Path(__file__).with_name("statements.json")


@dataclass(frozen=True, slots=True)
class Statements:
    """Scores how likely a part states something lasting, and tells its kind."""

    lasting: Linear
    kinds: Mapping[str, Linear]

    def scores(self, parts: Sequence[Part], reply: bool) -> list[float]:
        """Returns the probability for each part of a prompt. `reply` tells whether the assistant has said something
        before.
        """
        return [self._score(features(parts, at, reply)) for at in range(len(parts))]

    def _score(self, found: set[str]) -> float:
        bonus = RARE_BONUS if RARE in found else EXPLICIT_BONUS
        return min(1.0, self.lasting.probability(found) + (bonus if is_explicit(found) else 0.0))

    def is_explicit(self, parts: Sequence[Part], at: int, reply: bool) -> bool:
        """Tells whether a part is a plain statement and is meant."""
        return is_explicit(features(parts, at, reply))

    def is_plain(self, parts: Sequence[Part], at: int, reply: bool) -> bool:
        """Tells whether a part is plain enough to be suggested, and is meant."""
        return may_be_plain(parts[at]) and is_plain(features(parts, at, reply))

    def kind(self, parts: Sequence[Part], at: Iterable[int], reply: bool) -> str:
        """Returns the most likely kind of the statement that some parts make together."""
        found = set().union(*(features(parts, place, reply) for place in at))
        if "p:s_elsewhere" in found:  # told by "always" and "never" alone
            return "convention"
        return max(self.kinds, key=lambda kind: (self.kinds[kind].log_odds(found), kind))

    def reasons(self, parts: Sequence[Part], at: int, reply: bool, count: int = 3) -> list[str]:
        """Returns the features with the largest effect on a part's score, as `+name` or `-name`."""
        found = features(parts, at, reply)
        moved = sorted(found, key=lambda name: (-abs(self.lasting.weights.get(name, 0.0)), name))[:count]
        return [f"{'+' if self.lasting.weights.get(name, 0.0) > 0 else '-'}{name}" for name in moved]


@cache
def statements() -> Statements:
    """Returns the shipped model."""
    with WEIGHTS.open(encoding="utf-8") as file:
        given = json.load(file)
    return Statements(
        Linear(given["bias"], given["weights"]),
        {kind: Linear(model["bias"], model["weights"]) for kind, model in given["kinds"].items()},
    )
