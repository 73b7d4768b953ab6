"""Databases that are not as they should be: locked, read-only, cut off, of another kind, beside a strange log.

Every hook and the commands of every day meet each. None may hang or end in a traceback, what is not ours or newer stays
as it is, and once the database is right again, all that was accepted meanwhile is in it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from keepstone.db.reader import SCHEMA
from keepstone.spool import queue, spool
from support import ROOT, Machine, copied, forked

from .disk import Disk
from .result import Result
from .scenarios import corruption, every_event, heard, lived, run_hook, unheard

PAGE = 4_096
PAGES = 60  # fewer than a store has that holds something
LIMIT = 20  # seconds that a hook or a command may take here; what takes longer hangs
ASKED = (
    ("recent",),
    ("search", "staging host"),
    ("store", "The proxy speaks only HTTP/1.1 to the old gateway"),
    ("status",),
    ("doctor",),
    ("worker", "run", "--wait"),
    ("worker", "run-all"),
    ("export", "OUT"),
)
Back = Callable[[], None]  # puts a database right again


@dataclass(frozen=True, slots=True)
class State:
    """`spoil` makes a database what the name says. `stays`: it is never put right, but used as it is; `guarded`: no
    command may change the file; `bound`: who comes has no more rights than the file gives.
    """

    name: str
    spoil: Callable[[Path], Back]
    stays: bool = False
    guarded: bool = False
    bound: bool = False


def _put_back(path: Path) -> Back:
    """Takes the database and its logs away; how all of it comes back."""
    held = {end: _bytes(path, end) for end in ("", "-wal")}

    def back() -> None:
        _clear(path)
        for end, data in held.items():
            if data is not None:
                Path(f"{path}{end}").write_bytes(data)

    return back


def _bytes(path: Path, end: str) -> bytes | None:
    file = Path(f"{path}{end}")
    return file.read_bytes() if file.is_file() else None


def _clear(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        file = Path(f"{path}{end}")
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


def _held(*statements: str) -> Callable[[Path], Back]:
    """Another process holds a lock, and doesn't let go."""

    def spoil(path: Path) -> Back:
        ready, told = os.pipe()
        pid = os.fork()
        if not pid:
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                for sql in statements:
                    database.execute(sql).fetchall()
                os.write(told, b".")
                signal.pause()
            os._exit(0)
        os.close(told)
        os.read(ready, 1)
        os.close(ready)

        def back() -> None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

        return back

    return spoil


def _instead(make: Callable[[Path], object]) -> Callable[[Path], Back]:
    """Something else stands in the database's place."""

    def spoil(path: Path) -> Back:
        back = _put_back(path)
        _clear(path)
        make(path)
        return back

    return spoil


def _told(*statements: str) -> Callable[[Path], Back]:
    def spoil(path: Path) -> Back:
        back = _put_back(path)
        _run(path, *statements)
        return back

    return spoil


def _run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for sql in statements:
            database.execute(sql)


def _beside(end: str, make: Callable[[Path], bytes | None]) -> Callable[[Path], Back]:
    """Another file than its own beside the database."""

    def spoil(path: Path) -> Back:
        back, data, file = _put_back(path), make(path), Path(f"{path}{end}")
        if data is None:
            file.unlink(missing_ok=True)
        else:
            file.write_bytes(data)
        return back

    return spoil


def _foreign_log(path: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(f"{folder}/other.db")) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("CREATE TABLE notes (text)")
        other.commit()
        return Path(f"{folder}/other.db-wal").read_bytes()


def _modes(file: int, folder: int) -> Callable[[Path], Back]:
    def spoil(path: Path) -> Back:
        path.chmod(file)
        path.parent.chmod(folder)

        def back() -> None:
            path.parent.chmod(0o755)
            path.chmod(0o644)

        return back

    return spoil


NEWER = (f"PRAGMA user_version = {SCHEMA + 1}", f"INSERT OR REPLACE INTO setting VALUES ('min_reader', '{SCHEMA + 1}')")
THEIRS = ("CREATE TABLE memory (text)", "INSERT INTO memory VALUES ('theirs')")
EXCLUSIVE = ("PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", "DELETE FROM usage")


