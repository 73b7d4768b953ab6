"""What tests share: a user's machine with real hooks as processes, and transcripts as the client writes them."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import IO

import pytest

import engines
import keepstone
from keepstone import Memory, worker
from keepstone.cli import main
from keepstone.config.provenance import note_home
from keepstone.spool import spool

for module in pkgutil.walk_packages(keepstone.__path__, "keepstone."):
    if module.name not in (
        "keepstone.__main__",
        "keepstone.capture.extractors.anthropic_sdk",
    ):  # its import takes a second, and one file of tests needs it
        importlib.import_module(module.name)  # for the copies of this process: see `forked`

ROOT = engines.ROOT


def require(tool: str, found: object, line: str) -> None:
    """Skips a test whose tool is missing, saying what to type; a failure instead where KEEPSTONE_REQUIRE names the
    tool.
    """
    if found:
        return
    message = f"needs {tool}. Try: {line}"
    if tool in os.environ.get("KEEPSTONE_REQUIRE", "").split(","):
        pytest.fail(message)
    pytest.skip(message)


def plugin_at(place: Path, replaced: dict[str, str] | None = None) -> Path:
    """A copy of the plugin, in which other paths stand for the system's own interpreters (`replaced`)."""
    place.mkdir(parents=True)
    for part in ("hooks", "src", "bin"):
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
    for lock in ("requirements.lock", "requirements-all.lock"):
        shutil.copy2(ROOT / lock, place)
    for name in ("src/find-python.sh", "src/keepstone/admin/bootstrap.py") if replaced else ():
        text = (place / name).read_text()
        for system, other in replaced.items():
            text = text.replace(system, other)
        (place / name).write_text(text)
    return place


