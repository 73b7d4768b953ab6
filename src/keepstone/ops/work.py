"""Drains the spool: what hooks have seen, then each job done, put back to wait, or set aside; then captures sessions
whose end never came.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .. import spool
from ..core.defaults import IDLE_SESSION, JOB_ATTEMPTS, JOB_BACKOFF, OBSERVED_SECONDS, STALE_SESSION
from ..core.errors import KeepstoneError, Unreachable
from ..spool import Job
from ..store.store import Store
from .capture import Report
from .conclude import COMPACTED, ENDED

STOP, END, STORE = "stop-extract", "session-end", "store"
EVENTS = ("session-start", STOP, "pre-compact", END, STORE)  # the jobs that this worker understands

Keep = Callable[[Mapping[str, Any]], tuple[str, bool]]  # stores what a person gave; (memory id, whether it is new)


class Capturing(Protocol):
    """Captures a transcript, as `ops.capture.Capture` does."""

    def __call__(
        self,
        path: str,
        session_id: str = "",
        cwd: str = "",
        project_dir: str = "",
        seen_at: float | None = None,
        goes_on: bool = False,
        watch: Callable[[int], None] = ...,
        stage: str = ...,
        agent: str = ...,
    ) -> Report: ...


@dataclass(slots=True)
class Worked:
    """What a run of the worker did; `sent` counts what a server has taken that was kept for it, `unsent` what still is,
    and `unsent_why`.
    """

    done: int = 0
    waiting: int = 0
    set_aside: int = 0
    sent: int = 0
    unsent: int = 0
    unsent_why: str = ""


def work(
    home: str,
    store: Store,
    capture: Capturing,
    keep: Keep,
    *,
    observe: Callable[[], None],
    now: Callable[[], float],
    log: Callable[[str], None],
) -> Worked:
    """Works until no job can be done now. Call under the worker's lock. `observe` merges what hooks have seen.

    A job that fails waits, twice as long each time, and stands aside after its last attempt; none is lost. A job of a
    newer Keepstone's is left to that one's worker.
    """
    worked = Worked()
    spool.make_folders(home)
    spool.recover(home)
    observe()
    for name in spool.names(home, "new"):
        job = _claim(home, name, now(), log, worked)
        if job is None:
            continue
        try:
            log(_do(store, capture, keep, job))
            spool.finish(home, name)
            worked.done += 1
        except Exception as problem:  # noqa: BLE001  one job's bug must not keep the others waiting for ever
            _failed(home, job, problem, now(), log, worked)
    _capture_stale(store, capture, now(), log)
    store.purge_old_observations(now() - OBSERVED_SECONDS)
    return worked


def _claim(home: str, name: str, now: float, log: Callable[[str], None], worked: Worked) -> Job | None:
    try:
        job = spool.claim(home, name, now)
    except ValueError as problem:
        spool.set_aside(home, name)
        worked.set_aside += 1
        log(f"job {name} is no job: {problem}")
        return None
    if job is not None and job.payload["event"] not in EVENTS:
        spool.recover(home)
        return None
    worked.waiting += job is None
    return job


def _do(store: Store, capture: Capturing, keep: Keep, job: Job) -> str:
    """Does a job; what came of it, for the log."""
    given = job.payload
    if given["event"] == STORE:
        return f"{STORE}: {keep(given)[0]}"
    session, path, cwd = (str(given.get(key) or "") for key in ("session", "transcript_path", "cwd"))
    at = float(given.get("at") or 0)
    if given["event"] == "session-start":
        store.note_session(session, project_id=None, transcript_path=path, cwd=cwd, branch="", now=at)
        store.count_deliveries(session, given["event"], given.get("ids") or [], int(given.get("chars") or 0), at)
        return f"{given['event']}: counted"
    goes_on = given["event"] == STOP
    stage = ENDED if given["event"] == END else COMPACTED
    project_dir, agent = str(given.get("project_dir") or ""), str(given.get("agent") or "")
    report = capture(path, session, cwd, project_dir, at, goes_on, stage=stage, agent=agent)
    if given["event"] == END:
        store.end_session(session, at)
    trigger = str(given.get("trigger") or "")[:20]
    return f"{given['event']} {trigger}: {report.turns} turns, {len(report.new)} new, {len(report.reinforced)} again"


def _failed(home: str, job: Job, problem: Exception, now: float, log: Callable[[str], None], worked: Worked) -> None:
    # a server that is away is no fault of the job's
    attempts = int(job.payload.get("attempts") or 0) + (not isinstance(problem, Unreachable))
    log(f"job {job.name} failed ({attempts} of {JOB_ATTEMPTS}): {type(problem).__name__}: {problem}")
    if attempts >= JOB_ATTEMPTS:
        spool.set_aside(home, job.name)
        worked.set_aside += 1
    else:
        spool.put_back(home, job, attempts, now + JOB_BACKOFF * 2 ** max(0, attempts - 1))
        worked.waiting += 1


def _capture_stale(store: Store, capture: Capturing, now: float, log: Callable[[str], None]) -> None:
    for session, path, cwd, offset, seen_at in store.open_sessions(now - STALE_SESSION):
        try:
            idle = seen_at < now - IDLE_SESSION
            if path and os.path.exists(path) and (idle or os.path.getsize(path) > offset):
                capture(path, session, cwd, seen_at=seen_at, stage=ENDED if idle else COMPACTED)
        except Unreachable as problem:
            log(f"session {session} waits to be captured: {problem}")
            return
        except (KeepstoneError, OSError) as problem:
            log(f"session {session} can't be captured: {problem}")
        if seen_at < now - IDLE_SESSION:
            store.end_session(session, seen_at)
