"""`make bench-postgres`: a million memories in PostgreSQL next to the same in SQLite; build/postgres.json has it all.

    python benchmarks/postgres_bench.py [MEMORIES [FOLDER]]

A folder keeps both databases, and the next run measures those that it finds there: to make a million takes an hour.
The memories are `data.py`'s; each has the static embedder's vector of its text, a copy's with noise, so that no two are
the same. PostgreSQL has the settings below and else its own. A search is `Memory.search` over everything, or over the
one project, of queries of six words; a store is `Memory.store`; the two engines take turns. What an index of vectors
leaves out is what it finds of the hundred nearest, of some memories' own texts with other words added.
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy
import psycopg
from place import Place
from small import RESULTS, sized
from team_run import Server

import data
from keepstone import Memory
from keepstone.db import postgres
from keepstone.db.pgvector import index_name
from keepstone.lib.limits import STATIC, VECTORS_COMPARED
from keepstone.lib.text import title_and_content
from keepstone.lib.vector import LENGTH, packed
from keepstone.recall.embeddings.static import Static
from keepstone.recall.match_sql import RANK_DEPTH
from keepstone.recall.search import Results

MEMORIES, QUERIES, WARM, STORES = sized(1_000_000, 1_000), sized(100, 5), sized(20, 2), sized(20, 2)
WORDS, NEAREST = 6, sized(50, 3)
INDEXED = sized(VECTORS_COMPARED, 100)  # vectors from which on there is an index of them
# a sixth and an eighth of this machine's memory, as its makers propose for one that has nothing else to do
SETTINGS = {"shared_buffers": "4GB", "maintenance_work_mem": "3GB", "max_wal_size": "8GB"}
TABLES = ("project", "project_key", "session", "memory", "evidence", "memory_facet")
NOISE = 0.6  # of a vector's length: the copies of one are some 0.85 alike
RESULT = RESULTS / "postgres.json"
WINDOWS = """
INSERT INTO memory_window SELECT seq, words, size_of(words) FROM (
    SELECT seq, words_of(string_agg(content, chr(10)) OVER (
        PARTITION BY session_id ORDER BY seq ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)) AS words
    FROM memory WHERE session_id IS NOT NULL AND status = 'active' AND trust = 'trusted' AND tier <> 'working') x
"""
WORDS_INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'keepstone' AND indexdef LIKE '% gin %'"
SIZES = """
SELECT c.relname, pg_relation_size(c.oid) / 1e6 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'keepstone' AND c.relkind IN ('r', 'i') ORDER BY 2 DESC LIMIT 12
"""
CLOSEST = """
SELECT memory_id FROM keepstone.vector WHERE model = %s AND length(data) = {bytes}
ORDER BY {near} <=> CAST(%s AS halfvec({dims})) LIMIT %s
"""


def vectors(source: sqlite3.Connection, home: str) -> Iterator[tuple[str, str, int, bytes]]:
    """Each memory's vector: of its text, and of a copy the same with noise."""
    embedder, chance = Static(home), numpy.random.default_rng(3)
    own: dict[str, numpy.ndarray] = {}
    for number, memory_id, title, content in source.execute("SELECT seq, id, title, content FROM memory ORDER BY seq"):
        first = data.original(memory_id, number)
        is_copy = first in own
        if not is_copy:
            (vector,) = embedder.vectors([title_and_content(title, content)])
            own[first] = numpy.array(vector)
        noise = chance.standard_normal(embedder.dims) * NOISE / embedder.dims**0.5 * is_copy
        yield memory_id, STATIC, embedder.dims, packed((own[first] + noise).tolist())


def copied(place: Place, address: str) -> dict[str, float]:
    """Copies SQLite's rows into PostgreSQL by what is fastest there; the seconds it took."""
    began, took = time.monotonic(), {}
    postgres.index_vectors(address, STATIC, data.DIMS, INDEXED)
    with (
        psycopg.connect(address, options="-c search_path=keepstone") as to,
        closing(sqlite3.connect(place.database)) as of,
    ):
        to.execute("SET session_replication_role = replica")  # no triggers: the windows are made at once
        indexes = to.execute(WORDS_INDEXES).fetchall()  # as the manual proposes for many rows: made at the end
        for name, _ in indexes:
            to.execute(f"DROP INDEX {name}")
        for table in TABLES:
            columns = ", ".join(row[1] for row in of.execute(f"PRAGMA table_info({table})"))
            _copy(to, f"COPY {table} ({columns}) FROM STDIN", of.execute(f"SELECT {columns} FROM {table}"))
        _copy(to, "COPY vector (memory_id, model, dims, data) FROM STDIN", vectors(of, str(place.home)))
        to.execute(WINDOWS)
        for _, made in indexes:
            to.execute(made)
        for table in ("memory", "evidence"):
            to.execute(f"SELECT setval(pg_get_serial_sequence('keepstone.{table}', 'seq'), max(seq)) FROM {table}")
    took["copied_s"] = time.monotonic() - began
    with psycopg.connect(address, autocommit=True) as to:
        to.execute("VACUUM ANALYZE")
    began = time.monotonic()
    if not postgres.index_vectors(address, STATIC, data.DIMS, INDEXED):
        raise RuntimeError("the sample is void: there is no index of vectors")
    return {**took, "vector_index_s": time.monotonic() - began}


