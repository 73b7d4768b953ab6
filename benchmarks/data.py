"""Invented data, the same in every run: a store of memories, and transcripts as the client writes them.

Run as a process of its own, so that the timing process stays small: `data.py store DATABASE PROJECT MEMORIES`, or
`data.py transcript FILE PROJECT SESSION BYTES`. The vectors are random ones, which cost what others cost, but for those
of the memories that prompts are made of.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sqlite3
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

from place import RECALLED

from keepstone.db.migrations import run
from keepstone.db.records import (
    EvidenceRecord,
    MemoryFacetRecord,
    MemoryRecord,
    ProjectKeyRecord,
    ProjectRecord,
    SessionRecord,
    VectorRecord,
)
from keepstone.db.writer import Record
from keepstone.language import duplicates
from keepstone.lib.limits import STATIC
from keepstone.lib.text import digest, title_and_content
from keepstone.lib.vector import LENGTH, packed
from keepstone.lifecycle.add_sql import evidence_digest
from keepstone.lifecycle.versions_sql import memory_digest
from keepstone.model.candidate import tier_at_birth, title_of
from keepstone.model.memory import KINDS
from keepstone.recall.embeddings.static import Static, count_pieces, keep_weights

IN_PROJECT = 5  # one memory in so many belongs to the project
USER_SCOPE = 33  # and one in so many holds everywhere
OTHER_PROJECTS = 15
SESSIONS = 600
DIMS = 256  # as the static embedder's
ORIGINALS = 20_000  # memories that are made one by one; more are copies of them
COUNTED = 6_000  # texts whose words are counted: more than half, so that no capture counts them anew
DAY = 86_400.0
NOW = 1_790_000_000.0  # the newest memory's day
REMOTE = "git:git.example.com/acme/shop"

OPENINGS = {
    "preference": "Always prefer {0} over {1} for {2}",
    "decision": "We chose {0} and not {1} for {2}",
    "fact": "The {0} of {1} runs behind {2}",
    "solution": "The fix was to restart {0} before {1} when {2} hangs",
    "pattern": "Every {0} goes through {1} in {2}",
    "summary": "Worked on {0}, then on {1}; {2} is left",
}
TECHNICAL = """
postgres billing retry queue deploy docker cache redis token schema migration index webhook invoice checkout session
login timeout latency endpoint gateway worker cron backup replica shard kafka topic consumer producer parser compiler
linter formatter pytest fixture mock coverage branch release rollback feature flag metric alert dashboard trace span
proxy router tenant ledger refund currency locale timezone pagination cursor export import archive bucket region cluster
""".split()
SYLLABLES = (
    "ba be bo da de do fa fi ga go ka ki la le lo ma mi mo na ne no pa po ra re ri sa se so ta te ti va vo".split()
)
INVENTED = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=2) if parts != ("no", "se")][:1000]
VOCABULARY = [*TECHNICAL, *INVENTED]
ZIPF = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(VOCABULARY))))


def words(chance: random.Random, count: int) -> list[str]:
    """Words as language has them: a few often, most of them rarely."""
    return chance.choices(VOCABULARY, cum_weights=ZIPF, k=count)


def sentence(chance: random.Random, group: str) -> str:
    """A statement with its why, of 60 to 250 characters."""
    return OPENINGS[group].format(*words(chance, 3)) + ": " + " ".join(words(chance, chance.randint(5, 30)))


def fill(path: str, folder: str, memories: int) -> None:
    """Creates the database with the project's own migrations and fills it."""
    chance = random.Random(1)
    run.ensure(path)
    with closing(sqlite3.connect(path)) as database, database:
        insert(database, projects(folder))
        insert(database, sessions(chance))
        for number in range(min(memories, ORIGINALS)):
            insert(database, memory(chance, number))
        for copy in range(1, memories // ORIGINALS):
            multiply(database, copy)
        vectorise(database, os.path.dirname(path))


def multiply(database: sqlite3.Connection, copy: int) -> None:
    """Adds the first memories once more, as others, with their evidence, facets and vectors."""
    for table in ("memory", "evidence", "memory_facet", "vector"):
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] != "seq"]
        first = "id" if table == "memory" else "memory_id"
        new = {first: f"substr({first}, 1, 10) || '{copy:02x}' || substr({first}, 11, 8)"}
        new["session_id"] = f"session_id || '-{copy}'"
        chosen = ", ".join(new.get(column, column) for column in columns)
        database.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {table} WHERE {first} IN ("
            f"SELECT id FROM memory WHERE seq <= {ORIGINALS})"
        )


def original(memory_id: str, number: int) -> str:
    """What an id, that of the so-manieth memory, has in common with those of which it is a copy, or which are its."""
    return memory_id[:10] + (memory_id[12:] if number > ORIGINALS else memory_id[10:18])


def vectorise(database: sqlite3.Connection, home: str) -> None:
    """Makes true vectors of the memories that prompts are made of."""
    texts = database.execute("SELECT title, content FROM memory LIMIT ?", (COUNTED,)).fetchall()
    keep_weights(home, count_pieces(home, [title_and_content(*text) for text in texts]))
    embedder = Static(home)
    for memory_id, title, content, _ in database.execute(RECALLED).fetchall():
        (vector,) = embedder.vectors([title_and_content(title, content)])
        if vector:
            database.execute("UPDATE vector SET data = ? WHERE memory_id = ?", (packed(vector), memory_id))


