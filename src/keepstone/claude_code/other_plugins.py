"""Reads which plugins the client runs, and whether its own memory is on. Never writes its settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..lib.fast_json import parse
from ..lib.files import read_start
from ..lib.limits import CLIENT_SETTINGS_BYTES
from . import memory_state

# Plugins that inject memories of their own at a session's start.
MEMORY_PLUGINS = frozenset(
    (
        *("agentmemory", "basic-memory", "claude-mem", "claude-subconscious", "claude-supermemory", "cognee", "engram"),
        *(
            "episodic-memory",
            "hindsight",
            "mcp-memory-service",
            "mem0",
            "memos",
            "mempalace",
            "memsearch",
            "supermemory",
        ),
    )
)


def plugins(client_home: str) -> dict[str, bool]:
    """Returns the plugins that the user's settings name, as `name@marketplace`, and whether each is enabled."""
    try:
        settings = parse(read_start(os.path.join(client_home, "settings.json"), CLIENT_SETTINGS_BYTES))
    except ValueError:
        return {}
    named: Any = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    return {str(name): on is True for name, on in named.items()} if isinstance(named, dict) else {}


def other_memories(named: Mapping[str, bool]) -> list[str]:
    """Returns the enabled plugins that also inject memories."""
    return sorted(name for name, on in named.items() if on and name.partition("@")[0].lower() in MEMORY_PLUGINS)


def turned_off(named: Mapping[str, bool]) -> str:
    """Returns the name of our own plugin if the client's settings turn it off, otherwise ""."""
    return next((name for name, on in named.items() if name.partition("@")[0] == "keepstone" and not on), "")


def keeps_memory(client_home: str, environ: Mapping[str, str]) -> bool:
    """Tells whether the client keeps a memory of its own."""
    return not memory_state.is_off(client_home, environ)
