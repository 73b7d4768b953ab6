"""A data home whose clock is set by hand, and which learns as captures do."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from builders import candidate
from keepstone import Memory
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle import add_sql
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.policies import Policies
from keepstone.model.tiers import default_tiers
from support import Machine

NOW = 1_800_000_000.0  # in unix seconds: in January 2027


class World:
    """A data home with its memory. `caps` are those of tiers that are smaller than by default."""

    def __init__(self, machine: Machine, **caps: int) -> None:
        machine.home.mkdir(exist_ok=True)
        self.machine = machine
        self.path = machine.new_database()
        self.policies = Policies(default_tiers())
        for name, cap in caps.items():
            self.policies.tiers[name].cap = cap
        self.now = NOW
        self.memory = Memory(str(machine.home), str(machine.project), machine.env, lambda: self.now, self.policies)

    def learn(
        self,
        text: str,
        kind: str = "general",
        agent: str = "main",
        origin: str = "hook",
        session: str = "session-1",
        **more: object,
    ) -> str:
        """Stores a memory that was learned in a session. Returns its id."""
        made = candidate(text, kind, record=f"{text}{session}{self.now}", **{"method": "assistant", **more})
        with closing(self.writer()) as writer, writer.transaction() as tx:
            project = sessions.project(tx, self.memory.context.caller.identity, "", self.now)
            whence = Origin(origin, project, session, agent_id=agent)
            return add_sql.store(tx, whence, made, (), text + str(self.now), self.now)[0]

    def writer(self) -> Writer:
        """Returns its database, open for writing by its policies."""
        writer = Writer(self.path, ratio)
        writer.policies = self.policies
        return writer

    def states(self, columns: str = "title, status, status_reason") -> list[tuple[object, ...]]:
        return self.machine.sql(f"SELECT {columns} FROM memory ORDER BY seq")

    def active(self, tier: str) -> list[object]:
        sql = f"SELECT title FROM memory WHERE status = 'active' AND tier = '{tier}' ORDER BY seq"
        return [row[0] for row in self.machine.sql(sql)]


def holding(home: Path, word: str) -> list[str]:
    """Returns the files below a data home that contain a word, in any case."""
    found = []
    for path in home.rglob("*"):
        if path.is_file() and word.lower().encode() in path.read_bytes().lower():
            found.append(path.relative_to(home).as_posix())
    return found
