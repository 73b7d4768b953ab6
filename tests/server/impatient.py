"""A server that gives its clients less time, so that the tests need not wait: its limits are this program's words."""

from __future__ import annotations

import os
import sys
import time

from keepstone.api.memory import Memory
from keepstone.server.connections import Limits
from keepstone.server.memory_cache import MemoryCache
from keepstone.server.serve import serve
from keepstone.server.token import token


def main(header: str, body: str, answer: str, idle: str, strangers: str) -> None:
    context = Memory().context
    limits = Limits(float(header), float(body), float(answer), int(idle), int(strangers))
    cache = MemoryCache(context.home, context.caller.folder, os.environ, time.time)
    serve(
        cache,
        token(context.home, os.environ),
        "127.0.0.1",
        0,
        (),
        lambda port: print(f"http://127.0.0.1:{port}", flush=True),
        limits,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
