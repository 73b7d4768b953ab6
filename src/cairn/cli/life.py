"""The commands for what becomes of memories: reviewed, promoted, merged, forgotten, erased."""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadInput, CairnError
from ..core.model import TIERS, StoredMemory
from ..core.render import headline
from ..core.text import day, one_line
from ..core.view import Hit, as_object, markdown_line
from ..memory import Memory, Narrow
from . import output
from .everyday import changed, json_option, project_option

if TYPE_CHECKING:
    from ..memory import Proposal

SHOWN = 5  # of what a bulk is about, by name; proposed: the rest is counted
ASKS = {
    "quarantine": "Trust it?",
    "merge": "Merge them?",
    "promote": "Promote it?",
    "prune": "Archive it?",
}
HEADS = {
    "quarantine": "Waits for your word",
    "merge": "Nearly the same",
    "promote": "A habit by now",
    "prune": "Old, idle and of little worth",
}


@click.command()
@click.option("--only", "kinds", multiple=True, type=click.Choice(list(ASKS)), help="Only these; may be given again.")
@click.option(
    "--accept", "accepted", multiple=True, metavar="KEY", help="Do what is proposed; a memory's id will do too."
)
@click.option(
    "--reject", "--forget", "rejected", multiple=True, metavar="KEY", help="Leave it, or forget the quarantined."
)
@click.option("--yes", is_flag=True, help="Accept all that is shown, without a question.")
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

    \b
    quarantine  what Claude said after reading from the web, and what reads as instructions to a model
    merge       memories of one file that say nearly the same: one is made of them, and they stay behind it
    promote     what was done in three sessions or more, to be kept as a procedure
    prune       what is old, idle and of little worth, to be archived: `cairn restore` brings it back

    On a terminal each is asked for in turn. Elsewhere they are listed with their keys.

    Example: cairn review --only prune --yes
    """
    memory = Memory(folder=project)
    waiting = memory.review(kinds, everything=everything)
    if accepted or rejected:
        _settle(memory, _named(memory, waiting, accepted), _named(memory, waiting, rejected), as_json)
    elif yes and waiting:
        _settle(memory, waiting, [], as_json)
    elif as_json:
        output.objects([_object(memory, one) for one in waiting])
    elif not waiting:
        click.echo("Nothing waits for review.", err=True)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _ask_each(memory, waiting)
    else:
        for one in waiting:
            _show(memory, one)
        click.echo("cairn review --accept KEY, or --reject KEY; `cairn show ID` has the evidence.", err=True)


def _named(memory: Memory, waiting: Sequence[Proposal], keys: Sequence[str]) -> list[Proposal]:
    """The proposals of some keys, or of the memories that are named instead. Raises BadInput for one that is none's."""
    found = []
    for key in keys:
        those = [one for one in waiting if one.key == key]
        if not those:
            (hit,) = memory.get([key])
            those = [one for one in waiting if hit.memory.id in one.members]
        if len(those) != 1:
            says = "nothing is proposed for" if not those else "several things are proposed for"
            raise BadInput(f"{says} {key[:20]}", "cairn review shows the keys")
        found += those
    return found


def _settle(memory: Memory, accepted: Sequence[Proposal], rejected: Sequence[Proposal], as_json: bool) -> None:
    done = memory.confirm(accepted)
    memory.reject(rejected)
    if not as_json:
        click.echo(f"{len(accepted)} accepted, {len(rejected)} rejected.")
    output.memories(done + memory.get([one.members[0] for one in rejected]), as_json)


def _object(memory: Memory, one: Proposal) -> dict[str, Any]:
    members = [as_object(hit) for hit in memory.get(one.members)]
    return {
        "key": one.key,
        "kind": one.kind,
        "why": one.why,
        "score": round(one.score, 3),
        "text": one.text or None,
        "tier": one.tier or None,
        "members": members,
    }


def _show(memory: Memory, one: Proposal) -> None:
    """The proposal as a person judges it: why, each text, and of a merging what would be said, with its differences."""
    to = f" to {one.tier}" if one.tier else ""
    output.lines(f"{one.key}  {one.kind}{to}: {HEADS[one.kind]}. {one.why}", colour="cyan")
    hits = memory.get(one.members)
    for hit in hits:
        output.lines(markdown_line(hit), indent="  ")
    if one.kind == "merge":
        _differences(hits[0].memory.content, hits[1].memory.content)
        output.lines(f"would say: {one_line(one.text)}", indent="  ", colour="green")


def _differences(one: str, other: str) -> None:
    """What only one of two texts says, word by word."""
    before, after = one.split(), other.split()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for sign, words, colour in (("-", before[a:b], "red"), ("+", after[c:d], "green")):
            if words:
                output.lines(f"{sign} {' '.join(words)}", indent="    ", colour=colour)


