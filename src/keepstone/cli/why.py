"""The command that explains a memory's importance, or its place in a search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..lib.limits import DENSE_LOW
from ..model.hit import MEANS, markdown_line, moment
from ..model.render import headline
from ..model.tiers import BY_HAND
from . import output
from .options import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Why, Worth

BAR = 20  # characters of a factor's bar


@click.command()
@click.argument("id")
@click.option("--query", "query", default="", metavar="WORDS", help="Why a search for these finds it, or does not.")
@project_option
@json_option
def why(id: str, query: str, project: str, as_json: bool) -> None:
    """Why a memory is worth what it is, factor by factor; with --query, why a search finds it.

    Example: keepstone why 3fa2c1, keepstone why 3fa2c1 --query "billing database"
    """
    memory = opened(project)
    if query:
        found = memory.lifecycle.why(id, query)
        if as_json:
            output.objects({**asdict(found), "memory": found.memory.id})
            return
        for line in _found(found, query):
            output.lines(line)
        return
    told = memory.lifecycle.worth(id)
    if as_json:
        output.objects(_object(told))
        return
    _worth(told)


def _found(told: Why, query: str) -> Iterator[str]:
    yield f"{headline(told.memory)}"
    if told.state:
        yield f"Never found: it is {told.state}."
        return
    yield f"Place {told.place} of {told.total} for {query!r}:" if told.place else f"Not found for {query!r}:"
    words = ", ".join(told.words)
    scores = f"{told.own:.2f} for its own text, {told.window:.2f} with what its session said around it (BM25)"
    yield f"  words: {words}: {scores}" if words else "  words: none"
    if told.cosine is None:
        yield "  meaning: not compared, it has no vector"
    else:
        near = "near enough to count" if told.cosine >= DENSE_LOW else f"below {DENSE_LOW} it brings nothing by itself"
        yield f"  meaning: {told.cosine:.2f} of 1, {near}"
    yield f"  names: {'one' if told.named else 'none'} of its tags, files and symbols is among the words"
    yield f"  importance now: {told.worth:.2f}, which decides between answers that fit alike"
    yield "The more of each, the higher its place: each is weighed against the other answers."


def _object(told: Worth) -> dict[str, Any]:
    return {
        "id": told.hit.memory.id,
        "importance": round(told.importance, 4),
        "bands": list(told.bands),
        "relevance": told.hit.memory.relevance,
        "left": round(told.left, 4),
        "idle_days": round(told.idle_days, 1),
        "factors": [{"name": f.name, "weight": f.weight, "value": f.value} for f in told.factors],
        "sessions": told.sessions,
        "next_tier": told.next[0] or None,
        "next_why": told.next[1],
        "prunable": told.prunable,
        "ended": told.ended or None,
    }


def _worth(told: Worth) -> None:
    memory = told.hit.memory
    output.lines(markdown_line(told.hit))
    pinned = "; it is pinned, so never less than its relevance" if memory.pinned else ""
    output.lines(f"Importance {told.importance:.2f} of 1: {told.bands[0]}{pinned}.")
    idle = output.counted(round(told.idle_days), "day", "days")
    half = f"{memory.relevance:.2f} at birth, {told.left:.0%} left in the {memory.tier} tier after {idle} unused"
    head = "Unpinned, half of it would be relevance" if memory.pinned else "Half of it is relevance"
    output.wrapped(f"{head}: {half}. The other half is usage, by these weights; what is unknown is left out:", 0, 2)
    rows = []
    for factor in told.factors:
        value = "unknown yet" if factor.value is None else f"{factor.value:.2f}"
        bar = "" if factor.value is None else "█" * round(BAR * factor.value)
        rows.append((factor.name, f"{factor.weight:.2f}", value, bar, MEANS[factor.name]))
    output.table(("factor", "weight", "value", "", "what it is"), rows)
    for line in _ahead(told):
        output.lines(line)


def _ahead(told: Worth) -> Iterator[str]:
    """What will become of it."""
    memory, (tier, reason) = told.hit.memory, told.next
    if memory.status != "active":
        yield f"It is {memory.status}: {told.ended}."
        return
    yield f"Next: to {tier}: {reason}." if tier else f"It stays {memory.tier}: {reason}."
    if memory.expires_at:
        unless = "" if memory.origin in BY_HAND else ", unless it is lifted before"
        yield f"It ends on {moment(memory.expires_at)}{unless}."
    if told.prunable:
        yield "It is proposed for pruning: keepstone review --only prune. Using it takes it off that list."


COMMANDS: tuple[Any, ...] = (why,)
