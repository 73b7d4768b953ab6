"""Flips one bit of a store at a time, looks what is told: python tests/faults/flips.py [--count N] [--seed N]

A third hits the text of a digested column, a third the header of a memory's record or of the file, the rest any byte.
No command may end in a traceback, no hook may say anything but a brief, a notice or nothing, and nothing where a memory
can be read, and doctor has to name each memory of which a digested column reads differently now. What is not so is
told, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from faults.scenarios import SAID, run_hook
from support import Machine, Sessions, copied

COMMANDS = (("doctor",), ("recent",), ("search", "postgresql billing"), ("status",), ("worker", "run-all"))
UNCLEAR = re.compile(r"Traceback|UnicodeDecodeError|[Bb]ug\b")
SAYS = re.compile(r'\Z|## Session Memory|\{"systemMessage"')
HEAD, RECORD = 100, 60  # bytes of the file's header, and at most of a record's before its id
NAMED = 5  # so many of the damaged rows doctor names; a flip in a page's head can hit more
MEMORIES = "SELECT id, title, content, kind, status, trust, scope FROM memory"
EVIDENCE = "SELECT memory_id, seq, excerpt FROM evidence"


def store(machine: Machine) -> Path:
    """A database with a few sessions and a person's memories in it, at rest in one file."""
    sessions = Sessions(machine)
    for number in range(12):
        sessions.say(*SAID, f"The {number + 3}rd replica answers on port {8_000 + number} of vega.internal")
    for word in ("alpha", "bravo", "charlie"):
        machine.store(f"The {word} service needs the VPN, and its registry is internal")
    path = machine.home / "keepstone.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode=DELETE")
    return path


def said(path: Path) -> dict[tuple[object, ...], tuple[object, ...]]:
    """What the digested columns hold, by row; of what can't be read nothing."""
    found: dict[tuple[object, ...], tuple[object, ...]] = {}
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        for name, sql, key in (("memory", MEMORIES, 1), ("evidence", EVIDENCE, 2)):
            try:
                found.update({(name, *row[:key]): row[key:] for row in database.execute(sql)})
            except (sqlite3.Error, UnicodeDecodeError):  # the latter of the schema's own words
                continue
    return found


class Flips:
    """What came of some flips: how often what was told, and what should not have been."""

    def __init__(self, root: Path) -> None:
        self.machine = Machine(root)
        self.path = store(self.machine)
        self.machine.record_interpreters(idle=True)  # a worker of the flip before would write over this one
        self.whole = self.path.read_bytes()
        self.before = said(self.path)
        self.texts = sorted({at for row in self.before.values() for at in self._places(row)})
        self.heads = [*range(HEAD), *self._heads()]
        self.told: Counter[str] = Counter()
        self.digested = 0
        self.problems: list[str] = []

    def _places(self, row: tuple[object, ...]) -> Iterator[int]:
        """Where a row's longer texts stand in the file."""
        for text in (str(value).encode() for value in row if len(str(value)) > 20):
            at = self.whole.find(text)
            while at >= 0:
                yield from range(at, at + len(text))
                at = self.whole.find(text, at + 1)

    def _heads(self) -> Iterator[int]:
        """What stands before each memory's id: in its record the types and lengths of all that it holds."""
        for name in {str(key[1]).encode() for key in self.before}:
            at = self.whole.find(name)
            while at >= 0:
                yield from range(at - RECORD, at)
                at = self.whole.find(name, at + 1)

    def flip(self, at: int, bit: int) -> None:
        changed = bytearray(self.whole)
        changed[at] ^= 1 << bit
        for end in ("", "-wal", "-shm", "-journal"):
            Path(f"{self.path}{end}").unlink(missing_ok=True)
        self.path.write_bytes(changed)
        after = said(self.path)
        damaged = {key[1] for key, row in self.before.items() if key in after and after[key] != row}
        report = ""
        for words in COMMANDS:
            done = self.machine.keepstone(*words, ok=False)
            if UNCLEAR.search(done.stderr) or done.returncode not in (0, 1, 2):
                self.problems.append(f"byte {at}, bit {bit}: keepstone {words[0]}: {done.stderr.strip()[-300:]}")
            report = report or done.stdout
        unnamed = sorted(str(name) for name in damaged if str(name) not in report)
        if unnamed and len(damaged) <= NAMED:
            self.problems.append(f"byte {at}, bit {bit}: doctor does not name {', '.join(unnamed)}")
        self.digested += bool(damaged)
        named = "digests" if "FAIL  digests" in report else "nothing"
        self.told["database" if "FAIL  database" in report else named] += 1
        self._session(at, bit, "FAIL  database" in report)

    def _session(self, at: int, bit: int, damaged: bool) -> None:
        event = self.machine.event(source="startup")
        log = self.machine.home / "logs" / "hooks.log"
        log.unlink(missing_ok=True)
        done = copied(lambda: run_hook("session-start", event), self.machine.env, self.machine.project)
        if done.returncode or done.stderr or not SAYS.match(done.stdout):
            self.problems.append(f"byte {at}, bit {bit}: session-start: {done.stderr[-300:]}")
        if not done.stdout and log.exists() and not damaged:
            self.problems.append(f"byte {at}, bit {bit}: session-start says nothing: {log.read_text().strip()[-300:]}")


def flips(root: Path, count: int, seed: int) -> Flips:
    made, random = Flips(root), Random(seed)
    for number in range(count):
        at = (random.choice(made.texts), random.choice(made.heads), random.randrange(len(made.whole)))[number % 3]
        made.flip(at, random.randrange(8))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000, help="how many flips")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        made = flips(Path(root) / "machine", given.count, given.seed)
    for problem in made.problems:
        print(problem)
    told = ", ".join(f"{count:,} told by {name}" for name, count in sorted(made.told.items()))
    print(
        f"{given.count:,} flips of {len(made.whole):,} bytes: {told}; "
        f"{made.digested:,} in digested columns, {len(made.problems)} problems"
    )
    return 1 if made.problems else 0


if __name__ == "__main__":
    sys.exit(main())
