"""The real client on a machine of its own: the plugin installed from a clone of this checkout, the API on loopback."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client.fake_anthropic import FakeApi, Request
from keepstone.lib.text import digest
from support import ROOT, Machine

PATIENCE = 120.0  # seconds for anything that is over in two on an idle machine
STREAM = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
KEY = "sk-ant-test-dummy"


def clients() -> list[Path]:
    """The clients to test with: those that are named, else those that `make clients` installed, else the user's own."""
    named = os.environ.get("KEEPSTONE_TEST_CLIENTS")
    if named:
        return [Path(path) for path in named.split(os.pathsep)]
    own = shutil.which("claude")
    return sorted(ROOT.glob("build/clients/*/node_modules/.bin/claude")) or ([Path(own)] if own else [])


def version(client: Path) -> str:
    """A client's version without running it: that of its npm package, else its file's name."""
    real = client.resolve()
    for folder in real.parents:
        if (folder / "package.json").is_file():
            return json.loads((folder / "package.json").read_text())["version"]
    return real.name


def git(folder: Path, *words: str) -> None:
    """Runs git without anybody's own settings."""
    author = ["-c", "user.name=Keepstone", "-c", "user.email=keepstone@example.com"]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    subprocess.run(["git", *author, *words], cwd=folder, env=env, check=True, capture_output=True)


def commit_checkout(folder: Path) -> None:
    """Makes `folder` a repository of this checkout as it is, changes that are not committed yet included."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "config", "core.compression", "0")  # to pack the judge's weights takes a second
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "The checkout as it is")


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first process to ask for it makes, for all the others too."""
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            fresh = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(fresh, ignore_errors=True)  # of one that failed
            fresh.mkdir()
            make(fresh)
            fresh.rename(folder)
    return folder


def wait_until(done: Callable[[], bool], state: Callable[[], object]) -> None:
    """Returns when it is done; `state` is what to show when it does not come to that."""
    until = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until, state()
        time.sleep(0.1)


@dataclass(repr=False)
class Session:
    """What the client reported of a session or of a part of it, and what it asked of the API meanwhile."""

    events: list[dict[str, Any]]
    requests: list[Request]

    @property
    def turns(self) -> list[Request]:
        return [request for request in self.requests if request.is_turn]

    def of(self, subtype: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event.get("subtype") == subtype]


