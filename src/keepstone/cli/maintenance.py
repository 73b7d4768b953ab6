"""The commands that look after stored data: backup, restore-backup, scrub, reindex."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..lib.errors import BadInput, KeepstoneError
from ..lib.text import one_line
from . import output
from .options import json_option

if TYPE_CHECKING:
    from ..api.types import Scrubbed


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


@click.command()
@click.option("--dry-run", is_flag=True, help="Only count what would be redacted.")
@json_option
def scrub(dry_run: bool, as_json: bool) -> None:
    """Redact what was stored before: memories, observations, logs, jobs and backups.

    Secrets are left out before anything is written; this takes out what an earlier version did not know for one.
    """
    done = opened().privacy.scrub(dry_run=dry_run)
    if as_json:
        output.objects(asdict(done))
    else:
        output.lines(_scrubbed(done))
    for problem in done.problems:
        click.echo(f"Not done: {one_line(problem)}", err=True)
    if done.problems:
        raise click.exceptions.Exit(1)


def _scrubbed(done: Scrubbed) -> str:
    if not done.total:
        return "Nothing to redact: no memory, observation, log, job or backup holds a known secret."
    parts = (
        output.counted(done.memories, "memory", "memories"),
        output.counted(done.rows, "note or observation", "notes and observations"),
        output.counted(done.files, "log or job", "logs and jobs"),
    )
    copies = output.counted(done.backups, "backup", "backups")
    if done.dry_run:
        return f"Would redact {', '.join(parts)} and replace {copies}. `keepstone scrub` does it."
    return f"Redacted {', '.join(parts)}; replaced {copies}. `keepstone show ID` says where something was taken out."


@click.command()
@json_option
def reindex(as_json: bool) -> None:
    """Make anew what searches look in: the indexes of words, and every memory's vector."""
    bar = output.Bar(not as_json, counts=True)
    memory = opened()
    try:
        done, model = memory.maintenance.reindex(begin=bar.begin, watch=bar.move)
    finally:
        bar.end()
    if as_json:
        output.objects({"memories": done, "model": model or None})
        return
    vectors = f"vectors of {model}" if model else "no vectors (keepstone config embedder)"
    output.lines(f"Indexed {output.counted(done, 'memory', 'memories')}: words, and {vectors}.")


COMMANDS: tuple[Any, ...] = (backup, restore_backup, scrub, reindex)
