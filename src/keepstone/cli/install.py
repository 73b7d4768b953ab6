"""The commands that install Keepstone's parts and remove them: setup, completion, bootstrap, uninstall."""

from __future__ import annotations

import os
import time
from typing import Any

import click
from click.shell_completion import get_completion_class

from ..admin import bootstrap as building
from ..admin.install import changes
from ..admin.install.changes import InstallTarget
from ..admin.install.setup import asker, printable
from ..admin.install.setup import setup as to_set_up
from ..admin.install.uninstall import uninstall as to_uninstall
from ..api.memory import Memory
from ..config.provenance import note_home, require_home
from ..lib.errors import KeepstoneError
from . import output
from .config import what_it_takes

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.option(
    "--shell",
    is_flag=False,
    flag_value="",
    metavar="[FOLDER]",
    help="Write a `keepstone` command for your own terminal, into ~/.local/bin or the folder given.",
)
@click.option(
    "--slash-memory", is_flag=True, help="Have bare /memory run Keepstone, which hides the client's own dialog."
)
@click.option("--statusline", is_flag=True, help="Have Claude Code's status line say how many memories there are.")
@click.option("--claude-md", is_flag=True, help="Put the rules for using memories into your own CLAUDE.md.")
@click.option("--extractor", metavar="NAME", help="What reads the transcripts, as `keepstone config extractor NAME`.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
def setup(
    shell: str | None, slash_memory: bool, statusline: bool, claude_md: bool, extractor: str | None, dry_run: bool
) -> None:
    """Show what Keepstone can add to your own files, and add what you choose; `uninstall` takes it back.

    On a terminal it asks; elsewhere it shows what to type.

    Example: keepstone setup --shell --statusline
    """
    given = {} if shell is None else {changes.SHELL: shell}
    flags = ((changes.SKILL, slash_memory), (changes.LINE, statusline), (changes.RULES, claude_md))
    given |= {flag: "" for flag, wanted in flags if wanted}
    given |= {} if extractor is None else {changes.EXTRACTOR: extractor}
    place = InstallTarget(os.environ)
    try:
        for line in printable(to_set_up(place, given, asker(), dry_run)):
            click.echo(line)
    finally:
        memory = Memory()
        if memory.context.settings["extractor"] != place.extractor:
            for line in what_it_takes(memory, memory.context.settings["extractor"]):
                output.lines(line)


@click.command()
@click.option("--purge", "purges", is_flag=True, help="Delete the memories and all else in the data home too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninstall(purges: bool, yes: bool) -> None:
    """Take back what `setup` did; your own changes to these files stay."""
    for line in printable(to_uninstall(InstallTarget(os.environ), Memory().maintenance.total(), asker(), yes, purges)):
        click.echo(line)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what makes your shell complete `keepstone` by the Tab key.

    \b
    bash, in ~/.bashrc:  eval "$(keepstone completion bash)"
    zsh, in ~/.zshrc:    eval "$(keepstone completion zsh)"
    fish, in ~/.config/fish/config.fish:  keepstone completion fish | source
    """
    made = get_completion_class(shell)
    if made is None:
        raise KeepstoneError(f"no completion for {shell}", "one of " + ", ".join(SHELLS))
    context = click.get_current_context().find_root()
    click.echo(made(context.command, {}, "keepstone", "_KEEPSTONE_COMPLETE").source())


@click.command()
@click.option(
    "--all", "everything", is_flag=True, help="Also those of `keepstone serve` and `keepstone mcp`, from now on."
)
def bootstrap(everything: bool) -> None:
    """Install the packages that Keepstone runs with, where they are missing or broken."""
    try:
        home = require_home()
        click.echo(building.build(home, os.environ, time.time(), wait=True, everything=everything))
        note_home(home)
    except building.Failure as problem:
        raise KeepstoneError(f"Keepstone's packages can't be installed: {problem.what}", problem.typed) from problem


COMMANDS: tuple[Any, ...] = (setup, completion, bootstrap, uninstall)
