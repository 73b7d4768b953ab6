"""Situations: whether the right memory comes at the right moment, and silence where nothing fits. Real hooks.

    python benchmarks/recall/situations.py [development.jsonl ...] [--show] [--small]

Each line of such a file is a memory, a file of a repository as it is today, or a situation: a prompt, a file about
to be read or changed, a command, a failure, with the memories of which one is to come first (none: silence). `--show`
lists what went wrong; `--small` runs a few situations of the first file, to show that this program works.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from world import ROOT, World, load

EVENTS = {
    "prompt": "user-prompt-submit",
    "file": "pre-tool-use",
    "command": "pre-tool-use",
    "failure": "post-tool-use-failure",
}
FILES = ("development.jsonl", "development_commands.jsonl", "development_failures.jsonl", "held_out.jsonl")
SMALL_EVERY = 20
SHOWN = re.compile(r"\(([0-9a-f]{6,16}), ")


def said(world: World, situation: dict, number: int) -> dict:
    """What the client says at such a moment."""
    root = world.folder(situation["project"])
    folder = root / situation.get("cwd", "")
    folder.mkdir(parents=True, exist_ok=True)
    told = {"session_id": f"situation-{number}", "cwd": str(folder), "transcript_path": ""}
    text = situation["text"]
    if situation["moment"] == "prompt":
        return {**told, "prompt": text}
    if situation["moment"] == "file":
        given = {"file_path": str(root / text)}
        return {**told, "tool_name": situation.get("tool", "Read"), "tool_use_id": "t-1", "tool_input": given}
    if situation["moment"] == "command":
        return {**told, "tool_name": "Bash", "tool_use_id": "t-1", "tool_input": {"command": text}}
    given = {"command": situation.get("command", "")}
    return {**told, "tool_name": "Bash", "tool_use_id": "t-1", "tool_input": given, "error": text}


def run(world: World, number: int) -> tuple[list[str], str]:
    """The keys of the memories that a situation brings, in order, and the text."""
    situation = world.situations[number]
    done = subprocess.run(
        [ROOT / "hooks" / EVENTS[situation["moment"]]],
        input=json.dumps(said(world, situation, number)),
        env=world.env,
        capture_output=True,
        text=True,
        check=True,
    )
    text = done.stdout
    if text.startswith("{"):
        text = json.loads(text)["hookSpecificOutput"].get("additionalContext", "")
    ids = [f"mem-{found}" for found in SHOWN.findall(text)]
    return [next(key for whole, key in world.keys.items() if whole.startswith(part)) for part in ids], text


def judged(situation: dict, keys: list[str], text: str, world: World) -> bool:
    """Whether that is right: silence, or the right one first; a stale one with its label."""
    if not situation["expect"]:
        return not keys
    if not keys or keys[0] not in situation["expect"]:
        return False
    stale = any(line["memory"] == keys[0] and line.get("stale") for line in world.memories)
    return not stale or "changed since: verify]" in text


def score(path: Path, show: bool, every: int = 1) -> dict[str, object]:
    """Returns the shares of one file's situations, in percent; of those that expect a memory also by moment and sort.
    Only each `every`th situation is run.
    """
    with tempfile.TemporaryDirectory(prefix="keepstone-situations-") as folder:
        world = World(Path(folder), load(path))
        world.situations = world.situations[::every]
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda number: run(world, number), range(len(world.situations))))
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for situation, (keys, text) in zip(world.situations, found, strict=True):
            right = judged(situation, keys, text, world)
            whole = "right first" if situation["expect"] else "silence"
            sort = f"{situation['moment']}: {situation.get('sort', '') if situation['expect'] else 'silence'}"
            for name in (whole, f"{situation['moment']} ({whole})", sort):
                sums[name][0] += right
                sums[name][1] += 1
            if show and not right:
                print(sort, "|", situation["text"][:110].replace("\n", " "), "|", situation["expect"], keys)
    return {name: f"{right} of {total}" for name, (right, total) in sorted(sums.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path(name) for name in FILES])
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    for path in given.files[:1] if given.small else given.files:
        path = path if path.exists() else Path(__file__).with_name(path.name)
        print(path.name, json.dumps(score(path, given.show, SMALL_EVERY if given.small else 1), indent=1), sep="\n")


if __name__ == "__main__":
    main()
