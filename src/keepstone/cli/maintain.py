"""The commands for what is done by itself: the jobs, and the copies of the database."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..lib.errors import BadInput, KeepstoneError
from ..model.hit import iso
from ..spool.schedule import SCHEDULES
from . import output
from .everyday import json_option

if TYPE_CHECKING:
    from ..api.types import JobResult


@click.command()
@json_option
def jobs(as_json: bool) -> None:
    """What is done by itself, when, and what came of it last. Times are UTC."""
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


@click.command()
@json_option
def maintain(as_json: bool) -> None:
    """Run every job now: end what has had its time, lift what has earned it, make room, copy, verify.

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


@click.command()
@click.argument("to", required=False)
@click.option("--list", "listed", is_flag=True, help="The copies there are.")
@json_option
def backup(to: str | None, listed: bool, as_json: bool) -> None:
    """Copy the database, while sessions go on: into the data home, or to a path. A copy a day is made by itself."""
    memory = opened()
    if listed:
        found = memory.backups.backup_list()
        if as_json:
            output.objects([{"name": name, "bytes": size} for name, size in found])
            return
        for name, size in found:
            output.lines(f"{name}  {output.size(size)}")
        if not found:
            click.echo("There are no copies yet.", err=True)
        return
    made = memory.backups.backup(to or "")
    if as_json:
        output.objects({"path": made})
    else:
        output.lines(f"Copied to {made}.")


@click.command("restore-backup")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Without a question.")
def restore_backup(name: str, yes: bool) -> None:
    """Put a copy in the database's place; what was there is copied first. `keepstone backup --list` names the copies.

    One that was made elsewhere has to be moved into `backups` in the data home first; `keepstone status` names that.
    """
    memory = opened()
    if os.path.dirname(os.path.realpath(name)) == os.path.realpath(memory.backups.backups):
        name = os.path.basename(name)
    if name not in dict(memory.backups.backup_list()):
        raise BadInput(f"there is no backup {name[:80]!r}", "keepstone backup --list")
    if not yes and not sys.stdin.isatty():
        raise KeepstoneError("nothing is changed: there is nobody to ask", f"keepstone restore-backup {name} --yes")
    count = output.counted(memory.maintenance.total() or 0, "memory", "memories")
    if not yes and not click.confirm(f"Put {name} in the place of {count}?"):
        click.echo("Nothing is changed.")
        return
    before = memory.backups.restore_backup(name)
    click.echo(f"Restored. What was there is {before}: keepstone restore-backup {before}")


COMMANDS: tuple[Any, ...] = (jobs, maintain, backup, restore_backup)
