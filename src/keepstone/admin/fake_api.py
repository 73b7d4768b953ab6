"""Serves a scripted Messages API on loopback, for the real client to talk to when delivery is proved. No request leaves
this machine, and none costs anything.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[dict[str, Any]], list[dict[str, Any]]]  # returns an answer's content blocks for a request


class Loopback(ThreadingHTTPServer):
    """Answers on a free port, in a thread of its own, until `close`. `bodies` are the requests for a message."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Does nothing: a client that disconnects is not an error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing: standard error is the user's."""

    def do_GET(self) -> None:
        self._send(404, b"", "application/json")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.split("?")[0] != "/v1/messages":
            self._send(404, b"{}", "application/json")
            return
        self.server.bodies.append(body)
        message = self._message(body)
        if body.get("stream"):
            self._send(200, b"".join(_events(message)), "text/event-stream")
        else:
            self._send(200, json.dumps(message).encode(), "application/json")

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        blocks = self.server.script(body)
        calls = any(block["type"] == "tool_use" for block in blocks)
        return {
            "id": f"msg_{len(self.server.bodies)}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", ""),
            "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _events(message: dict[str, Any]) -> list[bytes]:
    """Returns the message as server-sent events."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(message["content"]):
        events += [
            {"type": "content_block_start", "index": index, "content_block": _begun(block)},
            {"type": "content_block_delta", "index": index, "delta": _rest(block)},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def _begun(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}


def _rest(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "tool_use":
        return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return {"type": "text_delta", "text": block["text"]}
