"""What is kept of the labelled sessions of both halves: through transcripts as the client writes them, into a store.

Folders of real transcripts may be named: then also what those yield. `--small` takes a few sessions of each half, to
show that this program works.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labels import Gold, golds, sessions
from sessions import write

from keepstone import Memory
from keepstone.model.memory import group_of

IS_SMALL = "--small" in sys.argv
# of the first every fifth session: it is large, and the model knows it
HALVES = {"development": 1_000, "held_out": 50} if IS_SMALL else {"development": 5, "held_out": 1}
# What must yield nothing, by the labels' shapes (words in them).
FORBIDDEN = {
    "error text": ("log", "logs", "trace", "traceback", "error", "errors", "errortext", "stack", "stacktrace"),
    "instruction files": ("claude", "claudemd", "agents", "agentsmd", "readme", "instruction", "instructions"),
    "injected text": ("injected", "inject", "reminder", "notification", "hook", "system"),
    "refuted hypotheses": ("hypothesis", "hypotheses", "refuted", "lookalike", "alike"),
    "tool output": ("tool", "tooloutput", "fetch", "webfetch", "output", "web", "webpage"),
}


@dataclass
class Result:
    """Counts of a half. A memory is right when it holds what a label of its turn says; summaries are counted apart."""

    sessions: int = 0
    prompts: int = 0
    golds: int = 0
    found: int = 0
    kept: int = 0
    right: int = 0
    summaries: int = 0
    same_group: int = 0
    noise_prompts: int = 0
    noise_kept: int = 0
    forbidden: Counter[str] = field(default_factory=Counter)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.kept)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.golds)

    @property
    def noise_yield(self) -> float:
        """In percent."""
        return 100 * self.noise_kept / max(1, self.noise_prompts)


def measure(given: Iterable[dict[str, Any]], wrong: list[str] | None = None) -> Result:
    """Captures each session into a store of its own project; `wrong` collects what should not have been kept."""
    result = Result()
    with tempfile.TemporaryDirectory(prefix="keepstone-capture-") as folder:
        for session in given:
            _one(Path(folder), session, result, wrong)
    return result


def _one(folder: Path, session: dict[str, Any], result: Result, wrong: list[str] | None) -> None:
    project = folder / session["session"]
    project.mkdir()
    path = folder / "transcripts" / f"{session['session']}.jsonl"
    place = {
        uuid: number for number, uuid in enumerate(write(session["turns"], path, session["session"], str(project)))
    }
    memory = Memory(str(folder / "home"), str(project), {"HOME": str(folder)})
    memory.capture.capture(str(path))
    labelled = golds(session)
    noise = {n for n, turn in enumerate(session["turns"]) if "user" in turn} - {n for g in labelled for n in g.turns}
    result.sessions += 1
    result.golds += len(labelled)
    result.prompts += sum("user" in turn for turn in session["turns"])
    result.noise_prompts += len(noise)
    found: set[Gold] = set()
    for hit in memory.recent(limit=1_000):
        at = {place[record] for _, record, *_ in hit.evidence if record in place}
        if not at and hit.memory.kind != "summary":
            continue  # of every project, from another session
        if hit.memory.kind == "summary":
            result.summaries += 1
            continue
        met = [gold for gold in labelled if at & set(gold.turns) and gold.is_in(hit.memory.content)]
        found.update(met)
        result.kept += 1
        result.right += bool(met)
        result.same_group += any(group_of(gold.kind) == group_of(hit.memory.kind) for gold in met)
        result.noise_kept += bool(at & noise) and not met
        if not met:
            shape = re.split(r"[^a-z]+", session["shape"].lower())
            names = [name for name, words in FORBIDDEN.items() if any(word in shape for word in words)]
            result.forbidden.update(names if at & noise else [])
            if wrong is not None:
                wrong.append(f"{session['session']} {session['shape']} {hit.memory.kind}: {hit.memory.content}")
    result.found += len(found)


def real(folder: Path) -> Counter[str]:
    """How many memories of each kind real transcripts yield."""
    with tempfile.TemporaryDirectory(prefix="keepstone-capture-") as home:
        kinds: Counter[str] = Counter()
        for path in sorted(folder.rglob("*.jsonl")):
            memory = Memory(str(Path(home) / path.stem), home, {"HOME": home})
            memory.capture.capture(str(path))
            found = Counter(hit.memory.kind for hit in memory.recent(limit=1_000, everything=True))
            kinds += found
            print(f"  {path.name}: {dict(found) or 'nothing'}")
    return kinds


def main() -> None:
    print(
        f"{'':24}{'sessions':>9}{'prompts':>9}{'gold':>6}{'kept':>6}{'precision':>11}{'recall':>8}{'noise':>8}{'group':>7}"
    )
    for half, step in HALVES.items():
        made = measure(sessions(half)[::step])
        name = half if step == 1 else f"{half}, every {step}th"
        counts = f"{made.sessions:>9}{made.prompts:>9}{made.golds:>6}{made.kept:>6}"
        yields = f"{made.noise_yield:>7.1f}%{made.same_group / max(1, made.right):>7.2f}"
        print(f"{name:24}{counts}{made.precision:>11.3f}{made.recall:>8.3f}{yields}")
        print("  from " + ", ".join(f"{what}: {made.forbidden[what]}" for what in FORBIDDEN))
    print("noise: of 100 prompts with nothing to keep, those of which something was kept; group: of the right ones, in")
    print("right group. Session summaries are not counted.")
    for folder in sys.argv[1 + IS_SMALL :]:
        print(f"kept of the real sessions in {folder}:")
        real(Path(folder))


if __name__ == "__main__":
    main()
