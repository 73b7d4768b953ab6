"""The commands that find memories: search, about, decisions, recent, show, context, focus."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..api.types import Filter, Results
from ..lib import limits
from ..lib.errors import BadInput
from ..lib.text import clean, session_key
from ..model.hit import Hit, as_object, full
from ..model.memory import kinds_of, require_kinds
from ..model.render import headline
from ..model.turn import PREFIX
from . import output
from .options import TYPES, Day, json_option, listing_options, project_option

if TYPE_CHECKING:
    from ..api.memory import Memory


IN_ALL, IN_MEMORIES, IN_SESSIONS = "all", "memories", "sessions"


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
@click.option(
    "--in",
    "where",
    type=click.Choice((IN_ALL, IN_MEMORIES, IN_SESSIONS)),
    default=IN_ALL,
    show_default=True,
    help="Look in the memories, in what was said in sessions, or in both.",
)
@click.option("--session", default="", metavar="ID", help="Only what comes from this session.")
def search(
    words: tuple[str, ...],
    kind: str,
    limit: int,
    everything: bool,
    project: str,
    as_json: bool,
    narrow: Filter,
    then: float | None,
    where: str,
    session: str,
) -> None:
    """Find memories by words, in their text and their evidence; then what was said about it in sessions.

    Example: keepstone search "postgres billing"
    """
    query = " ".join(words)
    narrow.of_session = session_key(session) if session else ""
    memory = opened(project)
    if then is not None:
        _as_of(memory, query, then, kind, limit, everything, narrow, as_json)
        return
    found = Results([], 0, 0)
    if where != IN_SESSIONS:
        found = memory.search(query, kind=kind, limit=limit, everything=everything, narrow=narrow)
    quotes = []
    if where != IN_MEMORIES and not kind:
        most = limit if where == IN_SESSIONS else limits.QUOTES_LIMIT
        quotes = memory.archive.search_sessions(query, limit=most, everything=everything, narrow=narrow)
    if as_json:
        output.objects([*map(as_object, found.found), *(quote.as_object() for quote in quotes)])
    elif where == IN_SESSIONS and not quotes:
        click.echo(
            f"Nothing was said about {clean(query)!r}{'' if everything else ' here'}, as far as it was kept.", err=True
        )
        click.echo("How long it is kept: keepstone config archive_days", err=True)
    else:
        if found.found or not quotes:
            _results(found, query, as_json, everything)
        output.quotes(quotes)


def _as_of(
    memory: Memory, query: str, then: float, kind: str, limit: int, everything: bool, narrow: Filter, as_json: bool
) -> None:
    """Shows what was known at the end of a day."""
    if kind or not narrow.is_empty:
        raise BadInput("--as-of takes only --all, --project and --limit", "keepstone search --as-of 7d 'billing'")
    if then > time.time():
        raise BadInput("--as-of takes a day that has begun", "keepstone search --as-of 7d 'billing'")
    hits = memory.history.as_of(query, then - then % 86_400 + 86_399, everything=everything, limit=limit)
    output.memories(hits, as_json)
    if not hits:
        click.echo(f"Nothing about {clean(query)!r} was known then{'' if everything else ' here'}.", err=True)


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
    if kind and not set(require_kinds(kind)) <= set(kinds_of("decision")):
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
    """One memory whole, with its evidence and its earlier texts; or a turn of a session with those around it."""
    memory = opened()
    if id.startswith(PREFIX):
        said = memory.archive.turns_around(id)
        output.objects([asdict(one) for one in said]) if as_json else output.conversation(said)
        return
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
@click.argument("words", nargs=-1)
@click.option("--add", "ids", multiple=True, metavar="ID", help="Put a memory there by hand; may be given again.")
@click.option("--session", default="", metavar="ID", help="Of which session; this one of Claude Code's by itself.")
@project_option
@json_option
def focus(words: tuple[str, ...], ids: tuple[str, ...], session: str, project: str, as_json: bool) -> None:
    """What this session is about: the memories that its prompts and files have touched, the closest first.

    Words are looked for, and what they find is merged in. After a compaction the session begins anew with these.

    Example: keepstone focus "billing rounding"
    """
    held = opened(project).focus.focus(ids, words=" ".join(words), session=session)
    if as_json:
        output.objects([{"id": hit.memory.id, "relevance": relevance} for hit, relevance in held])
        return
    for hit, relevance in held:
        output.lines(f"{relevance:.2f}  {headline(hit.memory)} ({hit.short_id})")
    if not held:
        click.echo("Nothing yet. `keepstone focus WORDS` looks for what this session is about.", err=True)


COMMANDS: tuple[Any, ...] = (search, about, decisions, recent, show, context, focus)
