"""How memories look: JSON when asked for, styled lines on a terminal, markdown in a pipe."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..lib.text import clean, day
from ..lib.text import counted as counted
from ..model.hit import Hit, as_object, listing_lines, markdown_line, moment
from ..model.memory import QUARANTINED

if TYPE_CHECKING:
    from ..api.types import Quote, ToldTurn

SPEAKERS = {"user": "you", "assistant": "Claude", "plan": "Claude's plan", "program": "a program"}


def memories(found: list[Hit], as_json: bool) -> None:
    """A list of memories."""
    if as_json:
        objects([as_object(shown) for shown in found])
    elif sys.stdout.isatty():
        _terminal(found)
    else:
        for shown in found:
            click.echo(markdown_line(shown))


def quotes(found: Sequence[Quote]) -> None:
    """What was said in sessions: the day, who said it, the part that matches with its words marked, and its id."""
    if not found:
        return
    lines("Said in sessions")
    for one in found:
        marked = clean(one.excerpt)
        if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
            for word in one.words:
                marked = re.sub(rf"\b{re.escape(word)}\b", lambda match: click.style(match[0], bold=True), marked)
        click.echo(f"- {day(one.said_at)} {SPEAKERS[one.speaker]}: {marked} ({one.id})")


def conversation(said: Sequence[ToldTurn]) -> None:
    """Turns of a session as they were said; the one that was asked for is marked."""
    for number, one in enumerate(said):
        if number:
            click.echo()
        asked = " <" if one.is_asked else ""
        lines(f"{moment(one.said_at)} {SPEAKERS[one.speaker]} ({one.id}){asked}")
        for line in one.text.splitlines():
            lines(line, "  ")


def objects(value: Any) -> None:
    """JSON that is safe on any terminal: controls of every kind are escaped."""
    import json

    click.echo(json.dumps(value, indent=2, ensure_ascii=True))


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """A table on a terminal; in a pipe a line a row, its cells parted by tabs."""
    if not sys.stdout.isatty():
        for row in rows:
            lines("\t".join(row))
        return
    from rich import console, table

    shown = table.Table(*head, box=None, pad_edge=False, header_style="dim")
    for row in rows:
        shown.add_row(*map(clean, row))
    console.Console(highlight=False).print(shown)


def lines(text: str, indent: str = "", colour: str | None = None) -> None:
    """Text of memories, with what a terminal would obey taken out."""
    line = indent + clean(text)
    click.echo(click.style(line, fg=colour) if colour and not os.environ.get("NO_COLOR") else line)


def wrapped(text: str, first: int, rest: int) -> None:
    """A line that a terminal breaks between words, indented so far, and so far what follows. A pipe gets it whole."""
    line = clean(text)
    if sys.stdout.isatty():
        line = click.wrap_text(line, _columns(), " " * first, " " * rest)
    else:
        line = " " * first + line
    click.echo(line)


def _columns() -> int:
    """Returns the width of the terminal, 80 if it does not tell. `shutil` tells it too, but loads three compressors."""
    given = os.environ.get("COLUMNS", "")
    own = int(given) if given.isdecimal() else 0
    return own or os.get_terminal_size(sys.stdout.fileno()).columns or 80


def suggested(count: int, everything: bool) -> str:
    """Tells how many suggestions wait, in all projects or in one, and where to settle them."""
    waits = "1 suggestion waits" if count == 1 else f"{count:,} suggestions wait"
    return f"{waits} for 14 days: keepstone review --only suggestion{' --all' if everything else ''}"


def size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


def duration(seconds: float) -> str:
    """`less than a second`, `about 12 s`, `about 3 min`."""
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:.0f} s" if seconds < 100 else f"about {seconds / 60:.0f} min"


class Bar:
    """How far a long work is, a reading of bytes unless it `counts`: a bar on a terminal, nothing anywhere else."""

    def __init__(self, shown: bool, counts: bool = False) -> None:
        self.shown = shown and sys.stderr.isatty()
        self.counts = counts
        self.progress: Any = None

    def begin(self, total: int) -> None:
        if not self.shown:
            return
        from rich import console, progress

        behind = progress.TaskProgressColumn() if self.counts else progress.DownloadColumn()
        columns = (progress.BarColumn(), behind, progress.TimeRemainingColumn())
        self.progress = progress.Progress(*columns, console=console.Console(stderr=True), transient=True)
        self.task = self.progress.add_task("", total=total)
        self.progress.start()

    def move(self, done: int) -> None:
        if self.progress:
            self.progress.update(self.task, completed=done)

    def end(self) -> None:
        if self.progress:
            self.progress.stop()


def _terminal(found: list[Hit]) -> None:
    from rich import console, padding, table, text

    screen = console.Console(highlight=False)
    for shown in found:
        first, second = listing_lines(shown)
        line = table.Table.grid(padding=(0, 1))
        line.add_row(text.Text(first[:3], "bold cyan"), text.Text(first[4:]))
        screen.print(line)
        screen.print(padding.Padding(text.Text(second, style="dim"), (0, 0, 0, 4), expand=False))


def changed(done: str, shown: Hit, as_json: bool) -> None:
    """Says what was done, and the memory as it is then. Of one that waits for review also that: nothing that is done to
    it has it recalled.
    """
    if not as_json:
        waits = shown.memory.trust == QUARANTINED
        click.echo(f"{done.rstrip('.')}, but it waits for your word: keepstone review" if waits else done)
    memories([shown], as_json)
