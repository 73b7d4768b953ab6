"""Jobs as rows: which are due, who has claimed one, what came of it; for any number of workers on one database."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import select

from ..core.defaults import CLAIM_SECONDS
from ..core.fastjson import dump
from ..core.jobs import SCHEDULES
from ..core.text import clip
from .database import Database
from .engines import is_address
from .tables import Job

CLAIM = """
UPDATE job SET claimed_until = :until, started_at = :now
WHERE name = :name AND due_at <= :now AND (claimed_until IS NULL OR claimed_until <= :now)
"""
PROBLEM_CHARS = 200


class Jobs(Database):
    """The schedule of one database."""

    def schedule(self) -> list[Job]:
        """Every job there is, those that were never run due at once."""
        with self._transaction() as tx:
            known = {job.name: job for job in tx.exec(select(Job))}
            for plan in SCHEDULES:
                if plan.name not in known:
                    known[plan.name] = Job(name=plan.name, due_at=0.0)
                    tx.add(known[plan.name])
            tx.flush()
            found = [known[plan.name] for plan in SCHEDULES]
            for job in found:
                tx.refresh(job)
                tx.expunge(job)
            return found

    def claim(self, name: str, now: float) -> bool:
        """Whether a due job is this caller's to run: of several that ask at once, one gets it."""
        with self._transaction() as tx:
            values = {"name": name, "now": now, "until": now + CLAIM_SECONDS}
            return tx.connection().execute(text(CLAIM), values).rowcount == 1

    def done(self, name: str, due_at: float, report: dict[str, object], problem: str, now: float) -> None:
        """Notes what came of a job, and when it is due again."""
        with self._transaction() as tx:
            job = tx.get_one(Job, name)
            job.due_at, job.claimed_until, job.ended_at = due_at, None, now
            job.problem, job.report = clip(problem, PROBLEM_CHARS) or None, dump(report)
            tx.add(job)

    def release(self) -> None:
        """Frees what a killed worker had claimed. Call under the worker's lock: nobody else is at it then. Where other
        machines' workers are at it too, a claim ends by itself.
        """
        if is_address(self.where):
            return
        with self._transaction() as tx:
            tx.connection().execute(text("UPDATE job SET claimed_until = NULL WHERE claimed_until IS NOT NULL"))

    def pull_in(self, beyond: float, now: float) -> None:
        """Makes due now what a clock that was wrong put off beyond any schedule."""
        with self._transaction() as tx:
            sql = (
                "UPDATE job SET due_at = :now, claimed_until = NULL WHERE due_at >= :beyond OR claimed_until >= :beyond"
            )
            tx.connection().execute(text(sql), {"beyond": beyond, "now": now})

    def all_due(self) -> None:
        """A person asked for everything now."""
        self.schedule()
        with self._transaction() as tx:
            tx.connection().execute(text("UPDATE job SET due_at = 0"))
