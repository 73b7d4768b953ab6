"""What comes to harm: commands and hooks over a store that holds something, and what has to be there afterwards."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from keepstone.db.integrity import check
from keepstone.db.reader import SCHEMA
from keepstone.db.repair import DAMAGED
from keepstone.hooks import main
from keepstone.spool import queue, spool
from living import holding
from support import ROOT, Machine, Transcript

Words = Sequence[str]
HEARD = ("We decided to use Kafka for events because of replay", "I always use uv in all my projects, never pip")
OBSERVED = "SELECT count(*) FROM observation WHERE session_id = 'session-9-tools' AND tool = 'Edit'"
CALL = "toolu_1"  # of the tool call that hooks are told of
SECRET = "quetzal"  # the word that is erased
SAID = (
    "We decided to use PostgreSQL for billing because of row-level security",
    "I always use pnpm in all my projects, never npm",
    "Deploys need the VPN and run from services/api with `make ship`",
    f"The {SECRET} registry is at vega.internal, port 5000",
)
STATE = """
SELECT content, title, kind, tier, status, status_reason, trust, pinned,
    (SELECT count(*) FROM evidence WHERE memory_id = m.id), (SELECT count(*) FROM memory_facet WHERE memory_id = m.id),
    (SELECT count(*) FROM memory_version WHERE memory_id = m.id),
    (SELECT count(*) FROM merged_from WHERE memory_id = m.id)
FROM memory m ORDER BY content, status
"""
LINKS = """
SELECT r.type, a.content, b.content FROM relationship r
JOIN memory a ON a.id = r.source_id JOIN memory b ON b.id = r.target_id ORDER BY 1, 2, 3
"""
COUNTED = ("tombstone", "observation", "project")
ORPHANS = """
SELECT 'evidence' FROM evidence WHERE memory_id NOT IN (SELECT id FROM memory)
UNION ALL SELECT 'facet' FROM memory_facet WHERE memory_id NOT IN (SELECT id FROM memory)
UNION ALL SELECT 'version' FROM memory_version WHERE memory_id NOT IN (SELECT id FROM memory)
UNION ALL SELECT 'relationship' FROM relationship
    WHERE source_id NOT IN (SELECT id FROM memory) OR target_id NOT IN (SELECT id FROM memory)
"""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`prepare` makes a machine and says the command that comes to harm, or the hook with what the client tells it;
    `again` is what is done after that: what a person types anew, or what the next session's worker does. Where a step
    takes seconds, only each `every`th is harmed.
    """

    name: str
    prepare: Callable[[Machine], Words | tuple[str, dict[str, object]]]
    again: Callable[[Machine, Words], Sequence[Words]] = lambda machine, words: [words]
    accepts: bool = False  # what is not accepted yet may be gone
    every: int = 1


def state(machine: Machine) -> list[object]:
    """What a store says, without its random names and times; of no store nothing."""
    path = machine.home / "keepstone.db"
    if not path.exists() or not path.stat().st_size:
        return []
    with closing(sqlite3.connect(path)) as database:
        if database.execute("PRAGMA user_version").fetchone()[0] < SCHEMA:
            return database.execute("SELECT content FROM memory ORDER BY 1").fetchall()
        counts = [(name, *database.execute(f"SELECT count(*) FROM {name}").fetchone()) for name in COUNTED]
        return [*database.execute(STATE), *database.execute(LINKS), *counts]


def corruption(machine: Machine) -> list[str]:
    """What is not as it must be in every database of the data home, and in the spool."""
    problems = []
    for path in (machine.home / "keepstone.db", *(machine.home / "backups").glob("*.db")):
        if path.exists() and not path.name.startswith(DAMAGED):
            problems += [f"{path.name}: {problem}" for problem in _corruption(path)]
    for folder in ("new", "taken", "aside"):
        for job in (machine.home / "spool" / folder).glob("*"):
            if queue.read(str(job)) is None:
                problems.append(f"spool/{folder} holds garbage")
    return problems


def _corruption(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        problems = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        problems += [f"{row[0]} has no {row[2]}" for row in database.execute("PRAGMA foreign_key_check")]
        if database.execute("PRAGMA user_version").fetchone()[0] < SCHEMA:
            return problems
        if path.name == "keepstone.db":
            problems += [f"an orphan {row[0]}" for row in database.execute(ORPHANS)]
            for index in ("memory_fts", "evidence_fts"):
                database.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")
    return problems + [f"{name} is damaged" for name in check(str(path)).damaged]


def run_hook(event: str, said: dict[str, object]) -> None:
    """A hook in this process, as its launcher runs it."""
    sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(said).encode()))
    main.main(event)


