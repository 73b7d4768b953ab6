"""Estimates what a model would cost as the extractor: calls, tokens and dollars of past sessions. Asks nobody.

    python benchmarks/capture/model_cost.py FOLDER

FOLDER holds transcripts, one *.jsonl each. The estimate is an upper one of each first answer: a call is counted with
the most that it may return. What a second try or the known memories add is left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from keepstone.capture.budget import PRICES, cost
from keepstone.capture.model_estimate import ModelEstimate, estimate


def _row(name: str, found: Sequence[ModelEstimate], value: Callable[[ModelEstimate], float], form: str) -> str:
    values = sorted(map(value, found))
    shown = [format(number, form) for number in (values[0], median(values), values[-1], sum(values))]
    return f"| {name} | " + " | ".join(shown) + " |"


def _dollars(model: str, one: ModelEstimate) -> float:
    return cost(model, one.input_tokens, one.output_tokens) or 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    paths = sorted(parser.parse_args().folder.glob("*.jsonl"))
    if not paths:
        parser.error("the folder holds no transcripts (*.jsonl)")
    found = [estimate([str(path)]) for path in paths]
    print(f"{len(found)} sessions, {sum(path.stat().st_size for path in paths) / 1e6:.1f} MB")
    print("| a session | least | median | most | together |\n|---|---:|---:|---:|---:|")
    print(_row("calls", found, lambda one: one.calls, ",.0f"))
    print(_row("tokens sent", found, lambda one: one.input_tokens, ",.0f"))
    print(_row("tokens received, at most", found, lambda one: one.output_tokens, ",.0f"))
    for model in PRICES:
        print(_row(f"dollars, {model}", found, partial(_dollars, model), ".4f"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
