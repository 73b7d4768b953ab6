"""Runs the jobs that are due and stores their results. Each due job runs once, whatever the number of workers."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..capture import archive_sql
from ..config import runtime
from ..db import backups
from ..db.records import JobRecord
from ..db.writer import Writer
from ..freshness import anchors_sql
from ..freshness.verify import verify
from ..graph.update_ranks import group, rank
from ..lib.limits import DAY_SECONDS
from ..lifecycle import tiers_sql
from ..lifecycle.consolidate import consolidate, sweep
from ..lifecycle.history_sql import details_of
from ..spool import jobs_sql
from ..spool.schedule import BACKUP, CAPS, CONSOLIDATE, GROUP, RANK, SCHEDULES, SWEEP, VERIFY, Schedule


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job: its report, or the problem that stopped it."""

    name: str
    report: dict[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def brief(self) -> str:
        """Returns the report in words, like `2 lifted, 1 expired`; "" if nothing was done."""
        named = {name: len(v) if isinstance(v, list) else v for name, v in self.report.items() if name != "steps"}
        return ", ".join(f"{v} {name}" if isinstance(v, int) else f"{name} {v}" for name, v in named.items() if v)


def last_run(job: JobRecord) -> JobResult:
    """Returns the last result of a job."""
    return JobResult(job.name, details_of(job.report), job.problem or "")


def run_due(
    home: str,
    writer: Writer,
    values: dict[str, Any],
    now: Callable[[], float],
    watch: Callable[[str], None] = lambda name: None,
) -> list[JobResult]:
    """Runs the jobs that are due. `watch` is called with each job's name before it runs. If a job fails, its problem is
    stored, and it is due again as usual.
    """
    ran = []
    beyond = now() + 2 * DAY_SECONDS  # no schedule reaches this far: a later time comes from a wrong clock
    due = {job.name for job in _schedule(writer) if not now() < job.due_at < beyond}
    with writer.transaction() as tx:
        jobs_sql.pull_in(tx, beyond, now())
    for plan in SCHEDULES:
        if plan.name not in due or not _claim(writer, plan.name, now()):
            continue
        watch(plan.name)
        report: dict[str, Any] = {}
        problem = ""
        try:
            report = _run(plan.name, home, writer, values, now())
        except Exception as failed:  # noqa: BLE001  one job's bug must not keep the others from running
            problem = f"{type(failed).__name__}: {failed}"
        due_at = _due_again(plan, writer, now())
        with writer.transaction() as tx:
            jobs_sql.done(tx, plan.name, due_at, report, problem, now())
        ran.append(JobResult(plan.name, report, problem))
    runtime.schedule_worker(home, min(job.due_at for job in _schedule(writer)))
    return ran


def _schedule(writer: Writer) -> list[JobRecord]:
    with writer.transaction() as tx:
        return jobs_sql.schedule(tx)


def _claim(writer: Writer, name: str, now: float) -> bool:
    with writer.transaction() as tx:
        return jobs_sql.claim(tx, name, now)


def _due_again(plan: Schedule, writer: Writer, now: float) -> float:
    """Returns when a job is due again. The expiry job has nothing to do before the next memory expires, so the worker
    need not start every five minutes.
    """
    if plan.name != SWEEP:
        return plan.next(now)
    with writer.transaction() as tx:
        next_end = tiers_sql.next_end(tx)
    return max(plan.next(now), min(next_end or now + DAY_SECONDS, now + DAY_SECONDS))


def _run(name: str, home: str, writer: Writer, values: dict[str, Any], now: float) -> dict[str, Any]:
    if name == SWEEP:
        swept = sweep(writer, now)
        counts = {"lifted": swept.kept.promoted, "summaries": len(swept.summaries), "expired": len(swept.expired)}
        return {**counts, "steps": [swept.kept.as_object()]}
    if name == CONSOLIDATE:
        steps = consolidate(writer, values["confirm_promotions"], now)
        counts = {"lifted": sum(s.promoted for s in steps), "proposed": sum(len(s.proposed) for s in steps)}
        return {**counts, "steps": [step.as_object() for step in steps]}
    if name == CAPS:
        with writer.transaction() as tx:
            days = values["archive_days"]
            aged = archive_sql.trim(tx, now - days * DAY_SECONDS) if days else archive_sql.clear(tx)
        return {"evicted": len(tiers_sql.keep_caps(writer, now)), **({"aged turns": aged} if aged else {})}
    if name == RANK:
        return {"ranked": rank(writer)}
    if name == GROUP:
        return {"communities": group(writer)}
    if name == BACKUP:
        if writer.is_postgres:
            return {}  # a server's administrator makes its backups
        made, dropped = backups.daily(writer.path, os.path.join(home, "backups"), values["backups"], now)
        return {"made": made, "dropped": dropped}
    assert name == VERIFY
    return _verify(writer, now)


def _verify(writer: Writer, now: float) -> dict[str, Any]:
    with writer.transaction() as tx:
        roots = anchors_sql.roots(tx, 0.0)
    found = [verify(writer, project, root, now) for project, root in roots if os.path.isdir(root)]
    return {
        "checked": sum(one.checked for one in found),
        "lost": sum(len(one.lost) for one in found),
        "back": sum(len(one.back) for one in found),
        "landed": sum(len(one.landed) for one in found),
    }
