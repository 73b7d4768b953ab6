"""Small files in the data home, written whole or not at all, and its locks. Hot module."""

from __future__ import annotations

import os
import sys


def write(path: str, text: str | bytes, mode: int = 0o600) -> None:
    """Replaces a file at once; its folder is made when it is missing. Raises OSError, and then nothing has changed."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    new = temp_path(path)
    try:
        # bytes of somebody else's that were no text go back as they came
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(new, mode)
        os.replace(new, path)
    except OSError:
        remove(new)
        raise


def temp_path(path: str) -> str:
    """Where this process writes a file before it stands under its name."""
    return path + "." + str(os.getpid())


def read(path: str) -> str:
    """A file's text, "" when it can't be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def read_and_remove(path: str) -> str:
    """A file's text, which is gone then; of several that take it at once only one gets it, the others ""."""
    mine = path + "." + str(os.getpid())
    try:
        os.rename(path, mine)
    except OSError:
        return ""
    text = read(mine)
    os.unlink(mine)
    return text


def create_exclusive(path: str, text: str = "") -> bool:
    """Makes a file that was not there; of several that begin it at once only one is told True."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return False
    return True


def writable(folder: str) -> bool:
    """Whether files can be made in a folder, which itself is made when it is missing."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def remove(path: str) -> None:
    """Removes a file that may be gone already."""
    try:
        os.unlink(path)
    except OSError:
        pass


def sync_folder(path: str) -> None:
    """Makes what was named, renamed and removed in a folder last through a power cut. Raises OSError."""
    if os.name == "nt":
        return  # Windows has no descriptor of a folder to sync
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def open_streams() -> None:
    """Opens what a caller has closed of this process's streams: else the next file gets that number, and all that is
    printed.
    """
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != fd:
                os.dup2(null, fd)
                os.close(null)
            setattr(sys, name, open(fd, "w" if fd else "r", encoding="utf-8"))


def lock(home: str, wait: bool = False, name: str = "worker") -> int | None:
    """Takes a lock of the data home. Returns a descriptor to `unlock`, or None while another process holds it."""
    os.makedirs(home, mode=0o700, exist_ok=True)
    fd = os.open(os.path.join(home, name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


class FileLock:
    """Holds a lock for a `with` block. Waits while another process holds it."""

    def __init__(self, home: str, name: str) -> None:
        self.home = home
        self.name = name

    def __enter__(self) -> None:
        self.held = lock(self.home, True, self.name)

    def __exit__(self, *problem: object) -> None:
        if self.held is not None:
            unlock(self.held)


def unlock(fd: int) -> None:
    os.close(fd)


def read_start(path: str, limit: int) -> str:
    """The beginning of a regular file, "" for anything else: a pipe of that name would wait for ever."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        regular = os.fstat(fd).st_mode & 0o170000 == 0o100000
        return os.read(fd, limit).decode("utf-8", "replace") if regular else ""
    except OSError:
        return ""
    finally:
        os.close(fd)
