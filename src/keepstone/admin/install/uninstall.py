"""Runs `keepstone uninstall` as a dialog: undoes setup's changes, and with `purge` deletes the data home."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from ...config import runtime
from ...config.provenance import forget_home
from ...lib import files
from ...lib.errors import KeepstoneError
from . import purge
from .changes import SHELL, InstallTarget
from .file_changes import Left, remove_empty, take_back
from .record import InstallRecord
from .setup import Ask


def uninstall(place: InstallTarget, count: int | None, ask: Ask | None, yes: bool, purges: bool) -> Iterator[str]:
    """Shows what will be removed, asks, and removes it; with `yes`, does not ask. Yields what to print. `count` is the
    number of memories, None if they cannot be counted. Raises KeepstoneError if there is no terminal to ask on, or the
    data home must not be deleted.
    """
    record = InstallRecord(place.home)
    made, had_command = record.made, any(entry["flag"] == SHELL for entry in record.entries)
    if purges:
        purge.check(place.home, place.user_home)
    if record.entries or purges:
        yield from _what_goes(place, record, count, purges)
        yield from _keep_a_copy(count)
        if not yes and not _agreed(ask, purges):
            yield "Nothing is removed."
            return
    else:
        yield "`keepstone setup` has changed nothing here."
    yield from _take_back(place, record)
    if purges:
        yield from purge.purge(place.home)
    forget_home(place.home)
    remove_empty(made)
    if had_command:
        yield "Lines for `keepstone` that you added to your shell's own files are yours to remove."
    yield from _what_is_left(place, count, purges)


def _agreed(ask: Ask | None, purges: bool) -> bool:
    if ask is None:
        says = "nothing is removed: there is no terminal to ask on"
        raise KeepstoneError(says, "keepstone uninstall --yes" + (" --purge" if purges else ""))
    return ask("Go on? [y/N] ").strip().lower() in ("y", "yes")


def _what_goes(place: InstallTarget, record: InstallRecord, count: int | None, purges: bool) -> Iterator[str]:
    for entry in record.entries:
        whole = entry["created"] or entry["how"] == "file"
        yield f"{entry['flag']:<17} {'' if whole else 'its part of '}{place.short(entry['path'])}"
    if purges:
        yield f"{'--purge':<17} {_counted(count)} and all else in {place.short(place.home)}, for good"


def _keep_a_copy(count: int | None) -> Iterator[str]:
    if count != 0:
        yield "To keep a copy of the memories first: keepstone export ~/keepstone-memories.jsonl"


def _take_back(place: InstallTarget, record: InstallRecord) -> Iterator[str]:
    for entry in reversed(record.entries[:]):
        path = place.short(entry["path"])
        try:
            yield f"{'taken back' if take_back(record, entry) else 'gone already'}: {path}"
        except Left as why:
            yield f"left as it is: {path}: {why}"
        except OSError as problem:
            raise KeepstoneError(
                f"{entry['path']} can't be restored: {problem.strerror}", "keepstone uninstall"
            ) from problem
        record.drop(entry)
    if record.told_plugin:
        files.remove(runtime.plugin_file(place.home))
    record.made, record.told_plugin = [], False
    record.save()


def _what_is_left(place: InstallTarget, count: int | None, purges: bool) -> Iterator[str]:
    yield "The plugin itself is Claude Code's to remove, when no session runs:"
    yield "  claude plugin uninstall keepstone@keepstone"
    yield "  claude plugin marketplace remove keepstone"
    copy = os.path.join(place.client, "plugins", "cache", "keepstone")
    if os.path.isdir(copy):
        yield f"  rm -rf {shlex.quote(copy)}"
    if not purges and os.path.isdir(place.home):
        yield f"Keepstone's data stay where they are, with {_counted(count)}. To delete them too:"
        yield f"  rm -rf {shlex.quote(place.home)}"


def _counted(count: int | None) -> str:
    if count is None:
        return "memories that can't be counted"
    return f"{count:,} {'memory' if count == 1 else 'memories'}"
