"""What every request has to pass before anything of Keepstone sees it: who asks, from where, how much, how many at
once.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote

from .connections import SHOWN_TOKEN
from .problems import problem
from .token import cookie_name, is_cookie, is_same
from .wrong_tokens import WrongTokens

BODY_BYTES = 1_000_000  # of a request: the longest memory takes a hundredth of it
STRANGER_BYTES = 100_000  # of one without the token: of so many connections, each may have one
TURN_SECONDS = 5.0  # that a write waits for those before it: as long as a person waits for the database
REQUESTS_AT_ONCE = 64  # further ones wait: a second's work of one core
QUEUE_SECONDS = 1.0  # that they wait, until they are turned away with 503; measured: at once they come again in a storm

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SAFE = ("GET", "HEAD", "OPTIONS")
BACK_CHARS = 2_000  # of an address that a login leads back to: browsers show no more
OF_ANY_TIME = -1  # before the end of every cookie: one whose time is over is no guess
LOGIN, ASSETS = "/login", "/static/"  # open to everybody: they hold nothing of anybody
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# with a stricter word for referrers browsers hide the Origin of forms as well
PAGE = [(b"content-security-policy", POLICY.encode()), (b"referrer-policy", b"same-origin")]
HEADERS = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(:\d{1,5})?")


class Guard:
    """Answers 403 to a foreign Host or Origin, 401 without the token, 413 and 408 to a body that is too large or too
    slow, 503 when too much is asked at once; everything else it lets through, with the whole body read.
    """

    def __init__(
        self,
        app: App,
        token: str,
        hosts: Iterable[str],
        page: Callable[[HTTPStatus, str], str],
        body_seconds: float,
    ) -> None:
        """`hosts` are the names by which it is reached, without ports; `page` makes a page of why one is refused, for
        people; `body_seconds` is the time that a body has to come.
        """
        self.app = app
        self.page = page
        self.token = token
        self.hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self.body_seconds = body_seconds
        self.wrong_tokens = WrongTokens()
        self.free = asyncio.Semaphore(REQUESTS_AT_ONCE)  # who waits for it keeps others from asking again and again
        self.turn = asyncio.Lock()  # of those that write: while one waits for the database, others are still answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":  # no websocket is served: the server closes it
            await self._judge(scope, receive, send)

    async def _judge(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = {name.lower(): value for name, value in scope["headers"]}
        refused = _twice(scope["headers"]) or self._foreign(headers) or self._stranger(scope, headers)
        try:
            if self._is_guess(scope, headers, refused):
                send = await self._slowed(scope, send)
            if refused and refused[0] is HTTPStatus.UNAUTHORIZED and _is_person(headers):
                scope = _at_login(scope)
            elif refused:
                await self._answer(scope, send, *refused)
                return
            most = BODY_BYTES if self._knows(scope, headers) else STRANGER_BYTES
            body = await _body(headers, receive, most, self.body_seconds)
        except asyncio.CancelledError:
            return  # the server ends before the body has come
        if isinstance(body, HTTPStatus):
            await self._answer(scope, send, body, _TOO[body])
        else:
            await self._when_free(scope, _given(body, receive), send)

    async def _when_free(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await asyncio.wait_for(self.free.acquire(), QUEUE_SECONDS)
        except TimeoutError:
            await self._answer(scope, send, HTTPStatus.SERVICE_UNAVAILABLE, "too much is asked at once")
            return
        try:
            await self._pass_on(scope, receive, _hardened(send))
        finally:
            self.free.release()

    async def _slowed(self, scope: Scope, send: Send) -> Send:
        """Waits if this address has shown wrong tokens. Returns a `send` that forgets them if this one is right."""
        address = _address(scope)
        await asyncio.sleep(self.wrong_tokens.guess(address, time.monotonic()))

        async def judged(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < HTTPStatus.BAD_REQUEST:
                self.wrong_tokens.right(address)
            await send(message)

        return judged

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in SAFE:
            await self.app(scope, receive, send)
            return
        try:
            await asyncio.wait_for(self.turn.acquire(), TURN_SECONDS)
        except TimeoutError:
            await self._answer(scope, send, HTTPStatus.SERVICE_UNAVAILABLE, "others write just now")
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self.turn.release()

    async def _answer(self, scope: Scope, send: Send, status: HTTPStatus, says: str) -> None:
        asked = {name.lower(): value for name, value in scope["headers"]}
        as_page = _is_person(asked)
        body = (self.page(status, says) if as_page else problem(status, says)).encode()
        kind = b"text/html; charset=utf-8" if as_page else b"application/problem+json"
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *(PAGE if as_page else [])]
        headers += _OF[status]
        if status is HTTPStatus.UNAUTHORIZED and b"hx-request" in asked:
            headers.append((b"hx-refresh", b"true"))  # then the whole page asks for the token
        own = {name for name, _ in headers}
        headers += [pair for pair in HEADERS if pair[0] not in own]
        await send({"type": "http.response.start", "status": int(status), "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _foreign(self, headers: dict[bytes, bytes]) -> tuple[HTTPStatus, str] | None:
        """Why a request is not from where it should be: another site's page, or a name that was bound to this address
        (DNS rebinding).
        """
        host = _text(headers.get(b"host")).lower()
        if _name(host) not in self.hosts:
            return HTTPStatus.FORBIDDEN, "this server is not reached by that Host"
        origin = headers.get(b"origin")
        if origin is not None and _text(origin).lower() not in (f"http://{host}", f"https://{host}"):
            return HTTPStatus.FORBIDDEN, "pages of that Origin may not ask"
        return None

    def _stranger(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[HTTPStatus, str] | None:
        if self._knows(scope, headers):
            self.wrong_tokens.right(_address(scope))
            scope.get("state", {}).get(SHOWN_TOKEN, _nothing)()
            return None
        return None if scope["path"] == LOGIN or scope["path"].startswith(ASSETS) else _UNKNOWN

    def _knows(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        scheme, _, given = _text(headers.get(b"authorization")).partition(" ")
        if scheme.lower() in ("token", "bearer") and is_same(given.strip(), self.token):
            return True
        # a cookie comes along with whatever makes a browser ask: so what changes something has to be from its own page
        return not scheme and (scope["method"] in SAFE or b"origin" in headers) and self._has_cookie(scope, headers)

    def _has_cookie(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        return is_cookie(_cookie(scope, headers), self.token, time.time())

    def _is_guess(self, scope: Scope, headers: dict[bytes, bytes], refused: tuple[HTTPStatus, str] | None) -> bool:
        """Whether a request shows a token or a cookie that is wrong, or a token that the login is to judge."""
        if refused is _UNKNOWN:
            shown = _cookie(scope, headers)
            return b"authorization" in headers or bool(shown and not is_cookie(shown, self.token, OF_ANY_TIME))
        at_login = scope["path"] == LOGIN and (scope["method"] == "POST" or b"token=" in scope["query_string"])
        return refused is None and at_login


_UNKNOWN = (HTTPStatus.UNAUTHORIZED, "the token is missing or wrong: Authorization: Token ...")
_CLOSE = [(b"connection", b"close")]  # what else comes on it is of the same body
_OF: dict[HTTPStatus, list[tuple[bytes, bytes]]] = {
    HTTPStatus.BAD_REQUEST: [],
    HTTPStatus.FORBIDDEN: [],
    HTTPStatus.UNAUTHORIZED: [(b"www-authenticate", b"Token")],
    HTTPStatus.SERVICE_UNAVAILABLE: [(b"retry-after", b"1")],
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: _CLOSE,
    HTTPStatus.REQUEST_TIMEOUT: _CLOSE,
}
_TOO = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"a body has at most {BODY_BYTES:,} bytes, a stranger's {STRANGER_BYTES:,}",
    HTTPStatus.REQUEST_TIMEOUT: "the body has not come in time",
    HTTPStatus.BAD_REQUEST: "the client has gone, or its Content-Length is no number",
}


def _twice(headers: Iterable[tuple[bytes, bytes]]) -> tuple[HTTPStatus, str] | None:
    """Why a request is refused that says twice who asks or from where: somebody may have read the other one."""
    names = [name.lower() for name, _ in headers]
    twice = any(names.count(name) > 1 for name in (b"host", b"origin", b"authorization"))
    return (HTTPStatus.BAD_REQUEST, "Host, Origin and Authorization are said once") if twice else None


def _cookie(scope: Scope, headers: dict[bytes, bytes]) -> str:
    """The cookie in place of the token, "" without one. What can't be read is a wrong one."""
    given = _text(headers.get(b"cookie"))
    name = cookie_name(scope["server"][1])
    try:
        found = SimpleCookie(given).get(name)
    except CookieError:
        return given if name in given else ""
    return found.value if found else ""


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _nothing() -> None:
    pass