def in_process(words: tuple[str, ...], env: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command line without starting a program: in this process, or from another thread, beside which the
    tests' own environment has to stay as it is, in a copy of it.
    """
    run = called if threading.current_thread() is threading.main_thread() else forked
    return run(words, env, folder)


def called(words: tuple[str, ...], env: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command line in this process, with its own environment, folder and streams; what it changes of the
    process is put back. Where the process itself is the point, use `forked`.
    """
    before = dict(os.environ), os.getcwd(), os.umask(0o022), sys.argv, (sys.stdin, sys.stdout, sys.stderr)
    os.umask(before[2])
    for stream in before[4]:
        with suppress(ValueError, OSError):
            stream.flush()
    kept = [os.dup(number) for number in (0, 1, 2)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            _become(env, folder, out.fileno(), err.fileno())
            sys.argv = ["keepstone", *words]
            code = _code_of(main.main)
        finally:
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                stream.close()  # of its buffer: the number is the tests' own again
            for number, old in enumerate(kept):
                os.dup2(old, number)
                os.close(old)
            os.environ.clear()
            os.environ.update(before[0])
            os.chdir(before[1])
            os.umask(before[2])
            sys.argv, (sys.stdin, sys.stdout, sys.stderr) = before[3:]
        return subprocess.CompletedProcess(["keepstone", *words], code, _text(out), _text(err))


def _code_of(act: Callable[[], None]) -> int:
    """Does something to its end, whatever end that is; the exit code that a process would have."""
    try:
        act()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001  it must not go on as the tests
        traceback.print_exc()
        return 99
    return 0


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def forked(
    words: tuple[str, ...], env: dict[str, str], folder: Path, around: AbstractContextManager[None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command line with its own environment, folder, streams and end, as a copy of this process; `around` is
    entered there.
    """

    def run() -> None:
        sys.argv = ["keepstone", *words]
        main.main()

    return copied(run, env, folder, around)


def copied(
    act: Callable[[], None], env: dict[str, str], folder: Path, around: AbstractContextManager[None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Does something in a copy of this process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = _copy(act, env, folder, out.fileno(), err.fileno(), around)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return subprocess.CompletedProcess(sys.argv, code, _text(out), _text(err))


def _copy(
    act: Callable[[], None],
    env: dict[str, str],
    folder: Path,
    out: int,
    err: int,
    around: AbstractContextManager[None] | None = None,
) -> int:
    """Begins something in a copy of this process; its number."""
    warm()
    _close_databases()
    pid = os.fork()
    if not pid:
        code = 99

        def become_and_act() -> None:
            signal.alarm(600)
            _become(env, folder, out, err)
            with around or nullcontext():
                act()

        try:
            code = _code_of(become_and_act)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return pid


def _close_databases() -> None:
    """Closes the connections that are garbage here. In a copy of this process SQLite takes an inherited connection for
    one of its own, and holds no lock on that database (sqlite.org/howtocorrupt.html, 2.6).
    """
    if _open_databases():
        gc.collect()
        assert not (left := _open_databases()), f"a copy of this process would read these without a lock: {left}"


def _open_databases() -> set[str]:
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.add(os.readlink(f"/proc/self/fd/{number}"))
    return {path for path in found if path.endswith("-shm")}


class Begun:
    """A command line that runs on beside the tests, as a copy of this process: what they need of a Popen. `before` is
    done there first.
    """

    def __init__(
        self, words: tuple[str, ...], env: dict[str, str], folder: Path, before: Callable[[], None] = lambda: None
    ) -> None:
        (out, told), (err, complained) = os.pipe(), os.pipe()
        self.stdout, self.stderr = open(out, encoding="utf-8"), open(err, encoding="utf-8")  # noqa: SIM115
        self.returncode: int | None = None

        def run() -> None:
            gc.freeze()  # what is garbage to the tests is theirs to end
            _let_go_of_files()
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
            before()
            sys.argv = ["keepstone", *words]
            main.main()

        self.pid = _copy(run, env, folder, told, complained)
        os.close(told)
        os.close(complained)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, seconds: float) -> int:
        until = time.monotonic() + seconds
        while self.poll() is None:
            assert time.monotonic() < until, "it does not end"
            time.sleep(0.01)
        return self.poll()


def _let_go_of_files() -> None:
    """Keeps nothing open that the tests have open, and keeps its numbers taken: an object of theirs that ends here,
    such as a mapped table that a cache drops, closes its number, which must not be a database's by then.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number != null:
            os.dup2(null, number, inheritable=False)


@cache
def warm() -> None:
    """Does once what every command does first, so that the copies of this process need not: the tables are mapped, the
    statements of a store and of a capture are compiled. What is there then is garbage to no copy: one that looked for
    garbage among it would have to copy all the memory that it looks at.
    """
    with tempfile.TemporaryDirectory() as root:
        machine = Machine(Path(root) / "machine")
        machine.store("Deploys need the VPN")
        Sessions(machine).say("I prefer tabs over spaces")
        machine.store("Deploys need no VPN")
    gc.collect()
    gc.freeze()


def _become(env: dict[str, str], folder: Path, out: int, err: int) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    null = os.open(os.devnull, os.O_RDONLY)
    for number, given in enumerate((null, out, err)):
        os.dup2(given, number)
    os.close(null)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))


def git(*words: str, cwd: Path) -> None:
    """Runs git as somebody."""
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always", *words]
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


def tree(folder: Path) -> dict[str, tuple[str, str, bytes]]:
    """All that lies in a folder: of each path its kind, its mode, and what it holds or leads to."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = oct(path.lstat().st_mode & 0o7777)
        if path.is_symlink():
            found[str(path.relative_to(folder))] = ("link", mode, os.readlink(path).encode())
        elif path.is_dir():
            found[str(path.relative_to(folder))] = ("folder", mode, b"")
        else:
            found[str(path.relative_to(folder))] = ("file", mode, path.read_bytes())
    return found


def known_home(home: Path) -> None:
    """Has a data home that its user has opened outside of a session. The system knows of no test's HOME, and a session
    opens none that only a variable names.
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    home.chmod(0o700)
    note_home(str(home), {})


# a pty in a process of its own: the tests' own process is told nothing of the child's terminal
PTY = """
import fcntl, json, os, pty, struct, sys, termios
columns, answers, argv = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
shown, at = b"", 0
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
    if answers and shown[at:].endswith((b"] ", b"]: ", b"? ")):
        at = len(shown)
        os.write(fd, answers.pop(0).encode() + b"\\n")
sys.stdout.write(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


class Machine:
    """One user's machine: a HOME, a data home and a project folder, and nothing of the real environment."""

    def __init__(self, root: Path, plugin: Path = ROOT) -> None:
        self.root = root
        self.plugin = plugin
        self.user_home = root / "user"
        self.home = self.user_home / ".local" / "share" / "keepstone"
        self.project = root / "acme shop"
        self.user_home.mkdir(parents=True)
        self.project.mkdir()
        self.env = {"HOME": str(self.user_home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        self.env["KEEPSTONE_NO_BOOTSTRAP"] = "1"  # a machine builds no venv unless that is what is tested

    def record_interpreters(
        self, hook: str = "/usr/bin/python3", worker: str = sys.executable, idle: bool = False, deferred: bool = False
    ) -> None:
        """Records which Pythons run hooks and worker. An `idle` worker is started and does nothing, but for saying that
        it is Python. A `deferred` one notes with what environment it was started: `settle` does its work then, in a
        copy of this process, which takes a fifth of the time of a process that has to import all.
        """
        if idle or deferred:
            note = f"env -0 > '{self.started}.$$' && exec mv '{self.started}.$$' '{self.started}'"
            lines = (
                ("case $* in *'sys.exit('*) exit 17 ;; esac",)
                if idle
                else (
                    f"case $* in *'worker.main()'*) {note} ;; esac",
                    f"exec '{worker}' \"$@\"",
                )
            )
            worker = str(self.root / "python3")
            Path(worker).write_text("\n".join(("#!/bin/sh", *lines, "")))
            os.chmod(worker, 0o755)
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.home / "python").write_text(f"{hook if os.path.exists(hook) else worker}\n{worker}\n")

    def choose(self, variable: str, value: str) -> None:
        """Sets a variable as a user does who wants it in sessions too: in the client's settings and in the shell."""
        settings = self.user_home / ".claude" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps({"env": {variable: value}}))
        self.env[variable] = value

    def hook(
        self, event: str, stdin: bytes | dict[str, object] | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a hook executable as the client does. `stdin` is what the client says, or raw bytes."""
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin or {}).encode()
        done = subprocess.run(
            [str(self.plugin / "hooks" / event)],
            input=data,
            capture_output=True,
            env={**self.env, **env},
            cwd=self.project,
            timeout=60,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def keepstone(self, *words: str, ok: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs the command line in the project folder: in this process, or as a copy of it beside other threads of a
        test. What says how Python itself starts is for a process that is started anew.
        """
        if any(
            name.startswith(("PYTHON", "LANG", "LC_")) for name in {**self.env, **env} if name != "LANG" or name in env
        ):
            return self.command([sys.executable, "-m", "keepstone", *words], ok, **env)
        done = in_process(words, {**self.env, **env}, self.project)
        assert not ok or done.returncode == 0, done.stderr
        return done

    def bin(self, *words: str, ok: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs the plugin's own `bin/keepstone` in the project folder, as the client's Bash tool does."""
        return self.command([str(self.plugin / "bin" / "keepstone"), *words], ok, **env)

    def command(self, words: list[str], ok: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs a program in the project folder."""
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            env={**self.env, **env},
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            timeout=600,
        )
        assert not ok or done.returncode == 0, done.stderr
        return done

    def terminal(self, words: list[str], answers: list[str], columns: int = 80, **env: str) -> tuple[int, str]:
        """Runs `keepstone` on a terminal and types the answers; (its exit code, the screen)."""
        argv = [sys.executable, "-c", PTY, str(columns), json.dumps(answers), sys.executable, "-m", "keepstone", *words]
        done = subprocess.run(
            argv, env={**self.env, **env}, cwd=self.project, capture_output=True, text=True, timeout=60
        )
        return done.returncode, done.stdout

    def memories(self, *words: str) -> list[dict[str, object]]:
        return json.loads(self.keepstone("recent", "--json", "--limit", "1000", *words).stdout)

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """Runs one statement on the database, behind Keepstone's back."""
        return engines.rows(self.database, statement)

    @property
    def database(self) -> str:
        """Where its memories are: a file, or an address of PostgreSQL."""
        return self.env.get("KEEPSTONE_DATABASE_URL", str(self.home / "keepstone.db"))

    def new_database(self) -> str:
        """Where its memories are, made now if it is a file."""
        return self.env.get("KEEPSTONE_DATABASE_URL") or engines.new(self.database)

    def another(self) -> dict[str, str]:
        """The environment of somebody with a database of their own."""
        return {**self.env, "KEEPSTONE_DATABASE_URL": engines.new("")} if engines.IS_POSTGRES else self.env

    def store(self, text: str) -> None:
        """Stores a memory as `keepstone store` does, in this process: a hundred processes would take a minute."""
        self.new_database()
        Memory(str(self.home), str(self.project), self.env).store(text)

    def event(self, session: object = "session-1", **more: object) -> dict[str, object]:
        return {"session_id": session, "cwd": str(self.project), **more}

    @property
    def started(self) -> Path:
        """The note of a deferred worker that was started, until its work is done."""
        return self.root / "worker started"

    def settle(self, seconds: float = 20.0) -> None:
        """Waits until no worker of this machine runs and the spool is empty."""
        self.settle_processes(seconds)
        self._wait(lambda: not self.processes() and not self.jobs(), seconds)

    def settle_processes(self, seconds: float = 20.0) -> None:
        """Waits until no worker of this machine runs, whatever is left in the spool."""
        self._wait(lambda: not self.processes(), seconds)
        if self.started.exists():
            env = dict(one.split("=", 1) for one in self.started.read_text().split("\0") if one)
            self.started.unlink()
            done = copied(worker.main, env, Path(os.sep))
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def _wait(self, quiet: Callable[[], bool], seconds: float) -> None:
        """Twice in a row: a process that has just started does not show its environment yet."""
        until, times = time.monotonic() + seconds, 0
        while times < 2:
            times = times + 1 if quiet() else 0
            assert time.monotonic() < until, f"still at work: {self.processes()}, {self.jobs()}"
            time.sleep(0.03)

    @contextmanager
    def on_small_disk(self, size: str) -> Iterator[None]:
        """Has the data home on a disk of this size, where this user may mount one."""
        self.home.mkdir(parents=True, exist_ok=True)
        kept = (self.home / "python").read_bytes()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(self.home)]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
            require("mount", False, "run the tests as root (RLIMIT_FSIZE stands in elsewhere)")
        (self.home / "python").write_bytes(kept)
        try:
            yield
        finally:
            self.settle_processes()
            subprocess.run(["umount", "-l", str(self.home)], check=True)

    def fill_disk(self) -> Path:
        """Fills the data home's disk. Returns the file that does."""
        filler = self.home / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
        except OSError:
            return filler

    def jobs(self) -> list[Path]:
        return [path for folder in ("new", "taken") for path in (self.home / "spool" / folder).glob("*")]

    @property
    def mark(self) -> str:
        """What tells this machine's processes from others, in their environment."""
        return f"HOME={self.user_home}"

    def processes(self) -> list[int]:
        """Processes that have this machine's mark in their environment (Linux)."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found


_moments = count()  # microseconds: every line has another time


class Transcript:
    """A transcript file that grows as the client writes it. In a `linked` one each record follows the one before, a
    second later.
    """

    def __init__(
        self,
        path: Path,
        cwd: Path | str,
        session: str = "session-1",
        day: str = "2026-11-08",
        linked: bool = False,
    ) -> None:
        self.path = path
        self.day = day
        self.cwd = str(cwd)
        self.session = session
        self.linked = linked
        self.last: str | None = None
        self.parents: dict[str, str | None] = {}
        self.prompts: list[str] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def line(self, record: dict[str, object]) -> str:
        """Appends a record with the keys every conversation line has; its uuid."""
        record_uuid = str(record.get("uuid") or uuid.uuid4())
        whole = {
            "parentUuid": None,
            "isSidechain": False,
            "uuid": record_uuid,
            "timestamp": f"{self.day}T10:00:00.{next(_moments) % 1_000_000:06}Z",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.332",
            "gitBranch": "main",
            **(self._link() if self.linked else {}),
            **record,
        }
        self.parents[record_uuid] = whole["parentUuid"] or whole.get("logicalParentUuid")
        if not whole["isSidechain"]:
            self.last = record_uuid
        with self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:  # as the client: JSON's escapes
            file.write(json.dumps(whole, ensure_ascii=False) + "\n")
        return record_uuid

    def _link(self) -> dict[str, object]:
        minutes, seconds = divmod(len(self.parents), 60)
        at = f"{self.day}T10:{minutes:02}:{seconds:02}.{next(_moments) % 1_000_000:06}Z"
        return {"parentUuid": self.last, "timestamp": at}

    def start(self) -> str:
        """What the client writes first: that a hook ran."""
        return self.line({"type": "attachment", "attachment": {"type": "hook_success", "hookName": "SessionStart"}})

    def turn(self, text: str, reply: str = "Done.") -> str:
        """A prompt with its reply, and what the client writes after it; the prompt's record."""
        made = self.user(text)
        self.prompts.append(made)
        self.assistant(reply)
        self.line({"type": "system", "subtype": "turn_duration", "durationMs": 12})
        return made

    def chain(self) -> set[str]:
        """The records that the conversation holds now."""
        found, record = set(), self.last
        while record and record not in found:
            found.add(record)
            record = self.parents.get(record)
        return found

    def rewind(self, prompt: str) -> None:
        """Goes back to before a prompt: what is said next follows the same record as that prompt."""
        self.last = self.parents[prompt]

    def leave(self, prompt: str) -> None:
        """Goes back to before a prompt, as the client notes it if nothing is said after it."""
        self.rewind(prompt)
        head = {"type": "last-prompt", "leafUuid": self.last, "explicit": True, "sessionId": self.session}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(head) + "\n")

    def compact(self) -> None:
        """What the client writes when it compacts the conversation."""
        logical = {"parentUuid": None, "logicalParentUuid": self.last}
        self.line({"type": "system", "subtype": "compact_boundary", **logical})
        summary = "This session is being continued from a previous conversation that ran out of context."
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def side_by_side(self, *commands: str) -> None:
        """Calls that were made at once: each result follows its own call, and the conversation the last result."""
        made = []
        for command in commands:
            call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:12]}", "name": "Bash"}
            call["input"] = {"command": command}
            record = self.line({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
            self.line({"type": "progress", "data": {"type": "hook_progress"}})
            self.last = record
            made.append((record, call["id"]))
        for record, call_id in made:
            result = {"type": "tool_result", "tool_use_id": call_id, "content": "ok", "is_error": False}
            self.line({"type": "user", "parentUuid": record, "message": {"role": "user", "content": [result]}})

    def fork(self, path: Path, session: str, fresh: bool = False) -> Transcript:
        """A copy as another session, which goes on from the same record; with `fresh` its records have new uuids."""
        made = Transcript(path, self.cwd, session, self.day, self.linked)
        text = self.path.read_text().replace(f'"sessionId": "{self.session}"', f'"sessionId": "{session}"')
        new = {old: str(uuid.uuid4()) if fresh else old for old in self.parents}
        for old in new:
            text = text.replace(old, new[old])
        path.write_text(text)
        made.parents = {new[old]: new.get(parent or "", parent) for old, parent in self.parents.items()}
        made.last = new.get(self.last or "", self.last)
        return made

    def user(self, text: str, **more: object) -> str:
        return self.line(
            {"type": "user", "promptSource": "typed", "message": {"role": "user", "content": text}, **more}
        )

    def assistant(self, text: str, **more: object) -> str:
        content = [{"type": "text", "text": text}]
        return self.line({"type": "assistant", "message": {"role": "assistant", "content": content}, **more})

    def tool(self, name: str, given: dict[str, object], failed: bool = False, says: str = "body") -> None:
        call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:12]}", "name": name, "input": given}
        self.line({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": says, "is_error": failed}
        self.line({"type": "user", "message": {"role": "user", "content": [result]}})

    def result(
        self,
        name: str,
        given: dict[str, object],
        says: str,
        failed: bool = False,
        added: str = "",
        **more: object,
    ) -> str:
        """A call of a tool and its result, with what the client writes beside it, and what the user added when allowing
        it; the record of the result.
        """
        call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:12]}", "name": name, "input": given}
        made = self.line({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": says, "is_error": failed}
        return self.line(
            {
                "type": "user",
                "message": {"role": "user", "content": [result, *([{"type": "text", "text": added}] if added else [])]},
                "sourceToolAssistantUUID": made,
                **more,
            }
        )

    def answer(self, question: str, answer: str, *options: str, says: str = "", **more: object) -> str:
        """What the user answered when the assistant asked: one of its options, or own words if it offered others."""
        said = says or f'Your questions have been answered: "{question}"="{answer}". You can now continue.'
        asked = [{"question": question, "header": "H", "options": [{"label": one} for one in options or (answer,)]}]
        told = {"questions": asked, "answers": {question: answer}, "annotations": {}}
        return self.result("AskUserQuestion", {"questions": asked}, said, toolUseResult=told, **more)

    def queue(self, prompt: str, **more: object) -> str:
        """A prompt that was typed while the assistant worked."""
        held = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", "origin": {"kind": "human"}}
        return self.line({"type": "attachment", "attachment": {**held, **more}})

    def deny(self, tool: str, given: dict[str, object], why: str = "", **more: object) -> str:
        """A call that the user denied, as a client reports it that has no field for the reason."""
        text = (
            "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)"
        )
        text += f". To tell you how to proceed, the user said:\n{why}" if why else " STOP what you are doing."
        old = {"version": "2.1.197", "toolUseResult": f"Error: {text}"}
        return self.result(tool, given, text, failed=True, **{**old, **more})

    def cure(self, words: str, check: str = "make test", file: str = "src/cache.py") -> str:
        """A check that fails, a change, the same check passing, and the assistant's words for why; their record."""
        self.tool("Bash", {"command": check}, failed=True)
        self.tool("Edit", {"file_path": f"{self.cwd}/{file}", "old_string": "a", "new_string": "b"})
        self.tool("Bash", {"command": check})
        return self.assistant(words)


class Sessions:
    """A user's sessions, captured in this process: by hand, or by the worker as hooks would have it."""

    def __init__(self, machine: Machine, day: str = "2026-11-20") -> None:
        self.machine = machine
        self.now = datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()
        machine.new_database()
        self.memory = self.at(machine.project)
        self.count = 0

    def at(self, folder: Path) -> Memory:
        """The memories as seen from a folder."""
        folder.mkdir(exist_ok=True)
        return Memory(str(self.machine.home), str(folder), self.machine.env, lambda: self.now)

    def begin(self, day: str = "2026-11-08", project: Path | None = None) -> Transcript:
        self.count += 1
        name = f"session-{self.count}"
        cwd = project or self.machine.project
        cwd.mkdir(exist_ok=True)
        return Transcript(self.machine.root / "transcripts" / f"{name}.jsonl", cwd, name, day)

    def say(self, *said: str, day: str = "2026-11-08", project: Path | None = None) -> Transcript:
        """A session in which the user said this, captured by hand."""
        transcript = self.begin(day, project)
        for text in said:
            transcript.user(text)
        self.memory.capture.capture(str(transcript.path))
        return transcript

    def at_hand(self, transcript: Transcript) -> Memory:
        """What Claude has in a session's shell."""
        folder = self.machine.user_home / ".claude" / "projects" / "-shop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{transcript.session}.jsonl").write_bytes(transcript.path.read_bytes())
        env = {**self.machine.env, "CLAUDE_CODE_SESSION_ID": transcript.session}
        return Memory(str(self.machine.home), transcript.cwd, env, lambda: self.now)

    def hook(self, event: str, transcript: Transcript) -> None:
        """What a hook leaves to the worker, done."""
        given = {"session": transcript.session, "transcript_path": str(transcript.path), "at": self.now}
        spool.put(str(self.machine.home), event, transcript.session, {**given, "cwd": transcript.cwd})
        self.memory.maintenance.work(wait=True)

    def end(self, transcript: Transcript) -> None:
        self.hook("session-end", transcript)

    def rows(self, columns: str, table: str = "memory") -> list[tuple[object, ...]]:
        """Of every row, in the order in which they came."""
        return self.machine.sql(f"SELECT {columns} FROM {table} ORDER BY rowid")

    @property
    def learned(self) -> list[tuple[object, ...]]:
        """(text, trust) of what was learned: what is kept, then what waits as a suggestion."""
        kept, waits = "SELECT content, trust FROM memory", "SELECT text, trust FROM suggestion WHERE state = 'waiting'"
        return [*self.machine.sql(kept + " ORDER BY seq"), *self.machine.sql(waits + " ORDER BY said_at, id")]

    @property
    def suggested(self) -> list[str]:
        """What waits as a suggestion, in the order in which it was said."""
        rows = self.machine.sql("SELECT text FROM suggestion WHERE state = 'waiting' ORDER BY said_at, id")
        return [str(text) for (text,) in rows]

    @property
    def recalled(self) -> list[str]:
        """What the project's listing says, newest first."""
        return [shown.memory.content for shown in self.memory.recent(limit=1_000)]
