"""A post takes a bounded answer in a bounded time, whatever stands at the other end."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, contextmanager

import pytest

from keepstone.lib.http import ANSWER_BYTES, post
from loopback import server

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"


@contextmanager
def sends(part, pause):
    """A server that answers with the same part over and over, until the other side leaves."""
    left = threading.Event()

    def answer():
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(HEAD)
                while True:
                    connection.sendall(part)
                    time.sleep(pause)
            except OSError:
                left.set()

    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/", left


def test_an_answer_in_drops_is_given_up():
    with sends(b" ", 0.02) as (url, left):
        with pytest.raises(TimeoutError, match="not whole"):
            post(url, b"{}", {}, 0.3, proxied=False)
        assert left.wait(20)


def test_an_answer_without_an_end_is_given_up():
    with sends(b" " * (ANSWER_BYTES // 20), 0) as (url, left):
        with pytest.raises(ConnectionError, match="no end"):
            post(url, b"{}", {}, 60, proxied=False)
        assert left.wait(20)


def test_what_answers_nothing_at_all_is_given_up():
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(TimeoutError, match="nothing came"):
            post(url, b"{}", {}, 0.2, proxied=False)
    with pytest.raises(ConnectionError):
        post(url, b"{}", {}, 5, proxied=False)


@pytest.mark.parametrize("url", ["http://", "ftp://127.0.0.1/", "http://[::1", "http://127.0.0.1:99999/", "", "\udce4"])
def test_an_address_that_is_none_is_no_answer(url):
    with pytest.raises(OSError):
        post(url, b"{}", {}, 5, proxied=False)


def test_no_redirect_is_followed_and_nothing_is_unpacked():
    with server(lambda body: (302, {"to": body["to"]})) as (url, asked):
        answer = post(url, b'{"to": 1}', {"x-more": "1"}, 5, proxied=False)
        assert (answer.status, answer.content) == (302, b'{"to": 1}') and len(asked) == 1
        sent = {name.lower(): value for name, value in asked[0][1].items()}
        assert (sent["accept-encoding"], sent["x-more"]) == ("identity", "1")


def test_a_proxy_of_the_environment_stands_between_only_where_it_may(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with server(lambda body: (200, {})) as (url, asked):
        assert post(url, b"{}", {}, 5, proxied=False).status == 200
        with pytest.raises(ConnectionError):
            post(url, b"{}", {}, 5, proxied=True)
        assert len(asked) == 1
