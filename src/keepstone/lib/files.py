"""Writes small files in the data home atomically, and locks it. Hot module."""

from __future__ import annotations

import os
import sys


def write(path: str, text: str | bytes, mode: int = 0o600) -> None:
    """Replaces a file atomically. Creates its folder if it is missing. Raises OSError if that fails; the old file is
    then unchanged.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    new = temp_path(path)
    try:
        # bytes that were not valid UTF-8 when read are written back unchanged
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
    """Returns the path of the temporary file that this process writes before it renames it to `path`."""
    return path + "." + str(os.getpid())


def read(path: str) -> str:
    """Returns a file's text, or "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def read_and_remove(path: str) -> str:
    """Returns a file's text and removes the file. If several processes call this at once, one gets the text and the
    others get "".
    """
    mine = path + "." + str(os.getpid())
    try:
        os.rename(path, mine)
    except OSError:
        return ""
    text = read(mine)
    os.unlink(mine)
    return text


def size_of(path: str) -> int | None:
    """Returns the size of a regular file in bytes, or None for anything else."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size if found.st_mode & 0o170000 == 0o100000 else None


def names_in(folder: str) -> list[str]:
    """Returns the names in a folder, sorted; none if it can't be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def create_exclusive(path: str, text: str = "") -> bool:
    """Creates a file. Returns False if it exists or cannot be created: of several processes, only one gets True."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return False
    return True


def try_create(folder: str) -> OSError | None:
    """Returns why no file can be created in a folder, or None. Creates the folder if it is missing. It tries: a disk
    without inodes denies what its rights allow.
    """
    path = os.path.join(folder, ".try." + str(os.getpid()))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(path)
    except OSError as problem:
        return problem
    return None


def refuses(paths: list[str], right: int) -> str:
    """Returns the first of some files and folders that exists and denies this user a right (os.R_OK, os.W_OK), "" for
    none.
    """
    return next((path for path in paths if os.path.lexists(path) and not os.access(path, right)), "")


def remove(path: str) -> None:
    """Removes a file if it exists."""
    try:
        os.unlink(path)
    except OSError:
        pass


def sync_folder(path: str) -> None:
    """Syncs a folder to disk, so that renames and removals in it survive a power cut. Raises OSError if that fails."""
    if os.name == "nt":
        return  # Windows cannot open a folder to sync it
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def open_streams() -> None:
    """Reopens closed standard streams on /dev/null, so that no other file gets their descriptor and our output."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != fd:
                os.dup2(null, fd)
                os.close(null)
            setattr(sys, name, open(fd, "w" if fd else "r", encoding="utf-8"))


def lock(home: str, wait: bool = False, name: str = "worker") -> int | None:
    """Takes a lock of the data home. Returns a descriptor for `unlock`, or None if another process holds the lock."""
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
    """Holds a lock for a `with` block. Waits until no other process holds it."""

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
    """Returns the first `limit` bytes of a regular file as text, or "" for anything else. Reading a pipe could block
    forever.
    """
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
