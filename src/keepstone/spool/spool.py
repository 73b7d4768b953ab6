"""The spool: accepted work as files in the data home, and its logs. Hot module.

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
from ..lib.fast_json import dump, parse
from ..lib.limits import JOB_ATTEMPTS, JOB_BACKOFF
from ..lib.text import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

OBSERVED_BYTES = 2_000_000  # per session's file in the spool: 10,000 lines of 200 bytes
KEY_CHARS = 32  # of a job's name before its event: a digest
ABANDONED_SECONDS = 3_600.0  # a hook's temporary file this old is abandoned
LOG_BYTES = 1_000_000  # then a new log begins, and one old log is kept
JOB_BYTES = 2_000_000  # of a job: many times the longest one
LOOK = 1_000  # entries of a folder that a hook looks at
TIDY = 10_000  # entries of a folder that one run of the worker tidies; the next run sees others, as these are gone
BATCH = 500  # jobs that are run in the order of their time
JUNK = 100  # dead letters beyond which a file that is no job is removed

UNSENT, MISSED = "unsent", "missed"
FOLDERS = ("tmp", "new", "taken", "aside", "observed", UNSENT, MISSED)
TAKEN = ".taken"  # suffix of a file of observations that a worker has taken


class Job:
    __slots__ = ("name", "payload")

    def __init__(self, name: str, payload: dict[str, Any]) -> None:
        self.name = name
        self.payload = payload


def put(home: str, event: str, key: str, payload: dict[str, Any]) -> None:
    """Accepts a job. On return it is synced to disk and has replaced a pending job of the same event and key.

    Raises OSError if the disk fails; then nothing was accepted.
    """
    _write(home, digest(key) + "-" + event, {"event": event, **payload})


def note_missed(home: str, event: str, session: str, transcript: str) -> None:
    """Notes a session whose job could not be accepted, for `take_missed`: in the data home, else in the folder that the
    client keeps for this plugin. Raises OSError if neither takes a link nor an empty file.
    """
    problem: OSError | None = None
    for folder in _missed_folders(home):
        path = os.path.join(folder, session + "." + event)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not os.path.lexists(path):
                os.symlink(os.path.abspath(transcript), path)
            return
        except OSError as failed:
            problem = failed
        if files.create_exclusive(path):
            return
    if problem:
        raise problem


def missed(home: str) -> list[str]:
    """Returns the paths of the notes of sessions whose jobs could not be accepted, at most LOOK of each folder."""
    found = [entry for folder in _missed_folders(home) for entry in _entries(folder, LOOK)]
    return sorted(entry.path for entry in found if entry.is_symlink() or _is_file(entry))


def missed_sessions(home: str) -> list[str]:
    """Returns the sessions whose jobs could not be accepted."""
    return sorted({os.path.basename(path).rpartition(".")[0] for path in missed(home)})


def take_missed(home: str, find: Callable[[str], str]) -> None:
    """Accepts the sessions that `missed` returns; the next run takes further ones, as these are gone. `find` returns
    the path of a session's transcript, "" if there is none. Raises OSError if there is still no room; then the others
    stay noted.
    """
    for path in missed(home):
        session, _, event = os.path.basename(path).rpartition(".")
        transcript = os.readlink(path) if os.path.islink(path) else find(session)
        at = os.lstat(path).st_mtime
        if session and event and os.path.isfile(transcript):
            payload = {"session": session, "transcript_path": transcript, "cwd": "", "trigger": MISSED}
            put(home, event, session, {**payload, "at": at})
        os.unlink(path)


def _missed_folders(home: str) -> list[str]:
    of_the_client = runtime.plugin_data()
    folders = [os.path.join(home, "spool", MISSED)]
    return [*folders, os.path.join(of_the_client, MISSED)] if of_the_client else folders


def keep_unsent(home: str, seed: str, payload: dict[str, Any], now: float) -> None:
    """Keeps a memory that a server did not accept. On return it is synced to disk. Raises OSError if the disk fails."""
    make_folders(home)
    _write(home, format(int(now * 1000), "015d") + "-" + seed + "-store", payload, UNSENT)


def refuse_unsent(home: str, name: str, payload: dict[str, Any], why: str) -> None:
    """Marks an unsent memory as refused by the server, so that it is not retried automatically."""
    _write(home, name, {**payload, "refused": why}, UNSENT)


def drop_unsent(home: str, name: str) -> None:
    files.remove(os.path.join(home, "spool", UNSENT, name))


def unsent(home: str) -> list[tuple[str, dict[str, Any]]]:
    """Returns the unsent memories by file name, oldest first. An unreadable one is {}."""
    found = []
    for name in list_jobs(home, UNSENT):
        try:
            found.append((name, read(os.path.join(home, "spool", UNSENT, name)) or {}))
        except OSError:
            continue  # sent meanwhile
    return found


def _write(home: str, name: str, payload: dict[str, Any], to: str = "new") -> None:
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


def drain_observed(home: str, merge: Callable[[list[Any]], None]) -> None:
    """Passes the observations to `merge`, one session at a time, and removes each file when `merge` returns. Files that
    a killed worker had taken come first, so their lines may come twice.
    """
    folder = os.path.join(home, "spool", "observed")
    for name in sorted(list_jobs(home, "observed"), key=lambda name: not name.endswith(TAKEN)):
        taken = os.path.join(folder, name.removesuffix(TAKEN) + TAKEN)
        if not name.endswith(TAKEN):
            os.replace(os.path.join(folder, name), taken)
        with open(taken, "rb") as file:
            merge(_values(file.read()))
            os.unlink(taken)
            late = file.read()  # from a hook that had opened the file before it was taken
            if late:
                merge(_values(late))


def _values(data: bytes) -> list[Any]:
    found = []
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            found.append(parse(line))
        except ValueError:
            pass  # torn by a full disk or a power cut; the transcript has the call too
    return found


def folders(home: str) -> list[str]:
    """Returns the folders of the spool, whether they are there or not."""
    spool = os.path.join(home, "spool")
    return [spool, *(os.path.join(spool, name) for name in FOLDERS)]


def make_folders(home: str) -> None:
    for name in FOLDERS:
        os.makedirs(os.path.join(home, "spool", name), mode=0o700, exist_ok=True)
    files.sync_folder(os.path.join(home, "spool"))
    files.sync_folder(home)


def _entries(folder: str, limit: int | None = None) -> Iterator[os.DirEntry[str]]:
    """Returns the entries of a folder, in no order; with a limit, it reads no more of them than that."""
    try:
        with os.scandir(folder) as found:
            for count, entry in enumerate(found):
                if count == limit:
                    return
                yield entry
    except OSError:
        return


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Tells a file from what nobody has spooled: a folder can't be read, and a pipe or a link may never end."""
    return entry.is_file(follow_symlinks=False)


