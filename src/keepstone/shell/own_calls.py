"""Keepstone's own tools among a session's tool calls: what they do is no work of the session's. Hot module: no `re`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OWN_COMMAND_CHARS = 500  # of a command are looked at: what runs `keepstone` says so early

NAME = "keepstone"
SERVERS = ("mcp__keepstone__", "mcp__plugin_keepstone_")  # as the client names the tools of a server of ours (FACTS g)
_PARTED = str.maketrans(dict.fromkeys(";&|\n(", "\n"))


def is_own(tool: str, given: dict[str, Any]) -> bool:
    """Whether a tool call is one of ours: a `keepstone` command, our skill, or a tool of an MCP server named
    keepstone.
    """
    if tool.startswith(SERVERS):
        return True
    command, skill = given.get("command"), given.get("skill")
    if isinstance(skill, str) and (skill == NAME or skill.startswith(NAME + ":")):
        return True
    return isinstance(command, str) and is_own_command(command)


def is_own_command(command: str) -> bool:
    """Whether any command of a shell line runs `keepstone`, wherever that lies and whatever environment it is given."""
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
