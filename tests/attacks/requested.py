"""Requests to `keepstone serve`: in their paths, queries, bodies and headers, and what its pages then show.

Delivered is a server's own error, a word of the engine's or of a file beside the data home, another memory than before
after a request that only looks, an answer to somebody without the token, a mark in a page that came with a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx2

from attacks.asked import CONTENT, ENGINE, SCHEMA
from attacks.outcome import Outcome, each
from attacks.placed import CANARY
from engines import rows
from server.serving import TOKEN, Served, serving

KEPT = "Deploys need the VPN gateway, as the registry is internal"
MARK = "<b id=canary>"
ESCAPED = "&lt;b id=canary&gt;"
QUERIES = {
    "/api/memory/search": ("query", "projectPath", "chunkType"),
    "/api/memory/context": ("project",),
    "/api/v1/memories": ("project", "memory_type", "tag", "which", "limit"),
    "/api/v1/memories/search": ("query", "project", "memory_type", "file"),
    "/api/v1/memories/by-file": ("path", "project"),
    "/api/v1/sessions": ("project", "page"),
    "/v1/audit": ("op", "memory_id", "session_id", "actor", "agent_id", "since", "before"),
    "/": ("q", "kind", "tag", "project", "page"),
    "/sessions": ("project", "page"),
    "/graph": ("project", "of"),
    "/health/audit": ("op", "since", "page"),
    "/login": ("to",),
}
NAMED = ("/api/v1/memories/{}", "/api/v1/memories/{}/related", "/api/v1/sessions/{}", "/api/v1/sessions/{}/context")
NAMED = (*NAMED, "/v1/memories/{}/history", "/memories/{}", "/memories/{}/why", "/sessions/{}", "/static/{}", "/{}")
LOOKS = {
    "/api/v1/memories/explore": ("topic",),
    "/api/v1/memories/path": ("source_memory_id", "target_memory_id"),
    "/api/memory/extract": ("transcriptPath",),
    "/api/v1/call/search": ("query",),
}
# Where an attacker without the token may write, and what is asked for.
HEADERS = ("Authorization", "Host", "Origin", "Referer", "Cookie", "X-Forwarded-For", "X-Forwarded-Host", "X-Token")
PAGES = ("/", "/sessions", "/review", "/graph", "/ending", "/delivery", "/health/checks", "/health/audit")


class House:
    """A server with one memory, and a file beside its data home that nobody may read."""

    def __init__(self, root: Path, served: Served) -> None:
        self.served = served
        self.database = str(served.home / "keepstone.db")
        for name in ("canary", "canary.md", "canary.jsonl"):
            (root / name).write_text(f"# {CANARY}\n")
        self.id = served.store(KEPT)
        self.before = self.state()

    def state(self) -> list[object]:
        return [*rows(self.database, SCHEMA), *rows(self.database, CONTENT)]

    def changes(self) -> list[str]:
        before, self.before = self.before, self.state()
        return ["the database holds something else"] * (self.before != before)


def _looked(house: House, text: str) -> Iterator[str]:
    """In each request that only looks, with the token: in its path, in each of its queries, in its body."""
    client, text = house.served.client, _sendable(text)
    for path in NAMED:
        yield from _wrong(client.get(path.format(quote(text[:2_000], safe=""))), path, text)
    for path, names in QUERIES.items():
        for name in names:
            yield from _wrong(client.get(path, params={name: text[:2_000]}), f"{path}?{name}", text)
    for path, names in LOOKS.items():
        yield from _wrong(client.post(path, json=dict.fromkeys(names, text)), path, text)
    yield from _wrong(client.post("/api/v1/memories/explore", content=text.encode()), "a body", text)
    yield from house.changes()


def _without_token(house: House, text: str) -> Iterator[str]:
    """In each header, to somebody who lacks the token; and as if it were one."""
    value = _sendable(text).replace("\r", " ").replace("\n", " ").replace("\0", " ")[:4_000].encode()
    for name in HEADERS:
        for given in (value, b"Token " + value) if name == "Authorization" else (value,):
            house.served.get("/api/v1/sessions")  # so that no wrong tokens in a row are slowed
            try:
                answer = httpx2.get(house.served.url + "/api/v1/memories", headers={name: given}, timeout=30)
            except httpx2.HTTPError as problem:  # not sent, or hung up on: no answer
                if isinstance(problem, httpx2.TimeoutException):
                    yield f"{name}: no answer in 30 s"
                continue
            if not 400 <= answer.status_code < 500 or KEPT in answer.text or TOKEN in answer.text:
                yield f"{name}: {answer.status_code} {answer.text[:100]}"
    yield from house.changes()


def _shown(house: House, text: str) -> Iterator[str]:
    """In all that a memory holds, on the pages that show it."""
    client, text = house.served.client, _sendable(text)
    more = {"title": f"{text[:100]}{MARK}", "tags": [f"{text[:40]}{MARK}"], "source_session_id": f"{text[:100]}{MARK}"}
    answer = client.post("/api/v1/memories", json={"narrative": f"{text[:5_000]} {MARK} {KEPT}", **more})
    if answer.status_code >= 500:
        yield f"stored: {answer.status_code} {answer.text[:200]}"
    stored = answer.json().get("memory_id", house.id) if answer.status_code < 300 else house.id
    for path in (*PAGES, f"/memories/{stored}", f"/memories/{stored}/why?q={quote(MARK)}", f"/?q={quote(MARK)}"):
        page = client.get(path)
        if page.status_code != 200 or MARK in page.text:
            yield f"{path}: {page.status_code}, {'a mark' * (MARK in page.text)}"
    if stored != house.id:
        if ESCAPED not in client.get(f"/memories/{stored}").text:
            yield "its page does not show it"
        client.delete(f"/api/v1/memories/{stored}")


WAYS: dict[str, Callable[[House, str], Iterator[str]]] = {
    "requests to the server, of paths": _looked,
    "requests to the server, of queries": _looked,
    "headers without the server's token": _without_token,
    "pages of the server": _shown,
}


def requested(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each text by this way."""
    root.mkdir(parents=True)
    with serving(root) as served:
        house = House(root, served)
        return each(name, texts, lambda text: WAYS[name](house, text))


def _wrong(answer: httpx2.Response, what: str, text: str) -> Iterator[str]:
    said = unescape(answer.text).replace(text, "").replace(json.dumps(text)[1:-1], "")  # what is asked is shown
    if answer.status_code >= 500 or CANARY in said or ENGINE.search(said):
        yield f"{what}: {answer.status_code} {said[:200]}"


def _sendable(text: str) -> str:
    """A text without what no character is: a client can't send it."""
    return text.encode("utf-8", "replace").decode()