def _modified_at(entry: os.DirEntry[str]) -> float | None:
    """Returns when a file was written, or None if it is gone or no file."""
    try:
        return entry.stat(follow_symlinks=False).st_mtime if _is_file(entry) else None
    except OSError:
        return None  # taken meanwhile


def _newest(folder: str) -> list[str]:
    """Returns the names of the files in a folder, the newest first."""
    found = [(entry.name, at) for entry in _entries(folder) if (at := _modified_at(entry)) is not None]
    return [name for name, _ in sorted(found, key=lambda one: (-one[1], one[0]))]


def _is_named_as_job(name: str) -> bool:
    key, dash, event = name.partition("-")
    return bool(dash and event) and len(key) == KEY_CHARS and key.isalnum()


def list_jobs(home: str, folder: str) -> list[str]:
    """Returns the names of the jobs in a folder of the spool, sorted, or [] if there is no spool."""
    return sorted(entry.name for entry in _entries(os.path.join(home, "spool", folder)) if _is_file(entry))


def count(home: str, folder: str, limit: int = LOOK) -> int:
    """Counts the jobs in a folder of the spool, at most `limit`, for those who can't read it all: hooks."""
    return sum(map(_is_file, _entries(os.path.join(home, "spool", folder), limit)))


def pending(home: str) -> list[str]:
    """Returns the names of all pending jobs in the order in which a worker takes them.

    Those with a job's name come first, in batches, the newest batch first: however much has piled up, what was just
    said is not kept waiting by it. In a batch the oldest job comes first, because what was said later may take back
    what was said before. Files with other names are last; they are likely junk. Nothing starves: a run takes everything
    that this returns, and what arrives meanwhile is returned to the next run.
    """
    names = _newest(os.path.join(home, "spool", "new"))
    jobs = [name for name in names if _is_named_as_job(name)]
    batches = [jobs[start : start + BATCH][::-1] for start in range(0, len(jobs), BATCH)]
    return [*(name for batch in batches for name in batch), *(name for name in names if not _is_named_as_job(name))]


def waits_since(home: str, before: float) -> bool:
    """Tells whether a job has been pending since before that time: no worker runs, or its server does not answer. Of
    very many jobs it looks at some.
    """
    times = (_modified_at(entry) for entry in _entries(os.path.join(home, "spool", "new"), LOOK))
    return any(at is not None and at < before for at in times)


def recover(home: str) -> None:
    """Puts the jobs of a killed worker back, unless a newer job of the same name is pending. Removes abandoned
    temporary files. Call it under the lock.
    """
    for entry in _entries(os.path.join(home, "spool", "tmp"), TIDY):
        at = _modified_at(entry)
        if at is not None and time.time() - at > ABANDONED_SECONDS:
            files.remove(entry.path)
    for entry in _entries(os.path.join(home, "spool", "taken"), TIDY):
        if _is_file(entry):
            leave(home, entry.name)