def _is_person(headers: dict[bytes, bytes]) -> bool:
    """Whether a browser asks for a page: then it is answered by one, with the same status."""
    return b"authorization" not in headers and "text/html" in _text(headers.get(b"accept"))


def _at_login(scope: Scope) -> Scope:
    """The same request, at the page that asks for the token and leads back to where it was; a form that was sent is
    still there when somebody goes back.
    """
    back = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    back = back if scope["method"] in SAFE and len(back) <= BACK_CHARS else "/"
    query = b"to=" + quote(back).encode()
    return {**scope, "method": "GET", "path": LOGIN, "raw_path": LOGIN.encode(), "query_string": query}


def _text(value: bytes | None) -> str:
    return (value or b"").decode("latin-1")


def _name(host: str) -> str:
    """A Host without its port, "" for what is none."""
    found = _HOST.fullmatch(host)
    return found[1] if found else ""


async def _body(headers: dict[bytes, bytes], receive: Receive, most: int, seconds: float) -> bytes | HTTPStatus:
    """The whole body, or with which status it is refused."""
    length = _text(headers.get(b"content-length")) or "0"
    if not (length.isascii() and length.isdigit()):
        return HTTPStatus.BAD_REQUEST
    if int(length) > most:
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    return HTTPStatus.BAD_REQUEST
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
                more = message.get("more_body", False)
    except TimeoutError:
        return HTTPStatus.REQUEST_TIMEOUT
    return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """A `receive` that has the body already, and later tells of the client as the real one does."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def given() -> Message:
        return waiting.pop() if waiting else await receive()

    return given


def _hardened(send: Send) -> Send:
    """A `send` that adds the headers that keep an answer from being read as something else than it is."""

    async def hardened(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in HEADERS if pair[0] not in own)]
        await send(message)

    return hardened