def _ask_each(memory: Memory, waiting: Sequence[Proposal]) -> None:
    click.echo("y does it, n turns it down for good, a does it and all that follow, s leaves it for later, q quits.")
    accepted = rejected = 0
    for number, one in enumerate(waiting, start=1):
        click.echo()
        _show(memory, one)
        question = f"{ASKS[one.kind]} ({number} of {len(waiting)})"
        answer = click.prompt(question, type=click.Choice(["y", "n", "a", "s", "q"]), default="s")
        if answer == "q":
            break
        if answer == "a":
            memory.confirm(waiting[number - 1 :])
            accepted += len(waiting) - number + 1
            break
        if answer == "y":
            memory.confirm([one])
            accepted += 1
        elif answer == "n":
            memory.reject([one])
            rejected += 1
    click.echo(f"{accepted} accepted, {rejected} rejected, {len(waiting) - accepted - rejected} left.")


def _tier_command(name: str, help: str, done: str, act: Callable[[Memory, str, str], Hit]) -> click.Command:
    @click.command(name, help=help)
    @click.argument("id")
    @click.argument("tier", required=False, type=click.Choice(TIERS[1:]))
    @json_option
    def command(id: str, tier: str | None, as_json: bool) -> None:
        hit = act(Memory(), id, tier or "")
        changed(f"{done} to {hit.memory.tier}.", hit, as_json)

    return command


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID ID...")
@click.option("--text", default="", help="What the one memory says; by itself the sentences of all, each once.")
@click.option("--undo", is_flag=True, help="Take a merging back: ID is what was made.")
@json_option
def merge(ids: tuple[str, ...], text: str, undo: bool, as_json: bool) -> None:
    """Make one memory of several of one type and project; they stay readable behind it.

    Example: cairn merge 3fa2c1 77ab03
    """
    memory = Memory()
    if not undo:
        changed(f"Merged {len(ids)}.", memory.merge(ids, text), as_json)
        return
    if len(ids) != 1:
        raise BadInput("--undo takes the one memory that was made", "cairn merge --undo ID")
    found = memory.unmerge(ids[0])
    if not as_json:
        click.echo(f"Taken back: {len(found)} memories are as they were.")
    output.memories(found, as_json)


@dataclass(frozen=True, slots=True)
class Which:
    """Which memories a forgetting or erasing is about: those of some ids, or all that a filter leaves."""

    ids: tuple[str, ...]
    yes: bool
    narrow: Narrow
    user: bool
    project: str | None
    everywhere: bool

    @property
    def in_bulk(self) -> bool:
        named = self.narrow.tag or self.narrow.agent or self.narrow.of_session
        return bool(named or self.user or self.project or self.everywhere)

    def chosen(self, verb: str, memory: Memory, deleted: bool) -> list[StoredMemory]:
        """With `deleted` also what is hidden already. Raises BadInput where it is not said which, or said twice."""
        if self.in_bulk == bool(self.ids):
            says = "either ids or a filter, not both" if self.ids else "it is not said which memories"
            raise BadInput(says, f"cairn {verb} ID, or cairn {verb} --tag WORD")
        if self.ids:
            return [hit.memory for hit in memory.get(self.ids)]
        return memory.selected(everything=self.everywhere, user=self.user, narrow=self.narrow, deleted=deleted)


