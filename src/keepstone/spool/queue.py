"""Works off what the spool has accepted: jobs in their order, observations, memories for a server, dead letters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from ..lib import files
from ..lib.fast_json import parse
from ..lib.limits import JOB_ATTEMPTS, JOB_BACKOFF
from . import spool

KEY_CHARS = 32  # of a job's name before its event: a digest
ABANDONED_SECONDS = 3_600.0  # a hook's temporary file this old is abandoned
JOB_BYTES = 2_000_000  # of a job: many times the longest one
TIDY = 10_000  # entries of a folder that one run of the worker tidies; the next run sees others, as these are gone
BATCH = 500  # jobs that are run in the order of their time
JUNK = 100  # dead letters beyond which a file that is no job is removed
TAKEN = ".taken"  # suffix of a file of observations that a worker has taken


class Job:
    __slots__ = ("name", "payload")

    def __init__(self, name: str, payload: dict[str, Any]) -> None:
        self.name = name
        self.payload = payload


def take_missed(home: str, find: Callable[[str], str]) -> None:
    """Accepts the sessions that `missed` returns; the next run takes further ones, as these are gone. `find` returns
    the path of a session's transcript, "" if there is none. Raises OSError if there is still no room; then the others
    stay noted.
    """
    for path in spool.missed(home, anywhere=True):
        session, _, event = os.path.basename(path).rpartition(".")
        transcript = os.readlink(path) if os.path.islink(path) else find(session)
        at = os.lstat(path).st_mtime
        if session and event and os.path.isfile(transcript):
            payload = {"session": session, "transcript_path": transcript, "cwd": "", "trigger": spool.MISSED}
            spool.put(home, event, session, {**payload, "at": at})
        os.unlink(path)


def keep_unsent(home: str, seed: str, payload: dict[str, Any], now: float) -> None:
    """Keeps a memory that a server did not accept. On return it is synced to disk. Raises OSError if the disk fails."""
    spool.make_folders(home)
    spool.write(home, format(int(now * 1000), "015d") + "-" + seed + "-store", payload, spool.UNSENT)


def refuse_unsent(home: str, name: str, payload: dict[str, Any], why: str) -> None:
    """Marks an unsent memory as refused by the server, so that it is not retried automatically."""
    spool.write(home, name, {**payload, "refused": why}, spool.UNSENT)


def drop_unsent(home: str, name: str) -> None:
    files.remove(os.path.join(home, "spool", spool.UNSENT, name))


def unsent(home: str) -> list[tuple[str, dict[str, Any]]]:
    """Returns the unsent memories by file name, oldest first. An unreadable one is {}."""
    found = []
    for name in spool.list_jobs(home, spool.UNSENT):
        try:
            found.append((name, read(os.path.join(home, "spool", spool.UNSENT, name)) or {}))
        except OSError:
            continue  # sent meanwhile
    return found


def drain_observed(home: str, merge: Callable[[list[Any]], None]) -> None:
    """Passes the observations to `merge`, one session at a time, and removes each file when `merge` returns. Files that
    a killed worker had taken come first, so their lines may come twice.
    """
    folder = os.path.join(home, "spool", "observed")
    for name in sorted(spool.list_jobs(home, "observed"), key=lambda name: not name.endswith(TAKEN)):
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


def _newest(folder: str) -> list[str]:
    """Returns the names of the files in a folder, the newest first."""
    found = [(entry.name, at) for entry in spool.entries(folder) if (at := spool.modified_at(entry)) is not None]
    return [name for name, _ in sorted(found, key=lambda one: (-one[1], one[0]))]


def _is_named_as_job(name: str) -> bool:
    key, dash, event = name.partition("-")
    return bool(dash and event) and len(key) == KEY_CHARS and key.isalnum()


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


def recover(home: str) -> None:
    """Puts the jobs of a killed worker back, unless a newer job of the same name is pending. Removes abandoned
    temporary files. Call it under the lock.
    """
    for entry in spool.entries(os.path.join(home, "spool", "tmp"), TIDY):
        at = spool.modified_at(entry)
        if at is not None and time.time() - at > ABANDONED_SECONDS:
            files.remove(entry.path)
    for entry in spool.entries(os.path.join(home, "spool", "taken"), TIDY):
        if spool.is_file(entry):
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
    for entry in spool.entries(os.path.join(home, "spool", "new")):
        if not spool.is_file(entry):
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
        spool.write(home, job.name, {**job.payload, "attempts": attempts, "not_before": not_before})
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
        spool.write(home, name, change(payload), "taken")
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
    kept = spool.count(home, "aside", JUNK) < JUNK
    if kept:
        dead_letter(home, name)
    else:
        finish(home, name)
    return kept


def retry_dead(home: str) -> None:
    """Gives dead letters another round of attempts, unless a newer job of the same name is pending."""
    for name in reversed(_newest(os.path.join(home, "spool", "aside"))):
        aside, new = (os.path.join(home, "spool", folder, name) for folder in ("aside", "new"))
        try:
            with open(aside, encoding="ascii") as file:
                payload = parse(file.read(JOB_BYTES))
            if isinstance(payload, dict) and not os.path.exists(new):
                spool.write(home, name, {**payload, "attempts": 0, "not_before": 0})
        except ValueError:
            pass  # not a job: there is nothing to retry
        os.unlink(aside)
