"""The commands that hide memories or remove them: forget, erase."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ..api.memory import Memory
from ..api.open import opened
from ..api.types import Filter
from ..lib.errors import BadInput, KeepstoneError
from ..lib.text import agent_key, day
from ..model.memory import StoredMemory
from ..model.render import headline
from ..model.suggestion import is_suggestion
from . import output
from .options import json_option

SHOWN = 5  # of what a bulk is about, by name: the rest is counted


@dataclass(frozen=True, slots=True)
class Which:
    """Which memories a forgetting or erasing is about: those of some ids, or all that a filter leaves."""

    ids: tuple[str, ...]
    yes: bool
    narrow: Filter
    user: bool
    project: str | None
    everywhere: bool

    @property
    def in_bulk(self) -> bool:
        return bool(self.narrow.tag or self.narrow.agent or self.narrow.of_session or self.user or self.project)

    def chosen(self, verb: str, memory: Memory, deleted: bool) -> list[StoredMemory]:
        """With `deleted` also what is hidden already. Raises BadInput where it is not said which, or said twice."""
        if self.everywhere and self.narrow.is_empty:
            raise BadInput(
                "--everywhere takes --tag, --agent or --session", f"keepstone {verb} --everywhere --tag WORD"
            )
        if self.in_bulk == bool(self.ids):
            says = "either ids or a filter, not both" if self.ids else "it is not said which memories"
            raise BadInput(says, f"keepstone {verb} ID, or keepstone {verb} --tag WORD")
        if self.ids:
            return [hit.memory for hit in memory.get(self.ids)]
        return memory.lifecycle.selected(
            everything=self.everywhere, user=self.user, narrow=self.narrow, deleted=deleted
        )

    def suggested(self, memory: Memory) -> list[str]:
        """The suggestions that a filter leaves."""
        if not self.in_bulk:
            return []
        return memory.lifecycle.selected_suggestions(everything=self.everywhere, user=self.user, narrow=self.narrow)


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
        narrow = Filter(tag.lower(), agent=agent_key(agent) if agent else "", of_session=session)
        command(Which(ids, yes, narrow, user, project, everywhere), **more)

    for option in (
        click.option("--yes", is_flag=True, help="Do it without a question."),
        click.option("--tag", default="", metavar="WORD", help="All of this project's with this tag."),
        click.option("--agent", default="", metavar="ID", help="All of this project's that this agent stored."),
        click.option("--session", default="", metavar="ID", help="All of this project's that came of this session."),
        click.option("--user", is_flag=True, help="All that hold in every project, instead of this project's."),
        click.option("--project", metavar="PATH", help="All of this folder's project."),
        click.option("--everywhere", is_flag=True, help="With --tag, --agent or --session: in every project."),
        click.argument("ids", nargs=-1, metavar="[ID]..."),
    ):
        run = option(run)
    return run


def _agreed(verb: str, found: Sequence[StoredMemory], suggested: int, yes: bool) -> bool:
    """A counted preview, and the count typed back: a bulk is no slip of the finger (W-Z16)."""
    if yes:
        return True
    for memory in found[:SHOWN]:
        output.lines(f"- {headline(memory)} ({memory.id[4:10]}, {day(memory.created_at)})", indent="  ")
    _rest(found)
    count = output.counted(len(found), "memory", "memories")
    if suggested:
        more = output.counted(suggested, "suggestion", "suggestions")
        count = f"{count} and {more}" if found else more
    if not sys.stdin.isatty():
        raise KeepstoneError(
            f"nothing is done: there is nobody to ask whether to {verb} {count}", f"keepstone {verb} ... --yes"
        )
    number = len(found) + suggested
    typed: str = click.prompt(f"Type {number} to {verb} {count}, anything else leaves them", default="no")
    return typed.strip().replace(",", "") == str(number)


def _rest(found: Sequence[StoredMemory]) -> None:
    if len(found) > SHOWN:
        click.echo(f"  and {len(found) - SHOWN:,} more")


@click.command()
@_which
@json_option
def forget(which: Which, as_json: bool) -> None:
    """Hide memories from every recall, until they are restored: those named, or all that a filter leaves.

    What was forgotten does not come back from the turn it was said in. `keepstone erase` removes it for good.

    Example: keepstone forget 3fa2c1, keepstone forget --tag spike
    """
    memory = opened(which.project)
    found, bulk = which.chosen("forget", memory, False), which.in_bulk
    suggested = which.suggested(memory)
    if not found and not suggested:
        click.echo("There is nothing to forget.", err=True)
        return
    if bulk and not _agreed("forget", found, len(suggested), which.yes):
        click.echo("Nothing is forgotten.")
        return
    memory.lifecycle.forget_all([*(one.id for one in found), *suggested])
    if suggested and not as_json:
        click.echo(f"Turned down: {output.counted(len(suggested), 'suggestion', 'suggestions')}.")
    if found and not as_json:
        count = "" if len(found) == 1 else f" {len(found):,} memories"
        click.echo(f"Forgotten{count}. `keepstone restore ID` brings it back.")
    output.memories(memory.get([one.id for one in found[: SHOWN if bulk else len(found)]]), as_json)
    if bulk and not as_json:
        _rest(found)


@click.command()
@_which
@click.option("--cascade", is_flag=True, help="Also the memories that quote them.")
@json_option
def erase(which: Which, cascade: bool, as_json: bool) -> None:
    """Remove memories from every file of the data home. There is no way back: all copies of the database are deleted,
    and a fresh one is made.

    Out of reach: Claude Code's own transcripts, exports, copies elsewhere, pages of `keepstone edit` that were kept,
    other machines. What is erased does not come back from them by `keepstone ingest`.

    Example: keepstone erase 3fa2c1
    """
    memory = opened(which.project)
    by_id = which.ids and not which.in_bulk  # what was erased before can be named again
    found = [] if by_id else which.chosen("erase", memory, True)
    suggested = which.suggested(memory)
    whole = list(which.ids) if by_id else [*(one.id for one in found), *suggested]
    if not whole:
        click.echo("There is nothing to erase.", err=True)
        return
    if not _agreed_to_erase(memory, whole, found, len(suggested), which.yes, cascade):
        click.echo("Nothing is erased.")
        return
    done = memory.privacy.erase(whole, cascade=cascade, watch=lambda what: click.echo(f"{what} ...", err=True))
    if as_json:
        told = {"erased": done.erased, "quoted_by": done.quoted_by, "copies": done.copies, "problems": done.problems}
        output.objects(told)
    else:
        for line in _erased(memory, done):
            output.lines(line)
    if done.problems:
        raise KeepstoneError("; ".join(done.problems), "run the same command again once that is mended")


def _agreed_to_erase(
    memory: Memory, ids: Sequence[str], found: Sequence[StoredMemory], suggested: int, yes: bool, cascade: bool
) -> bool:
    if yes:
        return True
    named = [one for one in ids if not is_suggestion(one)]
    known = list(found) or [hit.memory for hit in memory.lifecycle.still_there(named)]
    suggested = suggested or len(ids) - len(named)
    if not known and not suggested:
        return True  # erased before: only its leftovers are looked after
    quoted = [] if cascade else memory.privacy.quoting([one.id for one in known])
    for hit in quoted:
        output.lines(f"quoted by {hit.short_id}, which stays: {headline(hit.memory)} (--cascade erases it too)")
    copies = len(memory.backups.backup_list())
    if copies:
        click.echo(f"{output.counted(copies, 'copy', 'copies')} of the database will be deleted, and a fresh one made.")
    return _agreed("erase", known, suggested, yes)


def _erased(memory: Memory, done: Any) -> Iterator[str]:
    memories = [one for one in done.erased if not is_suggestion(one)]
    count = output.counted(len(memories), "memory is", "memories are")
    if suggested := len(done.erased) - len(memories):
        more = output.counted(suggested, "suggestion is", "suggestions are")
        count = f"{output.counted(len(memories), 'memory', 'memories')} and {more}" if memories else more
    if not done.problems:
        but = ", but for what quotes it:" if done.quoted_by else "."
        what = count if done.erased else "what was erased before is"
        where = f"not at {done.server} any more, and in no copy here" if done.server else ""
        yield f"Erased: {what} {where or f'in no file of {memory.context.home} any more'}{but}"
    if done.server:
        yield "The server's log and dumps, and others' copies until they are brought up to date, still have it."
        if os.path.exists(moved := os.path.join(memory.context.home, "keepstone.db")):
            yield (
                f"So may {moved}, from before the move: env -u KEEPSTONE_DATABASE_URL keepstone erase ..., or delete "
                f"that."
            )
    if done.notes:
        yield f"{output.counted(done.notes, 'note', 'notes')} on tool calls quoted it and went with it."
    if done.copies:
        yield f"{output.counted(done.copies, 'copy', 'copies')} of the database deleted, and a fresh one made."
    for hit in memory.get(done.quoted_by):
        yield f"Still quoted by {hit.short_id}: {headline(hit.memory)} (keepstone erase {hit.short_id})"


COMMANDS: tuple[Any, ...] = (forget, erase)
