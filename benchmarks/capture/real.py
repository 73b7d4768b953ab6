"""Scores an extractor on labelled real prompts: what it keeps and suggests, against what readers would remember.

    python benchmarks/capture/real.py FOLDER [--extractor NAME] [--most PROMPTS] [--list]

FOLDER holds prompts.jsonl (id, repo, session, before, prompt) and labels*.jsonl, a file for each reader (id, quote,
grade 1 or 2, memory). Gold is what one reader gives grade 2 and each other labels at all; what any reader labels is
right. A model (anthropic, claude-cli, endpoint) is asked with your own settings and at your cost: begin with --most 20.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from keepstone.api.open import opened
from keepstone.capture.budget import BudgetAccount, Caps, Reservation, Spent
from keepstone.capture.extractors.choose_extractor import choose
from keepstone.capture.extractors.rules import KEPT, SUGGESTED, Rules
from keepstone.claude_code.transcript import ASSISTANT, Turn, typed
from keepstone.claude_code.window import Window
from keepstone.config.settings import EXTRACTORS
from keepstone.lib.text import words
from keepstone.redaction.redact import redact

# A passage and a label are the same if they share this much of the shorter and of the longer one's words.
SHARED_SHORTER, SHARED_LONGER = 0.6, 0.25
LISTED_CHARS = 150


@dataclass(frozen=True)
class Label:
    quote: str
    memory: str
    is_gold: bool

    def fits(self, text: str) -> bool:
        """Tells whether a text is this passage, as it was said or as the reader put it."""
        return same(text, self.quote) or bool(self.memory) and same(text, self.memory)


@dataclass
class Score:
    prompts: int = 0
    gold: int = 0
    kept: int = 0
    right: int = 0
    suggested: int = 0
    suggested_right: int = 0
    found: int = 0  # gold that was kept
    either: int = 0  # gold that was kept or suggested

    def line(self) -> str:
        def share(part: int, whole: int) -> str:
            return f"{part / whole:.2f}" if whole else "-"

        often = 100 * self.suggested / max(1, self.prompts)
        return (
            f"{self.prompts:5} prompts {self.gold:4} gold   "
            f"kept {self.kept:4} precision {share(self.right, self.kept)} recall {share(self.found, self.gold)}   "
            f"with suggestions {share(self.either, self.gold)} at {often:5.1f} for 100 "
            f"({share(self.suggested_right, self.suggested)} right)"
        )


@dataclass
class Book:
    """Counts what a model takes, without a cap."""

    calls: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    problems: list[str] = field(default_factory=list)

    def reserve(self, account: BudgetAccount, estimate: Spent, caps: Caps, now: float) -> Reservation:
        self.calls += 1
        return Reservation("", account, estimate)

    def record_spend(self, held: Reservation, spent: Spent | None, problem: str, now: float) -> None:
        told = spent or held.estimate
        self.tokens += told.tokens
        self.dollars = None if self.dollars is None or told.cost_usd is None else self.dollars + told.cost_usd
        self.problems += [problem] if problem else []

    def fail(self, account: BudgetAccount, problem: str, now: float) -> None:
        raise SystemExit(problem)


def same(one: str, other: str) -> bool:
    """Tells whether two texts are one passage."""
    first, second = Counter(words(one)), Counter(words(other))
    both = (first & second).total()
    shorter, longer = sorted((first.total(), second.total()))
    return both >= min(2, longer) and both >= SHARED_SHORTER * shorter > 0 and both >= SHARED_LONGER * longer


def labels_of(folder: Path) -> dict[str, list[Label]]:
    """Returns each prompt's labels; what two readers label is there twice, once as gold."""
    readers: list[dict[str, list[dict[str, Any]]]] = []
    for path in sorted(folder.glob("labels*.jsonl")):
        reader = defaultdict(list)
        for row in map(json.loads, filter(str.strip, path.read_text().split("\n"))):
            reader[row["id"]].append(row)
        readers.append(reader)
    found: dict[str, list[Label]] = defaultdict(list)
    for number, reader in enumerate(readers):
        others = readers[:number] + readers[number + 1 :]
        for prompt, rows in reader.items():
            for row in rows:
                sure = row["grade"] == 2 and all(
                    any(same(row["quote"], one["quote"]) for one in other.get(prompt, ())) for other in others
                )
                twice = any(one.is_gold and same(row["quote"], one.quote) for one in found[prompt])
                found[prompt].append(Label(row["quote"], row.get("memory", ""), sure and not twice))
    return found


