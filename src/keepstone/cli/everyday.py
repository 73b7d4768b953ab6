"""The commands for memories themselves: find, keep, correct."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from ..api.memory import Memory
from ..api.open import opened
from ..api.types import Filter, Results
from ..lib import limits
from ..lib.errors import BadInput, Queued
from ..lib.text import MASK, clean
from ..model.hit import Hit, as_object, full, moment
from ..model.memory import GROUPS, QUARANTINED, TIERS, kinds_of, need_kinds
from ..model.render import headline
from . import output

TYPES = ", ".join(GROUPS)


def project_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--project", metavar="PATH", help="Another project's folder, instead of this one.")(command)


def json_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


class Day(click.ParamType[float]):
    """A day as 2026-11-22, or so many days ago as 7d, as UTC unix seconds."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if re.fullmatch(r"\d{1,5}d", str(value)):
            return time.time() - 86_400.0 * int(value[:-1])
        try:
            return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
        except ValueError:
            self.fail(f"{value!r} is no day; give 2026-11-22, or 7d for seven days ago", param, ctx)


def listing_options(limit: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The filters that every listing and search has (CG-27), those beside type and project as `narrow`."""

    def wrap(told: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(told)
        def command(
            *args: Any, tag: str, file: str, tier: str | None, since: float | None, before: float | None, **more: Any
        ) -> None:
            told(*args, narrow=Filter(tag.lower(), file, tier or "", since, before), **more)

        command = click.option("--before", type=Day(), help="Only what was made before that day.")(command)
        command = click.option("--since", type=Day(), help="Only what was made since a day: 2026-11-22, or 7d.")(
            command
        )
        command = click.option("--tier", type=click.Choice(TIERS), help="Only this tier.")(command)
        command = click.option("--file", default="", metavar="PATH", help="Only what came of this file.")(command)
        command = click.option("--tag", default="", metavar="WORD", help="Only what has this tag.")(command)
        bounds = click.IntRange(1, limits.LISTING_LIMIT_MAX)
        command = click.option("--limit", type=bounds, default=limit, show_default=True, help="At most so many.")(
            command
        )
        command = click.option("--type", "kind", metavar="TYPE", help=f"Only this type: {TYPES}, or a kind.")(command)
        command = click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")(command)
        return project_option(json_option(command))

    return wrap


def _results(found: Results, wanted: str, as_json: bool, everything: bool) -> None:
    output.memories(found.found, as_json)
    if found.found:
        return
    where = "" if everything else " here"
    click.echo(f"Nothing about {clean(wanted)!r} in {_memories(found.searched)} searched{where}.", err=True)
    if found.elsewhere:
        click.echo(f"Other projects hold {found.elsewhere:,} more: add --all to search them too.", err=True)


def _memories(count: int) -> str:
    return output.counted(count, "memory", "memories")


@click.command()
@click.argument("words", nargs=-1, required=True)
@listing_options(limits.SEARCH_LIMIT)
@click.option(
    "--as-of", "then", type=Day(), help="As it was at the end of that day, by words alone: 2026-11-01, or 7d."
)
def search(
    words: tuple[str, ...],
    kind: str,
    limit: int,
    everything: bool,
    project: str,
    as_json: bool,
    narrow: Filter,
    then: float | None,
) -> None:
    """Find memories by words, in their text and their evidence.

    Example: keepstone search "postgres billing"
    """
    query = " ".join(words)
    if then is not None:
        if kind or not narrow.is_empty:
            raise BadInput("--as-of takes only --all, --project and --limit", "keepstone search --as-of 7d 'billing'")
        if then > time.time():
            raise BadInput("--as-of takes a day that has begun", "keepstone search --as-of 7d 'billing'")
        hits = opened(project).history.as_of(query, then - then % 86_400 + 86_399, everything=everything, limit=limit)
        output.memories(hits, as_json)
        if not hits:
            click.echo(f"Nothing about {clean(query)!r} was known then{'' if everything else ' here'}.", err=True)
        return
    found = opened(project).search(query, kind=kind, limit=limit, everything=everything, narrow=narrow)
    _results(found, query, as_json, everything)


@click.command()
@click.argument("topic", nargs=-1, required=True)
@listing_options(limits.ABOUT_LIMIT)
def about(
    topic: tuple[str, ...], kind: str, limit: int, everything: bool, project: str, as_json: bool, narrow: Filter
) -> None:
    """Everything known on a topic: any of its words, and what shares tags or files with those.

    Example: keepstone about deployment
    """
    words = " ".join(topic)
    found = opened(project).about(words, kind=kind, limit=limit, everything=everything, narrow=narrow)
    _results(found, words, as_json, everything)


@click.command()
@listing_options(limits.DECISIONS_LIMIT)
def decisions(kind: str, limit: int, everything: bool, project: str, as_json: bool, narrow: Filter) -> None:
    """What was decided, newest first."""
    if kind and not set(need_kinds(kind)) <= set(kinds_of("decision")):
        raise BadInput(f"{kind} is no type of decision", f"keepstone recent --type {kind}")
    found = opened(project).recent(kind=kind or "decision", limit=limit, everything=everything, narrow=narrow)
    _listing(found, "No decisions yet" if narrow.is_empty else "No decisions match", as_json)


@click.command()
@click.argument("count", required=False, type=click.IntRange(1, limits.LISTING_LIMIT_MAX), metavar="[N]")
@listing_options(limits.RECENT_LIMIT)
@click.option("--forgotten", is_flag=True, help="What was forgotten or has ended, to find an id to restore.")
@click.option("--archived", is_flag=True, help="What was pruned, merged or taken back, to find an id to restore.")
def recent(
    count: int | None,
    kind: str,
    limit: int,
    everything: bool,
    project: str,
    as_json: bool,
    forgotten: bool,
    archived: bool,
    narrow: Filter,
) -> None:
    """The newest memories; N is short for --limit N."""
    if forgotten and archived:
        raise BadInput("what is forgotten is not archived", "keepstone recent --archived")
    which = "forgotten" if forgotten else "archived" if archived else ""
    found = opened(project).recent(kind=kind, limit=count or limit, everything=everything, which=which, narrow=narrow)
    empty = f"Nothing {which}" if which else "No memories match" if kind or not narrow.is_empty else "No memories yet"
    _listing(found, empty, as_json)


def _listing(found: list[Hit], empty: str, as_json: bool) -> None:
    output.memories(found, as_json)
    if not found:
        click.echo(f"{empty}. `keepstone status` shows what there is, here and elsewhere.", err=True)


@click.command()
@click.argument("id")
@click.option("--evidence", is_flag=True, help="Also what was said around each piece of it, while that is still there.")
@json_option
def show(id: str, evidence: bool, as_json: bool) -> None:
    """One memory whole, with its evidence and its earlier texts."""
    memory = opened()
    shown, versions = memory.show(id)
    around = memory.history.around(shown) if evidence else []
    if as_json:
        output.objects([as_object(shown) | ({"around": around} if evidence else {})])
        return
    output.lines(full(shown, versions))
    for one in around:
        click.echo()
        output.lines(f"## Around {one['day']}, session {one['session']}")
        for turn in one["turns"] or ["(its transcript is no longer there)"]:
            output.lines(f"- {turn}")


@click.command()
@click.option("--limit", type=click.IntRange(1), help="At most so many memories (20 at the very most).")
@click.option("--type", "kind", metavar="TYPE", help=f"Only this type: {TYPES}, or a kind.")
@project_option
@json_option
def context(limit: int | None, kind: str | None, project: str, as_json: bool) -> None:
    """What the next session here receives at its start. Counts nothing.

    What the index of Claude's own memory tells a session in this very folder already is left out, as it will be then.
    """
    memory = opened(project)
    if memory.capture.is_off:
        click.echo("Keepstone is turned off here: a session receives nothing.", err=True)
        return
    made = memory.brief(min(limit, limits.BRIEF_LIMIT_MAX) if limit else None, kind)
    if as_json:
        output.memories(memory.get(made.ids), as_json)
    else:
        click.echo(made.text, nl=False)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "kind", default="fact", show_default=True, metavar="TYPE", help=f"{TYPES}, or a kind.")
@click.option("--relevance", type=float, default=limits.MANUAL_RELEVANCE, show_default=True, help="From 0 to 1.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag to find it by; may be given again.")
@click.option("--user", is_flag=True, help="Holds in every project, not only in this one.")
@click.option("--ttl", default="", metavar="SPAN", help="It ends after so long: 30d, 12h.")
@click.option("--until", default="", metavar="DAY", help="It holds to the end of a day: 2026-12-24, or 7d.")
@project_option
@json_option
def store(
    text: tuple[str, ...],
    kind: str,
    relevance: float,
    tags: tuple[str, ...],
    user: bool,
    ttl: str,
    until: str,
    project: str,
    as_json: bool,
) -> None:
    """Keep one sentence with its why.

    Example: keepstone store --type decision 'PostgreSQL for billing: row-level security'
    """
    memory = opened(project)
    said = " ".join(text)
    try:
        shown, new = memory.store(said, kind=kind, relevance=relevance, tags=tags, user=user, ttl=ttl, until=until)
    except Queued as problem:
        _kept(problem, as_json)
        return
    ends = shown.memory.expires_at
    until_when = f" It ends on {moment(ends)}." if ends else ""
    waits = shown.memory.trust == QUARANTINED
    done = "Waits for a person's word." if waits else "Stored." if new else "Known already; noted once more."
    changed(done + until_when, shown, as_json)
    if waits:
        click.echo(
            f"It is recalled only once `keepstone review` has accepted it: {shown.memory.status_reason}.", err=True
        )
    for hit in memory.lifecycle.taken_back_by(shown.memory.id) if new and not as_json else ():
        output.lines(f"That takes back: {headline(hit.memory)} (keepstone restore {hit.short_id})", colour="yellow")
    if MASK in shown.memory.content and MASK not in said:
        click.echo("What looked like a secret was left out.", err=True)


def _kept(problem: Queued, as_json: bool) -> None:
    """Says that a memory waits here for its server."""
    if as_json:
        output.objects({"kept": True, "why": problem.message})
    else:
        output.lines(f"Kept: {problem.message}, or by `{problem.hint}`.")


@click.command()
@click.argument("id")
@click.argument("text", nargs=-1)
@click.option("--type", "kind", metavar="TYPE", help=f"A new type: {TYPES}, or a kind.")
@click.option("--relevance", type=float, help="A new relevance, from 0 to 1.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="One more tag; may be given again.")
@json_option
def revise(
    id: str, text: tuple[str, ...], kind: str | None, relevance: float | None, tags: tuple[str, ...], as_json: bool
) -> None:
    """Correct a memory; `show` keeps its earlier text.

    Example: keepstone revise 3fa2c1 'Deploys run from services/web with make ship'
    """
    said = " ".join(text) if text else None
    changed("Revised.", opened().revise(id, said, kind=kind, relevance=relevance, tags=tags), as_json)


@click.command()
@click.argument("id")
@click.argument("vote", type=click.Choice(["up", "down", "outdated"]))
@click.option("--note", default="", metavar="TEXT", help="Why, in a sentence.")
@json_option
def rate(id: str, vote: str, note: str, as_json: bool) -> None:
    """Say whether a memory helped, did not, or no longer holds: that moves its importance and confidence.

    Example: keepstone rate 3fa2c1 outdated --note 'deploys moved to services/web'
    """
    changed(f"Rated {vote}.", opened().rate(id, vote, note), as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@json_option
def restore(ids: tuple[str, ...], as_json: bool) -> None:
    """Bring memories back that were forgotten, archived or have ended.

    Example: keepstone recent --forgotten, then keepstone restore 3fa2c1 77ab03
    """
    memory = opened()
    found = [memory.restore(one) for one in ids]
    if not as_json:
        click.echo("Restored." if len(found) == 1 else f"Restored {len(found)} memories.")
    output.memories(found, as_json)


def _simple(name: str, done: str, help: str, act: Callable[[Memory, str], Hit]) -> click.Command:
    """A command that takes an id and does one thing to it."""

    @click.command(name, help=help)
    @click.argument("id")
    @json_option
    def command(id: str, as_json: bool) -> None:
        changed(done, act(opened(), id), as_json)

    return command


def changed(done: str, shown: Hit, as_json: bool) -> None:
    """Says what was done, and the memory as it is then."""
    if not as_json:
        click.echo(done)
    output.memories([shown], as_json)


COMMANDS: tuple[Any, ...] = (
    search,
    about,
    decisions,
    recent,
    show,
    context,
    store,
    revise,
    rate,
    _simple("pin", "Pinned.", "Have a memory in every brief.", lambda memory, id: memory.pin(id)),
    _simple("unpin", "No longer pinned.", "Take a memory's pin off.", lambda memory, id: memory.pin(id, False)),
    restore,
)
