"""Decides which memories a command or interface opens: this machine's, or those of a server that is set."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..context import open_context
from .memory import Memory


def opened(
    folder: str | None = None,
    environ: Mapping[str, str] = os.environ,
    home: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Memory:
    """Opens the memories of a folder's project. Raises BadInput as `Memory` does, and if the server's address is
    invalid.
    """
    context = open_context(home, folder, environ, clock)
    if context.settings["server_url"] or "server_url" in context.settings.refused:
        from ..remote.client import Client  # the HTTP client takes 0.1 s to import

        context = replace(context, server=Client(context))
    return Memory.of_context(context)
