"""Times processes as a user meets them: from the spawn to the last byte and the exit, in interleaved rounds.

Spawned and reaped by hand, because `wait4` gives each process its own CPU time and peak memory. This process stays
small: a child begins life with its parent's peak memory counted as its own.
"""

from __future__ import annotations

import math
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from small import sized

WARM = sized(2, 1)  # rounds that are not counted
MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024  # what one of ru_maxrss is, in bytes


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a process, in milliseconds; `peak` in bytes. Children it waited for are counted with it."""

    wall: float
    cpu: float
    peak: int
    output: str


Case = Callable[[], Sample]


def peak_floor() -> float:
    """This process's own peak in megabytes: what takes less can't be told from it."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MEMORY_UNIT / 1e6, 1)


def run(command: list[str], env: dict[str, str], said: bytes = b"") -> Sample:
    """Runs a process with pipes for stdin and stdout, as the client does; `said` must fit into a pipe.

    Raises RuntimeError when the process fails: a benchmark of a failure is none.
    """
    stdin, to_stdin = os.pipe()
    os.write(to_stdin, said)
    os.close(to_stdin)
    from_stdout, stdout = os.pipe()
    files = [
        (os.POSIX_SPAWN_DUP2, stdin, 0),
        (os.POSIX_SPAWN_DUP2, stdout, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    child = os.posix_spawn(command[0], command, env, file_actions=files)
    os.close(stdin)
    os.close(stdout)
    with open(from_stdout, encoding="utf-8") as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    if status:
        raise RuntimeError(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    cpu = usage.ru_utime + usage.ru_stime
    return Sample(wall * 1000, cpu * 1000, usage.ru_maxrss * MEMORY_UNIT, output)


def interleave(
    cases: dict[str, Case], rounds: int, warm: int = WARM, alternate: bool = False
) -> dict[str, list[Sample]]:
    """Runs every case once a round, so that whatever else the machine does falls on all of them alike.

    With `alternate`, every second round runs backwards, so that neither of two neighbours always comes first.
    """
    for _ in range(warm):
        for case in cases.values():
            case()
    samples: dict[str, list[Sample]] = {name: [] for name in cases}
    for number in range(rounds):
        for name, case in reversed(cases.items()) if alternate and number % 2 else cases.items():
            samples[name].append(case())
    return samples


def figures(samples: list[Sample], base: list[Sample] | None = None) -> dict[str, float | int]:
    """Medians, and with a baseline how many times its medians they are."""
    wall, cpu = _sorted(samples, "wall"), _sorted(samples, "cpu")
    found: dict[str, float | int] = {
        "wall_ms": round(statistics.median(wall), 2),
        "p10_ms": round(wall[len(wall) // 10], 2),
        "p90_ms": round(wall[len(wall) * 9 // 10], 2),
        "cpu_ms": round(statistics.median(cpu), 2),
        "peak_mb": round(max(sample.peak for sample in samples) / 1e6, 1),
        "samples": len(samples),
    }
    if base:
        found["ratio"] = round(statistics.median(wall) / statistics.median(_sorted(base, "wall")), 2)
        found["cpu_ratio"] = round(statistics.median(cpu) / statistics.median(_sorted(base, "cpu")), 2)
    return found


def paired(samples: list[Sample], base: list[Sample], what: str = "wall") -> dict[str, float]:
    """Returns the median of the rounds' ratios to the base, with its 95 % confidence interval.

    A ratio within a round is free of what changes from round to round. The interval is the one between two ranks,
    which holds whatever the distribution is.
    """
    pairs = zip(samples, base, strict=True)
    ratios = sorted(getattr(sample, what) / getattr(other, what) for sample, other in pairs)
    middle, reach = len(ratios) / 2, 0.98 * len(ratios) ** 0.5
    low, high = max(0, math.floor(middle - reach)), min(len(ratios) - 1, math.ceil(middle + reach))
    found = {"ratio": statistics.median(ratios), "low": ratios[low], "high": ratios[high]}
    return {name: round(value, 3) for name, value in found.items()}


def _sorted(samples: list[Sample], what: str) -> list[float]:
    return sorted(getattr(sample, what) for sample in samples)
