"""Asks another machine's `keepstone serve` over HTTP, within seconds. A circuit breaker leaves a failing server alone
for a while. Its answers are untrusted.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from threading import Thread
from typing import Any

from ..lib import files
from ..lib.errors import KIND, KINDS, BadInput, KeepstoneError, Unreachable
from ..lib.http import HttpAnswer, post
from ..lib.limits import EXPLAINED_CHARS
from ..lib.text import clip, one_line
from .protocol import CALLS, CODEC

# Limits for another machine's server (`KEEPSTONE_SERVER_URL`): for connecting, and for the whole request.
CONNECT_SECONDS = 2.0
ASK_SECONDS = 5.0
PEER_FAILURES = 3  # in a row before the circuit breaker opens: by then a person has waited 15 seconds
PEER_PAUSE_SECONDS = 30.0  # how long the circuit breaker stays open: a restart takes less

TOLD_CHARS = 1_000  # of a server's message or hint: ours have at most a third of that
AWAY = (502, 503, 504)  # answers of a proxy, or of an overloaded server


def state_file(home: str) -> str:
    """Returns the path of the circuit breaker's state: the failures in a row and the end of the pause, for all
    processes of this data home.
    """
    return os.path.join(home, "server.json")


class Peer:
    def __init__(self, url: str, token: str, home: str, clock: Callable[[], float]) -> None:
        self.url = url
        self.token = token
        self.home = home
        self.clock = clock

    def ask(self, method: str, body: dict[str, Any]) -> Any:
        """Returns a method's result as JSON. Raises KeepstoneError as the method does there, and Unreachable if there
        is no answer.
        """
        self._require_token()
        self._check_breaker()
        try:
            reply = self._reply(method, json.dumps(body, allow_nan=False).encode())
        except Unreachable:
            self._note(False)
            raise
        kind = reply.headers.get(KIND, "")
        self._note(reply.status not in AWAY or kind != "")
        if reply.status != 200:
            raise self._refusal(reply.status, kind, reply.content)
        answer = _object(reply.content)
        if answer.keys() != {"value"}:
            raise self.incompatible("what it answers is no answer")
        return answer["value"]

    def incompatible(self, why: str) -> KeepstoneError:
        """Returns an error: the address is not a server of a compatible Keepstone."""
        return KeepstoneError(
            f"{self.url} is no server of this Keepstone: {why}", "the same version of Keepstone at both machines"
        )

    def _require_token(self) -> None:
        if not self.token:
            says = f"{self.url} asks for a token, and KEEPSTONE_TOKEN is not set"
            raise BadInput(says, "export KEEPSTONE_TOKEN=..., as `keepstone serve` prints it there")
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise BadInput(
                "KEEPSTONE_TOKEN is no token", "export KEEPSTONE_TOKEN=..., as `keepstone serve` prints it there"
            )

    def _reply(self, method: str, body: bytes) -> HttpAnswer:
        """Returns the answer within ASK_SECONDS, even if resolving a name hangs or the answer comes in drops. Raises
        Unreachable.
        """
        got: list[HttpAnswer | OSError] = []
        address = f"{self.url}/api/v1/call/{method}"
        headers = {"authorization": f"Token {self.token}"}
        is_encrypted = self.url.startswith("https:")  # a proxy could read what is not

        def fetch() -> None:
            try:
                got.append(post(address, body, headers, ASK_SECONDS, connect=CONNECT_SECONDS, proxied=is_encrypted))
            except OSError as problem:
                got.append(problem)

        asking = Thread(target=fetch, daemon=True)
        asking.start()
        asking.join(ASK_SECONDS)
        reply = got[0] if got else TimeoutError()
        if isinstance(reply, OSError):
            late = isinstance(reply, TimeoutError)
            why = f"no answer in {ASK_SECONDS:.0f} seconds" if late else clip(one_line(str(reply)), EXPLAINED_CHARS)
            raise Unreachable(f"{self.url} can't be reached: {why}", "keepstone serve, on that machine")
        return reply

    def _refusal(self, status: int, kind: str, content: bytes) -> KeepstoneError:
        told = _object(content)
        says, hint = (_told(told.get(name)) for name in ("detail", "hint"))
        if kind in KINDS:
            return KINDS[kind](says, hint)
        if status == 401:
            return KeepstoneError(f"{self.url} does not know this token", "export KEEPSTONE_TOKEN=..., as it is there")
        if status == 403:
            return KeepstoneError(
                f"{self.url}: {says}", "keepstone serve --name NAME there, by which name it is reached"
            )
        if status in AWAY:
            return Unreachable(f"{self.url} can't answer now: {says or status}", "again in some seconds")
        if status in (408, 413):
            return BadInput(f"that is too much at once: {says}", "less at a time")
        if status == 400:
            return BadInput(f"{self.url} does not take that: {says}", "the same version of Keepstone at both machines")
        return self.incompatible(f"it answers {status} {says}".rstrip())

    # Circuit breaker

    def _state(self) -> tuple[int, float]:
        """Returns the failures in a row and the end of the pause. Ignores the state of another server."""
        found = _object(files.read(state_file(self.home)).encode())
        failures, until = found.get("failures"), found.get("until")
        if found.get("url") != self.url or type(failures) is not int or not isinstance(until, (int, float)):
            return 0, 0.0
        return failures, until if math.isfinite(until) else 0.0

    def reset_breaker(self) -> None:
        """Closes the circuit breaker: a person wants the server to be asked now."""
        files.remove(state_file(self.home))

    def _check_breaker(self) -> None:
        failures, until = self._state()
        left = until - self.clock()
        if 0 < left <= PEER_PAUSE_SECONDS:  # a longer pause comes from a wrong clock
            says = f"{self.url} can't be reached: it has failed {failures} times in a row"
            raise Unreachable(says, f"it is asked again in {math.ceil(left)} seconds")

    def _note(self, answered: bool) -> None:
        """Records whether the server answered. If the data home is not writable, the server is asked every time."""
        failures = self._state()[0] + 1
        until = self.clock() + PEER_PAUSE_SECONDS if failures >= PEER_FAILURES else 0.0
        try:
            if not answered:
                text = json.dumps({"url": self.url, "failures": failures, "until": until})
                files.write(state_file(self.home), text + "\n")
            elif os.path.exists(state_file(self.home)):
                self.reset_breaker()
        except OSError:
            pass


def _object(content: bytes) -> dict[str, Any]:
    """Returns a JSON object, {} for anything else."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _told(text: object) -> str:
    return clip(one_line(text), TOLD_CHARS) if isinstance(text, str) else ""


def answered(peer: Peer, method: str, value: Any) -> Any:
    """Returns a method's result as its kind. Raises KeepstoneError if it is anything else."""
    try:
        return CODEC.made(CALLS[method].answers, value)
    except ValueError as problem:
        raise peer.incompatible(f"it answers {method} with {problem}") from problem