def passages(row: Mapping[str, str], extractor: Any) -> list[tuple[str, str]]:
    """Returns what an extractor finds in a prompt: (text, outcome)."""
    before = (Turn("before", ASSISTANT, row["before"], ""),) if row["before"].strip() else ()
    window = Window(before, (Turn("prompt", "user", typed(row["prompt"]), ""),))
    if isinstance(extractor, Rules):
        return [(one.text, one.outcome) for _, judged in extractor.explain(window) for one in judged]
    return [(one.content, SUGGESTED if one.unsure else KEPT) for one in extractor.extract(window)]


def judge(found: Sequence[tuple[str, str]], labels: Sequence[Label], score: Score) -> list[tuple[str, str]]:
    """Adds a prompt to a score. Returns what is wrong, as (what, text): `wrong` was kept, `needless` suggested, of gold
    `suggested` was not kept and `missed` neither.
    """

    score.prompts += 1
    listed, free = [], list(labels)
    for outcome in (KEPT, SUGGESTED):
        for text in (text for text, became in found if became == outcome):
            hit = next((label for label in free if label.fits(text)), None)
            free = [label for label in free if label is not hit]
            if outcome == KEPT:
                score.kept, score.right = score.kept + 1, score.right + (hit is not None)
                listed += [("wrong", text)] if hit is None else []
            else:
                score.suggested, score.suggested_right = score.suggested + 1, score.suggested_right + (hit is not None)
                listed += [("needless", text)] if hit is None else []
    for label in (label for label in labels if label.is_gold):
        became = {outcome for text, outcome in found if label.fits(text)}
        score.gold += 1
        score.found += KEPT in became
        score.either += bool({KEPT, SUGGESTED} & became)
        listed += [] if KEPT in became else [("suggested" if SUGGESTED in became else "missed", label.quote)]
    return listed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--extractor", choices=list(EXTRACTORS), default="rules")
    parser.add_argument("--most", type=int, default=0, metavar="PROMPTS", help="read only the first ones")
    parser.add_argument("--list", action="store_true", help="name what is wrong, needless, suggested and missed")
    given = parser.parse_args()
    memory, book = opened(), Book()
    extractor = choose(
        {**memory.context.settings.values, "extractor": given.extractor},
        environ=os.environ,
        home=memory.context.home,
        budget=book,
        redact=redact,
        clock=time.time,
        log=lambda line: print(line, file=sys.stderr),
    )
    rows = [json.loads(line) for line in (given.folder / "prompts.jsonl").read_text().split("\n") if line.strip()]
    labels, scores, whole = labels_of(given.folder), defaultdict(Score), Score()
    for row in rows[: given.most or None]:
        row = {**row, "prompt": redact(row["prompt"]), "before": redact(row["before"])}
        found = passages(row, extractor)
        judge(found, labels.get(row["id"], []), scores[row["repo"]])
        for what, text in judge(found, labels.get(row["id"], []), whole):
            if given.list:
                print(f"{what:9} {row['id']} {' '.join(text.split())[:LISTED_CHARS]}")
    for repo, score in sorted(scores.items()):
        print(f"{score.line()}  {repo}")
    print(f"{whole.line()}  together")
    if book.calls:
        dollars = "cost unknown" if book.dollars is None else f"${book.dollars:.2f}"
        print(f"{book.calls} calls, {book.tokens:,} tokens, {dollars}; {len(book.problems)} failed {book.problems[:3]}")


if __name__ == "__main__":
    main()
