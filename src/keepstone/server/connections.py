"""How long a connection may take, and how many there may be of those that have not shown the token yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

SHOWN_TOKEN = "known"  # in the state of a request's scope: call it once the request has shown the token


@dataclass(frozen=True, slots=True)
class Limits:
    """What a connection may take, in seconds, and how many may be strangers at once: half of the files that a process
    may usually have open.
    """

    header: float = 10.0  # until a request's line and headers have come, from its first byte or the connection's start
    body: float = 20.0  # until a request's body has come
    answer: float = 30.0  # that a client may read nothing of an answer that waits for it
    idle: int = 5  # that nothing is said after an answer
    strangers: int = 512


class Connections:
    """The connections of a server. One that has shown the token is trusted; the others are strangers."""

    def __init__(self, limits: Limits, protocol: Callable[..., asyncio.Protocol]) -> None:
        """`protocol` is uvicorn's, which each connection is given to."""
        self.limits = limits
        self.protocol = protocol
        self.strangers: dict[Connection, None] = {}  # the one that has waited longest is first

    def open(self, app_state: dict[str, Any], **given: Any) -> Connection:
        """Makes a connection as uvicorn makes its protocol."""
        made = Connection(self)
        made.inner = self.protocol(app_state={**app_state, SHOWN_TOKEN: made.be_known}, **given)
        return made

    def enter(self, one: Connection) -> None:
        """Takes in a stranger. Where there are too many, the oldest has to go, as the newest may be a friend: who has
        the token shows it at once.
        """
        self.strangers[one] = None
        if len(self.strangers) > self.limits.strangers:
            next(iter(self.strangers)).drop()


class Connection(asyncio.Protocol):
    """Uvicorn's protocol of one connection, with the time-outs that it lacks. Uvicorn itself closes a connection that
    says nothing after an answer, and the guard answers to a body that does not come.
    """

    inner: Any

    def __init__(self, among: Connections) -> None:
        self.among = among
        self.transport: asyncio.Transport | None = None
        self.asks: asyncio.TimerHandle | None = None  # while a request has begun and is not answered yet
        self.reads: asyncio.TimerHandle | None = None  # while an answer waits for the client

    def be_known(self) -> None:
        self.among.strangers.pop(self, None)

    def drop(self) -> None:
        self.be_known()
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.inner.connection_made(transport)
        self.asks = self._in(self.among.limits.header)
        self.among.enter(self)

    def data_received(self, data: bytes) -> None:
        self.inner.data_received(data)
        cycle = self.inner.cycle  # of the last request whose headers have come
        if cycle is not None and not cycle.response_complete:
            _stop(self.asks)
            self.asks = None
        elif self.asks is None:  # what comes begins a request, or belongs to one that is answered: neither takes long
            self.asks = self._in(self.among.limits.header)

    def eof_received(self) -> bool | None:
        return self.inner.eof_received()  # type: ignore[no-any-return]

    def pause_writing(self) -> None:
        self.reads = self._in(self.among.limits.answer)
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        _stop(self.reads)
        self.inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.be_known()
        _stop(self.asks)
        _stop(self.reads)
        self.inner.connection_lost(exc)

    def _in(self, seconds: float) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self.drop)


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
