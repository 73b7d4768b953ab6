"""The command that says whether all is well, and proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..api.memory import Memory
from ..config import runtime
from ..config.provenance import why_no_home
from ..lib.errors import BadInput
from . import output
from .options import json_option

if TYPE_CHECKING:
    from ..api.types import Check, Proof, Repaired

MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


@click.command()
@click.option("--prove", is_flag=True, help="Also prove that a memory reaches the model, and that hooks learn.")
@click.option("--repair", is_flag=True, help="First make a sound database of what can be read of a damaged one.")
@json_option
def doctor(prove: bool, repair: bool, as_json: bool) -> None:
    """Check this installation; each failing line says what to type next.

    A repair reads every row that can still be read into a new database, with its indexes made anew, and keeps the
    damaged one beside the backups.

    The proof takes about fifteen seconds, on a scratch folder: your memories, settings and sessions are not touched. A
    memory is planted and every hook run as Claude Code runs it. Where Claude Code is installed it takes part, and talks
    to a scripted model on this machine: nothing is sent or paid.
    """
    if problem := why_no_home():
        raise BadInput(problem.message + runtime.meanwhile(), problem.hint)
    memory = Memory()
    if repair:
        _repaired(memory.maintenance.repair())
    checks = memory.maintenance.doctor()
    if not as_json:
        _print(checks)
    proof = memory.maintenance.prove(lambda what: _tell(what, as_json)) if prove else None
    if proof and not as_json:
        _proof(proof)
    if as_json:
        found = [asdict(check) for check in checks]
        output.objects({"checks": found, "proof": asdict(proof)} if proof else found)
    every = [*checks, *(proof.checks if proof else [])]
    if any(check.state == "fail" for check in every) or (proof and any(hook.problem for hook in proof.hooks)):
        raise click.exceptions.Exit(1)


def _repaired(made: Repaired) -> None:
    if made.from_backup:
        click.echo(f"No memory could be read of the database: {made.from_backup} is in its place.", err=True)
        click.echo("What was learned after that copy is not in it.", err=True)
    else:
        saved, lost = made.saved.get("memory", 0), sum(made.lost.values())
        count = output.counted(saved, "memory", "memories")
        rows = output.counted(lost, "row", "rows")
        click.echo(f"Repaired: {count} saved, {f'at most {rows} lost' if lost else 'nothing lost'}.", err=True)
    click.echo(f"What was there is kept as {made.kept} (what you erase is erased there too).", err=True)


def _print(checks: Sequence[Check]) -> None:
    for check in checks:
        output.wrapped(f"{MARKS[check.state]}  {check.name}: {check.says}", 0, 6)
        if check.fix and check.state != "ok":
            output.wrapped(f"Try: {check.fix}", 6, 11)


def _tell(what: str, as_json: bool) -> None:
    if not as_json:
        click.echo(f"Proving: {what} ...", err=True)


def _proof(proof: Proof) -> None:
    rows: list[tuple[str, ...]] = [
        (
            hook.name,
            hook.problem or "works",
            f"{hook.p50 * 1000:.0f} ms",
            f"{hook.p95 * 1000:.0f} ms",
            hook.last_success or "never",
            hook.last_error or "none",
        )
        for hook in proof.hooks
    ]
    output.table(("hook", "proof", "p50", "p95", "last run here", "last error here"), rows)
    _print(proof.checks)
    if proof.client:
        click.echo(f"Proved with Claude Code {proof.client}.")
    elif not proof.client_tried:
        click.echo("Claude Code was not found: proved against what it is known to say (its recorded contract).")


COMMANDS = (doctor,)
