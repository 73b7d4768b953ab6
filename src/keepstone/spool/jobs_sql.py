"""Scheduled jobs as rows. Any number of workers can share one database: each due job is claimed by one of them."""

from __future__ import annotations

from ..db.records import JobRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump
from ..lib.text import clip
from .schedule import SCHEDULES

CLAIM_SECONDS = 900.0  # then another worker may claim the job again: far above any run

ADD = "INSERT INTO job (name, due_at, report) VALUES (:name, 0, '{}') ON CONFLICT (name) DO NOTHING"
CLAIM = """
UPDATE job SET claimed_until = :until, started_at = :now
WHERE name = :name AND due_at <= :now AND (claimed_until IS NULL OR claimed_until <= :now)
"""
RELEASE = "UPDATE job SET claimed_until = NULL WHERE claimed_until IS NOT NULL"
PULL_IN = "UPDATE job SET due_at = :now, claimed_until = NULL WHERE due_at >= :beyond OR claimed_until >= :beyond"
PROBLEM_CHARS = 200


def schedule(tx: Transaction) -> list[JobRecord]:
    """Returns every job. A job that has never run is due at once."""
    known = {job.name: job for job in tx.records(JobRecord, "")}
    for plan in SCHEDULES:
        if plan.name not in known:
            tx.run(ADD, {"name": plan.name})
            known[plan.name] = JobRecord(name=plan.name, due_at=0.0)
    return [known[plan.name] for plan in SCHEDULES]


def claim(tx: Transaction, name: str, now: float) -> bool:
    """Claims a job if it is due. Returns whether the caller has it: of several workers, one gets it."""
    return tx.run(CLAIM, {"name": name, "now": now, "until": now + CLAIM_SECONDS}) == 1


def done(tx: Transaction, name: str, due_at: float, report: dict[str, object], problem: str, now: float) -> None:
    """Records the result of a job, and when it is due again."""
    result = {"problem": clip(problem, PROBLEM_CHARS) or None, "report": dump(report)}
    tx.update("job", {"name": name}, {**result, "due_at": due_at, "claimed_until": None, "ended_at": now})


def release(tx: Transaction) -> None:
    """Frees the claims of a killed worker. Call it under the worker's lock: then no other worker runs. On a server, the
    workers of other machines may run: there a claim expires.
    """
    if not tx.is_postgres:
        tx.run(RELEASE)


def pull_in(tx: Transaction, beyond: float, now: float) -> None:
    """Makes jobs due that are scheduled for `beyond` or later: no schedule reaches that far, so the clock was wrong."""
    tx.run(PULL_IN, {"beyond": beyond, "now": now})


def all_due(tx: Transaction) -> None:
    """Makes every job due, because a person asked for it."""
    schedule(tx)
    tx.run("UPDATE job SET due_at = 0")
