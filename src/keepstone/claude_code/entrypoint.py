"""Tells from the client's name for how it was started whether a person is there, and why memories wait if not. Hot."""

from __future__ import annotations

# Why a memory waits that is of a session without a person.
PROGRAM_SAID = "a program said it"
PROGRAM_RAN = "a program ran its session"
VARIABLE = "CLAUDE_CODE_ENTRYPOINT"
# `claude -p` and the SDKs (sdk-cli, sdk-ts, sdk-py); an MCP server of the client's.
_PROGRAMS = ("sdk", "mcp")
_GITHUB = "github"  # in the name of the action that answers issues and pull requests
# Apps that drive the client as a program does, and in which a person types.
_APPS = ("claude-vscode", "claude-desktop")


def is_program(entrypoint: str) -> bool:
    """Tells whether a program runs such a session: then nobody types in it."""
    return entrypoint.startswith(_PROGRAMS) or _GITHUB in entrypoint


def is_app(entrypoint: str) -> bool:
    """Tells whether a person types in such a session although the client takes its input from a program."""
    return entrypoint.startswith(_APPS)
