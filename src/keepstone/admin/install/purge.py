"""Deletes Keepstone's files in a data home, by their names, and no other files there."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack

from ...config.runtime import INSTALLED
from ...lib import files
from ...lib.errors import KeepstoneError

FOLDERS = ("backups", "logs", "off", "ran", "spool", "vectors", "venv")
FILES = (
    *(
        "all",
        "build.json",
        "keepstone.db",
        "config.json",
        "due",
        INSTALLED,
        "machine",
        "notice",
        "onboarding",
        "plugin",
        "python",
        "server.json",
        "statusline",
    ),
    *(
        "keys.json",
        "nested",
        "opened",
        "opened.mark",
        "taken-back",
        "told-aside",
        "told-damage",
        "told-learned",
        "told-missed",
        "told-off",
        "told-python",
        "told-unheard",
        "told-waiting",
        "token",
    ),
    "unwritable",
)
# Endings of files that the database, and the writing of a small file, leave beside them.
ENDINGS = ("", "-wal", "-shm", "-journal")
COPY = re.compile(r"copy-[0-9a-f]{16}\.db(-wal|-shm|-journal)?")  # copy of a server's: `runtime.database_file`
LOCKS = ("worker", "build", "extractor", "ingest", "sender")
SIGNS = ("keepstone.db", "python", "config.json", INSTALLED, "spool")  # every data home has at least one of these


def check(home: str, user_home: str) -> None:
    """Raises KeepstoneError if a folder cannot be a data home."""
    real, users = os.path.realpath(home), os.path.realpath(user_home)
    if os.path.commonpath([real, users]) == real:
        raise KeepstoneError(f"{home} is no data home of Keepstone's: your own files lie in it", "check KEEPSTONE_HOME")
    if os.path.isdir(home) and os.listdir(home) and not any(os.path.exists(os.path.join(home, name)) for name in SIGNS):
        raise KeepstoneError(f"{home} is no data home of Keepstone's: nothing of it is there", "check KEEPSTONE_HOME")


def purge(home: str) -> Iterator[str]:
    """Deletes Keepstone's files in its data home, after waiting for running workers and builds. Yields what to print.
    Raises OSError.
    """
    if not os.path.isdir(home):
        yield f"There is no {home}."
        return
    if _is_busy(home):
        yield "Waiting for what works in the background ..."
    with ExitStack() as held:
        for name in LOCKS:
            held.enter_context(files.FileLock(home, name))
        for name in os.listdir(home):
            if is_ours(name):
                _delete(os.path.join(home, name))
    others = os.listdir(home)
    if not others and not os.path.islink(home):
        os.rmdir(home)
        yield f"deleted: {home}"
        return
    yield f"deleted: everything of Keepstone's in {home}"
    if others:
        yield f"left there, as Keepstone did not make it: {', '.join(sorted(others))}"


def _is_busy(home: str) -> bool:
    for name in LOCKS:
        held = files.lock(home, name=name)
        if held is None:
            return True
        files.unlock(held)
    return False


def is_ours(name: str) -> bool:
    """Tells whether a name in a data home is Keepstone's."""
    stem, _, number = name.rpartition(".")
    if number.isdigit() and stem in FILES:
        return True  # a file that a killed process was writing
    return (
        name in FOLDERS
        or name in (one + end for one in FILES for end in ENDINGS)
        or name in (lock + ".lock" for lock in LOCKS)
        or COPY.fullmatch(name) is not None
    )


def _delete(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        files.remove(path)
