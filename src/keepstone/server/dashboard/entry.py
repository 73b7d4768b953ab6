"""The way in: the page that asks for the token, the way out, and the files that pages consist of."""

from __future__ import annotations

import importlib.util
import time
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

import python_multipart  # noqa: F401  FastAPI reads forms by it, and says so only when the server has begun
from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from ...graph.html import library, script
from ..token import cookie, cookie_name, is_same
from .page import HEADERS, templates

COOKIE_SECONDS = 30 * 86_400  # that a browser stays let in: a month

router = APIRouter()
STATIC_DIR = Path(__file__).with_name("static")
# of this package only the file is read
PACKAGE, SCRIPT = "django_htmx", "static/django_htmx/htmx-2.min.js"


class Assets:
    """Our own files, and those of two packages, by their names; nothing else of any folder."""

    def __init__(self) -> None:
        found = importlib.util.find_spec(PACKAGE)
        self.files = {path.name: path for path in STATIC_DIR.iterdir()}
        self.files["vis-network.js"] = library()
        self.files["graph.js"] = script()
        self.files["htmx.js"] = Path(found.origin or "").parent / SCRIPT if found else Path(SCRIPT)
        if not self.files["htmx.js"].is_file():
            raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = self.files.get(scope["path"].rpartition("/")[2])
        if path is None or scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such file")
        await FileResponse(path, headers={"cache-control": "no-cache"})(scope, receive, send)


def assets() -> ASGIApp:
    return Assets()


@router.get("/login")
def ask(
    request: Request,
    to: Annotated[str, Query(max_length=4096)] = "/",
    token: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    """Asks for the token; a link that has it leads on."""
    return _enter(request, token, to) if token else _asking(to, "")


@router.post("/login")
def enter(
    request: Request,
    token: Annotated[str, Form(max_length=500)] = "",
    to: Annotated[str, Form(max_length=4096)] = "/",
) -> Response:
    return _enter(request, token.strip(), to)


@router.post("/logout")
def leave(request: Request) -> Response:
    answer = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(_name(request), path="/", httponly=True, samesite="strict")
    return answer


def _enter(request: Request, given: str, to: str) -> Response:
    token: str = request.app.state.token
    if not is_same(given, token):
        return _asking(to, "This is not the token. The terminal in which keepstone serve runs shows it.")
    answer = RedirectResponse(_inside(to), HTTPStatus.SEE_OTHER)
    value = cookie(token, int(time.time()) + COOKIE_SECONDS)
    answer.set_cookie(_name(request), value, max_age=COOKIE_SECONDS, path="/", httponly=True, samesite="strict")
    return answer


def _asking(to: str, problem: str) -> Response:
    filled = templates.get_template("login.html").render(to=_inside(to), problem=problem)
    return HTMLResponse(filled, HTTPStatus.UNAUTHORIZED, {**HEADERS, "www-authenticate": "Token"})


def _inside(to: str) -> str:
    """A path of this server; any other address is the front page's."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable() else "/"


def _name(request: Request) -> str:
    return cookie_name(request.scope["server"][1])
