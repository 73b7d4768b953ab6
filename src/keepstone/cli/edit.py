"""The command that lays memories open in the user's editor."""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence

import click

from ..api.memory import Memory
from ..api.open import opened
from ..api.types import Filter
from ..config.provenance import is_others, is_plain, may_be_theirs, setting_files
from ..lib.errors import BadInput, KeepstoneError
from ..model.hit import Hit
from . import output
from .edit_sheet import Edited, read, sheet
from .options import listing_options

EDIT_LIMIT = 50  # memories on a page to edit: what a person reads through

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@listing_options(EDIT_LIMIT)
@click.option("--yes", is_flag=True, help="Do what the saved page asks for without a question.")
def edit(
    ids: tuple[str, ...],
    kind: str,
    limit: int,
    everything: bool,
    project: str,
    as_json: bool,
    yes: bool,
    narrow: Filter,
) -> None:
    """Correct, pin and forget memories in your editor ($VISUAL, else $EDITOR): those of this folder, or those named.

    When you save, you see what that changes, and are asked before it is done.
    """
    memory = opened(project)
    found = memory.get(ids) if ids else memory.recent(kind=kind, limit=limit, everything=everything, narrow=narrow)
    if not found:
        click.echo("No memories to edit. `keepstone status` shows what there is, here and elsewhere.", err=True)
        return
    if not (sys.stdin.isatty() or os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise KeepstoneError("there is no terminal to edit on", "EDITOR=your-editor keepstone edit --yes")
    shown = {hit.short_id: hit.memory for hit in found}
    whose = (
        "every project"
        if everything
        else memory.context.caller.identity.name
        if memory.context.caller.identity
        else "sessions outside any project"
    )
    before = sheet(shown, whose)
    after, wanted = _let_edit(before, {hit.short_id: hit for hit in found})
    if not wanted:
        click.echo("Nothing is changed.")
        return
    if not as_json:
        _show(before, after, wanted)
    if not (yes or _agreed()):
        click.echo("Nothing is changed.")
        return
    done = [hit for one in wanted for hit in _do(memory, one, found)]
    if as_json:
        output.memories(done, as_json)
    else:
        click.echo("Done." if len(done) == len(wanted) else f"{len(done)} of {len(wanted)} done.")


def _let_edit(page: str, shown: Mapping[str, Hit]) -> tuple[str, list[Edited]]:
    """The saved page and what it asks for. What can't be read is edited again, or kept in a file that is named."""
    written = page
    while True:
        saved = click.edit(written, editor=_own_editor(), extension=".md")
        written = written if saved is None else saved
        try:
            return written, read(written, {short_id: hit.memory for short_id, hit in shown.items()})
        except BadInput as problem:
            if not sys.stdin.isatty():
                raise BadInput(
                    f"{problem.message}; nothing is changed, your page is {_kept(written)}", problem.hint
                ) from None
            click.echo(f"{problem.message}: {problem.hint}.", err=True)
            if not click.confirm("Edit again?", default=True):
                raise KeepstoneError(f"nothing is changed; your page is {_kept(written)}", "keepstone edit") from None


def _own_editor() -> str | None:
    """$VISUAL, else $EDITOR; without either click looks for one. Raises BadInput if it may be a repository's."""
    name = next((name for name in ("VISUAL", "EDITOR") if os.environ.get(name)), "")
    if not name:
        return None
    named = [shutil.which(word) or word for word in shlex.split(os.environ[name])]
    is_theirs = any(not is_plain(one) or is_others(one, os.environ) for one in named if os.path.exists(one))
    if is_theirs or may_be_theirs(name, setting_files(os.environ), os.environ):
        raise BadInput(
            f"{name} may be this repository's: {os.environ[name][:80]}",
            f"in a terminal of your own: {name}=/usr/bin/vi keepstone edit",
        )
    return os.environ[name]


def _kept(page: str) -> str:
    handle, path = tempfile.mkstemp(prefix="keepstone-edit-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page)
    return path


def _show(before: str, after: str, wanted: Sequence[Edited]) -> None:
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""):
        if not line.startswith(("---", "+++")):
            output.lines(line, colour=COLOURS.get(line[:1]))
    counts = Counter(word for one in wanted for word in one.says)
    click.echo(", ".join(f"{word} {count}" for word, count in sorted(counts.items())))


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise KeepstoneError("nothing is changed: there is nobody to ask", "keepstone edit --yes")
    return click.confirm("Do it?")


def _do(memory: Memory, one: Edited, before: Sequence[Hit]) -> list[Hit]:
    """The memory as it is then; nothing where another process has changed or forgotten it since it was laid open."""
    was = next(hit.memory for hit in before if hit.memory.id == one.id)
    (now,) = memory.get([one.id])
    if (now.memory.version, now.memory.status) != (was.version, was.status):
        output.lines(f"{now.short_id} was changed meanwhile: it stays as it is now.")
        return []
    if one.forget:
        return [memory.forget(one.id)]
    if one.pinned is not None:
        now = memory.pin(one.id, one.pinned)
    if one.text is not None or one.kind is not None:
        now = memory.revise(one.id, one.text, kind=one.kind)
    return [now]


COMMANDS = (edit,)
