"""The Anthropic Messages API on loopback: it answers "OK", or calls Bash where its script knows a prompt's words."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    """One request as it arrived, whoever sent it."""

    method: str
    path: str
    agent: str
    body: dict[str, Any] = field(repr=False)

    @property
    def asks_for_a_message(self) -> bool:
        return self.path.split("?")[0] == "/v1/messages"

    @property
    def is_turn(self) -> bool:
        """Whether the model is to go on with a conversation: the client's own small calls offer no tools."""
        return self.asks_for_a_message and bool(self.body.get("tools"))

    @property
    def text(self) -> str:
        """All that the messages tell the model, without the system prompt."""
        return "\n".join(_text(message["content"]) for message in self.body["messages"])

    @property
    def news(self) -> list[dict[str, Any]]:
        """The blocks after the last reply; the client may append messages of the role "system" to the user's."""
        blocks: list[dict[str, Any]] = []
        for message in reversed(self.body["messages"]):
            if message["role"] == "assistant":
                break
            content = message["content"]
            blocks = ([{"type": "text", "text": content}] if isinstance(content, str) else content) + blocks
        return blocks

    @property
    def tool_results(self) -> list[dict[str, Any]]:
        return [block for block in self.news if block["type"] == "tool_result"]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


class FakeApi(ThreadingHTTPServer):
    """Serves from a free port until closed. `bash` maps words of a prompt to the command that the model then runs,
    `tools` to any other tool's name and input.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.ended = 0  # turns: replies that call no tool
        self.bash: dict[str, str] = {}
        self.tools: dict[str, tuple[str, dict[str, Any]]] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def turns(self) -> list[Request]:
        return [request for request in self.requests if request.is_turn]

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is nobody's concern; a request that was not answered fails the test that needed it."""

    def answer(self, request: Request) -> dict[str, Any]:
        """The content block of the reply."""
        if request.is_turn and not request.tool_results:
            said = _text(request.news)
            commands = {words: ("Bash", {"command": run, "description": "run"}) for words, run in self.bash.items()}
            for words, (name, given) in {**commands, **self.tools}.items():
                if words in said:
                    return {"type": "tool_use", "id": f"toolu_{len(self.requests)}", "name": name, "input": given}
        self.ended += request.is_turn
        return {"type": "text", "text": "OK"}

    def message(self, request: Request) -> dict[str, Any]:
        """The whole reply."""
        block = self.answer(request)
        return {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model", ""),
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1_000, "output_tokens": 7},
        }

    def send(self, handler: _Handler, request: Request, data: bytes, kind: str) -> None:
        """Sends a reply to a request for a message."""
        handler.send(200, data, kind)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeApi

    def log_message(self, format: str, *args: Any) -> None:
        """Standard error belongs to pytest."""

    def do_HEAD(self) -> None:
        self._note({})
        self.send(404, b"", "application/json")

    do_GET = do_HEAD

    def do_POST(self) -> None:
        request = self._note(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        if not request.asks_for_a_message:
            self.send(404, b"{}", "application/json")
        else:
            self._reply(request)

    def _reply(self, request: Request) -> None:
        message = self.server.message(request)
        if request.body.get("stream"):
            self.server.send(self, request, _events(message), "text/event-stream")
        else:
            self.server.send(self, request, json.dumps(message).encode(), "application/json")

    def _note(self, body: dict[str, Any]) -> Request:
        request = Request(self.command, self.path, self.headers.get("user-agent", ""), body)
        self.server.requests.append(request)
        return request

    def send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _events(message: dict[str, Any]) -> bytes:
    """The message as the server-sent events of a streamed reply."""
    block = message["content"][0]
    if block["type"] == "tool_use":
        empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {**block, **empty}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
