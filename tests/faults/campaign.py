"""Goes through every step of every scenario with every harm: python tests/faults/campaign.py [--every N] [NAME]...

Beside those come the parts that have no steps: databases in every state, outputs that take nothing, a crowd of
processes, old and new code at once, a clock that jumps.

After each the next run finishes, and the store has to be what it would have been: nothing lost, nothing doubled,
nothing damaged. What is not is told, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from faults import disk
from faults.harm import CUTS, HARMS, IO_ERROR, NO_SPACE, SIGNALS, Harm
from faults.parts import PARTS, part
from faults.result import Result
from faults.scenarios import SCENARIOS, Scenario, broken_promises, corruption, run_hook, state
from support import Machine, Sessions, copied, forked

ALIKE = {"SIGTERM": 10, "SIGHUP": 10}  # only each Nth step: to them a process dies as to kill -9, it asks for neither
# how a process that came to harm may end: well, with an error, killed, or as one that was told to
ENDS = {harm: (0, -9) for harm in HARMS} | {NO_SPACE: (0, 1), IO_ERROR: (0, 1)}
ENDS |= {harm: (0, -number) for harm, number in SIGNALS.items()} | {"SIGINT": (0, 130)}


NAMES = (*(one.name for one in SCENARIOS), *PARTS)


class Trial:
    """One scenario's machine, put back before each harm."""

    def __init__(self, scenario: Scenario, root: Path) -> None:
        self.scenario = scenario
        self.root = root / "machine"
        self.kept = root / "kept"
        self.tally = root / "tally"
        self.machine = Machine(self.root)
        self.words = scenario.prepare(self.machine)
        shutil.copytree(self.root, self.kept, symlinks=True)
        if scenario.accepts:
            self.machine.keepstone("worker", "run", "--wait")
        self.before = state(self.machine) if scenario.accepts else []
        self.again()
        self.run(IO_ERROR, sys.maxsize)
        self.next()
        self.whole = state(self.machine)

    def again(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.kept, self.root, symlinks=True)

    def run(self, harm: str, at: int) -> tuple[int, str]:
        """The command or hook, harmed; (its exit code, its complaint)."""
        around = Harm(self.machine.home, harm, at, self._count)
        name, told = self.words[0], self.words[1:]
        self.tally.write_text("")
        if told and isinstance(told[0], dict):
            done = copied(lambda: run_hook(name, told[0]), self.machine.env, self.machine.project, around)
        else:
            done = forked(tuple(self.words), self.machine.env, self.machine.project, around)
        return done.returncode, done.stderr

    def _count(self, steps: int) -> None:
        self.tally.write_text(str(steps))

    @property
    def steps(self) -> int | None:
        """How many steps the last run took, None for one that did not come to its end."""
        told = self.tally.read_text()
        return int(told) if told else None

    def next(self) -> None:
        """What happens after the harm, which has to go well."""
        for words in self.scenario.again(self.machine, self.words):
            self.machine.keepstone(*words)


def harmed(one: Trial, harm: str, every: int) -> Result:
    """Harms each `every`th step, and the last; where the power goes, also when all is done. With 0 the middle and the
    last.
    """
    made = Result(one.scenario.name, harm)
    one.again()
    one.run(harm, sys.maxsize)
    assert one.steps, "nothing was counted"
    made.steps = one.steps
    last = made.steps + (harm in CUTS)
    every = every or max(2, made.steps // 2)
    for at in sorted({*range(every, last, every), last} if every > 1 else range(1, last + 1)):
        one.again()
        made.done += 1
        _try(one, made, harm, at)
    return made


def trial(name: str, harm: str, every: int) -> Result:
    with tempfile.TemporaryDirectory() as root:
        return harmed(Trial(next(one for one in SCENARIOS if one.name == name), Path(root)), harm, every)


def _try(one: Trial, made: Result, harm: str, at: int) -> None:
    code, complaint = one.run(harm, at)
    if "Traceback" in complaint or code not in ENDS[harm]:
        made.unclear.append(f"{at}: exit {code}: {complaint.strip()[-300:]}")
    ended = one.steps is not None and code == -9
    try:
        if not ended:
            one.next()
        elif one.scenario.accepts:
            one.machine.keepstone("worker", "run", "--wait")
        found = state(one.machine)
        if found != one.whole and not (one.scenario.accepts and not ended and found == one.before):
            made.lost.append(f"{at}: {_difference(one.whole, found)}")
        made.lost += [f"{at}: {promise}" for promise in broken_promises(one.machine, one.scenario.name)]
        made.corrupt += [f"{at}: {problem}" for problem in corruption(one.machine)]
    except Exception as problem:  # noqa: BLE001  told with its step, and the campaign goes on
        made.corrupt.append(f"{at}: {type(problem).__name__}: {str(problem)[-300:]}")


def _difference(whole: list[object], found: list[object]) -> str:
    gone = [one for one in whole if one not in found]
    more = [one for one in found if one not in whole]
    return f"gone {gone}; more {more}" if gone or more else "the same rows, another number of times"


def warm() -> None:
    """Loads what a capture loads, so that the copies of this process need not."""
    with tempfile.TemporaryDirectory() as root:
        machine = Machine(Path(root) / "machine")
        Sessions(machine).say("I prefer tabs over spaces")


def campaign(names: Sequence[str], every: int) -> Iterator[Result]:
    """The results, some scenarios at a time; without names of all."""

    def chosen(name: str) -> bool:
        return not names or any(given in name for given in names)

    with ProcessPoolExecutor(min(4, os.cpu_count() or 1), mp_context=get_context("fork"), initializer=warm) as pool:
        tries = [pool.submit(part, name, every) for name in PARTS if chosen(name)]
        steps = [
            pool.submit(trial, one.name, harm, max(every, one.every, ALIKE.get(harm, 1)))
            for one in SCENARIOS
            if chosen(one.name)
            for harm in HARMS
        ]
        for done in steps:
            yield done.result()
        for parts in tries:
            yield from parts.result()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="scenarios and parts, by a part of their names; all without any")
    parser.add_argument("--every", type=int, default=1, help="only each Nth step")
    parser.epilog = "Scenarios and parts: " + ", ".join(NAMES)
    given = parser.parse_args()
    if unknown := [name for name in given.names if not any(name in one for one in NAMES)]:
        parser.error(f"there is no {', '.join(unknown)}. {parser.epilog}")
    if disk.library() is None:
        print("this Python's SQLite can't be watched. Try one that is linked with libsqlite3", file=sys.stderr)
        return 1
    table = Table("scenario", "harm", "steps", "harmed", "lost", "corrupt", "unclear", box=None)
    problems, harmed, crashes, found = [], 0, 0, Counter[str]()
    for one in campaign(given.names, given.every):
        print(f"{one.scenario}, {one.harm}: {one.done:,} times, {len(one.problems)} problems", file=sys.stderr)
        numbers = (one.steps, one.done, len(one.lost), len(one.corrupt), len(one.unclear))
        table.add_row(one.scenario, one.harm, *(f"{number:,}" for number in numbers))
        problems += [f"{one.scenario}, {one.harm}, step {problem}" for problem in one.problems]
        found.update(lost=len(one.lost), corrupt=len(one.corrupt), unclear=len(one.unclear))
        harmed += one.done
        crashes += one.done if one.harm in (*SIGNALS, *CUTS) else 0
    console = Console(highlight=False, width=110)
    console.print(table)
    for problem in problems:
        console.print(problem, markup=False)
    counts = ", ".join(f"{what} = {count}" for what, count in found.items())
    print(f"{crashes:,} crash points, {harmed - crashes:,} other faults: {counts}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
