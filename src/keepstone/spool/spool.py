"""The spool: accepted work as files in the data home, and its logs. `queue.py` works it off. Hot module.

A job is written and synced in `spool/tmp`, accepted in `spool/new`, in progress in `spool/taken`, and a dead letter in
`spool/aside` after too many failures. Its name is a hash of its session and its event, so twenty Stops of a session are
one job. `spool/observed` has one file per session with one line per tool call; `spool/unsent` has memories that another
machine's server has not accepted yet; `spool/missed` has a link to the transcript of each session whose job could not
be written: a link needs no room on a full disk.
"""

from __future__ import annotations

import os
import time

from ..config import runtime
from ..lib import files
from ..lib.fast_json import dump
from ..lib.text import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

OBSERVED_BYTES = 2_000_000  # per session's file in the spool: 10,000 lines of 200 bytes
LOG_BYTES = 1_000_000  # then a new log begins, and one old log is kept
LOOK = 1_000  # entries of a folder that a hook looks at

UNSENT, MISSED = "unsent", "missed"
FOLDERS = ("tmp", "new", "taken", "aside", "observed", UNSENT, MISSED)


def put(home: str, event: str, key: str, payload: dict[str, Any]) -> None:
    """Accepts a job. On return it is synced to disk and has replaced a pending job of the same event and key.

    Raises OSError if the disk fails; then nothing was accepted.
    """
    write(home, digest(key) + "-" + event, {"event": event, **payload})


def note_missed(home: str, event: str, session: str, transcript: str, is_refused: bool = False) -> None:
    """Notes a session whose job could not be accepted, for `take_missed`: in the data home, unless that `is_refused`,
    else in the folder that the client keeps for this plugin. Raises OSError if neither takes a link nor an empty file.
    """
    problem: OSError | None = None
    for folder in _missed_folders(home, [runtime.plugin_data()])[is_refused:]:
        path = os.path.join(folder, session + "." + event)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not _is_believed(home, folder):
                problem = PermissionError("others may write in " + folder)
                continue
            if not os.path.lexists(path):
                os.symlink(os.path.abspath(transcript), path)
            return
        except OSError as failed:
            problem = failed
        if files.create_exclusive(path):
            return
    if problem:
        raise problem


def missed(home: str, anywhere: bool = False) -> list[str]:
    """Returns the paths of the notes of sessions whose jobs could not be accepted, at most LOOK of each folder. With
    `anywhere`, the client's folders are looked for where it does not name its own.
    """
    named = runtime.plugin_data_folders() if anywhere else [runtime.plugin_data()]
    there = [(folder, list(entries(folder, LOOK))) for folder in _missed_folders(home, named)]
    found = [entry for folder, noted in there if noted and _is_believed(home, folder) for entry in noted]
    return sorted(entry.path for entry in found if entry.is_symlink() or is_file(entry))


def missed_sessions(home: str, anywhere: bool = False) -> list[str]:
    """Returns the sessions whose jobs could not be accepted, as `missed`."""
    return sorted({os.path.basename(path).rpartition(".")[0] for path in missed(home, anywhere)})


def _missed_folders(home: str, of_the_client: list[str]) -> list[str]:
    """Returns the data home's own folder, and those in the client's folders: each tells for which data home it is."""
    name = MISSED + "-" + digest(os.path.realpath(home))
    return [_missed_in(home), *(os.path.join(folder, name) for folder in of_the_client if folder)]


def _missed_in(home: str) -> str:
    return os.path.join(home, "spool", MISSED)


def _is_believed(home: str, folder: str) -> bool:
    """Tells whether nobody but the user can have put a note in a folder: it names what is read as the user's words. Of
    the data home that is known.
    """
    if os.name == "nt" or folder == _missed_in(home):
        return True
    found = os.lstat(folder)
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def write(home: str, name: str, payload: dict[str, Any], to: str = "new") -> None:
    """Writes a job, synced to disk, in a folder of the spool; it replaces one of the same name. Raises OSError if the
    disk fails; then nothing was written.
    """
    folder = os.path.join(home, "spool")
    fresh = os.path.join(folder, "tmp", name + "." + str(os.getpid()) + "." + str(time.monotonic_ns()))
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        make_folders(home)
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            _write_all(fd, dump(payload).encode("ascii"))
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(fresh, os.path.join(folder, to, name))
    except OSError:
        os.unlink(fresh)
        raise
    files.sync_folder(os.path.join(folder, to))


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def observe(home: str, session: str, line: dict[str, Any]) -> None:
    """Adds a line to a session's observations. On return it is synced to disk. A file that has reached OBSERVED_BYTES
    takes no more lines. Raises OSError if the disk fails.
    """
    path = os.path.join(home, "spool", "observed", digest(session))
    data = ("\n" + dump({"session": session, **line}) + "\n").encode("ascii")  # so a torn line spoils only itself
    for _ in range(2):
        if _append(home, path, data):
            return
        # a worker has removed the file, and may have read it before this line


