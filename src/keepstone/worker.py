"""Face: the detached processes, each a single one that leaves by itself: the worker, the build of its venv, and the
reading of past sessions.

Their locks are taken with the standard library before anything else is imported.
"""

from __future__ import annotations

import os
import time

from .config import runtime, settings
from .lib import files
from .spool import spool


def main() -> None:
    """Works the spool off, unless another worker is at it: that one looks again before it leaves."""
    home = settings.data_home()
    if home is None:
        return
    os.umask(0o077)
    os.chdir(home)
    held = files.lock(home)
    if held is None:
        return
    try:
        from .admin.bootstrap import sweep
        from .api.open import opened
        from .lib.fuzzy import load

        load()  # a broken venv shows here, before a job is claimed and fails for it
        sweep(home, time.time())
        opened().maintenance.work(held=held)
    except Exception as problem:  # noqa: BLE001  nobody sees a detached worker: the log has to say it
        if isinstance(problem, ImportError):
            runtime.record(home, runtime.interpreters(home)[0], "")  # the next session's start builds another
        spool.log(home, "worker", f"the worker died: {type(problem).__name__}: {problem}", time.time())


def ingest() -> None:
    """Learns from all past sessions, unless another process is at it; what came of it is in the log."""
    home = settings.data_home()
    if home is None:
        return
    os.umask(0o077)
    os.chdir(home)
    held = files.lock(home, name="ingest")
    if held is None:
        return
    try:
        from .api.memory import Memory

        done = Memory(home).capture.ingest()
        said = f"{done.sessions} sessions, {done.new} new, {done.reinforced} again"
    except Exception as problem:  # noqa: BLE001  nobody sees it: the log has to say it
        said = f"failed: {type(problem).__name__}: {problem}"
    spool.log(home, "worker", f"ingest: {said}", time.time())


def build() -> None:
    """Builds the venv, on any Python that runs the hooks. What fails is told by the next session."""
    home = settings.data_home()
    if home is None:
        return
    os.umask(0o077)
    from .admin import bootstrap

    try:
        bootstrap.build(home, os.environ, time.time())
    except bootstrap.Failure:
        pass  # noted where a session, `keepstone status` and doctor find it
