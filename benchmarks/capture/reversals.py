"""The reversal model: `make train` fits it to the development pairs, and to pairs of statements of different projects,
and writes src/keepstone/language/reversal_weights.py; run by itself it reports on both halves.
`--small` fits it to a few pairs and writes nothing, to show that this program works.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fitting import fit
from labels import prompts, sessions, stating

from keepstone.language import reversal_weights
from keepstone.language.claims import common
from keepstone.language.duplicates import same_words
from keepstone.language.prompt_parts import parts
from keepstone.language.reversal import MAY_TAKE_BACK, REVERSAL_SHARED, TAKES_BACK, pair_features, reverses, verdict
from keepstone.lib.fuzzy import ratio

FOLDER = Path(__file__).parent
WEIGHTS = Path(reversal_weights.__file__)
COST = 0.4  # of an error against the penalty; the best of 0.05 to 1 in five-fold cross-validation
SEEN_MIN = 8  # pairs that a feature must be in
SMALL = 0.03  # weights below that are left out
LINE = 120  # characters of a line of the module
STRANGERS = 2_000  # pairs of statements that have a word in common and nothing else
ALIKE = same_words(ratio)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements of one project, the earlier and the later, and whether the later takes the earlier back."""

    old: str
    new: str
    supersedes: bool


def pairs(half: str) -> list[Pair]:
    """Those of `development` or `held_out`."""
    lines = (FOLDER / f"reversals_{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair(row["old"], row["new"], row["label"] == "supersedes") for row in map(json.loads, lines)]


def strangers(count: int, step: int) -> list[Pair]:
    """Pairs of statements of different sessions, of which every `step`th is read, that have a telling word in common;
    the same in every run.
    """
    said = list(dict.fromkeys(_statements(step)))
    random.seed(0)
    found: list[Pair] = []
    while len(found) < count:
        old, new = random.sample(said, 2)
        if common(old, new) >= REVERSAL_SHARED:
            found.append(Pair(old, new, supersedes=False))
    return found


def _statements(step: int) -> Iterator[str]:
    for session in sessions("development")[::step]:
        for prompt in prompts([session]):
            said = parts(prompt.text) if prompt.golds else []
            yield from (said[at].text for at in stating(said, prompt))


def train(is_small: bool) -> None:
    step = 20 if is_small else 1
    given = [*pairs("development")[::step], *strangers(STRANGERS // step, step)]
    found = [pair_features(one.new, one.old, reverses(one.new, one.old, ALIKE)) for one in given]
    seen = Counter(name for features in found for name in features)
    names = sorted(name for name, count in seen.items() if count >= SEEN_MIN)
    number = {name: place for place, name in enumerate(names)}
    rows = [[number[name] for name in sorted(features) if name in number] for features in found]
    weights = fit(rows, [1.0 if one.supersedes else -1.0 for one in given], len(names), COST)
    kept = {name: round(weights[at], 3) for at, name in enumerate(names) if abs(weights[at]) >= SMALL}
    if not is_small:
        WEIGHTS.write_text(_module(weights[-1], kept), encoding="utf-8")
    print(f"{len(given):,} pairs, {len(kept):,} weights")


def _module(bias: float, weights: Mapping[str, float]) -> str:
    lines = [
        '"""Written by `make train` from benchmarks/capture/reversals_development.jsonl."""',
        "",
        "# fmt: off",
        f"BIAS = {bias:.4f}",
        "WEIGHTS = {",
        "   ",
    ]
    for name, weight in weights.items():
        item = f" {json.dumps(name)}: {weight},"
        lines += ["   "] if len(lines[-1]) + len(item) > LINE else []
        lines[-1] += item
    return "\n".join((*lines, "}", ""))


def report(half: str) -> None:
    """How many reversals are found, how many found are right, and what is left as a contradiction."""
    given = pairs(half)
    verdicts = [verdict(one.new, one.old, ALIKE) for one in given]
    print(f"{half.replace('_', ' ')}: {len(given)} pairs, {sum(one.supersedes for one in given)} reversals")
    for name, counted in (("supersedes", (TAKES_BACK,)), ("either", (TAKES_BACK, MAY_TAKE_BACK))):
        right = sum(one.supersedes for one, said in zip(given, verdicts, strict=True) if said in counted)
        said = sum(said in counted for said in verdicts)
        share = right / said if said else 0.0
        print(f"  {name:<11}  precision {share:.3f} ({right} of {said})   recall {_recall(right, given):.3f}")


def _recall(right: int, given: Sequence[Pair]) -> float:
    return right / max(1, sum(one.supersedes for one in given))


if __name__ == "__main__":
    if "--train" in sys.argv:
        train("--small" in sys.argv)
    else:
        report("development")
        report("held_out")
