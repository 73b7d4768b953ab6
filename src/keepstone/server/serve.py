"""Runs the server until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Iterable
from typing import cast

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ..lib.errors import BadInput, KeepstoneError
from .app import application
from .connections import Connections, Limits
from .memory_cache import MemoryCache

SWITCH_SECONDS = 0.0005  # a thread runs on at the most; measured: with Python's 0.005 a quarter fewer are answered
SHUTDOWN_SECONDS = 5  # for what is still being answered

QUEUED = 128  # connections that wait to be taken
LIMITS = Limits()


def serve(
    cache: MemoryCache,
    token: str,
    host: str,
    port: int,
    hosts: Iterable[str],
    begin: Callable[[int], None],
    limits: Limits = LIMITS,
) -> None:
    """Answers on a port, any free one for 0, until a signal ends it; `begin` is told which. Raises KeepstoneError where
    that can't be had.
    """
    bound = _bound(host, port)
    app = application(cache, token, (host, *hosts), limits)
    config = uvicorn.Config(
        app,
        http=cast(type[asyncio.Protocol], Connections(limits, AutoHTTPProtocol).open),  # it is only called
        backlog=QUEUED,
        timeout_keep_alive=limits.idle,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    # SQLite gives the interpreter up at each row, and gets it back only when the other thread has had its time
    sys.setswitchinterval(SWITCH_SECONDS)
    with bound:
        begin(bound.getsockname()[1])
        uvicorn.Server(config).run(sockets=[bound])


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as problem:
        raise BadInput(f"{host} is no address of this machine: {problem.strerror}", "keepstone serve") from problem
    # by its protocol's name: else asyncio leaves Nagle's algorithm on, and each answer waits 40 ms
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name != "nt")
        bound.bind(address)
        bound.listen(QUEUED)
        return bound
    except OSError as problem:
        bound.close()
        says = f"port {port} of {host} can't be had: {problem.strerror}"
        raise KeepstoneError(says, "keepstone serve --port 0 takes a free one") from problem
