"""An invented user's machine: a HOME, a data home full of memories, a repository, and the plugin's hooks run in it."""

from __future__ import annotations

import copy
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import measure
from small import sized

from keepstone.config import runtime

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(__file__).with_name("data.py")
HOOK_PYTHON = (3, 9)
SETTLE_SECONDS = 60.0
BRIEF_MEMORIES = 5
MEMORIES = sized(10_000, 400)
# Memories of the project, each of which a prompt in its words, or its file, brings back: id, title, content, file.
RECALLED = """
SELECT m.id, m.title, m.content, (SELECT value FROM memory_facet f WHERE f.memory_id = m.id AND f.facet = 'file')
FROM memory m JOIN project_key k ON k.project_id = m.project_id
WHERE k.key LIKE 'git:%/acme/shop' AND m.status = 'active' AND m.kind = 'decision' ORDER BY m.seq LIMIT 400
"""


def check(holds: bool, what: str) -> None:
    """Stops the benchmark when what it timed did not do what it is for."""
    if not holds:
        raise RuntimeError(f"the sample is void: {what}")


def hook_python() -> str:
    """The binary that runs the hooks: the system's where it is new enough, as for most users, else our own base."""
    system = "/usr/bin/python3"
    asks = f"import sys; sys.exit(sys.version_info < {HOOK_PYTHON})"
    if os.path.exists(system) and subprocess.run([system, "-I", "-S", "-c", asks]).returncode == 0:
        return os.path.realpath(system)
    return os.path.realpath(sys.executable)


def package(checkout: Path) -> str:
    """Returns the name of the one package in a checkout's `src`. The command and the data home are called the same."""
    names = [path.parent.name for path in (checkout / "src").glob("*/__init__.py")]
    if len(names) != 1:
        raise ValueError(f"{checkout}/src must hold one package, not {len(names)}")
    return names[0]


def executable(checkout: Path, name: str) -> str:
    """Returns the path of a program in a checkout's environment: this process's own, or the `.venv` of another one."""
    if checkout == ROOT:
        return sys.executable if name == "python" else str(Path(sysconfig.get_path("scripts"), name))
    return str(checkout / ".venv" / "bin" / name)


