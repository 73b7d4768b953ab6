"""Which memory a face opens: this machine's, or that of a server which is set."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .memory import Memory


def opened(folder: str | None = None, environ: Mapping[str, str] = os.environ) -> Memory:
    """Raises BadInput as `Memory` does, and for a server's address that can't be taken."""
    own = Memory(folder=folder, environ=environ)
    if not own.settings["server_url"] and "server_url" not in own.settings.refused:
        return own
    from . import remote

    return remote.Memory(folder=folder, environ=environ)
