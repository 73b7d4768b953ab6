"""The commands that tell what happened: history, audit, diff, undo."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..lib.errors import KeepstoneError
from ..lib.limits import AT_MAX
from ..lib.text import agent_key, one_line
from ..model.hit import STAYS, as_object, iso, markdown_line, moment
from ..model.memory import MODEL, PERSON, TIERS, WORKER
from . import output
from .options import Day, json_option

if TYPE_CHECKING:
    from ..api.types import Entry

OPS = (
    "store reinforce revise supersede forget restore erase prune merge unmerged promote demote expire evict pin unpin "
    "trust reject share rate_up rate_down rate_outdated verify capture import scrub undo rewind project_merge"
).split()


@click.command()
@click.argument("id", required=False)
@click.option("--op", type=click.Choice(OPS), metavar="WORD", help=f"Only this: {', '.join(OPS)}.")
@click.option("--session", default="", metavar="ID", help="Only what this session did.")
@click.option(
    "--actor", type=click.Choice([PERSON, MODEL, WORKER]), help="Only a person's doings, a model's, or the machine's."
)
@click.option("--agent", default="", metavar="ID", help="Only about memories of this agent.")
@click.option("--tier", type=click.Choice(TIERS), help="Only about memories of this tier.")
@click.option("--since", type=Day(), help="Since a day: 2026-11-22, or 7d.")
@click.option("--before", type=Day(), help="Before that day.")
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="Lines a page.")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="Which page.")
@json_option
def audit(
    id: str | None,
    op: str | None,
    session: str,
    actor: str | None,
    agent: str,
    tier: str | None,
    since: float | None,
    before: float | None,
    limit: int,
    page: int,
    as_json: bool,
) -> None:
    """What was done to memories, by whom and when, the newest first. It never holds what they say.

    Example: keepstone audit --op erase --since 30d
    """
    memory = opened()
    asked = {
        "op": op or "",
        "session": session,
        "actor": actor or "",
        "agent": agent_key(agent) if agent else "",
        "tier": tier or "",
    }
    asked["memory"] = memory.history.audited(id) if id else ""
    until = AT_MAX if before is None else before
    found = memory.history.audit(**asked, since=since or 0.0, before=until, limit=limit, page=page)
    if as_json:
        output.objects([{**asdict(entry), "at": iso(entry.at)} for entry in found])
        return
    output.table(("when (UTC)", "by", "what", "memory", "session", "details"), [_row(entry) for entry in found])
    if len(found) == limit:
        click.echo(f"More: keepstone audit --page {page + 1}", err=True)
    elif not found:
        click.echo("There is no such page." if page > 1 else "No entry matches.", err=True)


def _row(entry: Entry) -> tuple[str, ...]:
    at = (iso(entry.at) or "").replace("T", " ").rstrip("Z")
    details = ", ".join(f"{name} {_detail(name, value)}" for name, value in entry.details.items() if _is_plain(value))
    by = f"{entry.actor} {entry.user}".rstrip()
    return at, by, entry.op, (entry.memory_id or "")[4:10], (entry.session_id or "")[:8], details


def _is_plain(value: object) -> bool:
    """What a machine keeps to take something back is for `--json`."""
    return value is not None and not isinstance(value, dict)


def _detail(name: str, value: Any) -> str:
    if isinstance(value, list):
        return " ".join(str(one).removeprefix("mem-")[:6] if str(one).startswith("mem-") else str(one) for one in value)
    return moment(value) if name == "ends" else str(value).removeprefix("mem-")


@click.command()
@click.argument("id")
@json_option
def history(id: str, as_json: bool) -> None:
    """Everything that a memory was, and what was done to it, oldest first. Counts nothing.

    Example: keepstone history 3fa2c1
    """
    hit, versions, done = opened().history.history(id)
    if as_json:
        output.objects(
            {
                "memory": as_object(hit),
                "versions": [
                    {**asdict(one), "valid_from": iso(one.valid_from), "valid_to": iso(one.valid_to)}
                    for one in versions
                ],
                "audit": [{**asdict(entry), "at": iso(entry.at)} for entry in done],
            }
        )
        return
    for one in versions:
        state = f"{one.tier}, {one.status or 'active'}"
        span = f"{moment(one.valid_from)} to {moment(one.valid_to)}"
        output.lines(f"v{one.version}  {span} ({state}), until {one.reason}:")
        output.lines(one_line(one.content), indent="    ")
    output.lines(f"v{hit.memory.version}  now ({hit.memory.tier}, {hit.memory.status}):")
    output.lines(one_line(hit.memory.content), indent="    ")
    for entry in done:
        within = f" in session {entry.session_id[:8]}" if entry.actor == MODEL and entry.session_id else ""
        output.lines(f"{(iso(entry.at) or '')[:16].replace('T', ' ')}  {entry.op} by {entry.actor}{within}")


@click.command()
@click.argument("session", required=False)
@json_option
def diff(session: str | None, as_json: bool) -> None:
    """What a session changed: memories that it added, said again, took back. Without a name, this one of Claude Code's.

    Example: keepstone diff 4f1c8a2e
    """
    memory = opened()
    found = memory.history.diff(session or memory.sessions.session_here)
    if as_json:
        changes = [{"change": what, "memory": as_object(hit)} for what, hit in found.changes]
        told = {"session": found.session, "undone": found.undone, "suggested": found.suggested, "changes": changes}
        output.objects(told)
        return
    colours = {"new": "green", "taken back": "red"}
    for what, hit in found.changes:
        output.lines(f"{what:>12}  {markdown_line(hit)[2:]}", colour=colours.get(what))
    if found.suggested:
        waiting = output.counted(found.suggested, "suggestion waits", "suggestions wait")
        output.lines(f"{waiting}: keepstone review --only suggestion")
    if not found.changes:
        click.echo(f"The session {found.session} changed nothing.", err=True)
    elif found.undone:
        click.echo("That was taken back: keepstone undo has been run.", err=True)
    elif any(what not in STAYS for what, _ in found.changes):
        click.echo(f"keepstone undo {found.session} takes that back.", err=True)


@click.command()
@click.argument("session")
@click.option("--yes", is_flag=True, help="Without a question.")
@json_option
def undo(session: str, yes: bool, as_json: bool) -> None:
    """Take back what a session changed: its memories are forgotten, what it took back or forgot holds again, what it
    revised, moved, pinned, restored or rated is as it was. What was changed again since stays; so do tags, merging and
    erasing.

    Its turns bring nothing back. `keepstone restore ID` brings single ones back; `keepstone diff SESSION` shows them
    first.
    """
    memory = opened()
    found = memory.history.diff(session)
    if not yes:
        for what, hit in found.changes:
            output.lines(f"{what:>12}  {markdown_line(hit)[2:]}")
        if not sys.stdin.isatty():
            raise KeepstoneError("nothing is changed: there is nobody to ask", "keepstone undo SESSION --yes")
        if not click.confirm(f"Take back {output.counted(len(found.changes), 'change', 'changes')}?"):
            click.echo("Nothing is changed.")
            return
    done = memory.history.undo(found.session)
    if as_json:
        output.objects(asdict(done))
        return
    counts = {
        "forgotten": done.forgotten,
        "hold again": done.revived,
        "less sure": done.weakened,
        "as before": done.reverted,
        "no longer rated": done.unrated,
        "with relationships as before": done.reconnected,
        "no longer suggested": done.refused,
    }
    told = ", ".join(f"{len(ids)} {what}" for what, ids in counts.items() if ids)
    click.echo(f"Taken back: {told}." if told else "There was nothing left to take back.")
    for hit in memory.get(done.left):
        output.lines(f"Left as it is, as it was changed since: {markdown_line(hit)[2:]}")


COMMANDS: tuple[Any, ...] = (history, audit, diff, undo)
