"""The commands behind searching: why a memory is found, and making anew what it is found by."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..core.defaults import DENSE_LOW
from ..core.render import headline
from ..memory import Memory
from . import output
from .everyday import json_option, project_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..memory import Why


@click.command()
@click.argument("id")
@click.option("--for", "query", required=True, metavar="WORDS", help="What was searched for.")
@project_option
@json_option
def why(id: str, query: str, project: str, as_json: bool) -> None:
    """Why a search finds a memory, or does not.

    Example: cairn why 3fa2c1 --for "billing database"
    """
    told = Memory(folder=project).why(id, query)
    if as_json:
        output.objects({**asdict(told), "memory": told.memory.id})
        return
    for line in _told(told, query):
        output.lines(line)


def _told(told: Why, query: str) -> Iterator[str]:
    yield f"{headline(told.memory)}"
    if told.state:
        yield f"Never found: it is {told.state}."
        return
    yield f"Place {told.place} of {told.total} for {query!r}:" if told.place else f"Not found for {query!r}:"
    words = ", ".join(told.words)
    yield f"  words: {words} (alone {told.own:.2f}, with its session {told.window:.2f})" if words else "  words: none"
    if told.cosine is None:
        yield "  meaning: not compared, it has no vector"
    else:
        yield f"  meaning: {told.cosine:.2f} of 1" + (
            "" if told.cosine >= DENSE_LOW else f", too far below {DENSE_LOW}"
        )
    yield "  named: one of its tags, files or symbols" if told.named else "  named: nothing of it"
    yield f"  worth: relevance {told.memory.relevance:.2f}, confidence {told.memory.confidence:.2f}"


@click.command()
@json_option
def reindex(as_json: bool) -> None:
    """Make anew what searches look in: the indexes of words, and every memory's vector."""
    bar = output.Bar(not as_json, counts=True)
    memory = Memory()
    try:
        done = memory.reindex(begin=bar.begin, watch=bar.move)
    finally:
        bar.end()
    if as_json:
        output.objects({"memories": done, "model": memory.embedder.model if memory.embedder else None})
        return
    vectors = f"vectors of {memory.embedder.model}" if memory.embedder else "no vectors (cairn config embedder)"
    output.lines(f"Indexed {output.counted(done, 'memory', 'memories')}: words, and {vectors}.")


COMMANDS: tuple[Any, ...] = (why, reindex)
