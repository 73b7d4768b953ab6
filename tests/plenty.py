"""A data home that holds a row of every kind: what sessions, people and hooks leave behind."""

from __future__ import annotations

import sqlite3

import engines
from keepstone.db.archive_format import Column
from keepstone.db.records import TABLES
from support import Machine, Sessions

WEB = "https://example.org/guide"


def rich(machine: Machine, sessions: Sessions) -> None:
    """Memories of several kinds and states, of a project and of user scope, with all that stands around them."""
    memory = sessions.memory
    memory.store("PostgreSQL for billing: row-level security", kind="decision", tags=["db", "billing"])
    kept = memory.store("Deploys need the VPN: the registry is internal", kind="fact")[0].memory.id
    memory.store("I want short answers", kind="preference", user=True)
    memory.store("日本語 “quotes” <b>&amp;</b> \\n and a line\nbreak", kind="wiki")
    gone = memory.store("The staging host is called shop-stage", kind="fact")[0].memory.id
    memory.revise(kept, "Deploys need the VPN: the registry moved behind it")
    memory.rate(kept, "up")
    memory.pin(kept)
    memory.rate(memory.store("The linter is run by hand", kind="convention")[0].memory.id, "outdated")
    memory.forget(gone)
    sessions.say("We decided to use MySQL for the reports service", day="2026-11-08")
    sessions.say("We no longer use MySQL for the reports service, we use PostgreSQL for it", day="2026-11-09")
    worked = sessions.begin("2026-11-10")
    worked.tool("WebFetch", {"url": WEB})
    worked.cure("The tests failed because the cache key lacked the branch; adding the branch to the key fixed it.")
    memory.capture.capture(str(worked.path))
    for _ in range(2 if engines.IS_POSTGRES else 1):  # the first has the copy made that the second is shown
        machine.hook("session-start", machine.event("session-9", source="startup"))
        machine.settle()
    memory.maintenance.work(wait=True)
    memory.store("The export is half done", tier="working")
    sessions.say("Remember: the events always need Kafka, probably because the broker is internal.", day="2026-11-10")
    memory.sessions.observe("Bash", command="make test", state="failed", files=["src/a.py"], session="session-9")
    memory.search("billing")
    memory.focus.focus([kept], session="session-9")
    pair = [
        memory.store(f"The {name} service logs to stdout", kind="wiki")[0].memory.id for name in ("billing", "search")
    ]
    memory.review.merge(pair)
    memory.privacy.erase([memory.store("The intranet password hint is kept by Rosalind", kind="wiki")[0].memory.id])
    machine.sql(
        "INSERT INTO turn (session_id, place, record_uuid, speaker, text, said_at) "
        "VALUES ('session-9', 1, 'r-1', 'user', 'The events need a broker', 7.5)"
    )
    machine.sql("INSERT INTO proposal VALUES ('prune', '[\"mem-0000000000000001\"]', 'rejected', 7.5)")
    machine.sql("INSERT INTO usage VALUES ('2026-11-08', 'anthropic', 'haiku', 3, 900, 12, 0.0016, 0, 1, 'busy', 7.5)")
    machine.sql(
        "UPDATE memory SET deadline_at = 1800000000.25, expires_at = 1900000000.5, branch = 'main' WHERE pinned = 1"
    )
    machine.sql("INSERT INTO memory_facet SELECT id, 'file', 'src/a.py', 'h', 12.5 FROM memory WHERE pinned = 1")


def everything(where: str) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of a database that is not made of others."""
    with engines.opened(where) as database:
        if engines.IS_POSTGRES:
            return {table: database.execute(_all_of(table, columns)).fetchall() for table, columns in TABLES.items()}
        return {
            table: database.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
            for table in sorted(tables(database))
        }


def _all_of(table: str, columns: tuple[Column, ...]) -> str:
    names = [column.name for column in columns]
    return f"SELECT {', '.join(names)} FROM {table} ORDER BY {'seq' if 'seq' in names else ', '.join(names[:3])}"


def tables(database: sqlite3.Connection | engines.Plain) -> set[str]:
    """The tables of a database that are not made of others: an index's own are."""
    found = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    virtual = tuple(f"{name}_" for name, sql in found if sql.startswith("CREATE VIRTUAL"))
    return {name for name, sql in found if not sql.startswith("CREATE VIRTUAL") and not name.startswith(virtual)}