def _older(number: int) -> State:
    data = ROOT / "tests" / "data" / f"schema-{number}.db"
    return State(f"of schema {number}", _instead(lambda path: shutil.copy(data, path)), stays=True)


STATES = (
    State("read by another", _held("BEGIN", "SELECT count(*) FROM memory")),
    State("written by another", _held("BEGIN IMMEDIATE")),
    State("locked exclusively", _held(*EXCLUSIVE)),
    State("locked, without a log", _held("PRAGMA journal_mode=DELETE", "BEGIN EXCLUSIVE")),
    State("a read-only file", _modes(0o444, 0o755), guarded=True, bound=True),
    State("a read-only folder", _modes(0o644, 0o555), bound=True),
    State("both read-only", _modes(0o444, 0o555), guarded=True, bound=True),
    State("missing", _instead(lambda path: None), stays=True),
    State("empty", _instead(Path.touch), stays=True),
    State("garbage", _instead(lambda path: path.write_bytes(b"this is no database\n" * 5_000)), guarded=True),
    State("a folder", _instead(Path.mkdir), guarded=True),
    State("a FIFO", _instead(os.mkfifo), guarded=True),
    State("a link to nothing", _instead(lambda path: path.symlink_to(path.parent / "gone" / "away"))),
    State("newer", _told(*NEWER), guarded=True),
    *(_older(number) for number in (1, 3, 5)),
    State("another program's", _instead(lambda path: _run(path, *THEIRS)), guarded=True),
    State("of its schema 3", _instead(lambda path: _run(path, *THEIRS, "PRAGMA user_version = 3")), guarded=True),
    State("without its log", _beside("-wal", lambda path: None), stays=True),
    State("a foreign log", _beside("-wal", _foreign_log)),
    State("a torn log", _beside("-wal", lambda path: (_bytes(path, "-wal") or b"")[: PAGE + 100]), stays=True),
    State("a garbage log", _beside("-wal", lambda path: b"\xff" * 3 * PAGE), stays=True),
    State("a garbage index of the log", _beside("-shm", lambda path: b"\xff" * 32_768), stays=True),
)


def cut(length: int) -> State:
    def spoil(path: Path) -> Back:
        back, whole = _put_back(path), path.read_bytes()
        _clear(path)
        path.write_bytes(whole[:length])
        return back

    return State(f"cut to {length:,} bytes", spoil, guarded=True)


def lengths(every: int) -> list[int]:
    """Within the head, and at each `every`th page's border; a single byte is as good as none to SQLite."""
    return [50, 100, *range(PAGE, PAGES * PAGE, PAGE * every), PAGES * PAGE - 1]


