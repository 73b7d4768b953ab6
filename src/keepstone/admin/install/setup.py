"""Runs `keepstone setup` as a dialog: yields lines to print, and asks questions on a terminal."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator

from ...config import runtime, settings
from ...lib.errors import KeepstoneError
from ...lib.text import clean
from .changes import EXTRACTOR, FLAGS, InstallTarget, change, says
from .file_changes import File, make, missing, read
from .record import InstallRecord

Ask = Callable[[str], str]
OPTION = {flag: flag for flag in FLAGS} | {EXTRACTOR: EXTRACTOR + " NAME"}


def asker() -> Ask | None:
    """Returns a function that asks the person at the terminal, or None if there is no terminal."""
    return _answer if sys.stdin.isatty() and sys.stdout.isatty() else None


def printable(lines: Iterator[str]) -> Iterator[str]:
    """Yields lines without control characters that a terminal would obey: paths may contain anything."""
    for line in lines:
        yield " " * (len(line) - len(line.lstrip(" "))) + clean(line)


def _answer(question: str) -> str:
    try:
        return input(question)
    except EOFError:
        print()
        return ""  # Ctrl-D is not a yes


def setup(place: InstallTarget, given: dict[str, str], ask: Ask | None, dry_run: bool) -> Iterator[str]:
    """Makes the changes of the flags `given` with their values. Without flags, lists all changes, and asks for each on
    a terminal. Yields what to print. If some changes cannot be made, makes the others first and then raises
    KeepstoneError.
    """
    if given:
        yield from _all(place, given, _preview if dry_run else _make)
    elif dry_run:
        yield "Nothing would be written: --dry-run goes with one of " + ", ".join(OPTION.values())
    else:
        yield "Nothing is changed but what you choose; `keepstone uninstall` takes it back."
        yield from _ask_for_each(place, ask) if ask else _list(place)


def _all(
    place: InstallTarget, given: dict[str, str], act: Callable[[InstallTarget, str, str], Iterator[str]]
) -> Iterator[str]:
    refused: list[KeepstoneError] = []
    for flag, value in given.items():
        try:
            yield from act(place, flag, value)
        except KeepstoneError as problem:
            refused.append(problem)
        except OSError as problem:
            says = f"{problem.filename or place.home}: {problem.strerror}"
            refused.append(KeepstoneError(says, "mend or move it, and try again"))
    for earlier in refused[:-1]:
        yield from _not_done(earlier)
    if refused:
        raise refused[-1]


def _not_done(problem: KeepstoneError) -> Iterator[str]:
    yield f"Not done: {problem.message}"
    yield f"Try: {problem.hint}"


def _list(place: InstallTarget) -> Iterator[str]:
    for flag in FLAGS:
        yield ""
        yield f"{OPTION[flag]:<17} {says(flag)}"
        yield from (f"{'':<17} {line}" for line in _state(place, flag)[1])
    yield ""
    yield "To choose, type for example: keepstone setup --shell --statusline"
    yield "Add --dry-run to see exactly what would be written."


def _ask_for_each(place: InstallTarget, ask: Ask) -> Iterator[str]:
    for flag in FLAGS:
        open_, state = _state(place, flag)
        yield ""
        yield f"{OPTION[flag]}: {says(flag)}"
        yield from ("  " + line for line in state)
        if not open_:
            continue
        value = _chosen(place, ask) if flag == EXTRACTOR else ask("  Do it? [y/N] ").strip().lower()
        if value in ("y", "yes") or (flag == EXTRACTOR and value):
            try:
                yield from ("  " + line for line in _make(place, flag, value if flag == EXTRACTOR else ""))
            except KeepstoneError as problem:
                yield from ("  " + line for line in _not_done(problem))


def _chosen(place: InstallTarget, ask: Ask) -> str:
    """Returns the extractor that the person names, "" to keep the present one."""
    value = ask(f"  Which? [{place.extractor}: Enter keeps it] ").strip()
    return "" if value in (place.extractor, "n", "no") else value


def _state(place: InstallTarget, flag: str) -> tuple[bool, list[str]]:
    """Returns whether there is something to do, and lines that describe the state."""
    if flag == EXTRACTOR:
        each = [f"{name}: {what}" for name, what in settings.EXTRACTORS.items()]
        return True, [*each, "`keepstone onboard` tells what a model would take.", f"now {place.extractor}"]
    try:
        record = InstallRecord(place.home)
        todo, known = [], False
        for piece in change(place, flag).pieces:
            now, entry = read(piece.target), record.entry_of(flag, piece.target)
            known = known or bool(entry)
            if piece.wanted(now, entry) != now:
                todo.append(
                    ("writes " if now is None or isinstance(piece, File) else "edits ") + place.short(piece.path)
                )
    except KeepstoneError as problem:
        return False, [f"not possible: {problem.message}"]
    if not todo:
        return False, ["done"]
    return True, [("to be renewed: " if known else "") + line for line in todo]


def begin(place: InstallTarget) -> InstallRecord:
    """Returns the record, ready for a change. Records the folders that are created for the data home, so that they can
    be removed, too.
    """
    record = InstallRecord(place.home)
    record.made = record.made or missing(place.home)
    if place.plugin and not read(runtime.plugin_file(place.home)):
        record.told_plugin = True
    return record


def _make(place: InstallTarget, flag: str, value: str) -> Iterator[str]:
    wanted = change(place, flag, value)
    record = begin(place)
    try:
        for piece in wanted.pieces:
            done = make(record, flag, piece)
            yield f"{done} {place.short(piece.path)}" if done else f"{place.short(piece.path)}: done already"
    finally:
        if record.entries:
            record.save()
            runtime.record_plugin(place.home, place.plugin)
    yield from wanted.after


def _preview(place: InstallTarget, flag: str, value: str) -> Iterator[str]:
    """Yields what would be written, as a diff to the present text. The rest of the files is not shown."""
    wanted, record = change(place, flag, value), InstallRecord(place.home)
    for piece in wanted.pieces:
        now = read(piece.target)
        text = piece.wanted(now, record.entry_of(wanted.flag, piece.target))
        if text == now:
            yield f"{place.short(piece.path)}: done already"
            continue
        yield f"{'would write' if now is None else 'would edit'} {place.short(piece.path)}"
        lines = difflib.unified_diff((now or "").splitlines(), text.splitlines(), n=0, lineterm="")
        yield from ("  " + line for line in lines if not line.startswith(("---", "+++", "@@")))
