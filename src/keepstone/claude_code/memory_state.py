"""Reads the client's own memory, never writes it: whether it is on, and its index. Hot module."""

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
    """Returns the folder in which the client keeps the transcripts of sessions in `cwd`, and its memory of them."""
    return os.path.join(client_home, "projects", folder_name(cwd))


def folder_name(cwd: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)


def index(folder: str, environ: Any) -> Index | None:
    """Returns the index that the client shows to a session with its transcript in `folder`. Returns None if there is
    none, or if the client's memory is off.
    """
    if not os.path.isabs(folder):
        return None
    text = read_start(os.path.join(folder, "memory", INDEX_FILE), INDEX_BYTES)
    return None if not text or is_off(os.path.dirname(os.path.dirname(folder)), environ) else Index(text)


def is_off(client_home: str, environ: Any) -> bool:
    """Tells whether the client's memory is off: by the environment variable if it is set, otherwise by the user's
    settings.
    """
    said = environ.get(OFF, "").lower()
    if said in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        return said in ("1", "true", "yes", "on")
    try:
        settings = parse(read_start(os.path.join(client_home, "settings.json"), CLIENT_SETTINGS_BYTES))
    except ValueError:
        return False
    return isinstance(settings, dict) and settings.get("autoMemoryEnabled") is False