def _append(home: str, path: str, data: bytes) -> bool:
    """Returns True if the file holds the data or is full, and False if a worker has removed the file meanwhile."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folders(home)
        fd = os.open(path, flags, 0o600)
    try:
        size = os.fstat(fd).st_size
        if size + len(data) > OBSERVED_BYTES:
            return True
        _write_all(fd, data)
        os.fsync(fd)
        there = os.fstat(fd).st_nlink > 0
    finally:
        os.close(fd)
    if not size:
        files.sync_folder(os.path.dirname(path))
    return there


def folders(home: str) -> list[str]:
    """Returns the folders of the spool, whether they are there or not."""
    spool = os.path.join(home, "spool")
    return [spool, *(os.path.join(spool, name) for name in FOLDERS)]


def in_the_way(home: str) -> str:
    """Returns the first path where a folder is needed and something else is, "" for none."""
    return next((path for path in (home, *folders(home)) if os.path.lexists(path) and not os.path.isdir(path)), "")


def make_folders(home: str) -> None:
    for name in FOLDERS:
        os.makedirs(os.path.join(home, "spool", name), mode=0o700, exist_ok=True)
    files.sync_folder(os.path.join(home, "spool"))
    files.sync_folder(home)


def entries(folder: str, limit: int | None = None) -> Iterator[os.DirEntry[str]]:
    """Returns the entries of a folder, in no order; with a limit, it reads no more of them than that."""
    try:
        with os.scandir(folder) as found:
            for count, entry in enumerate(found):
                if count == limit:
                    return
                yield entry
    except OSError:
        return


def is_file(entry: os.DirEntry[str]) -> bool:
    """Tells a file from what nobody has spooled: a folder can't be read, and a pipe or a link may never end."""
    return entry.is_file(follow_symlinks=False)


def modified_at(entry: os.DirEntry[str]) -> float | None:
    """Returns when a file was written, or None if it is gone or no file."""
    try:
        return entry.stat(follow_symlinks=False).st_mtime if is_file(entry) else None
    except OSError:
        return None  # taken meanwhile


def list_jobs(home: str, folder: str) -> list[str]:
    """Returns the names of the jobs in a folder of the spool, sorted, or [] if there is no spool."""
    return sorted(entry.name for entry in entries(os.path.join(home, "spool", folder)) if is_file(entry))


def count(home: str, folder: str, limit: int = LOOK) -> int:
    """Counts the jobs in a folder of the spool, at most `limit`, for those who can't read it all: hooks."""
    return sum(map(is_file, entries(os.path.join(home, "spool", folder), limit)))


def waits_since(home: str, before: float) -> bool:
    """Tells whether a job has been pending since before that time: no worker runs, or its server does not answer. Of
    very many jobs it looks at some.
    """
    times = (modified_at(entry) for entry in entries(os.path.join(home, "spool", "new"), LOOK))
    return any(at is not None and at < before for at in times)


def log(home: str, name: str, line: str, now: float) -> None:
    """Appends a line to a log that doctor shows. The line must hold no text of a session. Raises OSError if the disk
    fails.

    Secrets are masked, because an error message may quote an address with its password.
    """
    from ..redaction.mask import mask

    folder = os.path.join(home, "logs")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, name + ".log")
    if os.path.exists(path) and os.path.getsize(path) > LOG_BYTES:
        os.replace(path, path + ".1")
    with open(path, "a", encoding="utf-8", errors="replace") as file:
        file.write(
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)) + " " + " ".join(mask(line).split())[:400] + "\n"
        )