class ClientMachine(Machine):
    """A machine with a client, and a clone of the plugin to install into it. `quiet_after` holds, for each session, the
    seconds from the client's exit until nothing of it or of ours ran.
    """

    def __init__(self, root: Path, client: Path, source: Path, api: FakeApi) -> None:
        super().__init__(root, plugin=root / "clone")
        self.client = client
        self.source = source
        self.api = api
        self.home = root / "keepstone home"
        self.quiet_after: list[float] = []
        temporary = root / "tmp"
        temporary.mkdir()
        self.env |= {
            "KEEPSTONE_HOME": str(self.home),
            "TMPDIR": str(temporary),
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "NO_PROXY": "127.0.0.1",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nobody listens there: what would leave this machine fails
        }
        git(self.project, "init", "-q")
        git(root, "clone", "-q", str(source), str(self.plugin))

    def install(self) -> None:
        """Installs the plugin, for which the interpreter of these tests stands in for a venv that was built. The first
        machine with a client does what a user types; the others copy what came of it.
        """
        name = f"installed {version(self.client)} {digest(str(self.client.resolve()))[:6]}"
        made = made_once(self.source.with_name(name), self._install_in)
        shutil.copytree(made / "user", self.user_home, dirs_exist_ok=True, symlinks=True)
        settings = self.user_home / ".claude"
        for path in (settings / "settings.json", *(settings / "plugins").glob("*.json")):
            before = path.read_text()
            after = before.replace(str(made.with_name(f"{made.name}.new")), str(self.root))
            assert after != before, f"{path} names no folder of the machine that was installed on"
            path.write_text(after)
        self.set_up()

    def _install_in(self, folder: Path) -> None:
        ClientMachine(folder, self.client, self.source, self.api).install_plugin()

    def set_up(self) -> None:
        """Of an installed plugin: the tests' interpreter, and whose word counts."""
        self.keepstone("status")
        self.take_for_person()

    def take_for_person(self) -> None:
        """Has what is said by `claude -p` count as the user's, as whoever types that by hand may want."""
        self.keepstone("config", "programs", "learn")

    def install_plugin(self) -> None:
        """What a user types, and nothing else."""
        self.claude("plugin", "marketplace", "add", str(self.plugin))
        self.claude("plugin", "install", "keepstone@keepstone")

    def keepstone(self, *words: str, ok: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Of the clone: what is written about where the plugin is, is about that. What is only asked or kept is the
        same to every copy of this code.
        """
        if words[0] in ("status", "recent", "store", "config", "worker"):
            return super().keepstone(*words, ok=ok, **env)
        return super().keepstone(*words, ok=ok, PYTHONPATH=str(self.plugin / "src"), **env)

    def claude(self, *words: str) -> str:
        """Runs the client to its end; what it printed."""
        done = subprocess.run(
            [self.client, *words],
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, prompt: str, *words: str) -> Session:
        """A whole session of one prompt, up to where nothing of it runs any more."""
        before = len(self.api.requests)
        printed = self.claude("-p", prompt, *words, *STREAM)
        self.wait_until_quiet()
        return Session([json.loads(line) for line in printed.strip().split("\n")], self.api.requests[before:])

    def wait_until_quiet(self) -> None:
        """Call when the client has gone."""
        gone = time.monotonic()
        self.settle(PATIENCE)
        self.quiet_after.append(time.monotonic() - gone)

    @property
    def mark(self) -> str:
        """In the environment of the client, its hooks and workers."""
        return f"KEEPSTONE_HOME={self.home}"

    def transcripts(self) -> list[Path]:
        """The client's transcripts of sessions; those of sub-agents lie a folder deeper."""
        return sorted((self.user_home / ".claude" / "projects").glob("*/*.jsonl"))


class Talk:
    """A session in one process, prompt by prompt."""

    def __init__(self, machine: ClientMachine) -> None:
        self.machine = machine
        self.client = subprocess.Popen(
            [machine.client, "-p", "--input-format", "stream-json", *STREAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=machine.env,
            cwd=machine.project,
        )
        self.watchdog = threading.Timer(PATIENCE, self.client.kill)
        self.watchdog.start()

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *problem: object) -> None:
        try:
            self.client.communicate()
        finally:
            self.watchdog.cancel()
        self.machine.wait_until_quiet()

    def say(self, prompt: str) -> Session:
        """Returns when the client reports the turn's result."""
        before = len(self.machine.api.requests)
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self.client.stdin.write(json.dumps(message) + "\n")
        self.client.stdin.flush()
        events = []
        for line in self.client.stdout:
            events.append(json.loads(line))
            if events[-1]["type"] == "result":
                return Session(events, self.machine.api.requests[before:])
        raise AssertionError(f"the client left in the middle of a turn: {events}")


class Terminal:
    """The client in a terminal of its own, past its first-run questions."""

    def __init__(self, machine: ClientMachine, *words: str) -> None:
        """`words` are the client's options."""
        self.machine = machine
        self.ended = 0  # turns of the model when the last line was typed
        self.typed = ""  # the last line that was sent with `type`
        # not the last terminal's: its server may still be leaving, and takes a new session with it
        self.socket = Path(tempfile.mkdtemp(dir=machine.root)) / "tmux"
        _answer_first_questions(machine)
        environment = [f"{name}={value}" for name, value in machine.env.items()]
        self._tmux(
            *("new-session", "-d", "-x", "150", "-y", "45", "-c", str(machine.project)),
            *(
                "env",
                "-i",
                *environment,
                "TERM=xterm-256color",
                str(machine.client),
                "--permission-mode",
                "default",
                *words,
            ),
            *(";", "set", "-g", "remain-on-exit", "on"),  # not before it: a server without a session ends by itself
        )
        self.wait_until(lambda screen: "❯" in screen)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *problem: object) -> None:
        self._tmux("kill-server")

    def screen(self) -> str:
        """What is shown, and what has scrolled away; a client that draws on a screen of its own takes all with it."""
        return self._tmux("capture-pane", "-p", "-S", "-")

    def type(self, line: str) -> None:
        """Types a line; a Return that comes together with text would be taken for a pasted line break."""
        self.wait_until(lambda screen: not self.typed or self.typed not in screen.rpartition("❯")[2])  # it is sent
        self._tmux("send-keys", "-l", line)
        self.wait_until(lambda screen: line in screen)
        self.typed = line
        self.ended = self.machine.api.ended
        self._tmux("send-keys", "Enter")

    def press(self, *keys: str) -> None:
        """Presses keys one after another; the client draws between them."""
        for key in keys:
            self._tmux("send-keys", key)
            time.sleep(0.4)

    def write(self, text: str) -> None:
        """Types text without a Return."""
        self._tmux("send-keys", "-l", text)
        self.wait_until(lambda screen: text[-20:] in screen.replace("\n", ""))

    def paste(self, text: str) -> None:
        self._tmux("set-buffer", text)
        self._tmux("paste-buffer", "-p")
        time.sleep(0.8)

    def send(self) -> None:
        """Sends what was written, and waits for the answer."""
        self.ended = self.machine.api.ended
        time.sleep(0.4)  # a Return that comes together with text would be taken for a pasted line break
        self._tmux("send-keys", "Enter")
        self.rest()

    def rest(self) -> None:
        """Waits until the model has ended a turn since the last line was typed, and the client has drawn that."""
        self.wait_until(lambda screen: self.machine.api.ended > self.ended and not self._is_busy(screen))

    def _is_busy(self, screen: str) -> bool:
        """Tells whether the client still draws: what it shows changes, or says that it works."""
        time.sleep(0.3)
        return self.screen() != screen or "esc to interrupt" in screen[-3000:]

    def choose(self, shown: str, *keys: str, words: str = "") -> None:
        """Presses keys at a question that shows this, and writes words into the field that they lead to."""
        self.wait_until(lambda screen: shown in screen)
        time.sleep(1.0)  # a question takes no key before it has been there for a moment
        self.press(*keys)
        if words:
            self.write(words)
            self.press("Enter")

    def rewind(self) -> None:
        """Takes the last prompt back, with what followed it, and leaves an empty line."""
        for _ in range(2):
            self._tmux("send-keys", "Escape")
            time.sleep(0.15)
        self.choose("Restore", "Up", "Enter")
        self.choose("Never mind", "Enter")
        time.sleep(1.0)
        self.press("C-u")

    def kill(self) -> None:
        """Ends the client as a crash or the kernel does: what it ran goes on, and what it left in the spool waits."""
        os.kill(int(self._tmux("display-message", "-p", "#{pane_pid}")), signal.SIGKILL)
        wait_until(lambda: self._tmux("display-message", "-p", "#{pane_dead}").strip() == "1", self.screen)

    def allow(self, done: Callable[[str], bool]) -> None:
        """Says yes to a question for permission, which takes no key before it has been there for a moment."""
        self.wait_until(lambda screen: "Do you want to proceed?" in screen)

        def pressed(screen: str) -> bool:
            if not done(screen):
                self._tmux("send-keys", "Enter")
                time.sleep(0.5)
            return done(screen)

        self.wait_until(pressed)

    def leave(self) -> str:
        """Ends the session; what it leaves on the screen."""
        self.type("/exit")
        wait_until(lambda: self._tmux("display-message", "-p", "#{pane_dead}").strip() == "1", self.screen)
        self.machine.wait_until_quiet()
        return self.screen()

    def wait_until(self, shows: Callable[[str], bool]) -> None:
        wait_until(lambda: shows(self.screen()), self.screen)

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", os.devnull, *words],
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": self.machine.env["PATH"], "LANG": "C.UTF-8"},
        )
        return done.stdout


def _answer_first_questions(machine: ClientMachine) -> None:
    """What a person answers in the very first session: look, key, trust."""
    path = machine.user_home / ".claude.json"
    answers = json.loads(path.read_text()) if path.exists() else {}
    answers |= {"hasCompletedOnboarding": True, "theme": "dark", "lastOnboardingVersion": "99.0.0"}
    answers["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
    answers.setdefault("projects", {}).setdefault(str(machine.project), {})["hasTrustDialogAccepted"] = True
    path.write_text(json.dumps(answers))
