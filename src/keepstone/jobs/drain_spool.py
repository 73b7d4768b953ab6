"""Drains the spool: merges observations of hooks, runs each job, retries or dead-letters those that fail, and captures
sessions whose end was never reported.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..capture import observations_sql, session_end_sql
from ..capture.pipeline import Capturing
from ..capture.session_end import COMPACTED, ENDED
from ..db import sessions
from ..db.writer import Writer
from ..lib.errors import KeepstoneError, Unreachable
from ..lib.limits import IDLE_SESSION, JOB_ATTEMPTS, JOB_BACKOFF
from ..lib.text import digest
from ..recall import deliveries_sql
from ..spool import queue, spool
from ..spool.queue import Job

OBSERVED_SECONDS = 7 * 86_400.0
STALE_SESSION = 60.0  # seconds of silence after which a session counts as interrupted: a paid extractor waits no longer

STOP, END, STORE = "stop-extract", "session-end", "store"
EVENTS = ("session-start", STOP, "pre-compact", END, STORE)  # the events that this worker understands

SQLITE_FULL = 13  # https://sqlite.org/rescode.html

Keep = Callable[[Mapping[str, Any]], tuple[str, bool]]  # stores a memory, returns (its id, whether it is new)


@dataclass(slots=True)
class Worked:
    """The result of a worker run. `removed` counts the files that were no jobs, beyond those set aside. `sent` counts
    the queued memories that a server accepted, `unsent` those that are still queued; `unsent_why` is the reason.
    """

    done: int = 0
    waiting: int = 0
    set_aside: int = 0
    removed: int = 0
    sent: int = 0
    unsent: int = 0
    unsent_why: str = ""


def drain_spool(
    home: str,
    writer: Writer,
    capture: Capturing,
    keep: Keep,
    *,
    observe: Callable[[], None],
    find: Callable[[str], str],
    now: Callable[[], float],
    log: Callable[[str], None],
) -> Worked:
    """Runs jobs until none can be done now. Call it under the worker's lock. `observe` merges the observations of
    hooks, `find` returns the path of a session's transcript.

    A failed job is retried after a wait that doubles each time, and becomes a dead letter after its last attempt. A job
    of a newer version is left to that version's worker.
    """
    worked = Worked()
    spool.make_folders(home)
    queue.recover(home)
    queue.take_missed(home, find)
    observe()
    for name in queue.pending(home):
        job = _claim(home, name, now(), log, worked)
        if job is None:
            continue
        try:
            log(_do(writer, capture, keep, job))
            queue.finish(home, name)
            worked.done += 1
        except Exception as problem:  # noqa: BLE001  one job's bug must not block the others
            _failed(home, job, problem, now(), log, worked)
    if worked.removed:
        log(f"{worked.removed} files of the spool were no jobs, and are removed: there are dead letters enough")
    waiting = {name.partition("-")[0] for name in spool.list_jobs(home, "new")}
    _capture_stale(writer, capture, waiting, now(), log)
    with writer.transaction() as tx:
        observations_sql.purge_old_observations(tx, now() - OBSERVED_SECONDS)
    return worked


def _claim(home: str, name: str, now: float, log: Callable[[str], None], worked: Worked) -> Job | None:
    try:
        job = queue.claim(home, name, now)
    except ValueError as problem:
        if queue.set_junk_aside(home, name):
            log(f"job {name} is no job: {problem}")
            worked.set_aside += 1
        else:
            worked.removed += 1
        return None
    if job is not None and job.payload["event"] not in EVENTS:
        queue.leave(home, name)
        return None
    worked.waiting += job is None
    return job


def _do(writer: Writer, capture: Capturing, keep: Keep, job: Job) -> str:
    """Runs a job. Returns its result for the log."""
    given = job.payload
    if given["event"] == STORE:
        return f"{STORE}: {keep(given)[0]}"
    session, path, cwd = (str(given.get(key) or "") for key in ("session", "transcript_path", "cwd"))
    at = float(given.get("at") or 0)
    if given["event"] == "session-start":
        ids, chars = given.get("ids") or [], int(given.get("chars") or 0)
        with writer.transaction() as tx:
            sessions.note_session(tx, session, project_id=None, transcript_path=path, cwd=cwd, branch="", now=at)
            deliveries_sql.count_deliveries(tx, session, given["event"], ids, chars, at)
        return f"{given['event']}: counted"
    goes_on = given["event"] == STOP
    stage = ENDED if given["event"] == END else COMPACTED
    project_dir, agent = str(given.get("project_dir") or ""), str(given.get("agent") or "")
    report = capture(path, session, cwd, project_dir, at, goes_on, stage=stage, agent=agent)
    if given["event"] == END:
        with writer.transaction() as tx:
            session_end_sql.end_session(tx, session, at)
    trigger = str(given.get("trigger") or "")[:20]
    return f"{given['event']} {trigger}: {report.turns} turns, {len(report.new)} new, {len(report.reinforced)} again"


def _failed(home: str, job: Job, problem: Exception, now: float, log: Callable[[str], None], worked: Worked) -> None:
    # Neither an unreachable server nor a full disk counts as an attempt.
    attempts = int(job.payload.get("attempts") or 0) + (not (isinstance(problem, Unreachable) or _lacks_room(problem)))
    log(f"job {job.name} failed ({attempts} of {JOB_ATTEMPTS}): {type(problem).__name__}: {problem}")
    if attempts >= JOB_ATTEMPTS:
        queue.dead_letter(home, job.name)
        worked.set_aside += 1
    else:
        queue.put_back(home, job, attempts, now + JOB_BACKOFF * 2 ** max(0, attempts - 1))
        worked.waiting += 1


def _lacks_room(problem: BaseException | None) -> bool:
    """Tells whether an error says that a disk is full."""
    while problem is not None:
        full = getattr(problem, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        if full or getattr(problem, "sqlite_errorcode", None) == SQLITE_FULL:
            return True
        problem = problem.__cause__
    return False


def _capture_stale(
    writer: Writer, capture: Capturing, waiting: set[str], now: float, log: Callable[[str], None]
) -> None:
    """Captures open sessions that have said more, but for those with a job that waits (by the digest of their id)."""
    with writer.transaction() as tx:
        stale = [row for row in sessions.open_sessions(tx, now) if digest(row[0]) not in waiting]
    for session, path, cwd, offset, seen_at in stale:
        try:
            idle = seen_at < now - IDLE_SESSION
            if path and os.path.exists(path) and (idle or os.path.getsize(path) > offset):
                stage, goes_on = ENDED if idle else COMPACTED, seen_at > now - STALE_SESSION
                capture(path, session, cwd, seen_at=seen_at, goes_on=goes_on, stage=stage)
        except Unreachable as problem:
            log(f"session {session} waits to be captured: {problem}")
            return
        except (KeepstoneError, OSError) as problem:
            log(f"session {session} can't be captured: {problem}")
        if seen_at < now - IDLE_SESSION:
            with writer.transaction() as tx:
                session_end_sql.end_session(tx, session, seen_at)
