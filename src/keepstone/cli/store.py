"""The commands that store a memory and correct it: store, keep, revise, rate, verify, pin, unpin, restore."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..api.memory import Memory
from ..api.open import opened
from ..lib import limits
from ..lib.errors import Queued
from ..lib.text import MASK
from ..model.hit import Hit, moment
from ..model.memory import QUARANTINED
from ..model.render import headline
from . import output
from .options import TYPES, json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Verified


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
    _stored(memory, shown, new, "Stored.", until_when, as_json)
    if MASK in shown.memory.content and MASK not in said:
        click.echo("What looked like a secret was left out.", err=True)


def _stored(memory: Memory, shown: Hit, new: bool, done: str, more: str, as_json: bool) -> None:
    """Says what became of a text that was given: it is stored, known, or waits; and what it takes back."""
    waits = shown.memory.trust == QUARANTINED
    done = "Waits for a person's word." if waits else done if new else "Known already; noted once more."
    if not as_json:
        click.echo(done + more)
    output.memories([shown], as_json)
    if waits:
        click.echo(
            f"It is recalled only once `keepstone review` has accepted it: {shown.memory.status_reason}.", err=True
        )
    for hit in memory.lifecycle.taken_back_by(shown.memory.id) if new and not as_json else ():
        output.lines(f"That takes back: {headline(hit.memory)} (keepstone restore {hit.short_id})", colour="yellow")
    for hit in memory.lifecycle.rivals_of(shown.memory.id) if memory.context.caller.by_model and not as_json else ():
        said = f"contradicts: {headline(hit.memory)} ({hit.short_id})"
        output.lines(
            f"It {said}, which the user has not taken back. Ask the user which of the two holds.", colour="yellow"
        )


@click.command()
@click.argument("id")
@click.argument("sentence", nargs=-1)
@json_option
def keep(id: str, sentence: tuple[str, ...], as_json: bool) -> None:
    """Make a memory of a suggestion of this project, in one self-contained sentence or as it was said.

    Its evidence is what the user said. A sentence that says little of that waits for review.

    Example: keepstone keep s3fa2 'Snippets are loaded lazily; there is no prefix index'
    """
    memory = opened()
    shown, new = memory.review.keep(id, " ".join(sentence))
    _stored(memory, shown, new, "Kept.", "", as_json)


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
    output.changed("Revised.", opened().revise(id, said, kind=kind, relevance=relevance, tags=tags), as_json)


@click.command()
@click.argument("id")
@click.argument("vote", type=click.Choice(["up", "down", "outdated"]))
@click.option("--note", default="", metavar="TEXT", help="Why, in a sentence.")
@json_option
def rate(id: str, vote: str, note: str, as_json: bool) -> None:
    """Say whether a memory helped, did not, or no longer holds: that moves its importance and confidence.

    Example: keepstone rate 3fa2c1 outdated --note 'deploys moved to services/web'
    """
    output.changed(f"Rated {vote}.", opened().rate(id, vote, note), as_json)


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
        output.changed(done, act(opened(), id), as_json)

    return command


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


COMMANDS: tuple[Any, ...] = (
    store,
    keep,
    revise,
    rate,
    verify,
    _simple("pin", "Pinned.", "Have a memory in every brief.", lambda memory, id: memory.pin(id)),
    _simple("unpin", "No longer pinned.", "Take a memory's pin off.", lambda memory, id: memory.pin(id, False)),
    restore,
)
