"""The detached processes: the worker, the build of its venv, and the ingestion of past sessions. At most one of each
runs, and each exits when its work is done.

They take their locks with the standard library before they import anything else.
"""

from __future__ import annotations

import os
import time

from .config import runtime
from .config.provenance import data_home
from .lib import files, fuzzy
from .spool import spool


def main() -> None:
    """Drains the spool and runs due jobs, unless another worker is running. That worker checks the spool again before
    it exits.
    """
    home = data_home()
    if home is None:
        return
    _take_one_core()
    os.umask(0o077)
    os.chdir(os.sep)  # keeps no project's folder in use
    held = files.lock(home)
    if held is None:
        return
    try:
        from .admin.bootstrap import sweep
        from .api.open import opened

        fuzzy.load()  # a broken venv shows here, before a job is claimed and fails for it
        sweep(home, time.time())
        opened().maintenance.work(held=held)
    except Exception as problem:  # noqa: BLE001  a detached worker has no output but its log
        if isinstance(problem, ImportError):
            runtime.record(home, runtime.interpreters(home)[0], "")  # the next session's start builds another venv
        spool.log(home, "worker", f"the worker died: {type(problem).__name__}: {problem}", time.time())


def _take_one_core() -> None:
    """Keeps numpy from taking every core of the user's machine. Call it before numpy is imported."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def ingest() -> None:
    """Learns from all past sessions, unless another process is doing so. Writes the result to the log."""
    home = data_home()
    if home is None:
        return
    _take_one_core()
    os.umask(0o077)
    os.chdir(os.sep)  # keeps no project's folder in use
    held = files.lock(home, name="ingest")
    if held is None:
        return
    try:
        from .api.memory import Memory

        done = Memory(home).capture.ingest()
        said = f"{done.sessions} sessions, {done.new} new, {done.reinforced} again"
    except Exception as problem:  # noqa: BLE001  a detached process has no output but the log
        said = f"failed: {type(problem).__name__}: {problem}"
    spool.log(home, "worker", f"ingest: {said}", time.time())


def build() -> None:
    """Builds the venv, on any Python that runs the hooks. The next session reports a failure."""
    home = data_home()
    if home is None:
        return
    os.umask(0o077)
    from .admin import bootstrap

    try:
        bootstrap.build(home, os.environ, time.time())
    except bootstrap.Failure:
        pass  # recorded where the next session, `keepstone status` and doctor read it
