"""Face: the detached one-shot worker. It takes its lock with the standard library before it imports anything else."""

from __future__ import annotations

import os

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
    from .memory import Memory

    Memory(home).work(held=held)
