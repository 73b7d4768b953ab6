"""The client's own memory, read and never written: whether it is on, and its index. Hot module."""

from __future__ import annotations

import os

from ..lib.fast_json import parse
from ..lib.files import read_start
from ..lib.limits import CLIENT_SETTINGS_BYTES, INDEX_BYTES
from .memory_index import INDEX_FILE, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OFF = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"


def folder_of(client_home: str, cwd: str) -> str:
    """The folder in which the client keeps the sessions that run in `cwd`, and its memory of them."""
    return os.path.join(client_home, "projects", folder_name(cwd))


def folder_name(cwd: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)


def index(folder: str, environ: Any) -> Index | None:
    """The index that the client shows to a session whose transcript lies in `folder`; None without one, or when its
    memory is turned off in `environ` or in the client's settings.
    """
    if not os.path.isabs(folder):
        return None
    text = read_start(os.path.join(folder, "memory", INDEX_FILE), INDEX_BYTES)
    return None if not text or is_off(os.path.dirname(os.path.dirname(folder)), environ) else Index(text)


def is_off(client_home: str, environ: Any) -> bool:
    """Whether the client's memory is turned off: by the environment's word where it says one, else by the settings."""
    said = environ.get(OFF, "").lower()
    if said in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        return said in ("1", "true", "yes", "on")
    try:
        settings = parse(read_start(os.path.join(client_home, "settings.json"), CLIENT_SETTINGS_BYTES))
    except ValueError:
        return False
    return isinstance(settings, dict) and settings.get("autoMemoryEnabled") is False