class Meeting:
    """A machine whose database is spoiled, and what came of it."""

    def __init__(self, machine: Machine, state: State) -> None:
        self.machine = machine
        self.path = machine.home / "keepstone.db"
        self.state = state
        self.made = Result("database", state.name)
        self.stored: list[str] = []

    def run(self, asked: Sequence[Sequence[str]]) -> Result:
        before = contents(self.path)
        back = self.state.spoil(self.path)
        if self.state.stays:
            before = contents(self.path)
        looks = _look(self.path)
        self._hooks()
        for words in asked:
            self._command(words)
        if self.state.guarded and _look(self.path) != looks:
            self.made.corrupt.append("what was to stay as it is has changed")
        if not self.state.stays:
            back()
        self._afterwards(before)
        return self.made

    def _hooks(self) -> None:
        for event, said in every_event(self.machine, heard(self.machine)):
            done = self._met(lambda event=event, said=said: run_hook(event, said))
            if done.returncode or done.stderr or "Traceback" in done.stdout:
                self._unclear(event, done.returncode, done.stderr)

    def _command(self, words: Sequence[str]) -> None:
        out = str(self.machine.root / "out.jsonl")
        done = self._met(lambda: None, [out if word == "OUT" else word for word in words])
        told = words[0] == "doctor" or done.returncode == 0 or done.stderr.startswith("Error: ")
        if done.returncode not in (0, 1) or "Traceback" in done.stderr or not told:
            self._unclear(words[0], done.returncode, done.stderr)
        if words[0] == "store" and done.returncode == 0:
            self.stored.append(words[1])

    def _met(self, act: Callable[[], None], words: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        self.made.steps += 1
        self.made.done += 1
        around = _bounds(self.state.bound)
        if words:
            return forked(tuple(words), self.machine.env, self.machine.project, around)
        return copied(act, self.machine.env, self.machine.project, around)

    def _unclear(self, what: str, code: int, complaint: str) -> None:
        self.made.unclear.append(f"{what}: exit {code}: {complaint.strip()[-300:]}")

    def _afterwards(self, before: list[str]) -> None:
        """Everything that was there, and everything that was accepted."""
        home = str(self.machine.home)
        for name in spool.list_jobs(home, "new"):  # once the back-off has passed of those that have failed
            queue.rewrite(home, "new", name, lambda payload: {**payload, "not_before": 0})
        done = self.machine.keepstone("worker", "run", "--wait", ok=False)
        if done.returncode:
            self._unclear("work, once it is right again", done.returncode, done.stderr)
        there = contents(self.path)
        self.made.lost += [f"{text!r}" for text in (*before, *self.stored) if text not in there]
        with suppress(sqlite3.Error):
            self.made.lost += unheard(self.machine)
        self.made.corrupt += corruption(self.machine)


def contents(path: Path) -> list[str]:
    """What the memories say, looked up in a copy: a look leaves traces beside a database. Nothing where nothing can be
    read.
    """
    with tempfile.TemporaryDirectory() as folder, suppress(sqlite3.Error):
        for end in ("", "-wal"):
            if Path(f"{path}{end}").is_file():
                shutil.copy(f"{path}{end}", f"{folder}/keepstone.db{end}")
        with closing(sqlite3.connect(f"{folder}/keepstone.db")) as database:
            return [row[0] for row in database.execute("SELECT content FROM memory ORDER BY 1")]
    return []


def _look(path: Path) -> tuple[int, bytes | None]:
    return (stat.S_IFMT(path.lstat().st_mode), _bytes(path, "")) if os.path.lexists(path) else (0, None)


def _give_up_rights() -> None:
    """Lets root be bound by permissions as anybody is: an empty set of capabilities (capset(2))."""
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    if ctypes.CDLL(None, use_errno=True).capset(header, nothing):
        raise OSError(ctypes.get_errno(), "capset")


@contextmanager
def _bounds(bound: bool) -> Iterator[None]:
    """In a copy of this process: its time is bounded, a wait for a lock takes none, and with `bound` root has no more
    rights than its files give.
    """
    disk = Disk(lambda what, path: 0, waits=False)
    disk.install()
    if bound:
        _give_up_rights()
    signal.alarm(LIMIT)
    yield
    del disk  # not earlier: C holds pointers into it


def prepare(machine: Machine) -> None:
    """A store that holds something, not all of it outside of the log yet."""
    machine.record_interpreters(idle=True)  # no worker of a hook's comes in between
    lived(machine)
    event = machine.event("session-8", source="startup")
    copied(lambda: run_hook("session-start", event), machine.env, machine.project)
    assert (machine.home / "keepstone.db-wal").stat().st_size


def meet(states: Sequence[State], asked: Sequence[Sequence[str]] = ASKED) -> Iterator[Result]:
    with tempfile.TemporaryDirectory(prefix="keepstone-states-") as folder:
        root, kept = Path(folder) / "machine", Path(folder) / "kept"
        machine = Machine(root)
        prepare(machine)
        assert (machine.home / "keepstone.db").stat().st_size >= PAGES * PAGE
        shutil.copytree(root, kept, symlinks=True)
        for state in states:
            shutil.rmtree(root)
            shutil.copytree(kept, root, symlinks=True)
            yield Meeting(machine, state).run(asked)
