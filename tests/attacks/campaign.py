"""Goes through every surface with every text: python tests/attacks/campaign.py [--every N] [SURFACE]...

A text that reaches the model as an instruction, a file that is written elsewhere, a process that hangs or fails is
told, and the exit code is 1; so it is where a control, which has to come through, does not.
"""

from __future__ import annotations

import argparse
import os
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
from attacks.outcome import BLOCKED, DELIVERED, QUARANTINED, Outcome
from attacks.surfaces import CONTROLS, SURFACES, Surface
from support import Machine, Sessions

PART = 40  # texts that one process tries before another takes over: the longest surface must not be the last


def tried(name: str, texts: Sequence[str]) -> Outcome:
    surface = next(one for one in (*SURFACES, *CONTROLS) if one.name == name)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:  # a worker may still be writing
        return surface.run(Path(root) / "machine", texts)


def warm() -> None:
    """Loads what a capture loads, so that the copies of this process need not."""
    with tempfile.TemporaryDirectory() as root:
        Sessions(Machine(Path(root) / "machine")).say("I prefer tabs over spaces")


def campaign(names: Sequence[str] = (), every: int = 1) -> Iterator[tuple[Surface, Outcome]]:
    """The outcomes, two parts at a time; without names of all surfaces. Controls are whole always."""
    chosen = [one for one in (*CONTROLS, *SURFACES) if not names or any(name in one.name for name in names)]
    with ProcessPoolExecutor(min(4, os.cpu_count() or 1), mp_context=get_context("fork"), initializer=warm) as pool:
        parts = []
        for one in chosen:
            texts = one.texts(1 if one.control else every)
            cut = [texts[at : at + PART] for at in range(0, len(texts), PART)]
            parts.append((one, [pool.submit(tried, one.name, part) for part in cut]))
        for one, tries in parts:
            whole = Outcome(one.name)
            for done in tries:
                try:
                    whole.join(done.result())
                except Exception as problem:  # noqa: BLE001  one that breaks must not hide what came of all others
                    whole.leaks.append(f"not tried to the end: {type(problem).__name__}: {problem}")
            yield one, whole


def _table() -> Table:
    table = Table("surface", "attempts", "blocked", "quarantined", "delivered", "delivered would be", box=None)
    for column in table.columns[1:5]:
        column.justify = "right"
    return table


def _row(table: Table, surface: Surface, made: Outcome) -> None:
    numbers = (made.attempts, *(made.counts[what] for what in (BLOCKED, QUARANTINED, DELIVERED)))
    table.add_row(surface.name, *(f"{number:,}" for number in numbers), "" if surface.control else surface.delivered)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="surfaces, by a part of their names; all without any")
    parser.add_argument("--every", type=int, default=1, help="only each Nth text")
    known = [one.name for one in (*CONTROLS, *SURFACES)]
    parser.epilog = "Surfaces: " + ", ".join(known)
    given = parser.parse_args()
    if unknown := [name for name in given.names if not any(name in one for one in known)]:
        parser.error(f"there is no {', '.join(unknown)}. {parser.epilog}")
    attempts, controls = _table(), _table()
    problems, notes, found, seen = [], [], Counter[str](), 0
    for surface, made in campaign(given.names, given.every):
        came = "through, as it has to" if surface.control else "problems"
        print(f"{made.surface}: {made.attempts:,} times, {len(made.leaks)} {came}", file=sys.stderr)
        _row(controls if surface.control else attempts, surface, made)
        notes += [f"{surface.name}: {note}" for note in made.notes]
        if surface.control:
            problems += surface.blind(made)
            continue
        found.update(made.counts)
        seen += len(surface.inside[:: given.every])
        problems += [f"{surface.name}: {leak}" for leak in made.leaks]
    console = Console(highlight=False, width=150)
    console.print(attempts, "\nControls: no attacks, what has to come through", controls)
    for line in (*notes, *problems):
        console.print(line, markup=False)
    total = sum(found.values())
    counts = ", ".join(f"{what} = {found[what]:,}" for what in (BLOCKED, QUARANTINED, DELIVERED))
    print(f"{total:,} attempts, {total - seen:,} with texts written without sight of the defences: {counts}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
