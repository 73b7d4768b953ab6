"""Keeps this machine's read copy and its server in step: downloads changes, uploads what was shown and learned. The
server's answers are untrusted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..db.records import TABLES
from ..lib.errors import Unreachable
from ..lib.limits import COPY_CHANGES, COPY_MEMORIES, COPY_ROWS, COPY_SECONDS
from ..lifecycle.add_sql import Origin
from ..project.identity import Identity
from . import served_methods
from .copy_format import OF_MEMORY, PROJECT_ID, CopyChanges, Page, SessionReport, fit_row, require_ids
from .http import Peer, answered
from .protocol import CALLS, CODEC, KEYS_MOST
from .read_copy_sql import ShownRow
from .serve_copy_sql import Table


class Courier:
    """A server as the source of a copy (`remote.read_copy_sql`) and the target of a relay (`remote.relay_sql`)."""

    def __init__(self, peer: Peer, machine: str, places: Mapping[str, Identity], now: float) -> None:
        """`machine` is this machine's name for servers. `places` holds the projects of the copy, by their ids on the
        server.
        """
        self.peer = peer
        self.machine = machine
        self.places = places
        self.now = now

    def _ask(self, served: Callable[..., Any], place: Identity | None, agent: str = "", **given: Any) -> Any:
        method = served.__name__
        where = {
            "machine": self.machine,
            "keys": list(place.keys[:KEYS_MOST]) if place else [],
            "name": place.name[:500] if place else "",
            "agent": agent,
            "by_model": False,
        }
        plain = {name: CODEC.plain(CALLS[method].takes[name], value) for name, value in given.items()}
        return answered(self.peer, method, self.peer.ask(method, {"where": where, "given": plain}))

    # Reports to the server

    def settled(self, place: Identity) -> str:
        found = self._ask(served_methods.settled, place)
        if not isinstance(found, str) or not PROJECT_ID.fullmatch(found):
            raise self.peer.incompatible("it names no project")
        return found

    def count_shown(self, place: Identity | None, shown: ShownRow) -> None:
        self._ask(served_methods.count_shown, place, session=shown.session, rows=shown.rows)

    def learn(self, place: Identity | None, origin: Origin, told: SessionReport) -> tuple[list[str], list[str]]:
        given = {"session": origin.session_id, "told": told, "branch": origin.branch or ""}
        return self._ask(served_methods.learn, place, origin.agent_id, **given)  # type: ignore[no-any-return]

    # Reads from the server

    def changes(self, since: int, projects: Sequence[str], whole: bool) -> CopyChanges:
        found: CopyChanges = self._ask(served_methods.changes, None, since=since, projects=list(projects), whole=whole)
        try:
            require_ids(found, COPY_MEMORIES if found.whole else COPY_CHANGES + 1)
        except ValueError as problem:
            raise self.peer.incompatible(f"it answers changes with {problem}") from problem
        return found

    def tables(self, ids: Sequence[str], projects: Sequence[str]) -> list[Table]:
        """Returns all rows after everything has arrived and was checked, so that writing them never waits for the
        server.
        """
        keys = [(key, one) for one in projects for key in self.places[one].keys]
        found: list[Table] = [
            ("project", ["id", "name", "created_at"], [(one, self.places[one].name, self.now) for one in projects]),
            ("project_key", ["key", "project_id"], list(dict(keys).items())),
        ]
        left, until = list(ids), time.monotonic() + COPY_SECONDS
        while left:
            if time.monotonic() > until:
                says = f"{self.peer.url} takes more than {COPY_SECONDS:.0f} seconds for its memories"
                raise Unreachable(says, "a faster way to it")
            page: Page = self._ask(served_methods.rows_of, None, ids=left[:COPY_ROWS], projects=list(projects))
            if not 0 < page.taken <= len(left[:COPY_ROWS]):
                raise self.peer.incompatible("it answers rows_of without a memory")
            found += self._fit(page, left[: page.taken], projects)
            left = left[page.taken :]
        return found

    def _fit(self, page: Page, ids: Sequence[str], projects: Sequence[str]) -> Iterator[Table]:
        known, wanted = TABLES, frozenset(ids)
        try:
            for table in OF_MEMORY:
                columns = [column.name for column in known[table]]
                rows = [fit_row(table, row, known, wanted, projects) for row in page.rows.get(table, ())]
                yield table, columns, [tuple(row[name] for name in columns) for row in rows]
        except ValueError as problem:
            raise self.peer.incompatible(f"it answers rows_of with {problem}") from problem
