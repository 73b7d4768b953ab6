"""The commands for arriving and leaving: memories of other tools in, everything out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.memory import Memory
from ..api.open import opened
from ..lib.errors import BadInput, KeepstoneError
from ..lib.text import one_line
from ..spool import spool
from . import output
from .options import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Exported, Imported, Moved, Plan

FORMATS = ("jsonl", "claude-mem", "mcp", "markdown", "memory-md")
NAMED = 10  # projects of another tool's, or memories, by name; the others are counted


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATH...")
@click.option(
    "--format", type=click.Choice(("auto", *FORMATS)), default="auto", show_default=True, help="What the files are."
)
@click.option("--dry-run", is_flag=True, help="Only say what would come of it; writes nothing at all.")
@click.option(
    "--source-project",
    "only",
    metavar="NAME",
    default="",
    help="Import only the project NAME of that tool, into this project.",
)
@click.option("--user", is_flag=True, help="What is imported holds in every project.")
@click.option(
    "--keep-accepted", is_flag=True, help="Keep memories accepted that you accepted in review (your own export)."
)
@project_option
@json_option
def import_(
    paths: tuple[str, ...],
    format: str,
    dry_run: bool,
    only: str,
    user: bool,
    keep_accepted: bool,
    project: str,
    as_json: bool,
) -> None:
    """Take in an export of Keepstone's, or what another tool remembers.

    Known are claude-mem's database, Claude Code's own memory (MEMORY.md and its files), the JSON lines of the
    official MCP memory server, and folders of markdown, a memory a page. The source is only read. What is known
    already is merged, what was forgotten stays so, secrets are left out, and what reads as instructions to a model
    waits for `keepstone review`. Importing twice changes nothing.

    Memories go to the project of their session or of that name, else to this folder's where they name none.

    Examples: keepstone import ~/.claude-mem --dry-run, keepstone import --keep-accepted keepstone.jsonl
    """
    memory = opened(project)
    wanted: dict[str, Any] = {
        "format": "" if format == "auto" else format,
        "only": only,
        "user": user,
        "keep_accepted": keep_accepted,
    }
    done = []
    for path in paths:
        bar = output.Bar(not as_json, counts=True)
        try:
            done.append(memory.transfer.take_in(path, **wanted, dry_run=dry_run, begin=bar.begin, watch=bar.move))
        finally:
            bar.end()
        if not as_json:
            for line in _imported(done[-1], dry_run):
                output.lines(line)
    if as_json:
        output.objects([{**asdict(one), "dry_run": dry_run} for one in done])


def _imported(done: Imported, dry_run: bool) -> Iterator[str]:
    if done.nothing:
        yield f"There is no memory in {one_line(done.path)} ({done.format})."
        return
    would = "Would import" if dry_run else "Imported"
    places = f" into {output.counted(done.projects, 'project', 'projects')}" if done.projects > 1 else ""
    yield f"{would} {_memories(done.new)}{places} from {one_line(done.path)} ({done.format})."
    if done.merged:
        yield f"Merged with what is known: {done.merged:,}"
    if done.known:
        yield f"Known already, left as they are: {done.known:,}"
    if done.forgotten:
        yield f"Forgotten here, and staying so: {done.forgotten:,}"
    if done.quarantined:
        yield f"Waiting for `keepstone review`, for they read as instructions to a model: {done.quarantined:,}"
    for why, count in sorted(done.left.items()):
        yield f"Left out, {why}: {count:,}"
    yield from _unplaced(done.elsewhere, "no project of that name is known here", done.path)
    yield from _unplaced(done.unclear, "several projects here may be meant", done.path)
    if done.new and not dry_run:
        yield "Look at them: keepstone recent --all"


def _unplaced(names: dict[str, int], why: str, path: str) -> Iterator[str]:
    for name, count in sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))[:NAMED]:
        yield f"Left out, {count:,} of {one_line(name)!r}: {why}."
    if len(names) > NAMED:
        more = output.counted(len(names) - NAMED, "more project", "more projects")
        yield f"Left out, of {more}: {sum(sorted(names.values())[:-NAMED]):,}"
    if names:
        yield f"Try: keepstone import {one_line(path)} --source-project NAME --project FOLDER"


@click.command()
@click.argument("path", required=False, type=click.Path(allow_dash=True))
@click.option(
    "--format",
    type=click.Choice(("jsonl", "markdown")),
    default="jsonl",
    show_default=True,
    help="Everything as JSON lines, or a folder with a page a memory.",
)
@click.option("--force", is_flag=True, help="Write over what is there.")
@json_option
def export(path: str | None, format: str, force: bool, as_json: bool) -> None:
    """Write out all that Keepstone remembers, of every project.

    The JSON lines hold every row of every table; `keepstone import --keep-accepted` makes them the same database again.
    The pages hold what is recalled, to be read by people and other tools. Either is redacted as of today, and readable
    by you alone.

    Examples: keepstone export keepstone.jsonl, keepstone export --format markdown notes, keepstone export | gzip >
    keepstone.jsonl.gz
    """
    memory = opened()
    pages = format == "markdown"
    if path in (None, "-"):
        if pages or (path is None and sys.stdout.isatty()):
            raise BadInput(
                "it is not said where to", f"keepstone export {'--format markdown FOLDER' if pages else 'FILE'}"
            )
        done = memory.transfer.export(sys.stdout.buffer)
        _waiting(memory)
        return
    bar = output.Bar(not as_json, counts=True)
    try:
        done = memory.transfer.export(str(path), pages=pages, force=force, begin=bar.begin, watch=bar.move)
    finally:
        bar.end()
    if as_json:
        output.objects(asdict(done))
    else:
        for line in _exported(done, pages):
            output.lines(line)
    _waiting(memory)


def _exported(done: Exported, pages: bool) -> Iterator[str]:
    if pages:
        yield f"Exported {_memories(done.memories)} to {one_line(done.path)}, a page each."
        if done.left:
            yield f"No page: {_memories(done.left)} forgotten, superseded, a session's own or waiting for review."
    else:
        rows = output.counted(done.rows, "row", "rows")
        yield f"Exported {_memories(done.memories)} to {one_line(done.path)} ({rows})."
    if done.redacted:
        texts = output.counted(done.redacted, "text", "texts")
        yield f"Redacted in it: {texts} stored before. `keepstone scrub` redacts them here too."


def _waiting(memory: Memory) -> None:
    count = len(spool.list_jobs(memory.context.home, "new"))
    if count:
        jobs = output.counted(count, "job", "jobs")
        click.echo(
            f"Not in it yet: {jobs} in the spool. `keepstone worker run --wait` returns when that is done.", err=True
        )


@click.command()
@click.option(
    "--to", required=True, metavar="URL", help="The address, as in postgresql://keepstone@db.example.org/keepstone."
)
@click.option("--dry-run", is_flag=True, help="Only say what would come of it; writes nothing at all.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def migrate(to: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Migrate to a shared PostgreSQL: copy everything that Keepstone remembers here.

    An empty database becomes the same as this one; one in which others have memories is joined, as `keepstone import
    --keep-accepted` would. The file stays as it is. What has arrived is compared with it, and said.

    It may be stopped at any time: the same again goes on from there, and takes what has come since. Whose the memories
    are there KEEPSTONE_USER says. The password is best kept in ~/.pgpass: other users of this machine see what is
    typed.

    Example: keepstone migrate --to postgresql://keepstone@db.example.org/keepstone
    """
    memory = opened()
    bar = output.Bar(not as_json, counts=True)

    def begin(plan: Plan) -> None:
        for line in () if as_json else _planned(plan):
            output.lines(line)
        if plan.lacking and not (yes or dry_run):
            _require_yes(plan)
        bar.begin(plan.rows if dry_run else 2 * plan.rows)

    try:
        done = memory.transfer.migrate(to, dry_run=dry_run, begin=begin, watch=bar.move)
    except KeyboardInterrupt:
        bar.end()
        click.echo("Stopped. What has arrived is kept: the same again goes on from there.", err=True)
        raise
    finally:
        bar.end()
    _tell(done, dry_run, as_json)
    _waiting(memory)
    if not done.agrees:
        raise click.exceptions.Exit(1)


