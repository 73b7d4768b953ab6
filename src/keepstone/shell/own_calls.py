"""Recognises Keepstone's own tools among a session's tool calls: they are not part of the session's work. Hot module:
no `re`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OWN_COMMAND_CHARS = 500  # read of a command: one that runs `keepstone` says so early

NAME = "keepstone"
SERVERS = ("mcp__keepstone__", "mcp__plugin_keepstone_")  # the client's names for the tools of our server
_PARTED = str.maketrans(dict.fromkeys(";&|\n(", "\n"))


def is_own(tool: str, given: dict[str, Any]) -> bool:
    """Tells whether a tool call is ours: a `keepstone` command, our skill, or a tool of an MCP
    server named keepstone.
    """
    if tool.startswith(SERVERS):
        return True
    command, skill = given.get("command"), given.get("skill")
    if isinstance(skill, str) and (skill == NAME or skill.startswith(NAME + ":")):
        return True
    return isinstance(command, str) and is_own_command(command)


def is_own_command(command: str) -> bool:
    """Tells whether any command of a shell line runs `keepstone`, with any path and after any assignments."""
    for part in command[:OWN_COMMAND_CHARS].translate(_PARTED).split("\n"):
        words = part.split()
        while len(words) > 1 and _assigns(words[0]):
            del words[0]
        if words and words[0].strip("\"'").rpartition("/")[2] == NAME:
            return True
    return False


def _assigns(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()
