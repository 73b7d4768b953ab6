"""The commands behind searching: what memories are found by, whether files bear them out, a session's focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..api.memory import Memory
from ..api.open import opened
from ..model.render import headline
from . import output
from .everyday import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Verified


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


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@project_option
@json_option
def verify(ids: tuple[str, ...], project: str, as_json: bool) -> None:
    """Look whether this project's files still say what memories quote of them; with an ID, say yourself that it holds.

    A memory whose file has lost the identifier it quotes is shown with [FILE changed since: verify], and trusted less.
    One that speaks of what only its branch has is shown elsewhere with (from branch NAME), until the default branch has
    it too.
    """
    memory = opened(project)
    done = memory.maintenance.verify(ids)
    if as_json:
        told: dict[str, Any] = {"lost": dict(done.lost), "back": dict(done.back), "landed": done.landed}
        told |= {"elsewhere": done.elsewhere, "missing": done.missing}
        output.objects({"checked": done.checked, **told})
        return
    if ids:
        output.lines(f"Noted: {output.counted(len(ids), 'memory holds', 'memories hold')} as of today.")
        return
    _tell(memory, done)


def _tell(memory: Memory, done: Verified) -> None:
    """What a look at the files has found."""
    for found, says in ((done.lost, "no longer has what this quotes"), (done.back, "has again what this quotes")):
        for (_, file), hit in zip(found, memory.get([one for one, _ in found]), strict=True):
            output.lines(f"{file} {says}: {headline(hit.memory)} ({hit.short_id})")
    for hit in memory.get(done.landed):
        output.lines(f"The default branch has now what this quotes: {headline(hit.memory)} ({hit.short_id})")
    count = output.counted(done.checked, "quotation", "quotations")
    if not done.checked:
        output.lines("No memory of this project quotes a file that is here.")
    elif not (done.lost or done.back or done.landed):
        still = f"; {done.missing:,} still missing (keepstone recent shows where)" if done.missing else ""
        output.lines(f"{count} looked at: nothing has changed{still}.")
    if done.elsewhere:
        those = output.counted(done.elsewhere, "memory", "memories")
        output.lines(f"Not looked at: {those} of branches that are not checked out here, nor merged.")
    if done.lost:
        click.echo("keepstone revise ID TEXT, keepstone forget ID, or keepstone verify ID if it still holds.", err=True)


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


COMMANDS: tuple[Any, ...] = (reindex, verify, focus)
