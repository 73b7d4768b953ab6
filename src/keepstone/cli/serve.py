"""The command that opens Keepstone to other programs of this machine."""

from __future__ import annotations

import os
import shlex
import time
from typing import Any

import click

from ..api.memory import Memory
from ..config import runtime
from ..lib.errors import KeepstoneError
from .options import project_option

# free in IANA's list of services
SERVE_HOST = "127.0.0.1"
SERVE_PORT = 7878


@click.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=SERVE_PORT, show_default=True, help="0 is a free one.")
@click.option("--host", default=SERVE_HOST, show_default=True, help="The address that it listens on.")
@click.option("--name", "names", multiple=True, help="A host name that it is reached by besides; may be given again.")
@project_option
def serve(port: int, host: str, names: tuple[str, ...], project: str | None) -> None:
    """Show the dashboard in your browser, and answer other programs over HTTP (the REST API, described at
    /openapi.json), until Ctrl-C.

    Open the link that is printed here. Every request needs the token in it, which is kept in the data home, or the one
    in KEEPSTONE_TOKEN. It never starts by itself, and listens on this machine alone unless --host says otherwise; what
    it says is not encrypted.

    Example: keepstone serve, then curl -H "Authorization: Token ..." "http://127.0.0.1:7878/api/v1/memories?limit=5"
    """
    memory = Memory(folder=project)
    memory.privacy.require_person("starts a server", "keepstone serve")
    try:
        from ..server.memory_cache import MemoryCache
        from ..server.serve import serve as run
        from ..server.token import VARIABLE, token, token_file
    except ModuleNotFoundError as problem:
        raise KeepstoneError(f"the packages of the server are not there ({problem.name})", packages()) from problem

    key = token(memory.context.home, os.environ)
    is_given = bool(os.environ.get(VARIABLE))
    told = VARIABLE if is_given else f"{key} (kept in {token_file(memory.context.home)})"

    def begin(taken: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        link = f"http://{shown}:{taken}/" + ("" if is_given else f"login?token={key}")
        click.echo(f"Keepstone answers on http://{shown}:{taken} until Ctrl-C.\nDashboard: {link}\nToken: {told}")
        if host not in ("127.0.0.1", "::1", "localhost"):
            click.echo(
                "Others can reach it by this name or those of --name, and read along: put a TLS proxy before it.",
                err=True,
            )

    cache = MemoryCache(memory.context.home, memory.context.caller.folder, os.environ, time.time)
    run(cache, key, host, port, names, begin)


def packages() -> str:
    """Returns what to type for the packages of the server."""
    root = runtime.plugin_root()
    if not root:
        return "pip install fastapi uvicorn jinja2 python-multipart django-htmx"
    return f"{shlex.quote(os.path.join(root, 'bin', 'keepstone'))} bootstrap --all"


COMMANDS: tuple[Any, ...] = (serve,)
