"""Makes a sandbox for a proof: a data home with this machine's interpreters, a project, and a plugin with our hooks,
each of which records its input. The user's own data home, settings and sessions are not touched.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..claude_code.hook_contract import HOOKS, Hook
from ..config import runtime
from ..lib import files
from ..spool import spool

PROVE_SECONDS = 60.0  # for any step: the real client takes five seconds

SESSION = "00000000-0000-4000-8000-00000000ca17"
# Variables of the session that asks for the proof, or that would turn Keepstone off in the sandbox.
_LEFT_OUT = ("CLAUDE", "KEEPSTONE_", "AI_AGENT", "ANTHROPIC_")
_RECORD = """#!/bin/sh
said=$(mktemp %(told)s/%(event)s.XXXXXX) && cat > "$said" && exec %(launcher)s < "$said"
"""


class Broken(Exception):
    """Raised with the reason why a launcher cannot be run, or does not end."""


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run of a launcher: its exit code, its output, and its time in seconds."""

    code: int
    printed: str
    seconds: float


class Sandbox:
    """A sandbox in the empty folder `root`. `home` is the real data home, whose interpreters are used."""

    def __init__(self, root: str, home: str, environ: Mapping[str, str]) -> None:
        self.root = root
        self.plugin = os.path.dirname(runtime.source_root())
        self.home, self.project, self.told = (os.path.join(root, name) for name in ("home", "project", "told"))
        self.transcript = os.path.join(root, "transcript.jsonl")
        for folder in (self.home, self.project, self.told):
            os.makedirs(folder, mode=0o700)
        hook, worker = runtime.interpreters(home)
        if hook or worker:
            runtime.record(self.home, hook, worker)
        kept = {name: value for name, value in environ.items() if not name.startswith(_LEFT_OUT)}
        path = environ.get("PATH", "")
        if runtime.is_ours(home, path):  # setup's command belongs to the real data home, not to this one
            kept["PATH"] = os.pathsep.join(
                folder for folder in path.split(os.pathsep) if not os.path.isfile(os.path.join(folder, "keepstone"))
            )
        own = {"KEEPSTONE_HOME": self.home, "KEEPSTONE_EXTRACTOR": "rules", runtime.NO_BOOTSTRAP: "1"}
        self.env = {**kept, **own, "HOME": root, "TMPDIR": root, "CLAUDE_CONFIG_DIR": os.path.join(root, "claude")}

    def say(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Writes a transcript of these records."""
        with open(self.transcript, "w", encoding="utf-8") as file:
            for number, record in enumerate(records):
                name = f"{SESSION[:-4]}{number:04}"
                at = f"2026-01-01T00:{number:02}:00.000Z"
                where = {"uuid": name, "sessionId": SESSION, "cwd": self.project, "timestamp": at}
                file.write(json.dumps({**record, **where}) + "\n")

    def run(self, hook: Hook, **more: str) -> HookRun:
        """Runs a hook's launcher with the input that the client's contract defines, changed by `more`. Raises Broken if
        it cannot be run.
        """
        said = json.dumps({**hook.payload(SESSION, self.transcript, self.project), **more})
        began = time.perf_counter()
        try:
            done = subprocess.run(
                [os.path.join(self.plugin, "hooks", hook.name)],
                input=said.encode(),
                capture_output=True,
                env={**self.env, "CLAUDE_PLUGIN_ROOT": self.plugin},
                cwd=self.project,
                timeout=PROVE_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as problem:
            raise Broken(str(problem)) from problem
        return HookRun(done.returncode, done.stdout.decode("utf-8", "replace"), time.perf_counter() - began)

    def forget(self) -> None:
        """Removes what hooks have left in the spool, so that the next run has to leave it again."""
        for folder in ("new", "observed"):
            for name in spool.list_jobs(self.home, folder):
                os.unlink(os.path.join(self.home, "spool", folder, name))

    def jobs(self) -> list[str]:
        return [name for folder in ("new", "taken") for name in spool.list_jobs(self.home, folder)]

    def work(self) -> None:
        """Runs the worker as hooks start it, and waits for those that hooks have started."""
        worker = runtime.interpreters(self.home)[1]
        code = "import sys; sys.path.insert(0, sys.argv[1]); from keepstone.worker import main; main()"
        if worker:
            subprocess.run(
                [worker, "-I", "-c", code, runtime.source_root()],
                env=self.env,
                capture_output=True,
                timeout=PROVE_SECONDS,
            )
        with files.FileLock(self.home, "worker"):
            pass

    def converse(self, client: str, prompts: Sequence[str], api: str) -> str:
        """Makes the real client hold a conversation with an API, with the sandbox's plugin. Returns its output. The
        client leads a process group, which is killed as a whole after a timeout.
        """
        command = [client, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        more = {"ANTHROPIC_BASE_URL": api, "ANTHROPIC_API_KEY": "sk-ant-nobody", "NO_PROXY": "127.0.0.1"}
        more |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
        messages = [{"type": "user", "message": {"role": "user", "content": prompt}} for prompt in prompts]
        running = subprocess.Popen(
            [*command, "--plugin-dir", self._recording_plugin(), "--allowedTools", "Bash(echo:*)", "Bash(ls:*)"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**self.env, **more},
            cwd=self.project,
            text=True,
            start_new_session=True,
        )
        try:
            said = "".join(json.dumps(message) + "\n" for message in messages)
            return running.communicate(said, timeout=PROVE_SECONDS)[0]
        except BaseException as problem:
            os.killpg(running.pid, signal.SIGKILL)
            printed = running.communicate()[0]
            if isinstance(problem, subprocess.TimeoutExpired):
                return printed
            raise

    def version(self, client: str) -> str:
        done = subprocess.run(
            [client, "--version"], capture_output=True, text=True, env=self.env, timeout=PROVE_SECONDS
        )
        return done.stdout.split(" ")[0].strip()

    def _recording_plugin(self) -> str:
        made = os.path.join(self.root, "plugin")
        os.makedirs(os.path.join(made, "hooks"))
        for name in (".claude-plugin", "skills", "bin"):
            os.symlink(os.path.join(self.plugin, name), os.path.join(made, name))
        os.symlink(os.path.join(self.plugin, "hooks", "hooks.json"), os.path.join(made, "hooks", "hooks.json"))
        for hook in HOOKS:
            launcher = shlex.quote(os.path.join(self.plugin, "hooks", hook.name))
            path = os.path.join(made, "hooks", hook.name)
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(_RECORD % {"told": shlex.quote(self.told), "event": hook.name, "launcher": launcher})
            os.chmod(path, 0o700)
        return made

    def heard(self) -> dict[str, list[dict[str, Any]]]:
        """Returns the inputs that the client gave each hook, by the hook's name."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name in sorted(os.listdir(self.told)):
            with open(os.path.join(self.told, name), encoding="utf-8", errors="replace") as file:
                try:
                    said = json.load(file)
                except ValueError:
                    continue
            found.setdefault(name.partition(".")[0], []).append(said if isinstance(said, dict) else {})
        return found