def leave(home: str, name: str) -> None:
    """Puts a taken job back as it is, unless a newer job of the same name is pending."""
    taken, new = (os.path.join(home, "spool", folder, name) for folder in ("taken", "new"))
    if os.path.exists(new):
        os.unlink(taken)
    else:
        os.replace(taken, new)


def claim(home: str, name: str, now: float) -> Job | None:
    """Takes a pending job. Returns None if it is gone or in back-off. Raises ValueError if the file is not a job."""
    new, taken = (os.path.join(home, "spool", folder, name) for folder in ("new", "taken"))
    try:
        os.replace(new, taken)
        with open(taken, encoding="ascii") as file:
            payload = parse(file.read(JOB_BYTES))
    except FileNotFoundError:
        return None
    if not isinstance(payload, dict) or not isinstance(payload.get("event"), str):
        raise ValueError("not a job")
    if _waits(payload, now):
        leave(home, name)
        return None
    return Job(name, payload)


def due(home: str, now: float, events: tuple[str, ...]) -> bool:
    """Tells whether a pending job of these events is ready: it has no back-off left, or its file is damaged."""
    for entry in _entries(os.path.join(home, "spool", "new")):
        if not _is_file(entry):
            continue
        try:
            with open(entry.path, encoding="ascii") as file:
                payload = parse(file.read(JOB_BYTES))
        except (OSError, ValueError):
            return True
        if not isinstance(payload, dict) or not isinstance(payload.get("event"), str):
            return True
        if payload["event"] in events and not _waits(payload, now):
            return True
    return False


def _waits(payload: dict[str, Any], now: float) -> bool:
    """Tells whether a job is in back-off. A back-off far in the future is ignored: the clock was wrong."""
    return 0 < payload.get("not_before", 0) - now <= JOB_BACKOFF * 2**JOB_ATTEMPTS  # type: ignore[no-any-return]


def finish(home: str, name: str) -> None:
    """Removes a taken job after its work is committed."""
    os.unlink(os.path.join(home, "spool", "taken", name))


def put_back(home: str, job: Job, attempts: int, not_before: float) -> None:
    """Puts a failed job back with its back-off, unless a newer job of the same name is pending."""
    if not os.path.exists(os.path.join(home, "spool", "new", job.name)):
        _write(home, job.name, {**job.payload, "attempts": attempts, "not_before": not_before})
    finish(home, job.name)


def read(path: str) -> dict[str, Any] | None:
    """Returns a job's payload, or None if the file is not a JSON object. Raises OSError if it cannot be read."""
    try:
        with open(path, encoding="ascii") as file:
            payload = parse(file.read())
    except ValueError:
        return None
    return payload if isinstance(payload, dict) else None


def rewrite(home: str, folder: str, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bool:
    """Changes a job in `new` or `aside`. Returns whether it was there. Call it under the lock.

    If a newer job of the same name arrives meanwhile, that one is kept unchanged.
    """
    path = os.path.join(home, "spool", "taken", name)
    stands = os.path.join(home, "spool", folder, name)
    try:
        os.replace(stands, path)
    except FileNotFoundError:
        return False
    payload = read(path)
    if payload is not None:
        _write(home, name, change(payload), "taken")
    if os.path.exists(stands):
        os.unlink(path)
    else:
        os.replace(path, stands)
    return True


def dead_letter(home: str, name: str) -> None:
    """Moves a taken job to the dead letters, which doctor shows."""
    os.replace(os.path.join(home, "spool", "taken", name), os.path.join(home, "spool", "aside", name))


def set_junk_aside(home: str, name: str) -> bool:
    """Moves a taken file that is no job to the dead letters, and removes it if there are many. Returns whether it is
    kept. No job is ever removed so: a job that fails is a dead letter however many there are.
    """
    kept = count(home, "aside", JUNK) < JUNK
    if kept:
        dead_letter(home, name)
    else:
        finish(home, name)
    return kept


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


def retry_dead(home: str) -> None:
    """Gives dead letters another round of attempts, unless a newer job of the same name is pending."""
    for name in reversed(_newest(os.path.join(home, "spool", "aside"))):
        aside, new = (os.path.join(home, "spool", folder, name) for folder in ("aside", "new"))
        try:
            with open(aside, encoding="ascii") as file:
                payload = parse(file.read(JOB_BYTES))
            if isinstance(payload, dict) and not os.path.exists(new):
                _write(home, name, {**payload, "attempts": 0, "not_before": 0})
        except ValueError:
            pass  # not a job: there is nothing to retry
        os.unlink(aside)
