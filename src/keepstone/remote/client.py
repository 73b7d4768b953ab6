"""Calls the methods of `Memory` on a server, another machine's `keepstone serve`.

Memories that are stored while the server is unreachable are queued on this machine, and sent once it answers.
"""

from __future__ import annotations

import functools
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..capture.spool_memory import require_sound
from ..config import runtime
from ..config.settings import Loaded
from ..context import Context
from ..lib import files
from ..lib.errors import BadInput, KeepstoneError, NotFound, Queued, StoreError, Unreachable
from ..lib.text import session_key
from ..lib.url import is_private, require_address
from ..lifecycle.store_request import is_stated_now, said_by_user, untrusted_reason_now
from ..model.trust import askings
from ..spool import queue, spool
from .http import Peer, answered
from .protocol import CALLS, CODEC

SEND_SECONDS = 2.0  # a command's limit for sending queued memories: about fifty


def require_server(settings: Loaded) -> str:
    """Returns the address of the server that is set. Raises BadInput if the token must not be sent to it."""
    if refused := settings.refused.get("server_url"):
        raise BadInput(refused, "keepstone config server_url https://..., or unset KEEPSTONE_SERVER_URL")
    if not settings["server_url"]:
        raise BadInput(
            "no server is set", "keepstone config server_url https://..., or export KEEPSTONE_SERVER_URL=..."
        )
    url = require_address(str(settings["server_url"]))
    if not (is_private(url) or settings["server_allow_http"]):
        says = f"what goes to {url} is not encrypted: others could read the token and the memories on their way"
        raise BadInput(
            says, "https://..., or in a network that you trust (a VPN): keepstone config server_allow_http 1"
        )
    return url


class Client:
    """A server, called on behalf of a context's caller. Raises BadInput if no server is set."""

    def __init__(self, context: Context) -> None:
        """`context` is this machine's: its settings, and the memories that are queued for the server."""
        self.context = context
        self.url = require_server(context.settings)
        self.peer = Peer(self.url, context.environ.get(runtime.TOKEN, ""), context.home, context.clock)

    def ask(self, method: str, given: Mapping[str, Any]) -> Any:
        """Returns the result of a method on the server. First sends the queued memories."""
        if method == "store":
            return self._store(given)
        self._send_kept()
        found = answered(self.peer, method, self.peer.ask(method, self.body(method, given)))
        return replace(found, server=self.url, unsent=self.unsent) if method == "status" else found

    def _send_kept(self) -> None:
        try:
            self.send(SEND_SECONDS)
        except Unreachable:
            raise
        except KeepstoneError as problem:
            self.context.log(f"what is kept for {self.url} waits: {problem.message}")

    def body(self, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the request: the arguments, the caller and its place. Texts are redacted before they leave this
        machine.
        """
        call = CALLS[method]
        text = str(given.get(call.text) or "")
        if text or given.get("tags"):
            given = {**given, **_redacted(call.text, given)}
        try:
            plain = {name: CODEC.plain(call.takes[name], _listed(value)) for name, value in given.items()}
        except ValueError as problem:
            raise BadInput(f"{method} can't take that: {problem}", "keepstone --help") from problem
        return {"where": self._where(method, text), "given": plain}

    def _where(self, method: str, text: str) -> dict[str, Any]:
        """Returns the caller and its place. For a session's model, adds what only this machine's
        transcripts can tell.
        """
        caller, identity, call = self.context.caller, self.context.caller.identity, CALLS[method]
        said = askings(said_by_user(self.context)) if caller.by_model and call.accepts else []
        return {
            "machine": self.machine,
            "keys": list(identity.keys) if identity else [],
            "name": identity.name[:500] if identity else "",
            "below": caller.below,
            "session": session_key(caller.session) if caller.session else "",
            "agent": caller.agent,
            "by_model": caller.by_model,
            "order": untrusted_reason_now(self.context, text) if caller.by_model and call.text else None,
            "stated": bool(call.text) and caller.by_model and is_stated_now(self.context, text),
            "said": "\n".join(said),
        }

    @functools.cached_property
    def machine(self) -> str:
        """Returns the name of this machine for servers, made once."""
        path = os.path.join(self.context.home, "machine")
        files.create_exclusive(path, secrets.token_hex(8))
        found = files.read(path).strip()
        if len(found) != 16:
            raise StoreError(f"{path} can't be written or read", "keepstone doctor")
        return found

    # Storing, also while the server is unreachable

    def _store(self, given: Mapping[str, Any]) -> Any:
        """Stores a memory on the server. Raises Kept if the server does not accept it: then it is queued here."""
        home, now = self.context.home, self.context.clock
        given = {**given, "seed": given.get("seed") or os.urandom(16).hex()}
        require_sound({**given, "at": now()})
        body = self.body("store", given)
        try:
            self.send(SEND_SECONDS)
            stored = answered(self.peer, "store", self.peer.ask("store", body))
            if self.context.session:
                runtime.schedule_worker(home, now())  # the worker's next run renews the copy
            return stored
        except StoreError as problem:
            body["where"]["at"] = now()
            queue.keep_unsent(home, given["seed"], {"url": self.url, "body": body}, now())
            runtime.schedule_worker(home, now())
            says = f"{problem.message}. It is kept here, and sent with the first command that reaches the server"
            raise Queued(says, "keepstone worker run") from problem

    def send(self, seconds: float, again: bool = False) -> int:
        """Sends queued memories, oldest first, for at most `seconds`. Returns the number accepted. A refused memory
        stays, and is sent again only with `again`. Raises Unreachable.
        """
        if not self.unsent:
            return 0
        held = files.lock(self.context.home, name="sender")
        if held is None:
            return 0  # another process is sending
        sent, until = 0, time.monotonic() + seconds
        try:
            for name, payload in queue.unsent(self.context.home):
                if payload.get("url") != self.url or (payload.get("refused") and not again):
                    continue
                sent += self._sent(name, payload)
                if time.monotonic() > until:
                    break
        finally:
            files.unlock(held)
        return sent

    def _sent(self, name: str, payload: dict[str, Any]) -> bool:
        try:
            self.peer.ask("store", payload["body"])
        except (BadInput, NotFound) as problem:
            queue.refuse_unsent(self.context.home, name, payload, problem.message)
            return False
        queue.drop_unsent(self.context.home, name)
        return True

    @property
    def unsent(self) -> int:
        """Returns the number of memories that are queued for servers."""
        return len(spool.list_jobs(self.context.home, spool.UNSENT))


def _redacted(place: str, given: Mapping[str, Any]) -> dict[str, Any]:
    from ..redaction.redact import redact  # takes 70 ms, and most calls have no text

    found: dict[str, Any] = {name: redact(given[name]) for name in (place,) if given.get(name)}
    return {**found, **({"tags": [redact(tag) for tag in given["tags"]]} if given.get("tags") else {})}


def _listed(value: Any) -> Any:
    """Returns an iterable as a list, which the protocol can carry, and a proposal as its key."""
    if isinstance(value, (str, int, float, dict)) or not hasattr(value, "__iter__"):
        return value
    return [getattr(one, "key", one) for one in value]
