"""Runs the jobs that are due, each once among any number of workers, and says what came of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import runtime
from ..core.defaults import DAY_SECONDS
from ..core.jobs import BACKUP, CAPS, CONSOLIDATE, GROUP, RANK, SCHEDULES, SWEEP, VERIFY, Schedule
from ..store import backups
from ..store.engines import is_address
from ..store.store import Store
from ..store.tables import Job
from ..store.trail import details_of
from .anchor import verify
from .consolidate import consolidate, sweep
from .rank import group, rank


@dataclass(frozen=True, slots=True)
class Ran:
    """A job that ran: what it reports, or the problem that stopped it."""

    name: str
    report: dict[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def brief(self) -> str:
        """What it did, in words: `2 lifted, 1 expired`; "" for nothing."""
        named = {name: len(v) if isinstance(v, list) else v for name, v in self.report.items() if name != "steps"}
        return ", ".join(f"{v} {name}" if isinstance(v, int) else f"{name} {v}" for name, v in named.items() if v)


def last_run(job: Job) -> Ran:
    """What came of a job last."""
    return Ran(job.name, details_of(job.report), job.problem or "")


def run_due(
    home: str,
    store: Store,
    values: dict[str, Any],
    now: Callable[[], float],
    watch: Callable[[str], None] = lambda name: None,
) -> list[Ran]:
    """Runs what is due by now; `watch` is told each job's name before it runs. One that fails is noted with its problem
    and is due again as if it had not.
    """
    ran = []
    beyond = now() + 2 * DAY_SECONDS  # no schedule reaches that far: the clock was wrong then
    due = {job.name for job in store.schedule() if not now() < job.due_at < beyond}
    store.pull_in(beyond, now())
    for plan in SCHEDULES:
        if plan.name not in due or not store.claim(plan.name, now()):
            continue
        watch(plan.name)
        report: dict[str, Any] = {}
        problem = ""
        try:
            report = _run(plan.name, home, store, values, now())
        except Exception as failed:  # noqa: BLE001  one job's bug must not keep the others from running
            problem = f"{type(failed).__name__}: {failed}"
        store.done(plan.name, _due_again(plan, store, now()), report, problem, now())
        ran.append(Ran(plan.name, report, problem))
    runtime.wake(home, min(job.due_at for job in store.schedule()))
    return ran


def _due_again(plan: Schedule, store: Store, now: float) -> float:
    """The sweep has nothing to do before the next memory ends: no worker starts every five minutes for nothing."""
    if plan.name != SWEEP:
        return plan.next(now)
    return max(plan.next(now), min(store.next_end() or now + DAY_SECONDS, now + DAY_SECONDS))


def _run(name: str, home: str, store: Store, values: dict[str, Any], now: float) -> dict[str, Any]:
    if name == SWEEP:
        swept = sweep(store, now)
        counts = {"lifted": swept.kept.promoted, "summaries": len(swept.summaries), "expired": len(swept.expired)}
        return {**counts, "steps": [swept.kept.as_object()]}
    if name == CONSOLIDATE:
        steps = consolidate(store, values["confirm_habits"], now)
        counts = {"lifted": sum(s.promoted for s in steps), "proposed": sum(len(s.proposed) for s in steps)}
        return {**counts, "steps": [step.as_object() for step in steps]}
    if name == CAPS:
        return {"evicted": len(store.keep_caps(now))}
    if name == RANK:
        return {"ranked": rank(store)}
    if name == GROUP:
        return {"communities": group(store)}
    if name == BACKUP:
        if is_address(store.where):
            return {}  # a server's backups are made by who runs it
        made, dropped = backups.daily(store.path, os.path.join(home, "backups"), values["backups"], now)
        return {"made": made, "dropped": dropped}
    assert name == VERIFY
    return _verify(store, now)


def _verify(store: Store, now: float) -> dict[str, Any]:
    found = [verify(store, project, root, now) for project, root in store.roots(0.0) if os.path.isdir(root)]
    return {
        "checked": sum(one.checked for one in found),
        "lost": sum(len(one.lost) for one in found),
        "back": sum(len(one.back) for one in found),
        "landed": sum(len(one.landed) for one in found),
    }
