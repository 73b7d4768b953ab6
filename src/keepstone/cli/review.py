"""The commands that decide on memories: review, promote, demote, merge."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..api.memory import Memory
from ..api.open import opened
from ..lib.diff import GONE, SAME, difference
from ..lib.errors import BadInput
from ..lib.text import one_line
from ..model.hit import PROPOSED, Hit, as_object, markdown_line, moment, source_lines
from ..model.memory import TIERS
from ..model.render import headline
from ..model.tiers import BY_HAND
from . import output
from .options import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Proposal

ASKS = {
    "quarantine": "Trust it?",
    "suggestion": "Keep it?",
    "merge": "Merge them?",
    "promote": "Promote it?",
    "prune": "Archive it?",
}


ONE_BY_ONE = ("quarantine", "suggestion")  # kinds that are accepted one by one


@click.command()
@click.option("--only", "kinds", multiple=True, type=click.Choice(list(ASKS)), help="Only these; may be given again.")
@click.option(
    "--accept", "accepted", multiple=True, metavar="KEY", help="Do what is proposed; a memory's id will do too."
)
@click.option(
    "--reject",
    "--forget",
    "rejected",
    multiple=True,
    metavar="KEY",
    help="Leave it, or forget the quarantined, or what is suggested.",
)
@click.option(
    "--yes", is_flag=True, help="Accept all, without a question; the quarantined and suggested only with --only."
)
@click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")
@project_option
@json_option
def review(
    kinds: tuple[str, ...],
    accepted: tuple[str, ...],
    rejected: tuple[str, ...],
    yes: bool,
    everything: bool,
    project: str,
    as_json: bool,
) -> None:
    """Go through what waits for your word: nothing of it is done unasked.

    On a terminal each is asked for: y does it, n turns it down for good, a does it and all that follow of its kind, s
    leaves it for later, q quits. What is quarantined or suggested is accepted one by one. What is quarantined is
    forgotten by n; `keepstone restore` brings it back. Elsewhere they are listed with their keys.

    \b
    quarantine  what Claude said after reading from outside, what a program said, and what reads as instructions to a
                model; Claude itself can accept what you have named to it by its id
    suggestion  what you said and is likely to last: it is kept as a memory, or goes after 14 days
    merge       memories of one file that say nearly the same: one is made of them, and they stay behind it
    promote     what was done in three sessions or more, to be kept as a procedure
    prune       what is old, idle and of little worth, to be archived: `keepstone restore` brings it back

    Example: keepstone review --only prune --yes
    """
    memory = opened(project)
    waiting = memory.review.review(kinds, everything=everything)
    if accepted or rejected:
        _settle_named(memory, waiting, accepted, rejected, as_json)
    elif yes and waiting:
        _accept_all(memory, waiting, [one for one in waiting if kinds or one.kind not in ONE_BY_ONE], as_json)
    elif as_json:
        output.objects(_objects(memory, waiting))
    elif not waiting:
        click.echo(f"Nothing {'of that kind ' if kinds else ''}waits for review.", err=True)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _ask_each(memory, waiting)
    else:
        for one in waiting:
            _show(memory, one)
        has_ids = any(one.kind != "suggestion" for one in waiting)
        more = "; `keepstone why ID` says more" if has_ids else ""
        click.echo(f"keepstone review --accept KEY, or --reject KEY{more}.", err=True)


def _named(memory: Memory, waiting: Sequence[Proposal], keys: Sequence[str]) -> list[Proposal]:
    """The proposals of some keys, or of the memories that are named instead. Raises BadInput for one that is none's."""
    found = []
    for key in keys:
        those = [one for one in waiting if one.key == key]
        if not those:
            those = [
                one
                for one in waiting
                if any(hit.memory.id in one.members for hit in memory.lifecycle.still_there([key]))
            ]
        if len(those) != 1:
            says = "nothing is proposed for" if not those else "several things are proposed for"
            raise BadInput(f"{says} {key[:20]}", "keepstone review shows the keys")
        found += those
    return found


def _settle_named(
    memory: Memory, waiting: Sequence[Proposal], accepted: Sequence[str], rejected: Sequence[str], as_json: bool
) -> None:
    """Raises BadInput, with nothing done, for what is both accepted and rejected, by its key or a memory's id."""
    done, refused = _named(memory, waiting, accepted), _named(memory, waiting, rejected)
    if both := {one.key for one in done} & {one.key for one in refused}:
        raise BadInput(f"{min(both)} can't be both accepted and rejected", "keepstone review shows the keys")
    _settle(memory, done, refused, as_json)


def _accept_all(memory: Memory, waiting: Sequence[Proposal], taken: Sequence[Proposal], as_json: bool) -> None:
    for one in taken if not as_json else ():
        _show(memory, one)
    _settle(memory, taken, [], as_json)
    if left := [one.kind for one in waiting if one not in taken]:
        only = " ".join(f"--only {kind}" for kind in ONE_BY_ONE if kind in left)
        click.echo(f"{len(left)} {'waits' if len(left) == 1 else 'wait'}: keepstone review {only}", err=as_json)


def _settle(memory: Memory, accepted: Sequence[Proposal], rejected: Sequence[Proposal], as_json: bool) -> None:
    done = memory.review.confirm(accepted)
    memory.review.reject(rejected)
    if not as_json:
        click.echo(f"{len(accepted)} accepted, {len(rejected)} rejected.")
    output.memories(done + memory.get([one.members[0] for one in rejected if one.members]), as_json)