class Place:
    """Everything under one temporary folder, and nothing of the real environment."""

    def __init__(
        self,
        root: Path,
        memories: int = MEMORIES,
        there: bool = False,
        checkout: Path = ROOT,
        like: Place | None = None,
    ) -> None:
        """Makes the folder and its data, unless they are `there` from an earlier run.

        `checkout` holds the code that is installed here. With `like`, the data are copied from that place.
        """
        self.root = root
        self.checkout = checkout
        self.name = package(checkout)
        self.command_line = executable(checkout, self.name)
        self.user_home = root / "user"
        self.home = self.user_home / ".local" / "share" / self.name
        self.database = self.home / f"{self.name}.db"
        self.project = root / "acme shop"
        self.plugin = self.user_home / ".claude" / "plugins" / "cache" / "keepstone" / self.name / "0.1.0"
        self.python = hook_python()
        self.env = {"HOME": str(self.user_home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        self._numbers = itertools.count()
        self._known: list[tuple[str, str]] = []
        if not there:
            self._make_folders()
            if like:
                self._copy(like)
            else:
                self.data("store", str(self.database), os.path.realpath(self.project), str(memories))
        subprocess.run([self.python, "-m", "compileall", "-q", str(self.plugin / "src")], check=True)
        self._hooks = json.loads((self.plugin / "hooks" / "hooks.json").read_text())["hooks"]

    def _make_folders(self) -> None:
        self.home.mkdir(parents=True, mode=0o700)
        (self.home / "python").write_text(f"{self.python}\n{executable(self.checkout, 'python')}\n")
        for folder in ("hooks", "src"):  # where the client installs it
            shutil.copytree(self.checkout / folder, self.plugin / folder)
        git = self.project / ".git"
        for folder in ("objects", "refs"):
            (git / folder).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "config").write_text('[remote "origin"]\n\turl = git@git.example.com:acme/shop.git\n')

    def _copy(self, like: Place) -> None:
        """Copies the memories and word weights of a place that no process uses. A checkout of a schema without
        suggestions, which was the last before them, gets none.
        """
        shutil.copytree(like.home / "vectors", self.home / "vectors")
        shutil.copyfile(like.database, self.database)
        self.database.chmod(0o600)
        if not [*(self.checkout / "src").rglob("sqlite_0008.py")]:
            with closing(sqlite3.connect(self.database)) as database:
                database.executescript("DROP TABLE suggestion; PRAGMA user_version = 7")

    @staticmethod
    def data(*words: str) -> None:
        """Writes invented data, in a process of its own."""
        subprocess.run([sys.executable, str(DATA), *words], check=True)

    def transcript(self, session: str, size: int) -> Path:
        path = self.user_home / f"{session}.jsonl"
        self.data("transcript", str(path), os.path.realpath(self.project), session, str(size))
        return path

    def fresh_session(self) -> str:
        return f"bench-{next(self._numbers)}"

    @contextmanager
    def open_database(self) -> Iterator[sqlite3.Connection]:
        """Closing it checkpoints, as the worker does, so that every sample finds the file in the same state."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as database:
            yield database

    def ask(self, sql: str, *values: object) -> int:
        with self.open_database() as database:
            return int(database.execute(sql, values).fetchone()[0])

    # Hooks

    def hook(self, event: str, session: str, **said: object) -> measure.Sample:
        """Runs the command of hooks.json by a shell, as the client does."""
        told = {"session_id": session, "cwd": str(self.project), "hook_event_name": event, "permission_mode": "default"}
        env = {**self.env, "CLAUDE_PROJECT_DIR": str(self.project), "CLAUDE_PLUGIN_ROOT": str(self.plugin)}
        command = self._hooks[event][0]["hooks"][0]["command"]
        return measure.run(["/bin/sh", "-c", command], env, json.dumps({**told, **said}).encode())

    def bare(self) -> measure.Sample:
        return measure.run([self.python, "-I", "-S", "-c", "pass"], self.env)

    def session_start(self) -> measure.Sample:
        """A new session's start; checked: the brief was printed and counted, and nothing was left to a worker."""
        session = self.fresh_session()
        before = self.ask("SELECT sum(access_count) FROM memory")
        path = str(self.user_home / f"{session}.jsonl")
        sample = self.hook("SessionStart", session, source="startup", transcript_path=path)
        check(
            sample.output.replace("\\n", "\n").count("\n- ") == BRIEF_MEMORIES, "the brief does not hold five memories"
        )
        delivered = self.ask("SELECT count(*) FROM delivery WHERE session_id = ?", session)
        counted = self.ask("SELECT sum(access_count) FROM memory") - before
        check(delivered == counted == BRIEF_MEMORIES, "the brief was not counted")
        check(not self.jobs() and not self.processes(), "work was left")
        with self.open_database() as database:
            database.execute("UPDATE session SET ended_at = last_seen_at WHERE id = ?", (session,))
        return sample

    def away(self, variable: str, address: str) -> Place:
        """The same machine, whose memories a server holds that can't be reached: its hooks read the copy."""
        other = copy.copy(self)
        other.env = {**self.env, variable: address}
        server = other.env.get("KEEPSTONE_SERVER_URL", "")
        other.database = Path(runtime.database_file(str(self.home), other.env, server))
        with self.open_database() as database, closing(sqlite3.connect(other.database)) as target:
            database.backup(target)
            target.execute("PRAGMA journal_mode=WAL")
        return other

    def stop(self, session: str, path: Path) -> measure.Sample:
        """A turn's end; checked: the job is in the spool and no worker was started. The job is then taken away."""
        sample = self.hook("Stop", session, **self._turn(path))
        jobs = self.jobs()
        check(len(jobs) == 1 and session in jobs[0].read_text(), "the turn was not accepted")
        check(not self.processes(), "a worker was started")
        jobs[0].unlink()
        return sample

    def tool_done(self, session: str) -> measure.Sample:
        """A tool call's end; checked: one line of it is in the spool, without its command, and no worker was started.
        The line is then taken away.
        """
        call = f"toolu_{next(self._numbers)}"
        sample = self.hook("PostToolUse", session, **self._call(call))
        (file,) = (self.home / "spool" / "observed").iterdir()
        line = file.read_text()
        check(line.count(call) == 1 and "pytest" not in line, "the tool call was not noted")
        check(not self.jobs() and not self.processes(), "a worker was started")
        file.unlink()
        return sample

    def prompt(self) -> measure.Sample:
        """A new session's prompt about one of the memories, in whose words it is half; checked: memories came, and were
        noted. One whose words are too frequent in this store for anything to come is passed over.
        """
        for _ in range(20):
            content = self._recalled()[0].split(": ")
            topic = content[0].partition(" ")[2] + ", " + " ".join(content[1].split()[:8])
            sample = self._told("UserPromptSubmit", None, prompt=f"Can you look again at {topic}? It fails.")
            if f"<{self.name}-notes>" in sample.output:
                return sample
        raise RuntimeError("the sample is void: prompts bring nothing")

    def other_prompt(self) -> measure.Sample:
        """A prompt about nothing that is known; checked: silence."""
        asked = "Write a haiku about autumn leaves on a quiet lake, please, and another one about snow and foxes"
        return self._told("UserPromptSubmit", "", prompt=asked)

    def file(self) -> measure.Sample:
        """A file about to be read that memories are about; checked: they came."""
        given = {"file_path": str(self.project / self._recalled()[1])}
        label = f"[{self.name.capitalize()}"
        return self._told("PreToolUse", label, tool_name="Read", tool_use_id="toolu_1", tool_input=given)

    def command(self) -> measure.Sample:
        """A command that no memory speaks against, as nearly all are; checked: silence."""
        given = {
            "command": "cd src && cargo test --release shop basket cache worker 2>&1 | tail -20",
            "description": "Run the tests",
        }
        return self._told("PreToolUse", "", tool_name="Bash", tool_use_id="toolu_1", tool_input=given)

    def failure(self) -> measure.Sample:
        """A failed command of which no memory knows; checked: silence."""
        said = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "pytest tests"}}
        error = "Exit code 1\nE   KeyError: 'quantity'\ntests/test_basket.py:41: KeyError\n1 failed in 0.31s"
        sample = self._told("PostToolUseFailure", "", error=error, is_interrupt=False, **said)
        for file in (self.home / "spool" / "observed").iterdir():
            file.unlink()
        return sample

    def _recalled(self) -> tuple[str, str]:
        if not self._known:
            with self.open_database() as database:
                self._known = [(content, file) for _, _, content, file in database.execute(RECALLED)]
        return self._known[next(self._numbers) % len(self._known)]

    def _told(self, event: str, expected: str | None, **said: object) -> measure.Sample:
        """A hook of a new session that is to say something that holds `expected`, nothing where that is "", or either
        where it is None; what it said is noted.
        """
        session = self.fresh_session()
        sample = self.hook(event, session, transcript_path=str(self.user_home / f"{session}.jsonl"), **said)
        wanted = expected is None or ((expected in sample.output) if expected else not sample.output)
        check(wanted, f"{event} said {sample.output!r}")
        delivered = self.ask("SELECT count(*) FROM delivery WHERE session_id = ?", session)
        check(bool(delivered) == bool(sample.output), "what was said was not noted")
        check(not self.processes(), "a worker was started")
        return sample

    def _call(self, call: str) -> dict[str, object]:
        """About 2 kB on stdin, most of it the command's output."""
        given = {"command": "python -m pytest tests -q", "description": "Run the tests"}
        answer = {"stdout": "tests/test_shop.py ....................\n" * 40, "stderr": "", "interrupted": False}
        path = str(self.user_home / "session.jsonl")
        told = {"tool_name": "Bash", "tool_input": given, "tool_response": answer, "tool_use_id": call}
        return {**told, "transcript_path": path, "duration_ms": 900}

    def stop_with_worker(self, size: int) -> measure.Sample:
        """A turn's end that starts the worker; checked once it has left: it captured the transcript."""
        session = self.fresh_session()
        path = self.transcript(session, size)
        sample = self.hook("Stop", session, **self._turn(path))
        self.settle()
        captured = self.ask("SELECT cursor_offset FROM session WHERE id = ?", session)
        check(captured == path.stat().st_size, "the worker did not capture the transcript")
        return sample

    @staticmethod
    def _turn(path: Path) -> dict[str, object]:
        return {"transcript_path": str(path), "stop_hook_active": False, "last_assistant_message": "Done. " * 200}

    def known_up_to(self, session: str, offset: int) -> None:
        """Notes that a session was captured so far."""
        with self.open_database() as database:
            database.execute(
                "INSERT INTO session (id, started_at, last_seen_at, ended_at, cursor_offset) VALUES (?, 0, 0, 0, ?)",
                (session, offset),
            )

    # The worker

    def jobs(self) -> list[Path]:
        return [path for folder in ("new", "taken") for path in (self.home / "spool" / folder).glob("*")]

    def settle(self) -> None:
        """Waits until the spool is empty and no process of this place runs."""
        until = time.monotonic() + SETTLE_SECONDS
        while self.jobs() or self.processes():
            check(time.monotonic() < until, "the worker does not come to an end")
            time.sleep(0.02)

    def processes(self) -> list[str]:
        """Processes with this place's HOME (where there is a /proc to tell)."""
        mark = f"HOME={self.user_home}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(process.name)
            except OSError:
                continue
        return found
