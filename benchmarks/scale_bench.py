"""`make bench-scale`: what a search and the hooks cost in large stores; a table on stdout, build/scale.json has it all.

    python benchmarks/scale_bench.py [100000 1000000]

A search is `Memory.search` over everything, in one process, of queries of six words. Its baselines run between the
searches: the bare query of FTS5 for these words, by their rank and with a limit as ours has it, and the same for the
words alone that Keepstone takes of them. Hooks are measured up to 100,000 memories.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure
from place import ROOT, Place
from small import IS_SMALL, RESULTS, SMALL, sized

SIZES = (1_000, 2_000) if IS_SMALL else (100_000, 1_000_000)
HOOKS_UP_TO = sized(100_000, 1_000)
QUERIES = sized(100, 5)
ROUNDS = sized(30, 1)
WORDS = 6
RESULT = RESULTS / "scale.json"
BARE = "SELECT rowid FROM memory_fts WHERE memory_fts MATCH :query ORDER BY rank LIMIT :rows"


def searches(home: str, folder: str) -> dict[str, float]:
    """Milliseconds of searches and of the bare query, and this process's peak memory in megabytes."""
    import data
    from keepstone import Memory
    from keepstone.db.reader import Reader
    from keepstone.lib.limits import QUERY_TERMS
    from keepstone.lib.text import query_terms
    from keepstone.recall.find import forms
    from keepstone.recall.match_sql import MATCH_ROWS, Matches

    chance = random.Random(2)
    queries = [" ".join(data.words(chance, WORDS)) for _ in range(QUERIES)]
    memory = Memory(home=home, folder=folder)
    memory.search(queries[0], everything=True)
    took: dict[str, list[float]] = {"search": [], "bare": [], "taken": []}
    for query in queries:
        began = time.perf_counter()
        found = memory.search(query, everything=True).found
        took["search"].append((time.perf_counter() - began) * 1000)
        if not found:
            raise RuntimeError(f"nothing was found for {query!r}")
        reader = Reader(os.path.join(home, "keepstone.db"))
        every = [f'"{term}"' for term in query_terms(query)]
        taken = Matches(reader, None, True, "", time.time()).rarest(list(map(forms, query_terms(query))), QUERY_TERMS)
        for name, words in ("bare", every), ("taken", taken):
            began = time.perf_counter()
            reader.rows(BARE, {"query": " OR ".join(words), "rows": MATCH_ROWS})
            took[name].append((time.perf_counter() - began) * 1000)
        reader.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * measure.MEMORY_UNIT / 1e6
    figures = {key: value for name, times in took.items() for key, value in _figures(name, times).items()}
    return {**figures, "peak_mb": round(peak)}


def _figures(name: str, took: list[float]) -> dict[str, float]:
    took = sorted(took)
    return {f"{name}_p50_ms": round(took[len(took) // 2], 1), f"{name}_p95_ms": round(took[len(took) * 95 // 100], 1)}


def scale(size: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="keepstone-scale-") as folder:
        began = time.monotonic()
        place = Place(Path(folder), size)
        found: dict[str, object] = {"memories": size, "made_in_s": round(time.monotonic() - began)}
        found["database_mb"] = round(place.database.stat().st_size / 1e6)
        command = [sys.executable, __file__, *SMALL, "searches", str(place.home), str(place.project)]
        found |= json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=place.env).stdout)
        if size <= HOOKS_UP_TO:
            os.chdir(place.project)
            cases = {"bare hook": place.bare, "session-start": place.session_start, "prompt": place.prompt}
            cases |= {"prompt, silent": place.other_prompt, "file": place.file, "command": place.command}
            samples = measure.interleave(cases, ROUNDS)
            found["hooks"] = {name: measure.figures(took, samples["bare hook"]) for name, took in samples.items()}
            os.chdir(ROOT)
        return found


def main() -> None:
    if sys.argv[1:2] == ["searches"]:
        print(json.dumps(searches(*sys.argv[2:])))
        return
    result = []
    for size in map(int, sys.argv[1:] or SIZES):
        result.append(found := scale(size))
        print(f"{size:,} memories, a database of {found['database_mb']} MB, made in {found['made_in_s']} s")
        print(f"  search: p50 {found['search_p50_ms']} ms, p95 {found['search_p95_ms']} ms, {found['peak_mb']} MB")
        for name, label in ("bare", "bare FTS5"), ("taken", "the same of the words taken"):
            p50, p95 = found[f"{name}_p50_ms"], found[f"{name}_p95_ms"]
            ratio = found["search_p95_ms"] / p95  # type: ignore[operator]
            print(f"  {label}: p50 {p50} ms, p95 {p95} ms; search at p95 {ratio:.2f} of it")
        for name, row in found.get("hooks", {}).items():  # type: ignore[attr-defined]
            print(f"  {name:16}{row['wall_ms']:>8.1f} ms{row['ratio']:>7.2f}")
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
