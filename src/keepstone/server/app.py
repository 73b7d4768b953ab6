"""The application: every route, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi

from ..lib.errors import BadInput
from ..version import __version__
from .api import call, compat_cognova, compat_neuroloom, compat_z3rno, memories, relationships, sessions
from .connections import Limits
from .dashboard import routes
from .dashboard.page import as_page, refusal
from .guard import Guard
from .memory_cache import MemoryCache
from .problems import Problem, install

SERVE_THREADS = 2  # that answer; measured: with 8 a third fewer are answered, as they wait for each other

ABOUT = """The memories of one data home, by the same operations as the command line.

Every request brings `Authorization: Token ...` (or `Bearer`), and asks by a name that the server knows. Times are told
in ISO 8601, in UTC. What went wrong is told as RFC 9457 has it.
"""


async def _known(request: Request) -> None:
    """Raises BadInput for a parameter that the route has not: misspelt, it would be another question, or project."""
    known = {one.alias for one in request.scope["route"].dependant.query_params}
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        raise BadInput(
            f"there is no parameter {unknown[0][:40]!r} here", f"one of {', '.join(sorted(known)) or 'none'}"
        )


@asynccontextmanager
async def _few_threads(app: FastAPI) -> AsyncIterator[None]:
    """What is asked at once waits for a thread rather than that all wait for the interpreter and the disk."""
    current_default_thread_limiter().total_tokens = SERVE_THREADS
    yield


def application(cache: MemoryCache, token: str, hosts: Iterable[str], limits: Limits) -> Guard:
    """`hosts` are names by which it may be reached besides those of the loopback."""
    app = FastAPI(
        title="Keepstone",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_few_threads,
    )
    app.state.memories, app.state.token = cache, token
    install(app, as_page)
    # compat_neuroloom before memories: /memories/graph is no id
    for part in (compat_cognova, compat_neuroloom, memories, relationships, sessions, compat_z3rno, call):
        app.include_router(part.router, dependencies=[Depends(_known)])
    app.openapi = _description(app)  # type: ignore[method-assign]
    routes.install(app)
    return Guard(app, token, hosts, refusal, limits.body)


def _description(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """Returns what tells the OpenAPI description of the routes so far. It is made when it is first asked for: that
    takes a tenth of a second.
    """
    routes_so_far = list(app.routes)

    @lru_cache(1)
    def described() -> dict[str, Any]:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=routes_so_far)
        _complete(made)
        return made

    return described


def _complete(described: dict[str, object]) -> None:
    """Adds what the routes can't say by themselves, and takes out the 422 that is answered by none."""
    components: dict[str, dict[str, object]] = described["components"]  # type: ignore[assignment]
    components["schemas"]["Problem"] = Problem.model_json_schema()
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    described["security"] = [{"token": []}]
    for path in described["paths"].values():  # type: ignore[attr-defined]
        for operation in path.values():
            operation["responses"].pop("422", None)
