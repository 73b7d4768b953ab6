"""The scripted API as an extraction's model: it learns each new turn of the user's, or does what a script says."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from client.fake_anthropic import FakeApi, Request

STATUSES = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 500: "api_error"}
CONVERSATION = re.compile(r"<conversation>\n(.*?)\n</conversation>", re.DOTALL)
KNOWN = re.compile(r"<known-memories>\n(.*?)\n</known-memories>", re.DOTALL)
STRUCTURED = "StructuredOutput"  # the tool that the client gives a model for an answer by a schema


@dataclass(frozen=True)
class Reply:
    """What a request gets. `text` is prose instead of what was asked for; `body` replaces the whole message."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    answer: object = None
    stop: str = ""
    body: bytes | None = None
    hangs: bool = False
    cut: bool = False


def conversation(request: Request) -> list[dict[str, Any]]:
    """The turns in a request, those that were read before included."""
    return _lines(CONVERSATION, request)


def known(request: Request) -> list[dict[str, Any]]:
    """The memories that went along."""
    return _lines(KNOWN, request)


def _lines(pattern: re.Pattern[str], request: Request) -> list[dict[str, Any]]:
    found = pattern.search(request.text)
    return [json.loads(line) for line in found[1].split("\n")] if found else []


def learn(request: Request) -> list[dict[str, Any]]:
    """A memory of each new turn of the user's, in its first words."""
    return [
        item(line["text"][:90], line["turn"], quote=line["text"][:90])
        for line in conversation(request)
        if line["role"] == "user" and line.get("turn")
    ]


def item(content: object, turn: object = 1, **more: object) -> dict[str, Any]:
    """One item of an answer, which quotes its own words unless it is told others."""
    made = {"type": "fact", "content": content, "relevance": 0.8, "turn": turn, "relation": "new", "known": 0}
    return {**made, "quote": content, **more}


class ExtractionApi(FakeApi):
    """Answers extractions by `script` in the order of the requests, then by `learn`. Other requests get "OK"."""

    def __init__(self, *script: Reply) -> None:
        self.script = list(script)
        self.learn: Callable[[Request], object] = learn
        self.extractions: list[Request] = []
        self.replies: dict[int, Reply] = {}
        self.closing = threading.Event()
        super().__init__()

    def close(self) -> None:
        self.closing.set()
        super().close()

    def answer(self, request: Request) -> dict[str, Any]:
        if not CONVERSATION.search(request.text):
            return super().answer(request)
        self.extractions.append(request)
        given = self.script.pop(0) if self.script else Reply()
        self.replies[id(request)] = given
        if given.text:
            return {"type": "text", "text": given.text}
        found = given.answer if given.answer is not None else {"memories": self.learn(request)}
        if STRUCTURED in [tool["name"] for tool in request.body.get("tools", ())]:
            return {"type": "tool_use", "id": f"toolu_{len(self.requests)}", "name": STRUCTURED, "input": found}
        return {"type": "text", "text": json.dumps(found)}

    def reply_to(self, request: Request) -> Reply:
        return self.replies.get(id(request), Reply())

    def message(self, request: Request) -> dict[str, Any]:
        message = super().message(request)
        stop = self.reply_to(request).stop
        return {**message, "stop_reason": stop} if stop else message

    def send(self, handler: BaseHTTPRequestHandler, request: Request, data: bytes, kind: str) -> None:
        given = self.reply_to(request)
        if given.hangs:
            self.closing.wait()
            return
        if given.status != 200:
            kind = "application/json"
            error = {"type": STATUSES.get(given.status, "overloaded_error"), "message": f"scripted {given.status}"}
            data = json.dumps({"type": "error", "error": error}).encode()
        data = data if given.body is None else given.body
        handler.send_response(given.status)
        for name, value in {"content-type": kind, "content-length": str(len(data)), **given.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2] if given.cut else data)
        handler.close_connection = handler.close_connection or given.cut
