"""Outputs that take nothing: closed, without a reader, full. What was to be done is done all the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from support import ROOT, Machine

from .result import Result
from .scenarios import SCENARIOS, WORK, Scenario, corruption, every_event, heard, lived, state, unheard

READS = (
    *(
        ("recent",),
        ("recent", "--json"),
        ("search", "staging host"),
        ("status",),
        ("week",),
        ("worker", "jobs"),
        ("doctor",),
    ),
    *(("export",), ("export", "--json", "OUT"), ("audit",), ("config",), ("--help",), ("context",), ("review",)),
)
CODES = (0, 1)  # done, or an error that is told
_PLAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from keepstone.cli.bare import main; main()"
PLAIN = (sys.executable, "-I", "-S", "-c", _PLAIN, str(ROOT / "src"))  # as without the packages
KEEPSTONE = (sys.executable, "-m", "keepstone")


def _closed(*fds: int) -> Callable[[], None]:
    def close() -> None:
        for fd in fds:
            os.close(fd)

    return close


def _onto(make: Callable[[], int], *fds: int) -> Callable[[], None]:
    def replace() -> None:
        made = make()
        for fd in fds:
            os.dup2(made, fd)
        os.close(made)

    return replace


def _without_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def _full() -> int:
    return os.open("/dev/full", os.O_WRONLY)


OUTLETS = {
    "closed stdout": _closed(1),
    "closed stdout and stderr": _closed(1, 2),
    "stdout without a reader": _onto(_without_reader, 1),
    "neither has a reader": _onto(_without_reader, 1, 2),
    "full stdout": _onto(_full, 1),
}


class Place:
    """A machine that is put back before each try."""

    def __init__(self, root: Path, prepare: Callable[[Machine], object]) -> None:
        self.root, self.kept = root / "machine", root / "kept"
        self.machine = Machine(self.root)
        self.given = prepare(self.machine)
        self.machine.record_interpreters(idle=True)  # no worker of a hook's comes in between
        shutil.copytree(self.root, self.kept, symlinks=True)

    def again(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.kept, self.root, symlinks=True)

    def meet(self, made: Result, argv: Sequence[str], codes: Sequence[int] = CODES, stdin: bytes = b"") -> None:
        """Runs a command with an outlet, and tells what is unclear of it."""
        made.steps += 1
        made.done += 1
        done = subprocess.run(
            argv,
            input=stdin,
            env=self.machine.env,
            cwd=self.machine.project,
            capture_output=True,
            preexec_fn=OUTLETS[made.harm],
            timeout=120,
        )
        if done.returncode not in codes or b"Traceback" in done.stderr or b"Exception ignored" in done.stderr:
            made.unclear.append(f"{argv[-1]}: exit {done.returncode}: {done.stderr.decode().strip()[-300:]}")

    def look(self, made: Result) -> None:
        """What was to be printed may have gone into no file."""
        made.corrupt += corruption(self.machine)
        locks = (path for path in self.machine.home.glob("*.lock") if path.stat().st_size)
        made.corrupt += [f"{path.name} holds something" for path in locks]


def commands(scenarios: Sequence[Scenario] = SCENARIOS, outlets: Sequence[str] = tuple(OUTLETS)) -> Iterator[Result]:
    """What the scenarios do, each with each outlet."""
    results = {outlet: Result("every command", outlet) for outlet in outlets}
    for scenario in (one for one in scenarios if not one.accepts):  # what accepts is a hook
        with tempfile.TemporaryDirectory() as folder:
            place = Place(Path(folder), scenario.prepare)
            whole = _done(place, scenario)
            for made in results.values():
                place.again()
                place.meet(made, [*KEEPSTONE, *place.given])
                if (found := _done(place, scenario)) != whole:
                    made.lost.append(f"{scenario.name}: {found} is not {whole}")
                place.look(made)
    yield from results.values()


def _done(place: Place, scenario: Scenario) -> list[object]:
    """What is there when the command has been run again."""
    for words in scenario.again(place.machine, place.given):
        place.machine.keepstone(*words)
    return state(place.machine)


def reads(outlets: Sequence[str] = tuple(OUTLETS), words: Sequence[Sequence[str]] = READS) -> Iterator[Result]:
    """What only prints."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), lived)
        whole = state(place.machine)
        for outlet in outlets:
            place.again()
            made = Result("every reading command", outlet)
            for said in words:
                place.meet(made, [*KEEPSTONE, *(str(place.root / "out") if word == "OUT" else word for word in said)])
            for word in ("recent", "status", "context"):
                place.meet(made, [*PLAIN, word])
            made.lost += ["something"] * (state(place.machine) != whole)
            place.look(made)
            yield made


def hooks(outlets: Sequence[str] = tuple(OUTLETS)) -> Iterator[Result]:
    """Every event of a session, which is learned from afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), lived)
        for outlet in outlets:
            place.again()
            made = Result("every hook", outlet)
            for event, said in every_event(place.machine, heard(place.machine)):
                place.meet(made, [str(place.machine.plugin / "hooks" / event)], (0,), json.dumps(said).encode())
            place.machine.keepstone(*WORK)
            made.lost += unheard(place.machine)
            place.look(made)
            yield made