def _which(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the memories that its arguments and options name, as `which`."""

    @functools.wraps(command)
    def run(
        ids: tuple[str, ...],
        yes: bool,
        tag: str,
        agent: str,
        session: str,
        user: bool,
        project: str | None,
        everywhere: bool,
        **more: Any,
    ) -> None:
        narrow = Narrow(tag.lower(), agent=agent, of_session=session)
        command(Which(ids, yes, narrow, user, project, everywhere), **more)

    for option in (
        click.option("--yes", is_flag=True, help="Do it without a question."),
        click.option("--tag", default="", metavar="WORD", help="All of this project's with this tag."),
        click.option("--agent", default="", metavar="ID", help="All of this project's that this agent stored."),
        click.option("--session", default="", metavar="ID", help="All of this project's that came of this session."),
        click.option("--user", is_flag=True, help="All that hold in every project, instead of this project's."),
        click.option("--project", metavar="PATH", help="All of this folder's project."),
        click.option("--everywhere", is_flag=True, help="With the above, in every project."),
        click.argument("ids", nargs=-1, metavar="[ID]..."),
    ):
        run = option(run)
    return run


def _agreed(verb: str, found: Sequence[StoredMemory], yes: bool) -> bool:
    """A counted preview, and the count typed back: a bulk is no slip of the finger (W-Z16)."""
    if yes:
        return True
    for memory in found[:SHOWN]:
        output.lines(f"- {headline(memory)} ({memory.id[4:10]}, {day(memory.created_at)})", indent="  ")
    if len(found) > SHOWN:
        click.echo(f"  and {len(found) - SHOWN:,} more")
    count = output.counted(len(found), "memory", "memories")
    if not sys.stdin.isatty():
        raise CairnError(
            f"nothing is done: there is nobody to ask whether to {verb} {count}", f"cairn {verb} ... --yes"
        )
    typed: str = click.prompt(f"Type {len(found)} to {verb} {count}, anything else leaves them", default="no")
    return typed.strip().replace(",", "") == str(len(found))


@click.command()
@_which
@json_option
def forget(which: Which, as_json: bool) -> None:
    """Hide memories from every recall, until they are restored: those named, or all that a filter leaves.

    What was forgotten does not come back from the turn it was said in. `cairn erase` removes it for good.

    Example: cairn forget 3fa2c1, cairn forget --tag spike
    """
    memory = Memory(folder=which.project)
    found, bulk = which.chosen("forget", memory, False), which.in_bulk
    if not found:
        click.echo("There is nothing to forget.", err=True)
        return
    if bulk and not _agreed("forget", found, which.yes):
        click.echo("Nothing is forgotten.")
        return
    memory.forget_all([one.id for one in found])
    if not as_json:
        count = "" if len(found) == 1 else f" {len(found):,} memories"
        click.echo(f"Forgotten{count}. `cairn restore ID` brings it back.")
    output.memories(memory.get([one.id for one in found[: SHOWN if bulk else len(found)]]), as_json)


@click.command()
@_which
@click.option("--cascade", is_flag=True, help="Also the memories that quote them.")
@json_option
def erase(which: Which, cascade: bool, as_json: bool) -> None:
    """Remove memories from every file of the data home, copies included. There is no way back.

    Out of reach: Claude Code's own transcripts, exports, other machines. What is erased does not come back from them
    by `cairn ingest`.

    Example: cairn erase 3fa2c1
    """
    memory = Memory(folder=which.project)
    by_id = which.ids and not which.in_bulk  # what was erased before can be named again
    found = [] if by_id else which.chosen("erase", memory, True)
    whole = list(which.ids) if by_id else [one.id for one in found]
    if not whole:
        click.echo("There is nothing to erase.", err=True)
        return
    if not _agreed_to_erase(memory, whole, found, which.yes, cascade):
        click.echo("Nothing is erased.")
        return
    done = memory.erase(whole, cascade=cascade, watch=lambda what: click.echo(f"{what} ...", err=True))
    if as_json:
        output.objects({"erased": done.erased, "quoted_by": done.quoted_by, "problems": done.problems})
    else:
        for line in _erased(memory, done):
            output.lines(line)
    if done.problems:
        raise CairnError("; ".join(done.problems), "run the same command again once that is mended")


def _agreed_to_erase(
    memory: Memory, ids: Sequence[str], found: Sequence[StoredMemory], yes: bool, cascade: bool
) -> bool:
    if yes:
        return True
    known = list(found) or [hit.memory for hit in _still_there(memory, ids)]
    if not known:
        return True  # erased before: only its leftovers are looked after
    quoted = [] if cascade else memory.quoting([one.id for one in known])
    for hit in quoted:
        output.lines(f"quoted by {hit.short_id}, which stays: {headline(hit.memory)} (--cascade erases it too)")
    return _agreed("erase", known, yes)


def _still_there(memory: Memory, ids: Sequence[str]) -> Iterator[Hit]:
    for memory_id in ids:
        try:
            yield from memory.get([memory_id])
        except BadInput:
            raise
        except CairnError:
            continue


def _erased(memory: Memory, done: Any) -> Iterator[str]:
    count = output.counted(len(done.erased), "memory is", "memories are")
    if not done.problems:
        yield f"Erased: {count} in no file of {memory.home} any more."
    if done.notes:
        yield f"{output.counted(done.notes, 'note', 'notes')} on tool calls quoted it and went with it."
    for hit in memory.get(done.quoted_by):
        yield f"Still quoted by {hit.short_id}: {headline(hit.memory)} (cairn erase {hit.short_id})"


COMMANDS: tuple[Any, ...] = (
    review,
    _tier_command(
        "promote",
        "Lift a memory to a higher tier: episodic ends after 30 days, semantic fades, procedural stays.",
        "Promoted",
        lambda memory, id, tier: memory.promote(id, tier),
    ),
    _tier_command(
        "demote",
        "Lower a memory to the tier below, or to the one named.",
        "Demoted",
        lambda memory, id, tier: memory.demote(id, tier),
    ),
    merge,
    forget,
    erase,
)
