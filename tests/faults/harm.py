"""Harm done to a process at one of its steps: killed, told to stop, its disk full or failing, the power gone.

A step is a write of SQLite's, or a change of another file in the data home; for a kill or a signal also each SQL
statement that may change something. The same run takes the same steps, so that a campaign can go through all of them.
"""

from __future__ import annotations

import _sqlite3
import errno
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType, TracebackType
from typing import Any

from . import disk
from .disk import FULL, IOERR_WRITE, Disk

KILL, POWER, TORN, NO_SPACE, IO_ERROR = "kill -9", "power loss", "torn writes", "disk full", "I/O error"
CUTS = (POWER, TORN)
SIGNALS = {KILL: signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "SIGINT": signal.SIGINT}
HARMS = (*SIGNALS, POWER, TORN, NO_SPACE, IO_ERROR)
LAYER = (__file__, disk.__file__)
SECTOR = 512  # bytes that a disk writes whole
_CODES = {NO_SPACE: (errno.ENOSPC, FULL), IO_ERROR: (errno.EIO, IOERR_WRITE)}
_READS = ("SELECT", "PRAGMA", "--")  # the last: what a trigger does, which is told with its writes
LOGS = ("-wal", "-journal")
_CHANGES = {"os.rename": "rename", "os.remove": "remove", "os.mkdir": "mkdir", "os.rmdir": "rmdir"}


