"""Compares this checkout with another one: the same hooks and commands on the same memories, in the same rounds."""

from __future__ import annotations

import os
from pathlib import Path

import cli_bench
import hook_bench
import measure
from place import Place
from small import sized

HOOK_ROUNDS = sized(100, 1)
COMMAND_ROUNDS = sized(30, 1)
WARM = sized(2, 1)
# How many times the other checkout's time a hook may take, and how many times the click program's a command may.
HOOK_LIMIT = 1.05
COMMAND_LIMITS = {"store": 5.0, "pin": 5.0, "rate": 5.0, "forget": 5.0, "search": 3.0}
BASELINES = {"hook": "bare interpreter", "command": "click program of one command"}
ROWS = {
    "session_start": "session-start",
    "prompt": "prompt that brings memories",
    "other_prompt": "prompt that brings none",
    "file": "file",
    "command": "command",
    "failure": "failure",
    "post_tool_use": "post-tool-use",
    "stop": "stop",
}

Cases = dict[str, measure.Case]
Samples = dict[str, list[measure.Sample]]


def compare(folder: Path, checkout: Path, hook_rounds: int, command_rounds: int) -> dict[str, dict]:
    """Times both checkouts and returns the figures of hooks and commands.

    Each checkout has a machine of its own, with a copy of the same memories. The commands run in a project that both
    know by the address of its repository.
    """
    new = Place(folder / "new")
    old = Place(folder / "old", checkout=checkout, like=new)
    os.chdir(new.project)
    bare = cli_bench.bare_click(folder / "bare")
    hooks = _sides(hook_bench.usual(new), hook_bench.usual(old))
    hook_samples = measure.interleave({"bare": new.bare, **hooks}, hook_rounds, WARM, alternate=True)
    commands = _sides(_commands(new), _commands(old))
    program = {"bare": lambda: measure.run([bare], new.env)}
    command_samples = measure.interleave({**program, **commands}, command_rounds, WARM, alternate=True)
    return {"hook": _figures(hook_samples), "command": _figures(command_samples)}


def limits(result: dict[str, dict]) -> list[dict[str, object]]:
    """Returns each limit with the ratio that counts and whether the limit is met."""
    found = [(ROWS[name], row["ratio"]["ratio"], HOOK_LIMIT) for name, row in result["hook"].items() if name != "bare"]
    commands = result["command"]
    found += [(name, commands[name]["to_bare"]["new"]["ratio"], limit) for name, limit in COMMAND_LIMITS.items()]
    return [{"case": case, "ratio": ratio, "at_most": limit, "met": ratio <= limit} for case, ratio, limit in found]


def show(result: dict[str, dict]) -> None:
    """Prints a table for hooks, one for commands, and the limits."""
    for kind, baseline in BASELINES.items():
        rows = result[kind]
        print(f"\n{kind + 's, wall ms, median':30}{'new':>8}{'p10..p90':>17}{'old':>9}{'p10..p90':>17}", end="")
        print(f"{'new / old':>11}{'95 % interval':>16}{'cpu':>6}{'new / base':>12}{'old / base':>12}")
        bare = rows["bare"]
        print(f"{baseline:30}{_time(bare, 8)}")
        for name, row in rows.items():
            if name != "bare":
                ratio, base = row["ratio"], row["to_bare"]
                interval = f"{ratio['low']:.2f}..{ratio['high']:.2f}"
                label = ROWS[name] if kind == "hook" else name
                print(f"{label:30}{_time(row['new'], 8)}{_time(row['old'], 9)}{ratio['ratio']:>11.2f}", end="")
                print(f"{interval:>16}{row['cpu_ratio']['ratio']:>6.2f}", end="")
                print(f"{base['new']['ratio']:>12.2f}{base['old']['ratio']:>12.2f}")
    print("\nA ratio is the median of the rounds' ratios; the base is the first row of its table.")
    print(_verdict(limits(result)))


def _commands(place: Place) -> Cases:
    return {**cli_bench.reading_cases(place), **cli_bench.writing_cases(place)}


def _sides(new: Cases, old: Cases) -> Cases:
    """Returns the cases of both checkouts, those of one kind side by side."""
    return {f"{side}.{name}": cases[name] for name in new for side, cases in (("old", old), ("new", new))}


def _figures(samples: Samples) -> dict[str, dict]:
    bare = samples["bare"]
    found: dict[str, dict] = {"bare": measure.figures(bare)}
    for name in (key.removeprefix("new.") for key in samples if key.startswith("new.")):
        new, old = samples[f"new.{name}"], samples[f"old.{name}"]
        found[name] = {
            "new": measure.figures(new),
            "old": measure.figures(old),
            "ratio": measure.paired(new, old),
            "cpu_ratio": measure.paired(new, old, "cpu"),
            "to_bare": {"new": measure.paired(new, bare), "old": measure.paired(old, bare)},
        }
    return found


def _time(figures: dict[str, float | int], width: int) -> str:
    spread = f"{figures['p10_ms']:.1f}..{figures['p90_ms']:.1f}"
    return f"{figures['wall_ms']:>{width}.1f}{spread:>17}"


def _verdict(found: list[dict]) -> str:
    told = [f"{one['case']} {one['ratio']:.2f} (at most {one['at_most']:g})" for one in found if not one["met"]]
    return f"{len(found) - len(told)} of {len(found)} limits met; missed: {', '.join(told) or 'none'}"
