"""`make bench-graph`: what it takes to find how memories hang together, how much is found, and what the jobs take.

    python benchmarks/graph_bench.py [10000 65000]

Up to 10,000 memories share things as those of one project do: sessions of thirty in an area of a few files and symbols,
two files that a tenth of all name, concepts and vectors of the texts; each is looked at. Of more only the newest 2,000
are, and the others are linked at random, six each: the jobs take as long. The baseline of a look is one search of the
bare reader for the same words, in the same run.
"""

from __future__ import annotations

import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import measure
from place import Place
from small import IS_SMALL, RESULTS, SMALL, sized

SIZES = (200, 500) if IS_SMALL else (10_000, 65_000)  # the most that one agent is expected to have, and a multiple
WHOLE, SOME = sized(10_000, 200), sized(2_000, 50)
RANDOM_LINKS = 6
ALONE = sized(200, 10)  # looks at one memory alone, as after a single store
AREAS, AREA_FILES, AREA_SYMBOLS, SESSION_MEMORIES = 60, 12, 40, 30  # of one project
HUBS, HUB_SHARE = ("README.md", "pyproject.toml"), 0.1
RESULT = RESULTS / "graph.json"


def share(home: str, path: str) -> dict[str, object]:
    """Lets all memories be of one project and share what such memories share."""
    from keepstone.language.facets import facets
    from keepstone.lib.limits import STATIC
    from keepstone.lib.text import title_and_content
    from keepstone.lib.vector import packed
    from keepstone.recall.embeddings.static import Static

    chance = random.Random(1)
    with closing(sqlite3.connect(path)) as database, database:
        rows = database.execute("SELECT seq, id, title, content, created_at FROM memory ORDER BY seq").fetchall()
        vectors = Static(home).vectors([title_and_content(title, content) for _, _, title, content, _ in rows])
        database.execute("UPDATE memory SET project_id = (SELECT project_id FROM memory WHERE project_id IS NOT NULL)")
        database.execute("DELETE FROM memory_facet")
        for place, (seq, memory_id, _, content, _) in enumerate(rows):
            session = place // SESSION_MEMORIES
            began = rows[session * SESSION_MEMORIES][4]
            where = (f"session-{session % 600}", began + place % SESSION_MEMORIES * 300, seq)
            database.execute("UPDATE memory SET session_id = ?, created_at = ? WHERE seq = ?", where)
            found = {*facets(content), *(("file", hub) for hub in HUBS if chance.random() < HUB_SHARE)}
            found.update(_of_area(chance, session % AREAS))
            add = "INSERT OR IGNORE INTO memory_facet (memory_id, facet, value) VALUES (?, ?, ?)"
            database.executemany(add, [(memory_id, *one) for one in sorted(found)])
            if vector := vectors[place]:
                set_to = "UPDATE vector SET data = ? WHERE memory_id = ? AND model = ?"
                database.execute(set_to, (packed(vector), memory_id, STATIC))
    return {}


def _of_area(chance: random.Random, area: int) -> list[tuple[str, str]]:
    """Up to three files of an area and up to two symbols, some of them often."""
    files = [min(int(chance.expovariate(0.3)), AREA_FILES - 1) for _ in range(chance.choice((0, 1, 1, 1, 2, 3)))]
    symbols = [min(int(chance.expovariate(0.1)), AREA_SYMBOLS - 1) for _ in range(chance.choice((0, 0, 1, 2)))]
    return [("file", f"src/area{area}/file{one}.py") for one in files] + [
        ("symbol", f"area{area}_name{one}") for one in symbols
    ]


def look(home: str, folder: str, most: int) -> dict[str, object]:
    """Finds the related memories of up to `most` memories. Returns milliseconds of each."""
    from keepstone import Memory
    from keepstone.graph import write_sql
    from keepstone.graph.candidates_sql import Rarities, unrelated
    from keepstone.graph.find_links import LINK_TEXT_CHARS, Nearest, links_of
    from keepstone.lib.text import clip, title_and_content
    from keepstone.recall.find import find
    from keepstone.recall.match_sql import Matches
    from keepstone.recall.open_embedder import lens_of

    memory = Memory(home, folder)
    took: dict[str, list[float]] = {"look": [], "alone": [], "search": []}
    with memory.context.writer() as writer, closing(memory.context.backend.reader(memory.context.database)) as reader:
        rare, near, now = Rarities(reader), Nearest(lens_of(memory.context)), time.time()
        for one in unrelated(reader, most, now):
            began = time.perf_counter()
            if len(took["alone"]) < ALONE:
                links_of(reader, one, Rarities(reader), Nearest(lens_of(memory.context)), now)
                took["alone"].append((time.perf_counter() - began) * 1000)
                began = time.perf_counter()
            found = links_of(reader, one, rare, near, now)
            with writer.transaction() as tx:
                write_sql.keep_links(tx, one.id, one.updated_at, found, now)
            middle = time.perf_counter()
            matches = Matches(reader, one.project_id, False, "", now, hot=True)
            find(matches, clip(title_and_content(one.title, one.content), LINK_TEXT_CHARS), 30)
            took["look"].append((middle - began) * 1000)
            took["search"].append((time.perf_counter() - middle) * 1000)
    return {f"{name}_{key}": value for name, times in took.items() for key, value in _figures(times).items()}


