"""A clock that jumps while Keepstone runs, and is right again later: python tests/faults/clock.py [NAME]...

It is turned before Keepstone is loaded, in a process of its own. Nothing is lost for good, nothing waits for years, and
what people stored is recalled as if nothing had happened.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

YEAR = 365.25 * 86_400.0
DAY = 86_400.0
LATER = 600.0  # seconds after which every back-off of a first failure has passed
_time = time.time


class Clock:
    """How far it is off; `after` so many looks it is right again, within a run."""

    def __init__(self) -> None:
        self.off = 0.0
        self.after = sys.maxsize

    def __call__(self) -> float:
        self.after -= 1
        return _time() + (self.off if self.after >= 0 else 0.0)

    def turn(self, off: float, after: int = sys.maxsize) -> None:
        self.off, self.after = off, after


CLOCK = Clock()
if __name__ == "__main__":
    time.time = CLOCK
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from faults.result import Result  # noqa: E402
from faults.scenarios import WORK, corruption, every_event, heard, lived, run_hook, unheard  # noqa: E402
from support import Machine, copied  # noqa: E402

JUMPS = {
    "ten years ahead": 10 * YEAR,
    "before the memories": -2 * YEAR,
    "in 1970": 1_000.0 - _time(),
    "in 2107": 137 * YEAR - _time(),
}
SAID = "The proxy speaks only HTTP/1.1 to the old gateway"
KNOWN = "The staging host is called atlas"


def jumped(name: str, within: bool, root: Path) -> Result:
    made = Result("clock", f"{name}, within a run" if within else name)
    machine = Machine(root)
    lived(machine)
    machine.record_interpreters(idle=True)
    before = {row[0] for row in machine.sql("SELECT id FROM memory")}
    CLOCK.turn(JUMPS[name], 3 if within else sys.maxsize)
    _session(machine, made)
    spoken = root / "transcripts" / "session-9.jsonl"
    spoken.rename(root / "moved")
    spoken.mkdir()  # the capture fails, and is to be tried again
    for words in (WORK, ("store", SAID), ("worker", "run-all")):
        _run(machine, made, *words)
    CLOCK.turn(LATER)
    spoken.rmdir()
    (root / "moved").rename(spoken)
    for words in (WORK, ("worker", "run-all")):
        _run(machine, made, *words)
    _look(machine, made, before)
    return made


def _session(machine: Machine, made: Result) -> None:
    for event, said in every_event(machine, heard(machine)):
        made.steps += 1
        done = copied(lambda event=event, said=said: run_hook(event, said), machine.env, machine.project)
        if done.returncode or done.stderr:
            made.unclear.append(f"{event}: exit {done.returncode}: {done.stderr.strip()[-300:]}")


def _run(machine: Machine, made: Result, *words: str) -> None:
    made.steps += 1
    done = machine.keepstone(*words, ok=False)
    if done.returncode:
        made.unclear.append(f"{words[0]}: exit {done.returncode}: {done.stderr.strip()[-300:]}")


def _look(machine: Machine, made: Result, before: set[object]) -> None:
    made.done = made.steps
    now = _time()
    made.lost += [str(one) for one in before - {row[0] for row in machine.sql("SELECT id FROM memory")}]
    made.lost += [one for one in unheard(machine) if one.startswith("heard")]  # what was observed is kept for days only
    shown = {row["content"] for row in machine.memories()}
    made.lost += [f"not recalled: {text}" for text in (SAID, KNOWN) if text not in shown]
    brief = copied(
        lambda: run_hook("session-start", machine.event("session-10", source="startup")), machine.env, machine.project
    )
    if KNOWN not in brief.stdout:
        made.lost.append("the brief")
    waits = machine.sql(f"SELECT name FROM job WHERE due_at > {now + 2 * DAY} OR claimed_until > {now + DAY}")
    made.lost += [f"{name} waits for years" for (name,) in waits]
    if (machine.home / "due").stat().st_mtime > now + 2 * DAY:
        made.lost.append("hooks wait for years")
    made.lost += [f"{path.name} waits" for path in (machine.home / "spool" / "new").glob("*")]
    made.corrupt += corruption(machine)


def turned(names: Sequence[str] = tuple(JUMPS)) -> Iterator[Result]:
    """In a process of its own: here Keepstone is loaded already."""
    done = subprocess.run([sys.executable, __file__, *names], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        yield Result(**json.loads(line))


def main() -> None:
    for name in sys.argv[1:] or JUMPS:
        for within in (False, True):
            with tempfile.TemporaryDirectory() as root:
                print(json.dumps(asdict(jumped(name, within, Path(root) / "machine"))))


if __name__ == "__main__":
    main()