def _objects(memory: Memory, waiting: Sequence[Proposal]) -> list[dict[str, Any]]:
    found = []
    for one, replaced in zip(waiting, memory.review.replaced_by(waiting), strict=True):
        hits = memory.get(one.members)
        sources = [line for hit in hits for line in source_lines(hit)]
        found.append(one.as_object(list(map(as_object, hits)), list(map(as_object, replaced)), sources))
    return found


def _show(memory: Memory, one: Proposal) -> None:
    """The proposal as a person judges it: why, each text, of a merging what would be said, with its differences, and
    of what waits what it would take back.
    """
    to = f" to {one.tier}" if one.tier else ""
    why = f" {one.why}" if one.why else ""
    output.lines(f"{one.key}  {one.kind}{to}: {PROPOSED[one.kind]}.{why}", colour="cyan")
    if one.suggestion:
        output.lines(one_line(one.text), indent="  ")
        output.lines(one.source, indent="    ")
        return
    hits = memory.get(one.members)
    for hit in hits:
        output.lines(markdown_line(hit), indent="  ")
        if one.kind == "quarantine":
            for line in _whole(hit):
                output.lines(line, indent="    ")
    for hit in memory.review.replaced_by([one])[0]:
        output.lines(f"would take back: {markdown_line(hit).removeprefix('- ')}", indent="  ", colour="red")
    if one.kind == "merge":
        _differences(hits[0].memory.content, hits[1].memory.content)
        output.lines(f"would say: {one_line(one.text)}", indent="  ", colour="green")


def _whole(hit: Hit) -> Iterator[str]:
    """All that a person would trust: the text, unless the line above shows it whole, and where it comes from."""
    memory = hit.memory
    if not headline(memory).endswith(one_line(memory.content)):
        yield from (f"| {line}" for line in memory.content.splitlines())
    yield from source_lines(hit)


def _differences(one: str, other: str) -> None:
    """What only one of two texts says, word by word."""
    for what, words in difference(one, other):
        if what != SAME:
            sign, colour = ("-", "red") if what == GONE else ("+", "green")
            output.lines(f"{sign} {words}", indent="    ", colour=colour)


def _ask_each(memory: Memory, waiting: Sequence[Proposal]) -> None:
    click.echo("y does it, n turns it down for good, a does it and all that follow of its kind, s leaves it, q quits.")
    accepted = rejected = 0
    taken = ""  # the kind of which all are accepted
    for number, one in enumerate(waiting, start=1):
        if one.kind == taken:
            memory.review.confirm([one])
            accepted += 1
            continue
        click.echo()
        _show(memory, one)
        question = f"{ASKS[one.kind]} ({number} of {len(waiting)})"
        # of what is quarantined or suggested nobody trusts a text that was not shown
        answers = ["y", "n", "s", "q"] if one.kind in ONE_BY_ONE else ["y", "n", "a", "s", "q"]
        answer = click.prompt(question, type=click.Choice(answers), default="s")
        if answer == "q":
            break
        if answer in ("y", "a"):
            memory.review.confirm([one])
            accepted += 1
            taken = one.kind if answer == "a" else taken
        elif answer == "n":
            memory.review.reject([one])
            rejected += 1
    click.echo(f"{accepted} accepted, {rejected} rejected, {len(waiting) - accepted - rejected} left.")


def _tier_command(name: str, help: str, done: str, act: Callable[[Memory, str, str], Hit]) -> click.Command:
    @click.command(name, help=help)
    @click.argument("id")
    @click.argument("tier", required=False, type=click.Choice(TIERS[1:]))
    @json_option
    def command(id: str, tier: str | None, as_json: bool) -> None:
        hit = act(opened(), id, tier or "")
        ends = hit.memory.expires_at
        still = f" It ends on {moment(ends)} all the same." if ends and hit.memory.origin in BY_HAND else ""
        output.changed(f"{done} to {hit.memory.tier}.{still}", hit, as_json)

    return command


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID ID...")
@click.option("--text", default="", help="What the one memory says; by itself the sentences of all, each once.")
@click.option("--undo", is_flag=True, help="Take a merging back: ID is what was made.")
@json_option
def merge(ids: tuple[str, ...], text: str, undo: bool, as_json: bool) -> None:
    """Make one memory of several of one type and project; they stay readable behind it.

    Example: keepstone merge 3fa2c1 77ab03
    """
    memory = opened()
    if not undo:
        output.changed(f"Merged {len(ids)}.", memory.review.merge(ids, text), as_json)
        return
    if len(ids) != 1:
        raise BadInput("--undo takes the one memory that was made", "keepstone merge --undo ID")
    found = memory.review.unmerge(ids[0])
    if not as_json:
        click.echo(f"Taken back: {output.counted(len(found), 'memory is as it was', 'memories are as they were')}.")
    output.memories(found, as_json)


COMMANDS: tuple[Any, ...] = (
    review,
    _tier_command(
        "promote",
        "Lift a memory to a higher tier: what nobody gave ends in the episodic one after 30 days and fades in the "
        "semantic one; procedural does not fade. An end that you gave stays.",
        "Promoted",
        lambda memory, id, tier: memory.lifecycle.promote(id, tier),
    ),
    _tier_command(
        "demote",
        "Lower a memory to the tier below, or to the one named.",
        "Demoted",
        lambda memory, id, tier: memory.lifecycle.demote(id, tier),
    ),
    merge,
)
