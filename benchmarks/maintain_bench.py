"""`make bench-maintain`: what all jobs at once take in a store of 100,000 memories, and how long others wait meanwhile.

    python benchmarks/maintain_bench.py [100000]

A third is episodic, a thirtieth of that a day; nothing of it was looked at before. Once it is of four agents, within
their caps, maintained and maintained again as if a day had passed; once of a single one, far over its caps. A reader in
a process of its own looks for a brief and searches, over and over, before and during: it gives up on a lock after 100
ms, and every time is counted. Another asks for the writer's lock every five milliseconds, to see how long it was held.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import measure
from place import ROOT, Place, check
from small import RESULTS, sized

SIZE = sized(100_000, 200)
AGENTS = 4
WAIT = 0.1  # seconds, of a reader
BEFORE_SECONDS = sized(10, 1)
PROBE_SECONDS = 0.005
RESULT = RESULTS / "maintain.json"
SPREAD = """
UPDATE memory SET agent_id = 'agent-' || (seq % :agents), tier = iif(seq % 3, 'semantic', 'episodic'),
    expires_at = iif(seq % 3, NULL, :now + (seq % 90 / 3 - 0.5) * 86400.0), created_at = min(created_at, :now - 86400.0)
"""
LATER = "UPDATE memory SET expires_at = expires_at - 86400"


def read(home: str, folder: str) -> None:
    """Reads until stdin ends, then prints each look's milliseconds and what failed."""
    from keepstone import Memory
    from keepstone.db.reader import Reader
    from keepstone.lib.limits import BRIEF_LIMIT

    memory = Memory(home, folder)
    reader = Reader(memory.context.database, WAIT)
    project = reader.project_of(memory.context.caller.identity)
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    took: dict[str, list[float]] = {"brief": [], "search": [], "locked": []}
    while not over.is_set():
        for name in "brief", "search":
            began = time.perf_counter()
            try:
                if name == "brief":
                    check(bool(reader.brief_rows(project, "", BRIEF_LIMIT, time.time())), "the reader finds nothing")
                else:
                    memory.search("postgres billing retry", limit=5)
            except sqlite3.OperationalError:
                name = "locked"
            took[name].append((time.perf_counter() - began) * 1000)
    print(json.dumps({name: _figures(times) for name, times in took.items()}))


def _figures(times: list[float]) -> dict[str, float]:
    times = sorted(times)
    if not times:
        return {"count": 0}
    return {"count": len(times), "p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100], "max": times[-1]}


def held(path: str, over: threading.Event) -> list[float]:
    """The milliseconds of each stretch in which the writer's lock could not be had."""
    stretches = []
    since = 0.0
    database = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    while not over.is_set():
        try:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
            if since:
                stretches.append((time.perf_counter() - since) * 1000)
            since = 0.0
        except sqlite3.OperationalError:
            since = since or time.perf_counter()
        time.sleep(PROBE_SECONDS)
    database.close()
    return stretches


def maintained(place: Place) -> dict[str, object]:
    """One `keepstone worker run-all`, beside readers."""
    environ = {**os.environ, **place.env}
    readers = [sys.executable, __file__, "read", str(place.home), str(place.project)]

    def reader() -> subprocess.Popen[str]:
        return subprocess.Popen(readers, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ)

    before = reader()
    time.sleep(BEFORE_SECONDS)
    quiet = json.loads(before.communicate("")[0])
    during, over, stretches = reader(), threading.Event(), list[float]()
    time.sleep(1.0)
    probe = threading.Thread(target=lambda: stretches.extend(held(str(place.database), over)))
    probe.start()
    command = [sys.executable, "-m", "keepstone", "worker", "run-all", "--json"]
    sample = measure.run(command, {**environ, "PYTHONPATH": str(ROOT / "src")})
    over.set()
    probe.join()
    jobs = json.loads(sample.output)
    check(not any(job.get("problem") for job in jobs), sample.output)
    return {
        "seconds": round(sample.wall / 1000, 1),
        "peak_mb": round(sample.peak / 1e6),
        "jobs": {job["name"]: {key: value for key, value in job["report"].items() if key != "steps"} for job in jobs},
        "lock": _figures(stretches),
        "before": quiet,
        "during": json.loads(during.communicate("")[0]),
    }


def main() -> None:
    if sys.argv[1:2] == ["read"]:
        read(*sys.argv[2:])
        return
    size = int((sys.argv[1:] or [SIZE])[0])
    result: dict[str, object] = {"memories": size}
    with tempfile.TemporaryDirectory(prefix="keepstone-maintain-") as folder:
        place = Place(Path(folder), size)
        begun = shutil.copy(place.database, Path(folder, "begun.db"))
        os.chdir(place.project)
        for name, agents in ("within the caps", AGENTS), ("a day later", 0), ("over the caps", 1):
            if agents:
                shutil.copy(begun, place.database)
            with place.open_database() as database:
                database.execute(SPREAD if agents else LATER, {"agents": agents, "now": time.time()})
            result[name] = maintained(place)
        os.chdir(ROOT)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