def _transcript(machine: Machine, name: str = "session-1", said: Sequence[str] = SAID) -> Transcript:
    made = Transcript(machine.root / "transcripts" / f"{name}.jsonl", machine.project, name)
    for text in said:
        made.user(text)
        made.assistant("Noted.")
    return made


def _told(machine: Machine, made: Transcript) -> dict[str, object]:
    return machine.event(made.session, transcript_path=str(made.path))


def heard(machine: Machine) -> Transcript:
    """A session that hooks are told of, and that is worth learning from."""
    return _transcript(machine, "session-9", HEARD)


def unheard(machine: Machine) -> list[str]:
    """What hooks have accepted of that session and its tools, and what is not there when a worker has run."""
    there = [str(row[0]) for row in machine.sql("SELECT content FROM memory")]
    lost = [f"heard: {text}" for text in HEARD if not any(text in one for one in there)]
    return lost + ["the observed calls"] * (machine.sql(OBSERVED) != [(2,)])


def every_event(machine: Machine, spoken: Transcript) -> list[tuple[str, dict[str, object]]]:
    """Each hook of a session, with what the client tells it; the tools are another session's, which does not end."""
    told = _told(machine, spoken)
    call: dict[str, object] = {**told, "session_id": f"{spoken.session}-tools", "tool_name": "Edit"}
    call.update(tool_input={"file_path": str(machine.project / "src" / "a.py")}, tool_use_id=CALL)
    return [
        ("session-start", {**told, "source": "startup"}),
        ("user-prompt-submit", {**told, "prompt": "Which staging host do the nightly exports leave from?"}),
        ("user-prompt-expansion", {**told, "command_name": "keepstone:memory", "command_args": "recent"}),
        ("pre-tool-use", call),
        ("post-tool-use", {**call, "tool_response": {}}),
        ("post-tool-use-failure", {**call, "tool_use_id": f"{CALL}0", "error": "atlas: no such host"}),
        ("pre-compact", {**told, "trigger": "manual"}),
        ("stop-extract", told),
        ("session-end", told),
    ]


def _accepted(machine: Machine) -> None:
    """A session's end that a hook has accepted, and two tool calls that were observed."""
    made = _transcript(machine)
    home = str(machine.home)
    spool.make_folders(home)
    given = {"session": made.session, "transcript_path": str(made.path), "cwd": str(machine.project)}
    spool.put(home, "session-end", made.session, given)
    for tool in ("Edit", "Bash"):
        line = {"tool": tool, "at": 1_800_000_000.0, "id": f"t-{tool}"}
        spool.observe(home, made.session, line)


def lived(machine: Machine) -> list[str]:
    """A store with a session captured, two memories of a person, and a backup; the person's ids."""
    _accepted(machine)
    machine.keepstone("worker", "run", "--wait")
    ids = []
    for text in ("The staging host is called atlas", "Nightly exports leave at two o'clock"):
        ids.append(json.loads(machine.keepstone("store", text, "--json", "--tag", "hosts").stdout)[0]["id"])
    machine.keepstone("backup")
    return ids


def _create(machine: Machine) -> Words:
    return ("store", "The proxy speaks only HTTP/1.1 to the old gateway")


def _capture(machine: Machine) -> Words:
    lived(machine)
    made = _transcript(
        machine, "session-2", ("We no longer use PostgreSQL for billing, we moved to CockroachDB", *SAID[1:3])
    )
    given = {"session": made.session, "transcript_path": str(made.path), "cwd": str(machine.project)}
    spool.put(str(machine.home), "session-end", made.session, given)
    return ("worker", "run", "--wait")


def _store(machine: Machine) -> Words:
    lived(machine)
    return ("store", "The proxy speaks only HTTP/1.1 to the old gateway")


def _migrate(machine: Machine) -> Words:
    machine.home.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "data" / "schema-1.db", machine.home / "keepstone.db")
    return ("worker", "run", "--wait")


def _merge(machine: Machine) -> Words:
    return ("merge", *lived(machine))


def _unless_merged(machine: Machine, words: Words) -> Sequence[Words]:
    """A person looks first."""
    active = {row["id"] for row in machine.memories()}
    return [words] if active.issuperset(words[1:]) else []


def _unless_stored(machine: Machine, words: Words) -> Sequence[Words]:
    return [] if words[1] in {row["content"] for row in machine.memories()} else [words]


def _relate(machine: Machine) -> Words:
    return ("graph", "relate", *lived(machine), "--type", "caused_by", "--notes", "as the log says")