def _copy(to: psycopg.Connection, statement: str, rows: Any) -> None:
    with to.cursor().copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def timed(acts: dict[str, Callable[[str], object]], given: list[str]) -> dict[str, dict[str, float]]:
    """Milliseconds of each act on each of what is given, in turns."""
    took: dict[str, list[float]] = {name: [] for name in acts}
    for one in given:
        for name, act in acts.items():
            began = time.perf_counter()
            act(one)
            took[name].append((time.perf_counter() - began) * 1000)
    return {name: _figures(times) for name, times in took.items()}


def _figures(times: list[float]) -> dict[str, float]:
    times = sorted(times)
    return {
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[len(times) * 95 // 100], 1),
        "a_second": round(1000 * len(times) / sum(times), 1),
    }


def left_out(address: str, home: str) -> dict[str, float]:
    """The share of the nearest that the index finds, and the milliseconds of it and of comparing all."""
    embedder, chance = Static(home), random.Random(4)
    found, took = [], {"index": [], "all": []}
    with psycopg.connect(address, options=postgres.OPTIONS) as database:
        rows = database.execute("SELECT content FROM keepstone.memory ORDER BY id LIMIT %s", (NEAREST,)).fetchall()
        for (content,) in rows:
            (vector,) = embedder.vectors([f"{content} {' '.join(data.words(chance, WORDS))}"])
            ids = {}
            for name, near in (("index", f"CAST(near AS halfvec({data.DIMS}))"), ("all", "near")):
                began = time.perf_counter()
                sql = CLOSEST.format(near=near, dims=data.DIMS, bytes=LENGTH.size + data.DIMS)
                ids[name] = {row[0] for row in database.execute(sql, (STATIC, str(vector), RANK_DEPTH))}
                took[name].append((time.perf_counter() - began) * 1000)
            found.append(len(ids["index"] & ids["all"]) / RANK_DEPTH)
    figures = {f"{name}_p50_ms": round(statistics.median(times), 1) for name, times in took.items()}
    return {"found": round(statistics.mean(found), 4), "worst": min(found), **figures}


def compared(place: Place, address: str) -> dict[str, Any]:
    """Searches and stores on both engines."""
    # the weights of both are those that the vectors were made with
    env = {**place.env, "KEEPSTONE_EMBEDDER": "static"}
    here = Memory(str(place.home), str(place.project), env)
    there = Memory(str(place.home), str(place.project), {**env, "KEEPSTONE_DATABASE_URL": address})
    chance = random.Random(2)
    queries = [" ".join(data.words(chance, WORDS)) for _ in range(QUERIES)]
    texts = [" ".join(f"{chance.getrandbits(40):010x}" for _ in range(15)) for _ in range(STORES)]  # like no other
    for memory in (here, there):
        for everything in (True, False):
            for _ in range(WARM):
                _require_some(memory.search(" ".join(data.words(chance, WORDS)), everything=everything))
    asked = {"sqlite": here, "postgres": there}
    return {
        "search, everything": timed({name: _search(one, True) for name, one in asked.items()}, queries),
        "search, project": timed({name: _search(one, False) for name, one in asked.items()}, queries),
        "store": timed({name: one.store for name, one in asked.items()}, texts),
    }


def _search(memory: Memory, everything: bool) -> Callable[[str], object]:
    return lambda query: _require_some(memory.search(query, everything=everything))


def _require_some(results: Results) -> None:
    if not results.found:
        raise RuntimeError("the sample is void: a search found nothing")


def bench(memories: int, folder: Path) -> dict[str, Any]:
    made = folder / "made.json"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)  # the server runs as another user
    place = Place(folder / "here", memories, made.exists())
    server = Server(folder / "data", SETTINGS)
    try:
        if not made.exists():
            made.write_text(json.dumps({"memories": memories, **copied(place, server.address)}))
        found: dict[str, Any] = {
            **json.loads(made.read_text()),
            "sqlite_mb": round(place.database.stat().st_size / 1e6),
        }
        with psycopg.connect(server.address) as database:
            (size,) = database.execute("SELECT pg_database_size(current_database()) / 1e6").fetchone() or (0,)
            found |= {"postgres_mb": round(size), "largest_mb": dict(database.execute(SIZES).fetchall())}
            found["vector_index"] = index_name(STATIC, data.DIMS)
        found["nearest"] = left_out(server.address, str(place.home))
        return found | compared(place, server.address)
    finally:
        server.stop()


def main() -> None:
    memories = int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES
    with tempfile.TemporaryDirectory(prefix="keepstone-postgres-") as passing:
        found = bench(memories, Path(sys.argv[2] if len(sys.argv) > 2 else passing))
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(found, indent=2, default=float) + "\n")
    print(json.dumps(found, indent=2, default=float))


if __name__ == "__main__":
    main()