def _figures(times: list[float]) -> dict[str, float]:
    times = sorted(times)
    return {"p50_ms": round(times[len(times) // 2], 1), "p95_ms": round(times[len(times) * 95 // 100], 1)}


def jobs(home: str, folder: str) -> dict[str, object]:
    """Seconds of both jobs, and this process's peak memory in megabytes."""
    from keepstone import Memory
    from keepstone.graph.update_ranks import group, rank

    with Memory(home, folder).context.writer() as writer:
        began = time.perf_counter()
        ranked = rank(writer)
        middle = time.perf_counter()
        communities = group(writer)
        done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * measure.MEMORY_UNIT / 1e6
    found = {"ranked": ranked, "communities": communities, "peak_mb": round(peak)}
    return {**found, "rank_s": round(middle - began, 1), "group_s": round(done - middle, 1)}


def link_at_random(path: Path) -> None:
    """Six relationships for each memory that has none, with others that came near it."""
    chance = random.Random(1)
    with closing(sqlite3.connect(path)) as database, database:
        ids = [row[0] for row in database.execute("SELECT id FROM memory ORDER BY seq")]
        rows = []
        for number, one in enumerate(ids[:-SOME]):
            near = {ids[chance.randrange(max(0, number - 60), min(len(ids), number + 60))] for _ in range(RANDOM_LINKS)}
            rows += [(one, other, chance.random()) for other in near - {one}]
        database.executemany(
            "INSERT OR IGNORE INTO relationship VALUES (?, ?, 'related_to', 'concept_overlap', 0, ?, NULL)", rows
        )


def degrees(path: Path) -> dict[str, object]:
    with closing(sqlite3.connect(path)) as database:
        ends = Counter(row[0] for row in database.execute("SELECT source_id FROM relationship"))
        ends.update(row[0] for row in database.execute("SELECT target_id FROM relationship"))
        methods = database.execute("SELECT method, count(*) FROM relationship GROUP BY 1").fetchall()
        (total,) = database.execute("SELECT count(*) FROM memory").fetchone()
    mean = round(sum(ends.values()) / total, 1)
    return {"degree_mean": mean, "degree_max": max(ends.values(), default=0), "methods": dict(methods)}


def graph(size: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="keepstone-graph-") as folder:
        place = Place(Path(folder), size)

        def run(what: str, *more: object) -> dict[str, object]:
            command = [sys.executable, __file__, *SMALL, what, str(place.home), str(place.project), *map(str, more)]
            done = subprocess.run(command, capture_output=True, text=True, env=place.env)
            if done.returncode:
                raise RuntimeError(done.stderr)
            return json.loads(done.stdout)  # type: ignore[no-any-return]

        if size <= WHOLE:
            run("share", place.database)
        found = {"memories": size, **run("look", size if size <= WHOLE else SOME)}
        found |= degrees(place.database) if size <= WHOLE else {}
        if size > WHOLE:
            link_at_random(place.database)
        return found | run("jobs")


def main() -> None:
    if sys.argv[1:2] == ["share"]:
        print(json.dumps(share(sys.argv[2], sys.argv[4])))
        return
    if sys.argv[1:2] == ["look"]:
        print(json.dumps(look(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
        return
    if sys.argv[1:2] == ["jobs"]:
        print(json.dumps(jobs(sys.argv[2], sys.argv[3])))
        return
    result = []
    for size in map(int, sys.argv[1:] or SIZES):
        result.append(found := graph(size))
        p50, p95 = found["look_p50_ms"], found["look_p95_ms"]
        ratio = p95 / found["search_p95_ms"]  # type: ignore[operator]
        print(f"{size:,} memories: a look p50 {p50} ms, p95 {p95} ms, {ratio:.1f} of a search's")
        print(f"  at a memory alone p50 {found['alone_p50_ms']} ms, p95 {found['alone_p95_ms']} ms")
        if "degree_mean" in found:
            print(f"  {found['degree_mean']} relationships a memory, at most {found['degree_max']}: {found['methods']}")
        print(f"  PageRank {found['rank_s']} s; {found['communities']:,} communities {found['group_s']} s")
        print(f"  at most {found['peak_mb']} MB")
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
