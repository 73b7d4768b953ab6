"""The commands that sum up: status, week."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..lib.text import one_line
from ..model.memory import GROUPS, group_of
from . import output
from .options import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Named, Status, Week


@click.command()
@click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")
@project_option
@json_option
def status(everything: bool, project: str, as_json: bool) -> None:
    """What Keepstone knows here, and what waits."""
    now = opened(project).maintenance.status(everything=everything)
    if as_json:
        output.objects(asdict(now))
        return
    where = "in every project" if now.everything else f"in {now.project or 'sessions outside any project'}"
    more = f" ({now.elsewhere:,} more elsewhere)" if now.elsewhere else ""
    output.lines(f"{output.counted(now.memories, 'memory', 'memories')} {where}{more}")
    counts = dict.fromkeys(GROUPS, 0)
    for kind, count in now.kinds.items():
        counts[group_of(kind)] += count
    for group, (icon, heading) in GROUPS.items():
        click.echo(f"  {icon} {heading:<12} {counts[group]:>6,}")
    if now.for_review:
        more = " --all" if now.everything else ""
        click.echo(
            f"{now.for_review:,} {'waits' if now.for_review == 1 else 'wait'} for your word: keepstone review{more}"
        )
    if now.suggested:
        click.echo(output.suggested(now.suggested, now.everything))
    click.echo(f"Learned last from a session: {now.last_captured_at or 'never'}")
    output.lines("\n".join(_extractor(now.extractor, asdict(now.spending))))
    output.lines("\n".join(_place(now)))


def _as_whom(now: Status) -> str:
    return f"; you are {now.user}, in the workspace {now.workspace}" if now.user else ""


def _place(now: Status) -> Iterator[str]:
    """What waits, and where all this is."""
    if now.waiting:
        yield f"Waiting in the spool: {now.waiting}. `keepstone worker run --wait` returns when that is done."
    if now.aside:
        yield f"Failed too often: {now.aside}. `keepstone doctor` says more."
    if now.off:
        yield "Keepstone is turned off here: nothing is injected or captured. `keepstone config off` says where."
    if now.captures:
        yield f"Python: {now.python}"
    else:
        yield "Nothing is learned yet: Keepstone's packages are not there. `keepstone bootstrap` installs them."
    yield f"Data: {now.home} ({now.database_bytes / 1e6:.1f} MB)"
    if now.server:
        yield f"Server: {now.server} (all of the above is there{_as_whom(now)})"
    if now.unsent:
        yield f"Kept here for it: {_memories(now.unsent)}. `keepstone worker run` sends what is kept."


def _extractor(name: str, today: dict[str, Any]) -> Iterator[str]:
    """The extractor, and what paid ones took today: also before somebody went back to the rules."""
    if not today["model"]:
        yield f"Extractor: {name}, no cost"
        if not today["calls"]:
            return
    else:
        yield f"Extractor: {name}, model {today['model']}"
    calls = f"{today['calls']:,} of {today['calls_cap']:,} calls"
    yield f"  Today: {calls}, {today['tokens']:,} of {today['tokens_cap']:,} tokens{_cost(today)}"
    if today["model"] and today["cap_reached"]:
        yield "  Cap reached: rules do the work until 00:00 UTC."
    if today["problem"]:
        failures = output.counted(today["failures"], "failure", "failures")
        yield f"  {failures} today, the last at {today['problem_at']}: {today['problem']}"


def _cost(today: dict[str, Any]) -> str:
    if not today["calls"]:
        return ""
    if today["uncosted"] == today["calls"]:
        return ", cost unknown"
    more = f" and {output.counted(today['uncosted'], 'call', 'calls')} of unknown cost" if today["uncosted"] else ""
    return f", about ${today['cost_usd']:.4f}{more}"


@click.command()
@click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")
@project_option
@json_option
def week(everything: bool, project: str, as_json: bool) -> None:
    """What the last seven days' sessions were shown, used, corrected and learned."""
    found = opened(project).maintenance.week(everything=everything)
    if as_json:
        output.objects(asdict(found))
        return
    where = "every project" if found.everything else found.project or "sessions outside any project"
    output.lines(f"The last {found.days} days in {where}, since {found.since[:10]}")
    for line in _nothing(found) if found.empty else _week(found):
        output.lines(line, indent="  " if line.startswith("- ") else "")


def _nothing(found: Week) -> Iterator[str]:
    yield "Nothing yet: no memory was shown to a session, corrected or learned."
    if not found.everything:
        yield "Other projects: keepstone week --all"
    yield "`keepstone status` shows what Keepstone knows, `keepstone ingest` learns from past sessions."


def _week(found: Week) -> Iterator[str]:
    shown = f"{_memories(found.shown)}, {output.counted(found.deliveries, 'time', 'times')}"
    yield f"Shown         {shown} in {output.counted(found.sessions, 'session', 'sessions')}"
    yield f"Used          {_memories(found.used)}, {output.counted(found.used_deliveries, 'time', 'times')}"
    yield from map(_named, found.most_used)
    yield f"Contradicted  {_memories(found.contradicted)}"
    yield from map(_named, found.most_contradicted)
    ways = {"superseded": found.superseded, "revised": found.revised, "rated outdated": found.outdated}
    yield f"Corrected     {_memories(found.corrected)}{_listed(ways)}"
    groups = {GROUPS[group][1]: count for group, count in found.learned.items()}
    yield f"Learned       {_memories(sum(groups.values()))}{_listed(groups)}"
    if found.unjudged:
        yield f"Not judged yet: {found.unjudged:,} of {found.deliveries:,}, of sessions that were not captured since."
    if found.deliveries:
        yield "Used is what a transcript proves: an id cited, a command run, advice taken after a correction."


def _memories(count: int) -> str:
    return output.counted(count, "memory", "memories")


def _named(one: Named) -> str:
    more = f", {one.sessions:,} sessions" if one.sessions > 1 else ""
    return f"- {one_line(one.says)} ({one.short_id}{more})"


def _listed(counts: dict[str, int]) -> str:
    """`: revised 2, rated outdated 1`, or nothing."""
    said = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    return f": {said}" if said else ""


COMMANDS: tuple[Any, ...] = (status, week)
