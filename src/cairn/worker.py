"""Face: the detached one-shot worker. It takes its lock with the standard library before it imports anything else."""

from __future__ import annotations

import os
import time

from . import settings, spool


def main() -> None:
    """Works the spool off, unless another worker is at it: that one looks again before it leaves."""
    home = settings.data_home()
    if home is None:
        return
    os.umask(0o077)
    os.chdir(home)
    held = spool.lock(home)
    if held is None:
        return
    try:
        from .memory import Memory

        Memory(home).work(held=held)
    except Exception as problem:  # noqa: BLE001  nobody sees a detached worker: the log has to say it
        spool.log(home, "worker", f"the worker died: {type(problem).__name__}: {problem}", time.time())
