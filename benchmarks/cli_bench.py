"""What commands cost, against a click program of one command, and a capture against only parsing its transcript."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import measure
from place import RECALLED, ROOT, Place, check, executable
from small import sized

ROUNDS = sized(30, 1)
STORE_ROUNDS = sized(8, 1)
CAPTURE_ROUNDS = sized(3, 1)
CAPTURE_BYTES = sized(20_000_000, 50_000)
QUERY = "postgres billing retry"

CLICK_PROGRAM = '''"""A click program of one command: what every command of this kind costs before it does anything."""

import click


@click.command()
def main():
    click.echo("hello")
'''
PARSE_ONLY = """
import json, sys
with open(sys.argv[1], "rb") as file:
    for line in file:
        json.loads(line)
"""


def commands(place: Place) -> dict[str, object]:
    """`recent`, `search` and `store` with their output in a pipe; each answer is checked."""
    bare = bare_click(place.root / "bare")
    reading = measure.interleave(
        {
            "bare": lambda: measure.run([bare], place.env),
            **reading_cases(place),
        },
        ROUNDS,
    )
    writing = measure.interleave(
        {"bare": lambda: measure.run([bare], place.env), "store": writing_cases(place)["store"]},
        STORE_ROUNDS,
        warm=1,
    )
    return {
        "bare": measure.figures(reading["bare"]),
        "recent": measure.figures(reading["recent"], reading["bare"]),
        "search": measure.figures(reading["search"], reading["bare"]),
        "store": measure.figures(writing["store"], writing["bare"]),
    }


def reading_cases(place: Place) -> dict[str, measure.Case]:
    """Returns the commands that only read."""
    return {
        "recent": lambda: _answers(_command(place, "recent"), 10),
        "search": lambda: _answers(_command(place, "search", QUERY), 10),
    }


def writing_cases(place: Place) -> dict[str, measure.Case]:
    """Returns the commands that write. Each sample changes another memory, the same ones in every place."""
    with place.open_database() as database:
        ids = [row[0] for row in database.execute(RECALLED)]
    numbers, pinned, rated, forgotten = itertools.count(1), iter(ids[0::3]), iter(ids[1::3]), iter(ids[2::3])
    return {
        "store": lambda: _store(place, next(numbers)),
        "pin": lambda: _changes(place, "pinned = 1", "pin", next(pinned)),
        "rate": lambda: _changes(place, "up_votes = 1", "rate", next(rated), "up"),
        "forget": lambda: _changes(place, "status = 'deleted'", "forget", next(forgotten)),
    }


def captures(place: Place) -> dict[str, object]:
    """A long transcript through `keepstone capture`, and the same one again, which finds nothing new."""
    paths = [str(place.transcript(place.fresh_session(), CAPTURE_BYTES)) for _ in range(CAPTURE_ROUNDS)]
    parsed, first, second = iter(paths), iter(paths), iter(paths)
    samples = measure.interleave(
        {
            "parse": lambda: measure.run([sys.executable, "-c", PARSE_ONLY, next(parsed)], place.env),
            "capture": lambda: _learns(place, first),
            "again": lambda: _command(place, "capture", next(second)),
        },
        CAPTURE_ROUNDS,
        warm=0,
    )
    whole = measure.figures(samples["capture"], samples["parse"])
    whole["mb_per_second"] = round(CAPTURE_BYTES / 1e3 / whole["wall_ms"], 1)
    again = measure.figures(samples["again"])
    return {"parse": measure.figures(samples["parse"]), "capture": whole, "capture_again": again}


def bare_click(folder: Path) -> str:
    """The click program behind a console script like Keepstone's own, in the same environment."""
    folder.mkdir()
    (folder / "click_program.py").write_text(CLICK_PROGRAM)
    script = folder / "bare"
    script.write_text(Path(executable(ROOT, "keepstone")).read_text().replace("keepstone.__main__", "click_program"))
    script.chmod(0o755)
    return str(script)


def _command(place: Place, *words: str) -> measure.Sample:
    return measure.run([place.command_line, *words], place.env)


def _answers(sample: measure.Sample, lines: int) -> measure.Sample:
    check(len(sample.output.splitlines()) == lines, f"not {lines} memories were printed")
    return sample


def _store(place: Place, number: int) -> measure.Sample:
    text = f"The staging cluster number {number} needs the VPN, because its registry is internal"
    sample = _command(place, "store", "--relevance", "0.5", text)
    check(sample.output.startswith("Stored."), "the memory was not stored")
    check(not place.processes(), "a worker was started")
    return sample


def _changes(place: Place, change: str, command: str, memory_id: str, *words: str) -> measure.Sample:
    """Runs a command on a memory. Checks that it made the change, and that no worker runs."""
    asked = f"SELECT count(*) FROM memory WHERE id = ? AND {change}"
    check(not place.ask(asked, memory_id), f"`{command}` has nothing to do")
    sample = _command(place, command, memory_id, *words)
    check(place.ask(asked, memory_id) == 1, f"`{command}` did not change the memory")
    check(not place.processes(), "a worker was started")
    return sample


def _learns(place: Place, paths: Iterator[str]) -> measure.Sample:
    before = place.ask("SELECT count(*) FROM memory")
    sample = _command(place, "capture", next(paths))
    check(place.ask("SELECT count(*) FROM memory") > before, "nothing was learned")
    return sample
