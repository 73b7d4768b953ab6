"""The commands that do the worker's work by hand: worker run, worker jobs, worker run-all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..api.open import opened
from ..model.hit import iso
from ..spool.schedule import SCHEDULES
from . import output
from .options import json_option

if TYPE_CHECKING:
    from ..api.types import JobResult


@click.group()
def worker() -> None:
    """Run the background worker's work by hand."""


@worker.command()
@click.option("--wait", is_flag=True, help="Also wait for a worker that is at it already.")
@click.option("--retry", is_flag=True, help="Try jobs again that failed too often.")
@json_option
def run(wait: bool, retry: bool, as_json: bool) -> None:
    """Process the queue now."""
    worked = opened().maintenance.work(wait=wait, retry=retry)
    if as_json:
        output.objects(None if worked is None else asdict(worked))
    elif worked is None:
        click.echo("Another worker is at it. `keepstone worker run --wait` waits for it.")
    else:
        jobs = output.counted(worked.done, "job", "jobs")
        click.echo(f"{jobs} done, {worked.waiting} waiting, {worked.set_aside} set aside.")
        if worked.sent or worked.unsent or worked.unsent_why:
            sent = output.counted(worked.sent, "memory", "memories")
            why = f": {worked.unsent_why}" if worked.unsent_why else ""
            output.lines(f"{sent} sent to the server, {worked.unsent} still kept for it{why}.")


@worker.command()
@json_option
def jobs(as_json: bool) -> None:
    """Scheduled background jobs: when each runs, and its last result. Times are UTC."""
    memory = opened()
    known = {job.name: (job, ran) for job, ran in memory.maintenance.jobs()}
    if as_json:
        output.objects([{**vars(job), "due_at": iso(job.due_at), "report": ran.report} for job, ran in known.values()])
        return
    rows = []
    for plan in SCHEDULES:
        job, ran = known[plan.name]
        last = "never" if job.ended_at is None else (iso(job.ended_at) or "")[:16].replace("T", " ")
        due = "now" if job.due_at <= time.time() else (iso(job.due_at) or "")[:16].replace("T", " ")
        rows.append((plan.name, plan.when, last, due, ran.problem or ran.brief, plan.does))
    output.table(("job", "runs", "last", "next", "what came of it", "what it does"), rows)


@worker.command("run-all")
@json_option
def run_all(as_json: bool) -> None:
    """Run all background jobs now: expire, promote, make room, back up, verify.

    Nothing is pruned, merged or deleted that a person gave: `keepstone review` shows what is proposed.
    """
    bar = output.Bar(not as_json, counts=True)
    bar.begin(len(SCHEDULES))
    begun: list[str] = []

    def watch(name: str) -> None:
        bar.move(len(begun))
        begun.append(name)

    try:
        ran = opened().maintenance.maintain(watch=watch)
    finally:
        bar.end()
    if as_json:
        output.objects([asdict(one) for one in ran])
        return
    for one in ran:
        output.lines(f"{one.name}: {one.problem or one.brief or 'nothing to do'}")
        for line in _reasons(one):
            output.lines(line, indent="  ")


def _reasons(ran: JobResult) -> Iterator[str]:
    """Why memories were lifted, and why the first of the others were not."""
    for step in ran.report.get("steps", ()):
        if not step["examined"]:
            continue
        yield f"{step['name']}: {step['examined']} looked at, {step['promoted']} lifted, {step['skipped']} not"
        for memory_id, tier, reason in step["lifted"][:3]:
            yield f"  {memory_id[4:10]} to {tier}: {reason}"
        for memory_id, tier, reason in step["proposed"][:3]:
            yield f"  {memory_id[4:10]} to {tier}, if you agree (keepstone review): {reason}"
        for memory_id, reason in step["stayed"][:3]:
            yield f"  {memory_id[4:10]} not lifted: {reason}"
        for problem in step["errors"]:
            yield f"  failed: {problem}"


COMMANDS = (worker,)
