"""An older release and today's code at once on one data home, with the migration in the middle; in both directions."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from store.test_upgrades import LAST, SAID, code_of

from keepstone.db.reader import SCHEMA
from support import ROOT, Machine, Transcript, copied

from .result import Result
from .scenarios import WORK, corruption, every_event, heard, run_hook, unheard

SCHEMAS = (4, 5, 6)
TURNS = 4  # times that either side stores, reads and lets a hook accept
_HOOK = "import sys; sys.argv[0] = 'hook'; from keepstone.hooks.main import main; main(sys.argv[1])"
TAUGHT = "We decided to use NATS between the shops because it is one binary"


class Pair:
    """A machine on which code of then and of today run; `accepted` is what either has said it keeps."""

    def __init__(self, root: Path, schema: int) -> None:
        self.machine = Machine(root / "machine")
        self.machine.record_interpreters(worker="/bin/true")  # each side's worker is started here, by name
        self.then = {**self.machine.env, "PYTHONPATH": code_of(root / "then", LAST[schema])}
        self.made = Result("old and new code", f"schema {schema} and {SCHEMA}")
        self.accepted: list[str] = []
        self.stored = Event()  # the code of then has, once

    def old(self, argv: Sequence[str], said: object = None) -> subprocess.CompletedProcess[str]:
        self.made.steps += 1
        done = subprocess.run(
            [sys.executable, *argv],
            input=json.dumps(said),
            env=self.then,
            cwd=self.machine.project,
            capture_output=True,
            text=True,
            timeout=120,
        )
        clear = not done.stderr or done.stderr.startswith("Error: ")
        if "Traceback" in done.stderr or done.returncode not in (0, 1) or not clear:
            self.made.unclear.append(f"old {argv[-1][:20]}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return done

    def old_side(self) -> None:
        """What running sessions of then do; their worker too, before and after the migration."""
        spoken = Transcript(self.machine.root / "transcripts" / "session-6.jsonl", self.machine.project, "session-6")
        spoken.user(TAUGHT)
        told = self.machine.event("session-6", transcript_path=str(spoken.path))
        for number in range(TURNS):
            self.old(["-c", _HOOK, "session-start"], {**told, "source": "startup"})
            self.old(["-c", _HOOK, "session-end" if number % 2 else "stop-extract"], told)
            text = f"The code of then stores its thought number {number}"
            if not self.old(["-m", "keepstone", "store", text]).returncode:
                self.accepted.append(text)
            self.stored.set()
            self.old(["-m", "keepstone", *(WORK if number % 2 else ("recent",))])

    def new_side(self) -> None:
        events = every_event(self.machine, heard(self.machine))
        for number in range(TURNS):
            for event, said in events if number == TURNS // 2 else events[:2]:
                self.made.steps += 1
                done = copied(
                    lambda event=event, said=said: run_hook(event, said), self.machine.env, self.machine.project
                )
                if done.returncode or done.stderr:
                    self.made.unclear.append(f"{event}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
            if number == 1:  # the first command of today's migrates
                self.stored.wait(120)
            text = f"Today's code stores its thought number {number}"
            if number:
                self._new("store", text)
                self._new("recent")

    def _new(self, *words: str) -> None:
        self.made.steps += 1
        done = self.machine.keepstone(*words, ok=False)
        if done.returncode:
            self.made.unclear.append(f"{words[0]}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        elif words[0] == "store":
            self.accepted.append(words[1])

    def look(self, before: Sequence[str]) -> Result:
        """Everything is there once."""
        self.machine.keepstone(*WORK)
        there = Counter(str(row[0]) for row in self.machine.sql("SELECT content FROM memory"))
        self.made.done = self.made.steps
        self.made.lost += [text for text in (*before, *self.accepted, TAUGHT) if text not in there]
        self.made.lost += unheard(self.machine)
        self.made.corrupt += [f"{count} times: {text}" for text, count in there.items() if count > 1]
        self.made.corrupt += corruption(self.machine)
        return self.made


def together(schema: int, root: Path, migrates: bool) -> Result:
    """Where the code of then has made the database, or today's."""
    pair = Pair(root, schema)
    if migrates:
        shutil.copy(ROOT / "tests" / "data" / f"schema-{schema}.db", pair.machine.home / "keepstone.db")
    else:
        pair.made.harm += ", which has made it"
        for text in sorted(SAID):
            pair.machine.store(text)
    with ThreadPoolExecutor(1) as other:
        old = other.submit(pair.old_side)
        pair.new_side()
        old.result()
    if migrates and not any("code of then" in text for text in pair.accepted):
        pair.made.unclear.append("the code of then has stored nothing before the migration")
    return pair.look(sorted(SAID))


def releases(schemas: Sequence[int] = SCHEMAS) -> Iterator[Result]:
    for schema in schemas:
        for migrates in (True, False):
            with tempfile.TemporaryDirectory() as root:
                yield together(schema, Path(root), migrates)
