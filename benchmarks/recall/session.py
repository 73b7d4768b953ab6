"""What Keepstone puts into one session of 50 turns, in tokens: the brief, and what comes at its moments. Real hooks.

Each turn is a prompt, a file that is read and a command, every fifth command fails: the situations of one project of
the development file, all of them in one session. `--small` has five turns, to show that this program works.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from situations import EVENTS, said
from world import ROOT, World, load

TURNS = 5 if "--small" in sys.argv else 50
PROJECT = "shop"
CHARS_A_TOKEN = 4


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="keepstone-session-") as folder:
        world = World(Path(folder), load(Path(__file__).with_name("development.jsonl")))
        found: Counter[str] = Counter()
        times: Counter[str] = Counter()
        for event, given in told(world):
            done = subprocess.run(
                [ROOT / "hooks" / event],
                input=json.dumps(given),
                env=world.env,
                capture_output=True,
                text=True,
                check=True,
            )
            text = context(done.stdout)
            found[event] += len(text)
            times[event] += bool(text)
    for event, chars in found.items():
        print(f"{event:24}{times[event]:>4} times{round(chars / CHARS_A_TOKEN):>8,} tokens")
    print(f"{'together':24}{round(found.total() / CHARS_A_TOKEN):>18,} tokens")


def told(world: World):
    """(hook, what the client says) of the whole session."""
    here = [one for one in world.situations if one["project"] == PROJECT]
    of = {moment: itertools.cycle([one for one in here if one["moment"] == moment]) for moment in EVENTS}
    start = {"session_id": "session", "cwd": str(world.folder(PROJECT)), "transcript_path": "", "source": "startup"}
    yield "session-start", start
    for turn in range(TURNS):
        for moment in ("prompt", "file", "command", *(["failure"] if turn % 5 == 4 else [])):
            situation = next(of[moment])
            yield EVENTS[moment], {**said(world, situation, 0), "session_id": "session"}


def context(printed: str) -> str:
    """What of it reaches the model."""
    if not printed.startswith("{"):
        return printed
    return json.loads(printed).get("hookSpecificOutput", {}).get("additionalContext", "")


if __name__ == "__main__":
    main()
