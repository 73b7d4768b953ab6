"""What Cairn knows and does here, in a handful of numbers."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .. import runtime, spool
from ..core.model import KINDS
from ..core.view import iso
from ..store.reader import Reader
from .search import Scope


@dataclass(frozen=True)
class Status:
    """`kinds` counts every kind, zero too. `waiting` and `aside` are jobs of the spool."""

    project: str | None
    everything: bool
    memories: int
    elsewhere: int
    kinds: dict[str, int]
    last_captured_at: str | None
    waiting: int
    aside: int
    extractor: str
    captures: bool
    python: str
    off: bool
    home: str
    database_bytes: int


def status(
    store: Reader, home: str, scope: Scope, project: str | None, values: dict[str, object], now: float
) -> Status:
    """`project` is the project's name for people, `values` the settings."""
    counts = store.counts(scope.project, scope.everything, now)
    total = sum(counts.values())
    return Status(
        project=project,
        everything=scope.everything,
        memories=total,
        elsewhere=sum(store.counts(None, True, now).values()) - total,
        kinds={kind: counts.get(kind, 0) for kind in KINDS},
        last_captured_at=iso(store.last_captured_at()),
        waiting=len(spool.names(home, "new")),
        aside=len(spool.names(home, "aside")),
        extractor=str(values["extractor"]),
        captures=bool(runtime.interpreters(home)[1]),
        python=runtime.interpreters(home)[1],
        off=bool(values["off"]),
        home=home,
        database_bytes=os.path.getsize(store.path),
    )