def _tell(done: Moved, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.objects({**asdict(done), "agrees": done.agrees, "dry_run": dry_run})
    for line in () if as_json else _moved(done, dry_run):
        output.lines(line)


def _planned(plan: Plan) -> Iterator[str]:
    yield f"From {one_line(plan.source)}: {_memories(plan.memories)}"
    there = plan.memories - plan.lacking
    yield f"To {plan.target}, which has {there:,} of these, and {plan.others:,} of others"
    yield f"What holds in every project is {plan.user}'s there (KEEPSTONE_USER), in the workspace {plan.workspace};"
    yield "what is a project's can be seen by everybody who uses that database."


def _require_yes(plan: Plan) -> None:
    if not sys.stdin.isatty():
        raise KeepstoneError("nothing is migrated: there is nobody to ask", "keepstone migrate --to ... --yes")
    if not click.confirm(f"Take {_memories(plan.lacking)} there?"):
        raise KeepstoneError("nothing is migrated")


def _moved(done: Moved, dry_run: bool) -> Iterator[str]:
    would = "Would migrate" if dry_run else "Migrated"
    if not done.rows:
        yield f"Nothing to migrate: {'all is there already' if done.plan.memories else 'there is no memory here yet'}."
    else:
        yield f"{would} {_memories(done.new)} ({output.counted(done.rows, 'row', 'rows')})."
    for count, says in (
        (done.known, "Known there already"),
        (done.merged, "Merged with what others have said there"),
        (done.renewed, "Changed here since the last time, and now there"),
        (done.mended, "Damaged there, and put right from here"),
        (done.changed, "Changed there since, and left so"),
        (done.forgotten, "Forgotten there, and staying so"),
        (done.redacted, "Texts redacted on the way"),
        (done.marks_left, "Marks of what was erased here, which mean nothing there"),
    ):
        if count:
            yield f"{says}: {count:,}"
    if not dry_run:
        yield from _compared(done)


def _compared(done: Moved) -> Iterator[str]:
    """Whether it is all there, and what to do next."""
    if done.agrees:
        yield f"Compared: {output.counted(done.compared, 'row is', 'rows are')} there, and every digest agrees."
        yield (
            "Next: export KEEPSTONE_DATABASE_URL=... with that address, where Claude Code is started; then keepstone "
            "status"
        )
        yield f"{one_line(done.plan.source)} is as it was: keep it until you trust the server, then delete it."
        return
    for table, count in done.lacking.items():
        yield f"Not there: {output.counted(count, 'row', 'rows')} of {table}. Type the same again."
    yield from _unlike(done.damaged, "Not what was written, here", "keepstone doctor --repair, then the same again")
    yield from _unlike(
        done.damaged_there, "Not what was written, there", "restore the server's backup, see docs/team.md"
    )
    yield from _unlike(
        done.differing, "Changed here and there", "keepstone show ID, here and there; keepstone revise ID there"
    )


def _unlike(ids: Sequence[str], says: str, typed: str) -> Iterator[str]:
    if ids:
        more = ", ..." if len(ids) > NAMED else ""
        yield f"{says}: {_memories(len(ids))}, {', '.join(ids[:NAMED])}{more}. Try: {typed}"


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@project_option
@json_option
def share(ids: tuple[str, ...], project: str, as_json: bool) -> None:
    """Share memories of this project with who clones it: a line each in .keepstone/memories.md of its repository.

    Commit that file, and look at its lines as at code. Others' Keepstone reads it after a session there; each line
    waits
    for their `keepstone review` once, and is told to no model before. Removing a line takes it from nobody who has it.

    Example: keepstone share 3fa2c1
    """
    path, count = opened(project).transfer.share(ids)
    if as_json:
        output.objects({"path": path, "new": count})
        return
    shown = os.path.relpath(path)
    if count:
        click.echo(f"Shared {_memories(count)} in {shown}. Commit it, and others get them for review.")
    else:
        click.echo(f"{shown} has them already.")


def _memories(count: int) -> str:
    return output.counted(count, "memory", "memories")


COMMANDS: tuple[Any, ...] = (import_, export, migrate, share)
