"""Sums up Keepstone's state in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..capture.budget import Caps, DayUsage, account_of
from ..config import runtime
from ..db.engines import is_address
from ..db.reader import Reader
from ..lib.text import day
from ..model.hit import iso
from ..model.memory import KINDS
from ..model.scope import Scope
from ..spool import spool
from . import facts_sql


@dataclass(frozen=True)
class Spending:
    """The spending of all paid extractors today (UTC). `uncosted` counts calls without a known cost."""

    model: str
    calls: int
    calls_cap: int
    tokens: int
    tokens_cap: int
    cost_usd: float
    uncosted: int
    failures: int
    cap_reached: bool
    problem: str | None
    problem_at: str | None


@dataclass(frozen=True)
class Status:
    """The state. `kinds` counts every kind, including zero. `waiting` and `aside` count jobs of the spool, `for_review`
    the memories that wait for a person's word, `suggested` the suggestions. If the memories are on a server, `server`
    is its address, and `unsent` counts the memories that are queued for it.
    """

    project: str | None
    everything: bool
    memories: int
    elsewhere: int
    kinds: dict[str, int]
    last_captured_at: str | None
    waiting: int
    aside: int
    extractor: str
    spending: Spending
    captures: bool
    python: str
    off: bool
    home: str
    database_bytes: int
    server: str = ""
    user: str = ""
    workspace: str = ""
    unsent: int = 0
    for_review: int = 0
    suggested: int = 0


def status(store: Reader, home: str, scope: Scope, project: str | None, values: dict[str, Any], now: float) -> Status:
    """Returns the state. `project` is the project's name for people, `values` are the settings."""
    counts = facts_sql.counts(store, scope.project, scope.everything, now)
    total = sum(counts.values())
    user, workspace = store.owner  # a file has a single owner without a name
    return Status(
        project=project,
        everything=scope.everything,
        memories=total,
        elsewhere=sum(facts_sql.counts(store, None, True, now).values()) - total,
        kinds={kind: counts.get(kind, 0) for kind in KINDS},
        last_captured_at=iso(facts_sql.last_captured_at(store)),
        waiting=len(spool.list_jobs(home, "new")),
        aside=len(spool.list_jobs(home, "aside")),
        extractor=str(values["extractor"]),
        spending=_spending(store, values, now),
        captures=bool(runtime.interpreters(home)[1]),
        python=runtime.interpreters(home)[1],
        off=bool(values["off"]),
        home=home,
        database_bytes=store.size(),
        server=store.path if is_address(store.path) else "",
        user=user,
        workspace=workspace,
        for_review=facts_sql.for_review(store, scope.project, scope.everything, now),
        suggested=store.count_suggested(scope.project, now, scope.everything),
    )


def _spending(store: Reader, values: dict[str, Any], now: float) -> Spending:
    used = DayUsage(*facts_sql.usage(store, day(now)))
    caps = Caps(values["extractor_daily_calls"], values["extractor_tokens"])
    return Spending(
        model=account_of(values["extractor"], values["extractor_model"]).model,
        calls=used.calls,
        calls_cap=caps.calls,
        tokens=used.tokens,
        tokens_cap=caps.tokens,
        cost_usd=round(used.cost_usd, 6),
        uncosted=used.uncosted,
        failures=used.failures,
        cap_reached=not caps.leave_room(used.calls, used.tokens),
        problem=used.problem,
        problem_at=iso(used.problem_at),
    )
