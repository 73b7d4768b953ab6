"""The parts of the campaign that have no steps, by name. `every` bounds them: it is 1 where nothing is left out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from . import clock, crowd, outlets, states
from .result import Result


def _databases(every: int) -> Iterator[Result]:
    cuts = [states.cut(length) for length in states.lengths(every)]
    yield from states.meet([*states.STATES, *cuts])


def _outputs(every: int) -> Iterator[Result]:
    yield from outlets.hooks()
    yield from outlets.reads()
    yield from outlets.commands()


def _processes(every: int) -> Iterator[Result]:
    writes = max(crowd.WRITES // every, 20)
    some = max(writes // 4, 20)
    for kills in (False, True):
        with tempfile.TemporaryDirectory() as root:
            yield crowd.crowd(crowd.PROCESSES, some if kills else writes, kills, Path(root) / "machine")
    with tempfile.TemporaryDirectory() as root:
        yield crowd.repaired(4, some, Path(root) / "machine")


PARTS: dict[str, Callable[[int], Iterable[Result]]] = {
    "databases": _databases,
    "outputs": _outputs,
    "processes": _processes,
    "clock": lambda every: clock.turned(),
}


def part(name: str, every: int) -> list[Result]:
    return list(PARTS[name](every))