class Durable:
    """What is on the disk for sure: contents as of the last sync, names as of the last sync of their folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.contents: dict[str, bytes] = {}  # of files that were written since: what they held when last synced
        self.undo: list[tuple[str, Callable[[], None]]] = []  # (folder, how its change is lost), the newest last

    def written(self, path: str) -> None:
        """Something is about to be written to a file."""
        if path not in self.contents:
            self.contents[path] = _bytes(path)

    def synced(self, path: str) -> None:
        if os.path.isdir(path):
            self.undo = [(folder, lose) for folder, lose in self.undo if folder != path]
        else:
            self.contents[path] = _bytes(path)

    def renamed(self, source: str, target: str) -> None:
        was, new = _bytes(target) if os.path.exists(target) else None, _bytes(source)
        held = self.contents.pop(source, new)
        self.contents[target] = held
        folder = os.path.dirname(target)

        def lose() -> None:
            _restore(source, self.contents.pop(target, held))
            _restore(target, was)

        self.undo.append((folder, lose))

    def removed(self, path: str) -> None:
        if os.path.isfile(path):
            held = self.contents.pop(path, _bytes(path))
            self.undo.append((os.path.dirname(path), lambda: _restore(path, held)))

    def lose(self, torn: Random | None) -> None:
        """Makes the files what a cut leaves; `torn` decides which sectors that were not synced are there all the same,
        without it none is.
        """
        for _, lose in () if torn else reversed(self.undo):
            lose()
        for path, held in self.contents.items():
            if os.path.isfile(path):
                _restore(path, _torn(held, _bytes(path), torn) if torn else held)
        for path in self.home.glob("*-shm"):
            path.unlink()


def _torn(held: bytes, now: bytes, random: Random) -> bytes:
    length = random.choice((len(held), len(now)))
    parts = []
    for at in range(0, length, SECTOR):
        end = min(at + SECTOR, length)
        part = random.choice((held, now))[at:end]
        parts.append(part + bytes(end - at - len(part)))
    return b"".join(parts)


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _restore(path: str, held: bytes | None) -> None:
    if held is None:
        Path(path).unlink(missing_ok=True)
        return
    with open(path, "wb") as file:
        file.write(held)


class Harm:
    """A context in which this process counts its steps in a data home, and comes to harm at one: for good, so never
    entered but in a copy of a process. `at` counts from one; past the last step harm is done at the end. `tally` is
    told how many steps there were.
    """

    def __init__(self, home: Path, harm: str, at: int, tally: Callable[[int], None]) -> None:
        self.home = str(home)
        self.harm = harm
        self.at = at
        self.tally = tally
        self.steps = 0
        self.quiet = False  # while the layer itself looks at files
        self.durable = Durable(home)

    def __enter__(self) -> None:
        self.disk = Disk(self._on_disk)  # C holds pointers into it
        self.disk.install()
        self._wrap_os()
        self._wrap_connect()
        sys.addaudithook(self._on_audit)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self.quiet = True
        self.tally(self.steps)
        if self.harm in CUTS and self.steps < self.at:
            self._cut()

    def _cut(self) -> None:
        self.quiet = True
        if self.harm in CUTS:
            self.durable.lose(Random(self.at) if self.harm == TORN else None)
        os.kill(os.getpid(), signal.SIGKILL)

    def _step(self, what: str) -> bool:
        """Counts; whether this step is to fail, as all after it do."""
        if self.harm == POWER and what == "write":
            return False  # it is lost anyway, unless a sync comes first
        self.steps += 1
        if self.harm in _CODES:
            return self.steps >= self.at
        if self.steps == self.at:
            self._signal() if self.harm in SIGNALS else self._cut()
        return False

    def _signal(self) -> None:
        """What kills does so here; what Python answers to is sent when C has returned: Python itself waits for that."""
        number = SIGNALS[self.harm]
        if signal.getsignal(number) in (signal.SIG_DFL, None):
            os.kill(os.getpid(), number)

        def deliver(frame: FrameType | None, event: str, what: object) -> None:
            while frame and frame.f_code.co_filename not in LAYER:
                frame = frame.f_back
            if frame is None:
                sys.setprofile(None)
                os.kill(os.getpid(), number)

        sys.setprofile(deliver)

    def _on_statement(self, sql: str) -> None:
        if self.harm in SIGNALS and not self.quiet and not sql.startswith(_READS):
            self._step("statement")

    def _on_disk(self, what: str, path: str) -> int:
        if self.quiet or not path.startswith(self.home):
            return 0
        self.quiet = True
        try:
            if what == "synced":
                self.durable.synced(path)
                if path.endswith(LOGS):  # SQLite syncs the folder of a log that it has made with the log
                    self.durable.synced(os.path.dirname(path))
                return 0
            if self._step(what):
                return _CODES[self.harm][1]
            if what in ("write", "truncate"):
                self.durable.written(path)
            elif what == "remove":
                self.durable.removed(path)
            return 0
        finally:
            self.quiet = False

    def _on_audit(self, event: str, given: tuple[Any, ...]) -> None:
        if self.quiet:
            return
        if event == "open":
            if isinstance(given[0], str) and given[2] & (os.O_WRONLY | os.O_RDWR):
                self._change("open", given[0], "")
        elif event in _CHANGES:
            self._change(_CHANGES[event], *(os.fspath(one) if isinstance(one, str | Path) else "" for one in given[:2]))

    def _change(self, what: str, path: str, target: str = "") -> None:
        if self.quiet or not path.startswith(self.home):
            return
        self.quiet = True
        try:
            self._may_fail(what, path)
            if what == "open":
                self.durable.written(path)
            elif what == "rename":
                self.durable.renamed(path, target)
            elif what == "remove":
                self.durable.removed(path)
        finally:
            self.quiet = False

    def _may_fail(self, what: str, path: str) -> None:
        if self._step(what):
            number = _CODES[self.harm][0]
            raise OSError(number, os.strerror(number), path)

    def _wrap_connect(self) -> None:
        connect = sqlite3.connect

        def watched_connect(*given: Any, **more: Any) -> sqlite3.Connection:
            made = connect(*given, **more)
            made.set_trace_callback(self._on_statement)
            return made

        for module in (sqlite3, sqlite3.dbapi2, _sqlite3):
            module.connect = watched_connect

    def _wrap_os(self) -> None:
        """The calls that Python does not tell of: a write and a sync by descriptor, and the end without a word."""
        write, fsync, leave = os.write, os.fsync, os._exit

        def watched_write(fd: int, data: bytes) -> int:
            self._change("write", self._path_of(fd))
            return write(fd, data)

        def watched_fsync(fd: int) -> None:
            path = self._path_of(fd)
            self._change("fsync", path)
            fsync(fd)
            self._synced(path)

        def watched_exit(code: int) -> None:
            self._end()
            leave(code)

        os.write, os.fsync, os._exit = watched_write, watched_fsync, watched_exit

    def _path_of(self, fd: int) -> str:
        try:
            return "" if self.quiet else os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            return ""

    def _synced(self, path: str) -> None:
        if path.startswith(self.home):
            self.quiet = True
            self.durable.synced(path)
            self.quiet = False
