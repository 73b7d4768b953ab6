"""What the worker costs a finished turn: sessions are played to the client's hooks turn by turn, and the processes that
these leave behind are waited for and added up.

    .venv/bin/python benchmarks/capture/worker_cost.py [TRANSCRIPT ...] [--prompts prompts.jsonl]

`--prompts` plays invented sessions of twenty real prompts each besides: lines with `prompt` and `before`, what Claude
had said. Without either, an invented transcript is played. What the worker does once a day is done before, and not
counted. Linux alone: nothing else hands over what a process has left.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import measure
from place import Place
from small import sized

BECOMES_PARENT = 36  # PR_SET_CHILD_SUBREAPER
TURNS = sized(20, 2)  # of a session of prompts, and the most of a transcript
SESSIONS = sized(5, 1)
LONGEST = 2_000  # characters of a prompt
INVENTED = sized(100_000, 20_000)  # bytes of the invented transcript


def turns_of(transcript: Path) -> list[bytes]:
    """Returns what a transcript grew by in each turn: from one prompt to the next."""
    turns: list[bytes] = []
    for line in transcript.read_bytes().splitlines(keepends=True):
        if not turns or is_prompt(json.loads(line)):
            turns.append(b"")
        turns[-1] += line
    return turns[:TURNS]


def is_prompt(record: dict) -> bool:
    said = record.get("message", {}).get("content") if record.get("type") == "user" else None
    has_text = isinstance(said, str) or any(part.get("type") == "text" for part in said or ())
    return has_text and not (record.get("isMeta") or record.get("isSidechain"))


def made_of(prompts: Path, folder: Path) -> Iterator[list[bytes]]:
    """Yields the turns of sessions whose prompts people have typed."""
    rows = [json.loads(line) for line in prompts.read_text().splitlines()]
    rows = [row for row in rows if len(row["prompt"]) < LONGEST]
    for session in range(SESSIONS):
        last = None
        turns = []
        for turn, row in enumerate(rows[session :: len(rows) // TURNS][:TURNS]):
            written = b""
            for role, text in (("user", row["prompt"]), ("assistant", row.get("before") or "Done.")):
                record = {
                    **{"type": role, "uuid": f"{session}-{turn}-{role}", "parentUuid": last, "isSidechain": False},
                    **{"sessionId": f"prompts-{session}", "cwd": str(folder), "userType": "external"},
                    "timestamp": f"2026-11-20T10:{turn:02d}:00Z",
                    "message": {"role": role, "content": [{"type": "text", "text": text}]},
                }
                last = record["uuid"]
                written += json.dumps(record).encode() + b"\n"
            turns.append(written)
        yield turns


def played(place: Place, turns: list[bytes]) -> tuple[list[float], float]:
    """Returns (the milliseconds of a processor that each turn has cost behind its hook, the peak in MB)."""
    session = place.fresh_session()
    path = place.user_home / f"{session}.jsonl"
    costs, peak = [], 0.0
    for number, turn in enumerate(turns):
        with path.open("ab") as file:
            file.write(turn)
        event = "SessionEnd" if number == len(turns) - 1 else "Stop"
        place.hook(event, session, transcript_path=str(path), stop_hook_active=False, reason="other")
        cost, most = left_behind()
        costs.append(cost)
        peak = max(peak, most)
    return costs, peak


def left_behind() -> tuple[float, float]:
    """Waits for the processes that hooks have started; returns their milliseconds and the most memory in MB."""
    cost = peak = 0.0
    while True:
        try:
            _, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return cost, peak
        if status:
            raise RuntimeError(f"the worker ended with {os.waitstatus_to_exitcode(status)}")
        cost += (used.ru_utime + used.ru_stime) * 1000
        peak = max(peak, used.ru_maxrss * measure.MEMORY_UNIT / 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--prompts", type=Path)
    given = parser.parse_args()
    if ctypes.CDLL(None).prctl(BECOMES_PARENT, 1, 0, 0, 0):
        sys.exit("this system does not hand over what a process has left")
    with tempfile.TemporaryDirectory(prefix="keepstone-bench-") as root:
        place = Place(Path(root), memories=sized(1_000, 100))
        once_a_day = turns_of(place.transcript("first", INVENTED))
        played(place, once_a_day[:1])
        sessions = [(path.name, turns_of(path)) for path in given.transcripts]
        if given.prompts:
            sessions += [(f"prompts {n}", turns) for n, turns in enumerate(made_of(given.prompts, place.project))]
        for name, turns in sessions or [("invented", once_a_day)]:
            costs, peak = played(place, turns)
            runs = [cost for cost in costs if cost]
            print(
                f"{name}: {len(costs)} turns, the worker ran after {len(runs)}: {sum(costs) / len(costs):.0f} ms",
                f"a turn, {median(runs or [0]):.0f} ms a run (at most {max(costs):.0f}), {peak:.0f} MB",
            )


if __name__ == "__main__":
    main()
