"""Trains the judge of prompts on development situations, and shows what it does to projects that it was not trained on.

    python benchmarks/recall/train.py [--write] [--small]

Of each file's prompts those of one project are also asked of the others, where silence is right. `--write` replaces
`recall/relevance_weights.py`; the thresholds in `recall/at_prompt.py` and `at_failure.py` are then set by what it
prints. `--small` takes the smaller file alone and writes nothing, to show that this program works.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np
from world import World, load

from keepstone.config import runtime
from keepstone.db.reader import Reader
from keepstone.model.memory import RULES
from keepstone.project.identity import identify
from keepstone.recall import relevance_weights
from keepstone.recall.at_prompt import considered
from keepstone.recall.embeddings.table_reader import WordLens
from keepstone.recall.moment import Moment

FILES = ("development.jsonl", "development_prompts.jsonl")
L2 = 2.0  # of the weights of standardised features; proposed
HEADER = '''"""The weights of `PromptFeatures.likely`, found by `benchmarks/recall/train.py`."""

from __future__ import annotations

# In the order of `PromptFeatures.features`.
'''


class Rows:
    """The candidates of every prompt: features, whether each is right, and of which prompt and project."""

    def __init__(self) -> None:
        self.features: list[list[float]] = []
        self.right: list[bool] = []
        self.prompt: list[int] = []
        self.names: list[str] = []
        self.prompts: list[dict] = []

    def add(self, world: World, at: str) -> None:
        with closing(Reader(str(world.database))) as store:
            lens = WordLens(runtime.table_file(str(world.home)), str(world.home), "static")
            project = store.project_of(identify(str(world.folder(at)), "", world.env["HOME"]))
            for situation in world.situations:
                if situation["moment"] != "prompt":
                    continue
                here = situation["project"] == at
                moment = Moment(store, project, "s", "user-prompt-submit", time.time(), str(world.folder(at)), "")
                asked, found = considered(moment, situation["text"], lens, lens.rarity)
                expect = situation["expect"] if here else []
                self.prompts.append({**situation, "expect": expect, "at": at})
                for memory, cosine in found:
                    self.features.append(asked.features(memory.content, cosine, memory.group in RULES))
                    self.right.append(world.keys[memory.id] in expect)
                    self.prompt.append(len(self.prompts) - 1)
                    self.names.append(world.keys[memory.id])


def fit(features: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Weights and bias of a logistic model, by Newton's method."""
    mean, spread = features.mean(0), features.std(0) + 1e-9
    scaled = np.c_[(features - mean) / spread, np.ones(len(features))]
    weights = np.zeros(scaled.shape[1])
    penalty = np.r_[np.full(len(weights) - 1, L2), 1e-6]
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (chance - right) + penalty * weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + np.diag(penalty)
        weights -= np.linalg.solve(curve, slope)
    plain = weights[:-1] / spread
    return np.r_[plain, weights[-1] - plain @ mean]


def chances(weights: np.ndarray, features: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(features @ weights[:-1] + weights[-1])))


def show(rows: Rows, chance: np.ndarray) -> None:
    """Right first, wrong first and silence broken, by threshold."""
    prompt = np.array(rows.prompt)
    best = {at: max(np.where(prompt == at)[0], key=lambda row: chance[row]) for at in set(rows.prompt)}
    wanted = [at for at, given in enumerate(rows.prompts) if given["expect"]]
    silent = [at for at, given in enumerate(rows.prompts) if not given["expect"] and given["at"] == given["project"]]
    strange = [at for at, given in enumerate(rows.prompts) if given["at"] != given["project"]]
    for low in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7):
        told = {at for at, row in best.items() if chance[row] >= low}
        right = sum(at in told and rows.right[best[at]] for at in wanted)
        print(
            f"{low:.2f}: right first {right} of {len(wanted)}, wrong first {sum(at in told for at in wanted) - right}, "
            f"silence broken {sum(at in told for at in silent)} of {len(silent)}, "
            f"by another project's prompts {sum(at in told for at in strange)} of {len(strange)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    rows = Rows()
    for name in FILES[-1:] if given.small else FILES:
        with tempfile.TemporaryDirectory(prefix="keepstone-train-") as folder:
            world = World(Path(folder), load(Path(__file__).with_name(name)))
            for project in sorted({situation["project"] for situation in world.situations}):
                rows.add(world, project)
    features, right = np.array(rows.features), np.array(rows.right, float)
    of = np.array([rows.prompts[at]["at"] for at in rows.prompt])
    apart = np.zeros(len(right))
    for project in sorted(set(of)):
        apart[of == project] = chances(fit(features[of != project], right[of != project]), features[of == project])
    print("each project judged by what the others teach:")
    show(rows, apart)
    weights = fit(features, right)
    print("all, as they were trained on:")
    show(rows, chances(weights, features))
    if given.write and not given.small:
        numbers = ", ".join(f"{value:.3f}" for value in weights[:-1])
        text = f"{HEADER}WEIGHTS = ({numbers})\nBIAS = {weights[-1]:.3f}\n"
        Path(relevance_weights.__file__).write_text(text)


if __name__ == "__main__":
    main()
