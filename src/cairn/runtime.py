"""Which interpreters run Cairn (`$CAIRN_HOME/python`), and the detached start of the worker. Hot module."""

from __future__ import annotations

import os
import sys

WORKER_PYTHON = (3, 11)
# The worker finds its dependencies in its interpreter, and its code in the caller's tree: plugin root or package.
WORKER_CODE = "import sys; sys.path.insert(0, sys.argv[1]); from cairn.worker import main; main()"


def source_root() -> str:
    """The folder that holds this very `cairn` package."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def interpreters(home: str) -> tuple[str, str]:
    """The recorded interpreters of hooks and worker; "" for what is not recorded or no longer there."""
    try:
        with open(os.path.join(home, "python"), encoding="utf-8") as file:
            lines = (file.read() + "\n\n").splitlines()
    except (OSError, ValueError):
        return "", ""
    hook, worker = (line if os.access(line, os.X_OK) else "" for line in lines[:2])
    return hook, worker


def record(home: str, hook: str, worker: str) -> None:
    """Writes `$CAIRN_HOME/python`, whole or not at all."""
    path = os.path.join(home, "python")
    os.makedirs(home, mode=0o700, exist_ok=True)
    fresh = path + "." + str(os.getpid())
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(hook + "\n" + worker + "\n")
    os.replace(fresh, path)


def start_worker(home: str) -> bool:
    """Starts the detached worker with its stdio away from the client's pipes; False when no interpreter is known."""
    worker = interpreters(home)[1]
    if not worker:
        return False
    argv = [worker, "-I", "-c", WORKER_CODE, source_root()]
    if hasattr(os, "posix_spawn"):
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        try:
            os.posix_spawn(worker, argv, os.environ, file_actions=null, setsid=True)
            return True
        except NotImplementedError:
            pass  # a libc whose posix_spawn has no setsid: the slower way does the same
    import subprocess

    flags = {"creationflags": 0x00000208} if sys.platform == "win32" else {"start_new_session": True}
    null_io = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(argv, **null_io, **flags)  # type: ignore[call-overload]
    return True
