"""What the hooks cost, against the bare interpreter that runs them, and which modules they import."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import measure
from place import ROOT, Place
from small import sized

ROUNDS = sized(100, 1)
WORKER_ROUNDS = sized(10, 1)
TRANSCRIPT = 60_000  # bytes; a session under way
TURN = 6_000  # bytes since the cursor: below what starts the worker
LONG_TURN = 12_000  # bytes: above it

EVENTS = {"session_start": "session-start", "post_tool_use": "post-tool-use", "stop": "stop-extract"}

USUAL = ("session_start", "prompt", "other_prompt", "file", "command", "failure", "post_tool_use", "stop")

# DESIGN 3, "Hot modules", with the C half of hashlib
ALLOWED = ("sys", "os", "time", "hashlib", "mmap", "struct", "_json", "_sqlite3", "_blake2")
LOADED = "import sys; before = set(sys.modules); {}; print(*sorted(set(sys.modules) - before))"
# A hook leaves by os._exit, which is thus where to look; what it prints for the model goes nowhere.
WATCHED = """
import sys
before = set(sys.modules)
import os
def leave(code, leave=os._exit):
    found = sorted(set(sys.modules) - before)
    os.write(2, " ".join(found).encode())
    leave(code)
os._exit = leave
sys.path.insert(0, sys.argv[1])
from keepstone.hooks.main import main
main(sys.argv[2])
"""


def hooks(place: Place) -> dict[str, object]:
    """Session-start, the moments, a tool call's end and Stop as they mostly are, and Stop when it starts the worker."""
    away = place.away("KEEPSTONE_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/keepstone")
    served = place.away("KEEPSTONE_SERVER_URL", "https://127.0.0.1:9")
    often = measure.interleave(
        {
            "bare": place.bare,
            **usual(place),
            "away": away.session_start,
            "served": served.session_start,
        },
        ROUNDS,
    )
    seldom = measure.interleave(
        {"bare": place.bare, "stop": lambda: place.stop_with_worker(LONG_TURN)}, WORKER_ROUNDS, warm=1
    )
    return {
        "bare": measure.figures(often["bare"]),
        "session_start_away": measure.figures(often["away"], often["bare"]),
        "session_start_served": measure.figures(often["served"], often["bare"]),
        **{name: measure.figures(often[name], often["bare"]) for name in USUAL},
        "stop_starting_worker": measure.figures(seldom["stop"], seldom["bare"]),
        "imports": imports(place),
    }


def usual(place: Place) -> dict[str, measure.Case]:
    """Returns the hooks as they mostly run: each of `USUAL`, in a session with a transcript."""
    session = place.fresh_session()
    path = place.transcript(session, TRANSCRIPT)
    place.known_up_to(session, path.stat().st_size - TURN)
    cases = (
        place.session_start,
        place.prompt,
        place.other_prompt,
        place.file,
        place.command,
        place.failure,
        lambda: place.tool_done(session),
        lambda: place.stop(session, path),
    )
    return dict(zip(USUAL, cases, strict=True))


def imports(place: Place) -> dict[str, object]:
    """The modules of each hook beyond the bare interpreter's; `outside` those that DESIGN does not name, by origin."""
    brought = {name: _loaded(place, f"import {name}") - {name} for name in ALLOWED}
    session = place.fresh_session()
    path = str(place.transcript(session, TURN))
    found: dict[str, object] = {}
    said = {"session_id": session, "cwd": str(place.project), "transcript_path": path}
    said |= {"tool_name": "Read", "tool_use_id": "toolu_0"}
    for name, event in EVENTS.items():
        modules = _watched(place, event, said)
        outside = {module for module in modules if module.partition(".")[0] != "keepstone"}
        outside -= {*ALLOWED, *brought["os"]}
        c_halves = outside & set().union(*(brought[half] for half in ALLOWED))
        found[name] = {
            "modules": sorted(modules),
            "count": len(modules),
            "outside": sorted(outside - c_halves),
            "outside_by_c_half": sorted(c_halves),
        }
    for job in place.jobs():
        job.unlink()
    return found


def _loaded(place: Place, statement: str) -> set[str]:
    command = [place.python, "-I", "-S", "-c", LOADED.format(statement)]
    return set(subprocess.run(command, env=place.env, capture_output=True, text=True, check=True).stdout.split())


def _watched(place: Place, event: str, said: dict[str, str]) -> set[str]:
    command = [place.python, "-I", "-S", "-c", WATCHED, str(Path(ROOT, "src")), event]
    done = subprocess.run(command, env=place.env, input=json.dumps(said), capture_output=True, text=True, check=True)
    return set(done.stderr.split())
