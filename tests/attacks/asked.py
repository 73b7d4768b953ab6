"""Queries that are syntax of something else: through every way to ask, and every filter of the listings.

Delivered is an error that is not said in words of ours (a traceback, a word of SQLite's or FTS5's), a hook that logs a
problem, and a database that holds anything else afterwards than before, counters and deliveries apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attacks.outcome import Outcome, argument, each
from keepstone.lib.errors import KeepstoneError
from keepstone.model.filter import Filter
from support import Machine, Sessions

ENGINE = re.compile(
    r"Traceback|sqlite|fts5|syntax error|malformed|no such (?:column|table)|unterminated|a bug in", re.I
)
CONTENT = "SELECT id, kind, status, trust, title, content, row_digest FROM memory ORDER BY seq"
FACETS = "SELECT memory_id, facet, value FROM memory_facet ORDER BY 1, 2, 3"
SCHEMA = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"

LISTED = ("search -- Q", "about -- Q", "recent --tag Q", "recent --file Q", "recent --type Q", "recent --since Q")
LISTED = (*LISTED, "search x --tier Q", "search x --as-of Q", "why ID Q", "audit --since Q", "show Q", "focus Q")


class Store:
    """A store with a few memories, and what it holds."""

    def __init__(self, root: Path) -> None:
        self.machine = Machine(root)
        self.machine.record_interpreters()
        self.sessions = Sessions(self.machine)
        memory = self.sessions.memory
        self.id = memory.store("Deploys need the VPN: the registry is internal", tags=["ops"])[0].memory.id
        memory.store("PostgreSQL for billing: row-level security", kind="decision", tags=["db"])
        named = f"INSERT INTO memory_facet VALUES ('{self.id}', 'file', 'a/{'a' * 280}', NULL, NULL)"
        self.machine.sql(named)  # a long name, of one letter: what a pattern with many gaps would be tried on
        self.before = self.state()

    def state(self) -> list[object]:
        """All that asking leaves as it is."""
        sql = self.machine.sql
        return [*sql(SCHEMA), *sql(CONTENT), *sql(FACETS), *sql("PRAGMA integrity_check"), *sql("PRAGMA user_version")]

    def changes(self) -> list[str]:
        before, self.before = self.before, self.state()
        return ["the database holds something else"] * (self.before != before)


def _by_python(store: Store, query: str) -> Iterator[str]:
    memory = store.sessions.memory
    asks: dict[str, Callable[[], object]] = {
        "search": lambda: memory.search(query),
        "about": lambda: memory.about(query),
        "narrow": lambda: memory.search("deploys", narrow=Filter(query.lower(), query, "", None, None)),
        "recent": lambda: memory.recent(narrow=Filter(query, query, query, None, None)),
        "why": lambda: memory.lifecycle.why(store.id, query),
        "as_of": lambda: memory.history.as_of(query, store.sessions.now),
        "get": lambda: memory.show(query),
    }
    for name, ask in asks.items():
        try:
            ask()
        except KeepstoneError as problem:
            if ENGINE.search(f"{problem.message} {problem.hint}".replace(query, "")):
                yield f"{name}: {problem.message[:200]}"
        except Exception as problem:  # noqa: BLE001  any other is what is looked for
            yield f"{name}: {type(problem).__name__}: {str(problem)[:200]}"


def _by_hand(store: Store, query: str) -> Iterator[str]:
    query = argument(query)
    for line in LISTED:
        words = [
            word.replace("ID", store.id) if word == "ID" else query if word == "Q" else word for word in line.split()
        ]
        done = store.machine.keepstone(*words, ok=False)
        said = done.stderr.replace(query, "").replace(repr(query), "")
        if done.returncode not in (0, 1, 2) or ENGINE.search(said):
            yield f"keepstone {line}: exit {done.returncode}, {said.strip()[-200:]!r}"


def _by_hook(store: Store, query: str) -> Iterator[str]:
    """What a person types, a command, a failure, a file: each is asked for with the query in it."""
    text = query.encode("utf-8", "replace").decode()
    given = {
        "user-prompt-submit": {"prompt": text},
        "pre-tool-use": {"tool_name": "Bash", "tool_input": {"command": text}},
        "post-tool-use-failure": {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": f"Error: {text}"},
        "user-prompt-expansion": {"command_name": "keepstone:memory", "command_args": f"search {text}"},
    }
    for event, said in given.items():
        done = store.machine.hook(event, store.machine.event("s", tool_use_id="t", **said))
        if done.returncode or done.stderr or ENGINE.search(done.stdout.replace(text, "")):
            yield f"{event}: exit {done.returncode}, {done.stderr[-200:]!r} {done.stdout[-200:]!r}"
    log = store.machine.home / "logs" / "hooks.log"
    if log.exists():
        yield f"a hook failed: {log.read_text()[-200:]!r}"
        log.unlink()


WAYS: dict[str, Callable[[Store, str], Iterator[str]]] = {
    "asked in Python": _by_python,
    "asked by commands": _by_hand,
    "asked by hooks": _by_hook,
}


def asked(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each query at one way to ask."""
    store = Store(root)
    return each(name, texts, lambda text: [*WAYS[name](store, text), *store.changes()])