def _unrelate(machine: Machine) -> Words:
    ids = lived(machine)
    machine.keepstone("graph", "relate", *ids, "--type", "caused_by")
    return ("graph", "unrelate", *ids)


def _unless_unrelated(machine: Machine, words: Words) -> Sequence[Words]:
    return [words] if machine.sql("SELECT 1 FROM relationship WHERE type = 'caused_by'") else []


def _erase(machine: Machine) -> Words:
    lived(machine)
    made = next(row for row in machine.memories() if SECRET in str(row["content"]))
    return ("erase", str(made["id"]), "--yes")


def _ingest(machine: Machine) -> Words:
    folder = machine.user_home / ".claude" / "projects" / "-shop"
    for name, said in (("session-1", SAID), ("session-2", SAID[1:3])):
        made = _transcript(machine, name, said)
        folder.mkdir(parents=True, exist_ok=True)
        made.path.rename(folder / made.path.name)
    machine.store("What was here before")
    return ("ingest",)


def _import(machine: Machine) -> Words:
    lived(machine)
    archive = machine.root / "archive.jsonl"
    machine.keepstone("export", str(archive))
    shutil.rmtree(machine.home)
    machine.home.mkdir()
    machine.store("What was here before")
    return ("import", str(archive))


def _maintain(machine: Machine) -> Words:
    lived(machine)
    machine.sql("UPDATE memory SET expires_at = 1.0 WHERE origin = 'hook' AND content LIKE '%VPN%'")
    machine.sql("UPDATE memory SET created_at = created_at - 4e7, updated_at = updated_at - 4e7")
    return ("worker", "run-all")


def _backup(machine: Machine) -> Words:
    lived(machine)
    shutil.rmtree(machine.home / "backups")
    return ("backup",)


def _restore(machine: Machine) -> Words:
    lived(machine)
    (name,) = (path.name for path in (machine.home / "backups").glob("manual-*"))
    machine.store("A thought that came after the copy")
    return ("restore-backup", name, "--yes")


def _repair(machine: Machine) -> Words:
    """Every row can be read, an index can't; a copy has less."""
    lived(machine)
    machine.store("What came after the copy")
    damage(machine.home / "keepstone.db", "memory_facet_value")
    return ("doctor", "--repair")


def damage(path: Path, index: str) -> None:
    """Makes the first page of an index garbage."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = database.execute("PRAGMA page_size").fetchone()[0]
        page = database.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (index,)).fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def _repair_from_copy(machine: Machine) -> Words:
    """Nothing can be read, and there is a copy."""
    lived(machine)
    with closing(sqlite3.connect(machine.home / "keepstone.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (machine.home / "keepstone.db").open("r+b") as file:
        file.write(b"this is no database " * 1_000)
    return ("doctor", "--repair")


def _hook(machine: Machine) -> tuple[str, dict[str, object]]:
    return ("session-end", _told(machine, _transcript(machine)))


def _tool(machine: Machine) -> tuple[str, dict[str, object]]:
    made = _transcript(machine)
    given = {"file_path": str(machine.project / "src" / "a.py"), "old_string": "a", "new_string": "b"}
    more = {"tool_name": "Edit", "tool_input": given, "tool_response": {}, "tool_use_id": CALL}
    return ("post-tool-use", {**_told(machine, made), **more})


WORK: Words = ("worker", "run", "--wait")
SCENARIOS = (
    Scenario("hook: session-end", _hook, lambda machine, words: [WORK], accepts=True),
    Scenario("hook: post-tool-use", _tool, lambda machine, words: [WORK], accepts=True),
    Scenario("creation", _create, _unless_stored),
    Scenario("capture", _capture),
    Scenario("store", _store, _unless_stored),
    Scenario("migration", _migrate),
    Scenario("merge", _merge, _unless_merged),
    Scenario("relate", _relate),
    Scenario("unrelate", _unrelate, _unless_unrelated),
    Scenario("erase", _erase),
    Scenario("ingest", _ingest),
    Scenario("import", _import),
    Scenario("maintain", _maintain),
    Scenario("backup", _backup),
    Scenario("restore-backup", _restore),
    Scenario("repair", _repair, every=20),
    Scenario("repair from a copy", _repair_from_copy, every=20),
)


def broken_promises(machine: Machine, name: str) -> list[str]:
    """What a scenario promises beside the rows, and has not kept: what was erased is nowhere, a copy is there."""
    if name == "erase":
        return [f"still in {path}" for path in holding(machine.home, SECRET)]
    copies = (machine.home / "backups").glob("manual-*.db")
    return ["there is no copy"] if name == "backup" and not any(copies) else []
