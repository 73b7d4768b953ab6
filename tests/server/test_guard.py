"""What a request has to pass: the token, where it is from, how much it brings; how the server starts and ends."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sqlite3
import stat
import threading
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from keepstone.server.guard import BODY_BYTES, REQUESTS_AT_ONCE
from server.serving import TOKEN, environment, program, serving
from support import forked, known_home

PATHS = ("/api/v1/memories", "/api/memory/search", "/v1/audit", "/openapi.json", "/", "/nowhere")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "given", ["", "Token", "Token wrong", f"Basic {TOKEN}", f"Token {TOKEN}x", TOKEN, "Token \xff"]
)
def test_nothing_is_answered_without_the_token(shared, path, given):
    shared.get(PATHS[0])  # so that no wrong tokens in a row are slowed
    headers = {"Authorization": given.encode("latin-1")} if given else {}
    answer = httpx2.get(shared.url + path, headers=headers)
    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Token"
    assert answer.json()["status"] == 401 and TOKEN not in answer.text


@pytest.mark.parametrize("scheme", ["Token", "Bearer", "token", "BEARER"])
def test_the_token_is_taken_in_both_spellings(shared, scheme):
    assert httpx2.get(shared.url + PATHS[0], headers={"Authorization": f"{scheme} {TOKEN}"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "",
        "[::1]x",
        "127.0.0.2",
        "user@localhost",
    ],
)
def test_a_name_that_was_bound_to_this_address_reaches_nothing(shared, host):
    answer = shared.client.get(PATHS[0], headers={"Host": host})
    assert answer.status_code in (400, 403) and "data" not in answer.text  # an empty Host is refused by the parser


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7878", "127.0.0.1", "[::1]:7878"])
def test_the_loopback_s_own_names_do(shared, host):
    assert shared.client.get(PATHS[0], headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example", "http://127.0.0.1:1", "file://"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_another_site_s_page_reaches_nothing(shared, origin, method):
    answer = shared.client.request(method, PATHS[0], headers={"Origin": origin})
    assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("name, value", [("Origin", "http://evil.example"), ("Authorization", "Token wrong")])
def test_what_is_said_twice_is_refused(shared, name, value):
    own = {"Origin": shared.url, "Authorization": f"Token {TOKEN}"}
    headers = [("Authorization", own["Authorization"]), (name, value), (name, own[name])]
    assert httpx2.get(shared.url + PATHS[0], headers=headers).status_code == 400


def test_a_page_of_its_own_may_ask(shared):
    assert shared.client.get(PATHS[0], headers={"Origin": shared.url}).status_code == 200


def test_a_name_is_added_by_hand(tmp_path):
    with serving(tmp_path, "--name", "keepstone.example") as served:
        assert served.client.get(PATHS[0], headers={"Host": "keepstone.example"}).status_code == 200
        assert served.client.get(PATHS[0], headers={"Host": "other.example"}).status_code == 403


def test_every_answer_says_what_a_browser_may_do_with_it(shared):
    for path in PATHS:
        for answer in (shared.client.get(path), httpx2.get(shared.url + path)):
            assert (
                answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"
            )
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert "server" not in answer.headers


def test_a_body_that_is_too_large_is_refused_before_it_is_read(shared):
    body = b'{"narrative": "' + b"x" * BODY_BYTES + b'"}'
    answer = shared.client.post(PATHS[0], content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 413 and answer.json()["status"] == 413
    sent = shared.client.post(PATHS[0], content=(body[:1000] for _ in range(2_000)))  # chunked: no length is told
    assert sent.status_code == 413
    assert shared.get(PATHS[0]).status_code == 200


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"narrative": 1}', b"\xff\xfe", b"[" * 100_000, b'{"x": NaN}']
)
def test_a_body_that_is_none_is_named_as_that(shared, body):
    answer = shared.client.post(PATHS[0], content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400 and answer.headers["content-type"] == "application/problem+json"


def test_what_is_not_known_is_refused_and_not_passed_over(shared):
    answer = shared.post(PATHS[0], narrative="text", memory_type="fact", impotance=0.3)
    assert answer.status_code == 400 and "impotance" in answer.json()["detail"]


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x00\xf4\x01\x00",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET " + b"a" * 100_000,
    ],
)
def test_what_is_no_request_harms_nobody(shared, raw):
    address = urlsplit(shared.url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        try:
            assert b" 200 " not in connection.recv(1_000)
        except ConnectionResetError:
            pass
    assert shared.get(PATHS[0]).status_code == 200


def test_a_websocket_is_not_taken(shared):
    address = urlsplit(shared.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "eA==",
    }
    connection.request("GET", "/", headers={**headers, "Authorization": f"Token {TOKEN}"})
    assert connection.getresponse().status == 200  # the page, as if nothing else had been asked
    connection.close()


def test_those_who_ask_too_much_at_once_are_told_to_come_again(served):
    served.store("Something to look for in the crowd")
    statuses = []
    headers = {"Authorization": f"Token {TOKEN}"}

    def ask():
        with httpx2.Client(base_url=served.url, headers=headers, timeout=60, verify=False) as client:
            for _ in range(5):
                answer = client.get("/api/v1/memories/search", params={"query": "crowd"})
                statuses.append((answer.status_code, answer.headers.get("retry-after")))

    crowd = [threading.Thread(target=ask) for _ in range(REQUESTS_AT_ONCE * 3)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert set(statuses) <= {(200, None), (503, "1")} and (200, None) in statuses
    assert served.get(PATHS[0]).status_code == 200


def test_who_waits_in_vain_is_told_to_come_again(served):
    served.store("Something to read")
    statuses = []
    headers = {"Authorization": f"Token {TOKEN}"}

    def write(client):
        statuses.append(client.post(PATHS[0], json={"narrative": "A note"}).status_code)

    with ExitStack() as stack:  # clients that are ready
        clients = [
            httpx2.Client(base_url=served.url, headers=headers, timeout=60, verify=False)
            for _ in range(REQUESTS_AT_ONCE)
        ]
        for client in clients:
            stack.enter_context(client)
        database = stack.enter_context(closing(sqlite3.connect(served.home / "keepstone.db", isolation_level=None)))
        database.execute("BEGIN IMMEDIATE")
        writers = [threading.Thread(target=write, args=(client,)) for client in clients]
        for one in writers:
            one.start()
        answer = served.get(PATHS[0])
        while answer.status_code == 200 and not statuses:  # until all of them have come
            answer = served.get(PATHS[0])
        database.execute("ROLLBACK")
        for one in writers:
            one.join()
    assert answer.status_code == 503 and answer.headers["retry-after"] == "1"
    assert set(statuses) <= {201, 503} and served.get(PATHS[0]).status_code == 200


def test_the_token_is_made_once_for_its_user_alone(tmp_path):
    with serving(tmp_path, KEEPSTONE_TOKEN="") as served:
        kept = served.home / "token"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        made = kept.read_text().strip()
        assert len(made) >= 40 and served.get(PATHS[0]).status_code == 401
        headers = {"Authorization": f"Token {made}"}
        assert httpx2.get(served.url + PATHS[0], headers=headers).status_code == 200
    with serving(tmp_path, KEEPSTONE_TOKEN="") as served:
        assert kept.read_text().strip() == made


def _refused(tmp_path, *words, **more):
    project = tmp_path / "shop"
    project.mkdir(exist_ok=True)
    known_home(tmp_path / ".local" / "share" / "keepstone")
    return forked(("serve", *words), environment(tmp_path, **more), project)


def test_a_token_that_keeps_nobody_out_is_refused(tmp_path):
    for token in ("short", "with a space in it all", "fünfzehn-zeichen-und-mehr"):
        done = _refused(tmp_path, KEEPSTONE_TOKEN=token)
        assert done.returncode == 2 and "at least 16 characters" in done.stderr and token not in done.stderr


def test_a_port_that_is_taken_and_an_address_that_is_none_are_named(shared, tmp_path):
    port = str(urlsplit(shared.url).port)
    done = _refused(tmp_path, "--port", port)
    assert done.returncode == 1 and f"port {port}" in done.stderr and "--port 0" in done.stderr
    done = _refused(tmp_path, "--host", "no.such.host.invalid", "--port", "0")
    assert done.returncode == 2 and "no address" in done.stderr


def test_a_session_s_model_starts_no_server(tmp_path):
    done = _refused(tmp_path, CLAUDE_CODE_SESSION_ID="s1")
    assert done.returncode == 2 and "only a person starts a server" in done.stderr


def test_it_listens_on_the_loopback_alone_and_ends_with_its_signal(tmp_path):
    with serving(tmp_path, begin=program) as served:
        assert urlsplit(served.url).hostname == "127.0.0.1"
        rows = [line.split() for line in Path(f"/proc/{served.process.pid}/net/tcp").read_text().splitlines()]
        listening = {row[1] for row in rows if row[3] == "0A"}
        port = f"{urlsplit(served.url).port:04X}"
        assert [one for one in listening if one.endswith(":" + port)] == [f"0100007F:{port}"]
        served.process.send_signal(signal.SIGTERM)
        served.process.wait(15)
    assert not [name for name in os.listdir(served.home) if name.endswith(("-journal", ".lock.tmp"))]