def insert(database: sqlite3.Connection, rows: Iterable[Record]) -> None:
    for row in rows:
        values = dict(vars(row))
        places = ", ".join(f":{column}" for column in values)
        database.execute(f"INSERT INTO {row.TABLE} ({', '.join(values)}) VALUES ({places})", values)


def projects(folder: str) -> Iterator[Record]:
    keys = [(0, REMOTE), (0, f"dir:{folder}")]
    keys += [(number, f"git:git.example.com/acme/other-{number}") for number in range(1, OTHER_PROJECTS + 1)]
    for number in range(OTHER_PROJECTS + 1):
        yield ProjectRecord(
            id=project_id(number), name=f"acme/other-{number}" if number else "acme/shop", created_at=NOW
        )
    for number, key in keys:
        yield ProjectKeyRecord(key=key, project_id=project_id(number))


def project_id(number: int) -> str:
    return f"prj-{digest('project', str(number))[:16]}"


def sessions(chance: random.Random) -> Iterator[Record]:
    for number in range(SESSIONS):
        started = NOW - chance.random() * 400 * DAY
        project = project_id(number % (OTHER_PROJECTS + 1))
        yield SessionRecord(
            id=session_id(number), project_id=project, started_at=started, last_seen_at=started, ended_at=started + 3600
        )


def session_id(number: int) -> str:
    return f"session-{number}"


def memory(chance: random.Random, number: int) -> Iterator[Record]:
    """A memory with one to three pieces of evidence, a file and a tag; one in twenty is no longer active."""
    kind = chance.choice(list(KINDS))
    content = sentence(chance, KINDS[kind][0])
    user = number % USER_SCOPE == 1
    home = 0 if number % IN_PROJECT == 0 else 1 + number % OTHER_PROJECTS
    born = NOW - chance.random() * 400 * DAY
    row = MemoryRecord(
        id=f"mem-{digest('memory', str(number))[:16]}",
        session_id=session_id(chance.randrange(SESSIONS)),
        project_id=None if user else project_id(home),
        scope="user" if user else "project",
        kind=kind,
        tier=tier_at_birth(kind, 0.8),
        status="archived" if chance.random() < 0.05 else "active",
        title=title_of(content),
        content=content,
        relevance=chance.choice((0.65, 0.75, 0.85, 0.9, 0.95)),
        confidence=0.8,
        origin="hook",
        created_at=born,
        updated_at=born,
        content_hash=digest(duplicates.normalise(content)),
        row_digest="",
    )
    row.row_digest = memory_digest(row)
    yield row
    yield from around(chance, row)


def around(chance: random.Random, row: MemoryRecord) -> Iterator[Record]:
    for place in range(chance.choice((1, 1, 1, 2, 3))):
        excerpt = f"{row.content}. {' '.join(words(chance, 10))}"
        yield EvidenceRecord(
            memory_id=row.id,
            session_id=session_id(chance.randrange(SESSIONS)),
            record_uuid=f"{row.id}-{place}",
            excerpt=excerpt,
            trust="trusted",
            method=chance.choice(("user", "assistant")),
            row_digest=evidence_digest(excerpt),
            created_at=row.created_at,
        )
    yield VectorRecord(memory_id=row.id, model=STATIC, dims=DIMS, data=random_vector(chance))
    yield MemoryFacetRecord(memory_id=row.id, facet="tag", value=chance.choice(TECHNICAL))
    yield MemoryFacetRecord(memory_id=row.id, facet="file", value=f"src/{chance.choice(INVENTED)}.py")


def random_vector(chance: random.Random) -> bytes:
    values = chance.randbytes(DIMS)
    return LENGTH.pack(sum(value * value for value in memoryview(values).cast("b")) ** 0.5) + values


def transcript(path: str, folder: str, session: str, size: int) -> None:
    """At least `size` bytes of a session: prompts, answers, tool calls with bodies. One prompt in ten decides."""
    chance = random.Random(session)
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        for number, record in enumerate(records(chance)):
            at = datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=number)
            frame = {
                "parentUuid": None,
                "isSidechain": False,
                "uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
                "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "cwd": folder,
                "sessionId": session,
                "version": "2.1.332",
                "gitBranch": "main",
            }
            written += file.write(json.dumps({**frame, **record}) + "\n")
            if written >= size:
                return


def records(chance: random.Random) -> Iterator[dict[str, object]]:
    """A prompt, four tool calls with their results, an answer, without end."""
    for turn in itertools.count():
        said = sentence(chance, "decision") if turn % 10 == 0 else "Look at " + " ".join(words(chance, 25))
        yield {"type": "user", "promptSource": "typed", "message": {"role": "user", "content": said}}
        for _ in range(4):
            call = f"toolu_{chance.getrandbits(48):012x}"
            given = {"file_path": f"src/{chance.choice(INVENTED)}.py"}
            use = {"type": "tool_use", "id": call, "name": "Read", "input": given}
            yield {"type": "assistant", "message": {"role": "assistant", "content": [use]}}
            body = " ".join(words(chance, chance.randint(50, 1200)))
            result = {"type": "tool_result", "tool_use_id": call, "content": body, "is_error": False}
            yield {"type": "user", "message": {"role": "user", "content": [result]}}
        answer = {"type": "text", "text": " ".join(words(chance, chance.randint(40, 250)))}
        yield {"type": "assistant", "message": {"role": "assistant", "content": [answer]}}


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "store":
        fill(*given[:2], int(given[2]))
    else:
        transcript(*given[:3], int(given[3]))
