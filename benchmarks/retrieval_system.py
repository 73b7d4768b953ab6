"""Keepstone as a system under test of a retrieval benchmark, end to end: JSON lines in, JSON lines out.

    {"op": "reset"}
    {"op": "index", "docs": [{"id", "text", "session"?, "speaker"?, "ts"?}, ...]}
    {"op": "search", "query": ..., "k": ...}  ->  {"ids": [...]}

A document is a turn. The documents of a session become a transcript as the client writes it, which is captured as the
worker does; `search` is the search of what was said in sessions. Of two speakers the first one types, unless they are
called user and assistant, and the other one answers. What an answer says in several documents in a row is one message.
A time (`ts`) is in ISO 8601, or a day such as March-15-2024. `--embedder` is static (the default), minilm or off. With
`--server` the archive is in databases that are made on that server of PostgreSQL.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from keepstone import Memory
from keepstone.model.turn import ASSISTANT, USER

Doc = dict[str, Any]


class System:
    def __init__(self, embedder: str, server: str = "") -> None:
        self.embedder = embedder
        self.server = server
        self.root = tempfile.TemporaryDirectory(prefix="keepstone-bench-")
        self.number = 0
        self.reset()

    def reset(self) -> None:
        self.number += 1
        home = Path(self.root.name) / str(self.number)
        self.folder = home / "project"
        self.folder.mkdir(parents=True)
        environ = {"HOME": str(home), "KEEPSTONE_EMBEDDER": self.embedder, "KEEPSTONE_ARCHIVE_DAYS": "36500"}
        if self.server:
            environ["KEEPSTONE_DATABASE_URL"] = self._on_server()
        self.memory = Memory(str(home / "keepstone"), str(self.folder), environ)
        self.docs: dict[str, list[str]] = {}  # the documents of each record

    def _on_server(self) -> str:
        import psycopg

        name = f"keepstone_retrieval_{self.number}"
        with psycopg.connect(self.server, autocommit=True) as database:
            database.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            database.execute(f"CREATE DATABASE {name}")
        return urlunsplit(urlsplit(self.server)._replace(path=f"/{name}"))

    def index(self, docs: list[Doc]) -> None:
        speakers = list(dict.fromkeys(doc.get("speaker") or USER for doc in docs))
        typing = USER if USER in speakers else speakers[0]
        sessions: dict[str, list[Doc]] = {}
        for doc in docs:
            sessions.setdefault(str(doc.get("session") or ""), []).append(doc)
        for number, said in enumerate(sessions.values()):
            path = self.folder / f"session-{number}.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in self._records(path.stem, said, typing)))
            self.memory.capture.capture(str(path))
        self.memory.maintenance.work(wait=True)

    def _records(self, session: str, said: list[Doc], typing: str) -> Iterator[dict[str, Any]]:
        last = None
        for number, (role, docs) in enumerate(_turns(said, typing)):
            record = str(uuid.uuid4())
            self.docs[record] = [doc["id"] for doc in docs]
            text = "\n\n".join(doc["text"] for doc in docs)
            content = text if role == USER else [{"type": "text", "text": text}]
            at = _time(docs[0].get("ts")) + timedelta(seconds=number)
            yield {
                **{"uuid": record, "parentUuid": last, "sessionId": session, "cwd": str(self.folder)},
                **{"type": role, "timestamp": at.isoformat(), "message": {"role": role, "content": content}},
            }
            last = record

    def search(self, query: str, k: int) -> list[str]:
        found = self.memory.archive.search_sessions(query, limit=k)
        return [doc for quote in found for doc in self.docs.get(quote.record, ())]


def _turns(said: list[Doc], typing: str) -> Iterator[tuple[str, list[Doc]]]:
    """Yields each prompt, and each answer, which may be of several documents."""
    for speaker, group in groupby(said, lambda doc: doc.get("speaker") or typing):
        if speaker == typing:
            yield from ((USER, [doc]) for doc in group)
        else:
            yield ASSISTANT, list(group)


def _time(given: str | None) -> datetime:
    if not given:
        return datetime(2026, 1, 1, tzinfo=UTC)
    try:
        return datetime.strptime(given, "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        at = datetime.fromisoformat(given)
        return at if at.tzinfo else at.replace(tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=("static", "minilm", "off"), default="static")
    parser.add_argument("--server", default="", help="an address whose user may make databases")
    given = parser.parse_args()
    system = System(given.embedder, given.server)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["op"] == "search":
            answer: dict[str, Any] = {"ids": system.search(asked["query"], asked["k"])}
        else:
            system.reset() if asked["op"] == "reset" else system.index(asked["docs"])
            answer = {"ok": True}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
