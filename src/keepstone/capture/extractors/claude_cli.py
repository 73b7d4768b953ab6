"""Asks a model through the user's own Claude Code: `claude -p`, without the user's settings."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from typing import Any

from ...config.provenance import NESTED, nested_key
from ...lib.limits import COUNT_MAX, REQUEST_SECONDS
from ..budget import NOTHING, Spent
from .model_client import AGAIN, INPUTS, RUN, WINDOW, Failed, Reply, Request, counted
from .prompt import FIELDS

CLIENT_SECONDS = 15.0  # extra seconds before a client that does not answer is killed; it starts in one second

# Variables of the session that started this process, which the new client must not inherit. Keys and addresses stay.
OF_THE_SESSION = {
    *("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_ENV_FILE"),
    *("CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_PID"),
    *("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SSE_PORT", "AI_AGENT"),
}
OF_THE_PLUGIN = "CLAUDE_PLUGIN_"
# One request without thinking: without these variables, the client would make more requests.
QUIET = {
    "MAX_THINKING_TOKENS": "0",
    "CLAUDE_CODE_EFFORT_LEVEL": "low",  # for models that always think; as an option, old clients would refuse it
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",  # a broken stream would be requested again without streaming
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1",  # a 400 would be retried without betas
    "MAX_STRUCTURED_OUTPUT_RETRIES": "0",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}
# The client checks an answer against the schema as a whole: one bad item would cost the good ones.
LENIENT = {"type": "object", "properties": {name: {} for name in FIELDS}}
SCHEMA = {
    "type": "object",
    "properties": {"memories": {"type": "array", "items": LENIENT}},
    "required": ["memories"],
}
USUAL_PLACES = (".local/bin/claude", ".claude/local/claude")  # under HOME, because a hook's PATH may be short
PASSING = {408, 409, 429}  # and every 5xx


class ClaudeCli:
    """Asks one model. Raises Failed if the client is not installed."""

    def __init__(self, model: str, environ: Mapping[str, str], folder: str, timeout: float = REQUEST_SECONDS) -> None:
        """`folder` is the data home: the client's working directory, as no project may be. `timeout` is in seconds, for
        one request.
        """
        self.model = model
        self.folder = folder
        self.timeout = timeout
        self.binary = self.address = binary(environ)
        self.inherited = {
            name: value
            for name, value in environ.items()
            if name not in OF_THE_SESSION and not name.startswith(OF_THE_PLUGIN)
        } | QUIET

    def ask(self, request: Request) -> Reply:
        command = [
            *(self.binary, "-p", "--model", self.model, "--safe-mode", "--tools", "", "--no-session-persistence"),
            *("--strict-mcp-config", "--system-prompt", request.system, "--output-format", "json"),
            *("--json-schema", json.dumps(SCHEMA)),
        ]
        limits = {
            "API_TIMEOUT_MS": str(int(self.timeout * 1_000)),
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(request.answer_tokens),
        }
        return _reply(self._run(command, {**self.inherited, **limits, NESTED: self._key()}, request.prompt))

    def _key(self) -> str:
        try:
            return nested_key(self.folder)
        except OSError as problem:
            raise Failed(f"{self.folder} can't be written: {problem.strerror}", RUN, spent=NOTHING) from problem

    def _run(self, command: list[str], environ: dict[str, str], prompt: str) -> str:
        """Returns the client's output. The client leads a process group, which is killed as a whole after a timeout."""
        try:
            client = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environ,
                cwd=self.folder,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as problem:
            raise Failed(f"{self.binary} can't be started: {problem.strerror}", RUN, spent=NOTHING) from problem
        with client:  # closes the pipes, even if another process holds their other ends
            try:
                return client.communicate(prompt, timeout=self.timeout + CLIENT_SECONDS)[0]
            except subprocess.TimeoutExpired as problem:
                raise Failed(f"{self.binary} did not come back and was killed", AGAIN) from problem
            finally:
                if client.poll() is None:
                    _kill(client)


def binary(environ: Mapping[str, str]) -> str:
    """Returns the path of the client. Raises Failed if there is none."""
    if found := find(environ):
        return found
    raise Failed(
        "there is no `claude` on the PATH or in ~/.local/bin: install Claude Code, or set another extractor", RUN
    )


def find(environ: Mapping[str, str]) -> str:
    """Returns the path of the client, "" if there is none. (Whoever starts a worker or a command has taken a
    repository's folders off the PATH: `config/own_environment.py`.)
    """
    home = environ.get("HOME", "")
    places = [os.path.join(home, place) for place in USUAL_PLACES] if home else []
    found = (shutil.which(place, path=environ.get("PATH", "")) for place in ("claude", *places))
    return next(filter(None, found), "")


def _kill(client: subprocess.Popen[str]) -> None:
    if os.name == "nt":
        client.kill()
    else:
        os.killpg(client.pid, signal.SIGKILL)


def _reply(printed: str) -> Reply:
    """Returns the reply in the client's output. Raises Failed. Ignores the exit code, which is 0 for prose, too."""
    result = _result(printed)
    spent = _spent(result)
    if result.get("is_error"):
        raise _failure(result, spent)
    if result.get("stop_reason") in ("max_tokens", "refusal"):
        raise Failed(f"the model's answer is not whole: it stopped for {result['stop_reason']}", WINDOW, spent=spent)
    return Reply(result.get("structured_output") or str(result.get("result") or ""), spent)


def _result(printed: str) -> dict[str, Any]:
    """Returns the client's result. If its settings make it print every event, returns the last one."""
    try:
        found = json.loads(printed)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list):
        found = found[-1] if found else None
    if not isinstance(found, dict):
        raise Failed("the client printed no result", AGAIN)
    return found


def _failure(result: dict[str, Any], spent: Spent | None) -> Failed:
    status, said = (
        result.get("api_error_status"),
        str(result.get("result") or _listed(result.get("errors")) or "nothing more"),
    )
    if isinstance(status, int):
        passing = status in PASSING or status >= 500
        return Failed(f"the client says {status}: {said}", AGAIN if passing else RUN, spent=NOTHING)
    if "/login" in said:
        return Failed(f"the client is not logged in: {said}", RUN, spent=NOTHING)
    if result.get("stop_reason") in ("max_tokens", "refusal") or result.get("subtype") != "success":
        return Failed(f"the model's answer is not what was asked for: {said}", WINDOW, spent=spent)
    return Failed(f"the client says: {said}", AGAIN, spent=spent)


def _listed(errors: object) -> str:
    return "; ".join(map(str, errors)) if isinstance(errors, list) else str(errors or "")


def _spent(result: dict[str, Any]) -> Spent | None:
    """Returns the spending that the client reports, or None. It reports none for a call that was interrupted."""
    sent, received = counted(result.get("usage"), INPUTS), counted(result.get("usage"), ("output_tokens",))
    if not sent or received is None:
        return None
    dollars = result.get("total_cost_usd")
    if isinstance(dollars, bool) or not isinstance(dollars, int | float) or not 0 <= dollars < COUNT_MAX:
        return Spent(sent, received)
    return Spent(sent, received, float(dollars))
