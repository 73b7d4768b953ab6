"""What a session's model adds when it confirms exactly the gold among the suggestions that it is asked about.

    python benchmarks/capture/confirmed.py FOLDER [--sessions COUNT] [--plain]

FOLDER is that of real.py. Sessions with gold are played through the real hooks, the worker and `keepstone keep`, each
on an invented machine of its own; then a second session begins in the same project and says two prompts, so that
what is left can be asked. The model is a script: it keeps what a gold label of its session says, and nothing else,
in the sentence of the label, or with `--plain` in the user's words.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from place import Place  # noqa: E402
from real import Label, labels_of  # noqa: E402
from sessions import write  # noqa: E402

from keepstone.lib.text import tokens  # noqa: E402

SESSIONS = 30
ASKED = re.compile(r"Maybe worth remembering.*?Ignore the rest\.", re.DOTALL)
ONE = re.compile(r'(s\w+) "([^"]*)"')
KNOWN = "SELECT content FROM memory WHERE status = 'active' AND trust = 'trusted'"
LATER = ("Good morning, let's go on", "Thanks, and now the next one")  # prompts of the second session
Prompts = Sequence[Mapping[str, str]]


@dataclass
class Played:
    """What became of one session's gold: `alone` was learned without a model, `known` with it, and `suggested` counts
    what was kept or suggested at all. `tokens` were spent on asking in the session, `later` in the one after it.
    """

    gold: int
    alone: int = 0
    suggested: int = 0
    known: int = 0
    confirmed: int = 0
    asked: int = 0
    tokens: int = 0
    later: int = 0


@dataclass
class Session:
    """A machine with one session on it, played prompt by prompt."""

    place: Place
    prompts: Prompts
    gold: Sequence[Label]
    began: datetime  # of the first session; a suggestion waits for 14 days only
    is_plain: bool
    name: str = "session-1"
    turns: list[dict[str, Any]] = field(default_factory=list)
    chosen: dict[str, str] = field(default_factory=dict)  # what is to be kept, by its name
    result: Played = field(init=False)

    def __post_init__(self) -> None:
        self.result = Played(len(self.gold))
        self.path = self.place.user_home / ".claude" / "projects" / "-shop" / f"{self.name}.jsonl"

    def play(self) -> Played:
        self._begin()
        for prompt in self.prompts:
            if not self.turns and prompt["before"].strip():
                self.turns.append({"user": "Hello"})
            self._turn(prompt["prompt"], prompt["before"])
        self._end()
        alone = self._rows(f"{KNOWN} AND id NOT IN (SELECT memory_id FROM suggestion WHERE memory_id IS NOT NULL)")
        self.result.alone = self._found(alone)
        self.result.suggested = self._found([*alone, *self._rows("SELECT text FROM suggestion")])
        self.name, self.turns, spent = "session-2", [], self.result.tokens
        self.path = self.path.with_name(f"{self.name}.jsonl")
        self._begin()
        for said in LATER:
            self._turn(said, "")
        self._end()
        self.result.known = self._found(self._rows(KNOWN))
        self.result.tokens, self.result.later = spent, self.result.tokens - spent
        return self.result

    def _begin(self) -> None:
        self._hook("SessionStart", source="startup")

    def _turn(self, said: str, before: str) -> None:
        if before.strip():
            self.turns.append({"assistant": before})
            self._write()
        self._hook("UserPromptSubmit", prompt=said)
        self.turns.append({"user": said})
        self._write()
        self._keep()
        self.turns.append({"assistant": "Done."})
        self._write()
        self._hook("Stop", stop_hook_active=False, last_assistant_message="Done.")
        self._work()
        self.turns.pop()  # what the assistant really said stands before the next prompt

    def _end(self) -> None:
        self._write()
        self._hook("SessionEnd", reason="other")
        self._work()

    def _write(self) -> None:
        write(self.turns, self.path, self.name, str(self.place.project), self.began)

    def _work(self) -> None:
        command = [self.place.command_line, "worker", "run", "--wait"]
        subprocess.run(command, env=self.place.env, check=True, capture_output=True)
        self.place.settle()

    def _hook(self, event: str, **said: object) -> None:
        sample = self.place.hook(event, self.name, transcript_path=str(self.path), **said)
        for line in ASKED.findall(sample.output.replace("\\n", "\n").replace('\\"', '"')):
            self.result.tokens += tokens(line)
            for one, text in ONE.findall(line):
                self.result.asked += 1
                met = next((label for label in self.gold if label.fits(text)), None)
                if met:
                    self.chosen[one] = met.memory or met.quote

    def _keep(self) -> None:
        env = {**self.place.env, "CLAUDE_CODE_SESSION_ID": self.name, "CLAUDECODE": "1"}
        for one, sentence in self.chosen.items():
            command = [self.place.command_line, "keep", one, *([] if self.is_plain else [sentence])]
            subprocess.run(command, env=env, cwd=self.place.project, check=True, capture_output=True)
        self.result.confirmed += len(self.chosen)
        self.chosen.clear()

    def _rows(self, sql: str) -> list[str]:
        with self.place.open_database() as database:
            return [text for (text,) in database.execute(sql)]

    def _found(self, texts: Sequence[str]) -> int:
        return sum(any(label.fits(text) for text in texts) for label in self.gold)


def chosen(folder: Path, count: int) -> Iterator[tuple[Prompts, list[Label]]]:
    """Returns sessions with gold, in an order by chance that is the same in every run."""
    labels, prompts = labels_of(folder), defaultdict(list)
    for line in filter(str.strip, (folder / "prompts.jsonl").read_text().split("\n")):
        row = json.loads(line)
        prompts[row["session"]].append(row)
    order = sorted(prompts, key=lambda name: sha256(name.encode()).digest())
    gold = {name: [one for row in prompts[name] for one in labels.get(row["id"], ()) if one.is_gold] for name in order}
    for name in [name for name in order if gold[name]][:count]:
        yield prompts[name], gold[name]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--plain", action="store_true", help="keep in the user's words")
    given = parser.parse_args()
    played = []
    names = [one.name for one in fields(Played)]
    print("  prompts" + "".join(f"{name:>11}" for name in names))
    for prompts, gold in chosen(given.folder, given.sessions):
        with tempfile.TemporaryDirectory(prefix="keepstone-confirmed-") as root:
            began = datetime.now(UTC) - timedelta(days=1)
            one = Session(Place(Path(root), memories=0), prompts, gold, began, given.plain).play()
        played.append(one)
        print(f"{len(prompts):9}" + "".join(f"{getattr(one, name):11}" for name in names))
    gold_count = sum(one.gold for one in played)
    for name in ("alone", "suggested", "known"):
        print(f"{name:10} recall {sum(getattr(one, name) for one in played) / gold_count:.2f} of {gold_count}")
    spent = [count for one in played for count in (one.tokens, one.later)]
    print(f"tokens in each of {len(spent)} sessions: median {median(spent):.0f}, most {max(spent)}")


if __name__ == "__main__":
    main()
