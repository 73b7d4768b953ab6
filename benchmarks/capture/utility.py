"""How well capture tells what became of delivered memories: precision and recall of each verdict on labelled sessions.

Each session goes the way of a real one: its memories are stored, their delivery is recorded, its transcript is captured
and the verdicts are read back. `--errors` names every wrong verdict of the development sessions; of the held-out ones
only numbers are shown, so that nothing is tuned on them. `--development` leaves those out.
`--small` takes three sessions of each, to show that this program works.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sessions import START, write

from keepstone import Memory
from keepstone.admin.week_sql import WeekReader
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.model.delivery import CONTRADICTED, UNKNOWN, USED
from keepstone.recall import deliveries_sql

HERE = Path(__file__).resolve().parent
FILES = {"development": HERE / "utility_development.jsonl", "held out": HERE / "utility_held_out.jsonl"}
GOAL = 0.9  # precision of `used` on the held-out sessions


@dataclass(frozen=True)
class Judged:
    """One delivery: what a person says of it, and what capture does."""

    session: str
    memory: str
    label: str
    verdict: str


def measure(path: Path, most: int | None = None) -> list[Judged]:
    with path.open(encoding="utf-8") as file, tempfile.TemporaryDirectory(prefix="keepstone-utility-") as folder:
        return [judged for line in islice(file, most) for judged in _session(json.loads(line), Path(folder))]


def _session(labelled: dict[str, Any], root: Path) -> list[Judged]:
    """Lives one session in a project of its own."""
    session, folder = labelled["session"], root / labelled["session"]
    folder.mkdir()
    memory = Memory(str(root / "home"), str(folder), {"HOME": str(root)}, START.timestamp)
    ids, text = {}, json.dumps(labelled["turns"])
    for given in labelled["delivered"]:
        shown, _ = memory.store(given["content"], kind=given["kind"])
        ids[given["id"]] = shown.memory.id
        text = text.replace(given["id"], shown.short_id)
    now = START.timestamp()
    with closing(Writer(memory.context.database, ratio)) as writer, writer.transaction() as tx:
        sessions.note_session(tx, session, project_id=None, transcript_path="", cwd=str(folder), branch="", now=now)
        deliveries_sql.count_deliveries(tx, session, "session-start", ids.values(), len(text), now)
    transcript = folder / "transcript" / f"{session}.jsonl"
    write(json.loads(text), transcript, session, str(folder))
    memory.capture.capture(str(transcript))
    with closing(WeekReader(memory.context.database)) as report:
        verdicts = report.verdicts(session)
    return [Judged(session, given, label, verdicts[ids[given]] or "") for given, label in labelled["labels"].items()]


def show(name: str, judged: list[Judged]) -> None:
    counts = Counter((one.label, one.verdict) for one in judged)
    print(f"{name}: {len({one.session for one in judged})} sessions, {len(judged)} deliveries")
    for verdict in (USED, CONTRADICTED, UNKNOWN):
        right = counts[verdict, verdict]
        given = sum(count for (_, got), count in counts.items() if got == verdict)
        there = sum(count for (label, _), count in counts.items() if label == verdict)
        print(
            f"  {verdict:<12} precision {right / max(1, given):.3f} ({right} of {given})"
            f"   recall {right / max(1, there):.3f} ({right} of {there})"
        )


def main() -> None:
    for name, path in FILES.items():
        if name != "development" and "--development" in sys.argv:
            continue
        judged = measure(path, 3 if "--small" in sys.argv else None)
        show(name, judged)
        for one in judged if "--errors" in sys.argv and name == "development" else ():
            if one.label != one.verdict:
                print(f"    {one.session} {one.memory}: {one.label}, judged {one.verdict}")


if __name__ == "__main__":
    main()
