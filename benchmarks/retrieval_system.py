"""Keepstone as a system under test of a retrieval benchmark: JSON lines in, JSON lines out, on the real store and
ranker.

    {"op": "reset"}
    {"op": "index", "docs": [{"id", "text", "session"?, "speaker"?, "ts"? (ISO 8601)}, ...]}
    {"op": "search", "query": ..., "k": ...}  ->  {"ids": [...]}

A document is a memory; its session, its day and, as a tag, its speaker are known as they are of a captured one.
`--embedder` is static (the default), minilm or off. With `--server` the memories are in databases that are made on that
server of PostgreSQL, and taken away at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from keepstone.db.engines import open_reader
from keepstone.db.migrations import run
from keepstone.db.reader import Reader
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.candidate import Candidate, title_of
from keepstone.recall.choose_matcher import matches_in
from keepstone.recall.embeddings import vectors_sql
from keepstone.recall.embeddings.build_table import make
from keepstone.recall.embeddings.choose_embedder import Embedder, QueryVectors
from keepstone.recall.embeddings.fill_vectors import fill, recount
from keepstone.recall.embeddings.minilm import MiniLM
from keepstone.recall.embeddings.static import Static
from keepstone.recall.find import find
from keepstone.transfer.adopt_sql import Incoming, adopt


class System:
    def __init__(self, embedder: str, server: str = "") -> None:
        self.server = server
        self.root = tempfile.TemporaryDirectory(prefix="keepstone-bench-")
        self.embedder: Embedder | None = MiniLM() if embedder == "minilm" else None
        self.static = embedder == "static"
        if self.static:
            make(self.root.name)
        self.number = 0
        self.reset()

    def reset(self) -> None:
        self.number += 1
        self.path = self._on_server() if self.server else f"{self.root.name}/{self.number}.db"
        if not self.server:
            run.ensure(self.path)
        self.reader: Reader | None = None

    def _on_server(self) -> str:
        import psycopg

        name = f"keepstone_retrieval_{self.number}"
        with psycopg.connect(self.server, autocommit=True) as database:
            database.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            database.execute(f"CREATE DATABASE {name}")
        return urlunsplit(urlsplit(self.server)._replace(path=f"/{name}"))

    def index(self, docs: list[dict]) -> None:
        writer = Writer(self.path, ratio)
        with writer.transaction() as tx:
            adopt(tx, [_incoming(doc) for doc in docs], "benchmark", time.time(), lambda done: None)
        if self.static:
            recount(writer, self.root.name, {})
            self.embedder = Static(self.root.name)
        if self.embedder:
            fill(writer, self.embedder)
            vectors_sql.index(self.path, self.embedder.model, self.embedder.dims)
        self.lens = QueryVectors(self.embedder, print) if self.embedder else None
        writer.close()
        self.reader = open_reader(self.path)
        self.ids: dict[str, list[str]] = {}
        for memory_id, record in self.reader.rows("SELECT memory_id, record_uuid FROM evidence ORDER BY seq", {}):
            self.ids.setdefault(memory_id, []).append(record)

    def search(self, query: str, k: int) -> list[str]:
        found = find(matches_in(self.reader, None, True, "", time.time()), query, k, self.lens)
        return [doc for memory, _ in found for doc in self.ids[memory.id]]


def _incoming(doc: dict) -> Incoming:
    at = datetime.fromisoformat(doc["ts"]).timestamp() if doc.get("ts") else None
    candidate = Candidate(
        kind="fact",
        content=doc["text"],
        relevance=0.5,
        record_uuid=doc["id"],
        excerpt=doc["text"],
        method="import",
        title=title_of(doc["text"]),
        said_at=at,
    )
    speaker = (doc.get("speaker") or "").lower()
    return Incoming(Origin("import", None, doc.get("session")), candidate, (speaker,) if speaker else ())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=("static", "minilm", "off"), default="static")
    parser.add_argument("--server", default="", help="an address whose user may make databases")
    given = parser.parse_args()
    system = System(given.embedder, given.server)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["op"] == "search":
            answer: dict = {"ids": system.search(asked["query"], asked["k"])}
        else:
            system.reset() if asked["op"] == "reset" else system.index(asked["docs"])
            answer = {"ok": True}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
