"""`make bench`: times hooks and commands on 10,000 memories; a table on stdout, all of it in build/bench.json.

A missed goal is said, and is no failure: a busy machine misses goals too.

`run.py --against CHECKOUT` compares hooks and commands with those of another checkout instead, in which `make setup`
was run. Its package may have another name; its schema must be the same. All figures are in build/against.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import tempfile
import time
from pathlib import Path

import compare
from cli_bench import captures, commands
from hook_bench import hooks
from measure import peak_floor
from place import ROOT, Place, hook_python
from small import RESULTS

RESULT = RESULTS / "bench.json"
AGAINST = RESULTS / "against.json"
GOALS = {
    "hook.session_start": 2.8,
    "hook.session_start_away": 4.0,
    "hook.session_start_served": 4.0,
    "hook.post_tool_use": 3.0,
    "hook.stop": 2.8,
    "cli.recent": 2.0,
}
GOALS |= {"hook.prompt": 4.5, "hook.other_prompt": 4.5, "hook.file": 3.8}
ROWS = {
    "hook.bare": "python -I -S -c pass",
    "hook.session_start": "session-start: a brief of 5, counted",
    "hook.session_start_away": "session-start from the copy of a PostgreSQL's memories, which can't be reached",
    "hook.session_start_served": "session-start from the copy of a `keepstone serve`'s, which can't be reached",
    "hook.post_tool_use": "post-tool-use: the call noted, 2 kB said",
    "hook.stop": "stop: the turn spooled",
    "hook.prompt": "prompt: memories come, counted",
    "hook.other_prompt": "prompt: nothing fits",
    "hook.file": "file: memories come, counted",
    "hook.command": "command: nothing is said against it",
    "hook.failure": "failure: nothing is known of it",
    "hook.stop_starting_worker": "stop: and the worker started",
    "cli.bare": "click program of one command",
    "cli.recent": "keepstone recent",
    "cli.search": "keepstone search, three words",
    "cli.store": "keepstone store",
    "capture.parse": "json.loads of a 20 MB transcript",
    "capture.capture": "keepstone capture of it",
    "capture.capture_again": "keepstone capture, nothing new",
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Times hooks and commands.")
    parser.add_argument("--against", metavar="CHECKOUT", type=Path, help="compare with this other checkout instead")
    parser.add_argument(
        "--rounds",
        nargs=2,
        type=int,
        default=(compare.HOOK_ROUNDS, compare.COMMAND_ROUNDS),
        metavar=("HOOKS", "COMMANDS"),
        help="rounds of the comparison: default %(default)s",
    )
    given = parser.parse_args()
    if given.against:
        against(given.against.resolve(), *given.rounds)
    else:
        bench()


def against(checkout: Path, hook_rounds: int, command_rounds: int) -> None:
    """Compares this checkout with another one."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="keepstone-bench-") as folder:
        where = machine(hook_python()) | {"other": commit(checkout)}
        result = compare.compare(Path(folder), checkout, hook_rounds, command_rounds)
    where["load_after"] = round(os.getloadavg()[0], 1)
    print(" | ".join(f"{key} {value}" for key, value in where.items()))
    compare.show(result)
    seconds = round(time.monotonic() - started)
    write(AGAINST, {"machine": where, **result, "limits": compare.limits(result), "seconds": seconds})
    print(f"{seconds} s; {AGAINST.relative_to(ROOT)} has it all")


def bench() -> None:
    """Times this checkout."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="keepstone-bench-") as folder:
        place = Place(Path(folder))
        os.chdir(place.project)
        result = {
            "machine": machine(place.python),
            "hook": hooks(place),
            "cli": commands(place),
            "capture": captures(place),
        }
    result["goals"] = {
        f"{name}.ratio": {"at_most": goal, "met": ratio(result, name) <= goal} for name, goal in GOALS.items()
    }
    result["peak_floor_mb"] = peak_floor()
    result["seconds"] = round(time.monotonic() - started)
    write(RESULT, result)
    show(result)


def write(path: Path, result: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")


def machine(python: str) -> dict[str, object]:
    """What the numbers were measured on, and how busy it was."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "hook_python": _said([python, "-I", "-S", "-c", "import sys; print(sys.version.split()[0])"]),
        "load_before": round(os.getloadavg()[0], 1),
    }


def commit(checkout: Path = ROOT) -> str:
    """The commit that was measured, marked when the files are not as it has them; "" outside a repository."""
    found = _said(["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"])
    changed = _said(["git", "-C", str(checkout), "status", "--porcelain", "--", "src", "hooks"])
    return f"{found} with changes" if found and changed else found


def cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _said(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def figures(result: dict, name: str) -> dict:
    part, _, case = name.partition(".")
    return result[part][case]


def ratio(result: dict, name: str) -> float:
    return figures(result, name)["ratio"]


def show(result: dict) -> None:
    """The table for people, the imports, and each goal with whether it was met."""
    floor = result["peak_floor_mb"]
    print(" | ".join(f"{key} {value}" for key, value in result["machine"].items()))
    heading = f"{'wall ms':>9}{'p10..p90':>18}{'cpu ms':>9}{'ratio':>7}{'cpu':>7}{'peak MB':>9}"
    print(f"\n{'median of interleaved rounds':40}{heading}")
    for name, label in ROWS.items():
        row = figures(result, name)
        spread = f"{row['p10_ms']:.1f}..{row['p90_ms']:.1f}"
        ratios = f"{row['ratio']:>7.2f}{row['cpu_ratio']:>7.2f}" if "ratio" in row else " " * 14
        peak = f"{row['peak_mb']:.0f}" if row["peak_mb"] > floor else f"<= {floor:.0f}"
        print(f"{label:40}{row['wall_ms']:>9.1f}{spread:>18}{row['cpu_ms']:>9.1f}{ratios}{peak:>9}")
    calls = 200 * (figures(result, "hook.command")["wall_ms"] + figures(result, "hook.post_tool_use")["wall_ms"]) / 1000
    print(f"200 commands, before and after each: {calls:.1f} s")
    print("The started worker and store ran in rounds, and with a baseline, of their own.")
    print(f"\ncapture: {figures(result, 'capture.capture')['mb_per_second']} MB/s")
    for name, found in result["hook"]["imports"].items():
        print(f"{name}: {found['count']} modules beyond the bare interpreter; outside the list: {_listed(found)}")
    for name, goal in result["goals"].items():
        verdict = "met" if goal["met"] else "GOAL MISSED"
        print(f"{verdict}: {name} {ratio(result, name.removesuffix('.ratio'))}, at most {goal['at_most']}")
    print(f"{result['seconds']} s; {RESULT.relative_to(ROOT)} has it all")


def _listed(found: dict) -> str:
    brought = found["outside_by_c_half"]
    own = ", ".join(found["outside"]) or "none"
    return f"{own}; brought along by its C modules: {', '.join(brought)}" if brought else own


if __name__ == "__main__":
    main()
