"""What commands cost, against a click program of one command, and a capture against only parsing its transcript."""

from __future__ import annotations

import itertools
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import measure
from place import Place, check
from small import sized

ROUNDS = sized(30, 1)
STORE_ROUNDS = sized(8, 1)
CAPTURE_ROUNDS = sized(3, 1)
CAPTURE_BYTES = sized(20_000_000, 200_000)
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
            "recent": lambda: _answers(_keepstone(place, "recent"), 10),
            "search": lambda: _answers(_keepstone(place, "search", QUERY), 10),
        },
        ROUNDS,
    )
    numbers = itertools.count(1)
    writing = measure.interleave(
        {"bare": lambda: measure.run([bare], place.env), "store": lambda: _store(place, next(numbers))},
        STORE_ROUNDS,
        warm=1,
    )
    return {
        "bare": measure.figures(reading["bare"]),
        "recent": measure.figures(reading["recent"], reading["bare"]),
        "search": measure.figures(reading["search"], reading["bare"]),
        "store": measure.figures(writing["store"], writing["bare"]),
    }


def captures(place: Place) -> dict[str, object]:
    """A long transcript through `keepstone capture`, and the same one again, which finds nothing new."""
    paths = [str(place.transcript(place.fresh_session(), CAPTURE_BYTES)) for _ in range(CAPTURE_ROUNDS)]
    parsed, first, second = iter(paths), iter(paths), iter(paths)
    samples = measure.interleave(
        {
            "parse": lambda: measure.run([sys.executable, "-c", PARSE_ONLY, next(parsed)], place.env),
            "capture": lambda: _learns(place, first),
            "again": lambda: _keepstone(place, "capture", next(second)),
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
    script.write_text(Path(_console_script()).read_text().replace("keepstone.__main__", "click_program"))
    script.chmod(0o755)
    return str(script)


def _console_script() -> str:
    return str(Path(sysconfig.get_path("scripts"), "keepstone"))


def _keepstone(place: Place, *words: str) -> measure.Sample:
    return measure.run([_console_script(), *words], place.env)


def _answers(sample: measure.Sample, lines: int) -> measure.Sample:
    check(len(sample.output.splitlines()) == lines, f"not {lines} memories were printed")
    return sample


def _store(place: Place, number: int) -> measure.Sample:
    text = f"The staging cluster number {number} needs the VPN, because its registry is internal"
    sample = _keepstone(place, "store", "--relevance", "0.5", text)
    check(sample.output.startswith("Stored."), "the memory was not stored")
    return sample


def _learns(place: Place, paths: Iterator[str]) -> measure.Sample:
    before = place.ask("SELECT count(*) FROM memory")
    sample = _keepstone(place, "capture", next(paths))
    check(place.ask("SELECT count(*) FROM memory") > before, "nothing was learned")
    return sample
