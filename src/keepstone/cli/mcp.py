"""The command that serves memories to other clients over MCP."""

from __future__ import annotations

import os

import click

from ..config import runtime
from ..lib.errors import KeepstoneError
from .options import project_option


@click.command()
@project_option
def mcp(project: str | None) -> None:
    """Serve memories to Cursor, Codex, Claude Desktop and others: an MCP server on stdin and stdout.

    A client starts it and ends it; docs/mcp.md has the lines to declare it with. It opens no port, and leaves when its
    input ends.
    """
    try:
        from ..mcp.server import serve
    except ModuleNotFoundError as problem:
        bootstrap = "keepstone bootstrap --all" if runtime.plugin_root() else "pip install mcp"
        raise KeepstoneError("the packages of `keepstone mcp` are not installed", bootstrap) from problem
    serve(project, os.environ)


COMMANDS = (mcp,)
