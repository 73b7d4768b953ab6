"""Connections that stop or dawdle: they end, however far they have come, and keep nobody else waiting."""

from __future__ import annotations

import random
import selectors
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from random import Random
from subprocess import PIPE, Popen
from urllib.parse import urlsplit

import httpx2
import pytest

from keepstone.server.token import cookie, cookie_name
from keepstone.server.wrong_tokens import FREE, LONGEST_SECONDS, QUEUE_SECONDS, WrongTokens
from server.serving import TOKEN, serving

PATH = "/api/v1/memories"
IMPATIENT = Path(__file__).with_name("impatient.py")
ENDED = b""

JSON = b'{"narrative": "Deploys need the VPN", "memory_type": "fact"}'
RIGHT, WRONG, NO = f"Authorization: Token {TOKEN}\r\n".encode(), b"Authorization: Token wrong\r\n", b""


def get(path, who=RIGHT):
    return b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + who + b"\r\n"


def post(path, body, who=RIGHT):
    length = str(len(body)).encode()
    return get(path, b"Content-Length: " + length + b"\r\n" + who).replace(b"GET", b"POST", 1) + body


def chunked(path, body, who=RIGHT):
    parts = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:20], body[20:]))
    return post(path, b"", b"Transfer-Encoding: chunked\r\n" + who).replace(b"Content-Length: 0\r\n", b"") + (
        parts + b"0\r\n\r\n"
    )


# what is sent at once, and a request of which only a part follows
REQUESTS = [
    *((b"", get(b"/api/v1/memories", who)) for who in (RIGHT, WRONG, NO)),
    *((b"", post(b"/api/v1/memories", JSON, who)) for who in (RIGHT, WRONG, NO)),
    *((b"", chunked(b"/api/v1/memories", JSON, who)) for who in (RIGHT, WRONG)),
    (b"", post(b"/login", b"token=" + b"x" * 400, NO)),
    (b"", get(b"/static/style.css", NO)),
    (get(b"/openapi.json"), get(b"/")),  # a second one on the same connection, sent before the first is answered
    (get(b"/nowhere", NO), post(b"/login", b"token=wrong", NO)),
    (post(b"/api/v1/memories", b"{}"), post(b"/api/v1/memories", JSON)),
]


def cuts():
    """Parts of requests: nothing, within the request's line, within a header, between two, within the body."""
    chance = random.Random(16)
    for before, request in REQUESTS:
        headers = request.index(b"\r\n\r\n")
        ends = {0, 3, request.index(b"\r\n") + 1, headers + 3, len(request) - 1}
        ends |= {chance.randrange(len(request)) for _ in range(3)}
        yield from ((before, request[:end], chance.random() < 0.5) for end in sorted(ends))


CUTS = list(cuts())


def impatient(tmp_path, **given):
    limits = {"header": 0.7, "body": 0.7, "answer": 0.7, "idle": 1, "strangers": 512, **given}
    words = [str(value) for value in limits.values()]

    def begin(_, env, folder):
        return Popen([sys.executable, IMPATIENT, *words], cwd=folder, env=env, stdout=PIPE, stderr=PIPE, text=True)

    return serving(tmp_path, begin=begin)


def connected(stack, served, bytes_to_read=None):
    address = urlsplit(served.url)
    connection = stack.enter_context(socket.socket())
    if bytes_to_read:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, bytes_to_read)
    connection.settimeout(10)
    connection.connect((address.hostname, address.port))
    return connection


def status_of(connection):
    answer = HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status


def has_ended(connection):
    """Reads what has come; whether the other side has closed."""
    try:
        return connection.recv(1_000_000) == ENDED
    except ConnectionError:
        return True


def drip(dripping, number):
    """Sends one more byte on each: of a header that never ends, or of anything."""
    for connection in dripping:
        try:
            connection.send(b"x" if number else b"X")
        except OSError:
            pass  # closed: its end is read


def all_end(served, open_ones, dripping, seconds):
    """Waits for the ends of all; the longest that a good request took meanwhile."""
    longest, until = 0.0, time.monotonic() + seconds
    with selectors.DefaultSelector() as waiting:
        for connection in open_ones:
            waiting.register(connection, selectors.EVENT_READ)
        while waiting.get_map():
            assert time.monotonic() < until, f"{len(waiting.get_map())} of {len(open_ones)} are still open"
            for key, _ in waiting.select(0.05):
                if has_ended(key.fileobj):
                    waiting.unregister(key.fileobj)
            drip(dripping, len(waiting.get_map()))
            began = time.monotonic()
            assert served.get(PATH, limit=1).status_code == 200
            longest = max(longest, time.monotonic() - began)
    return longest


def test_what_stops_or_dawdles_anywhere_ends_and_others_are_answered(tmp_path):
    assert len(CUTS) >= 90 and len({len(part) for _, part, _ in CUTS}) >= 30
    with impatient(tmp_path) as served, ExitStack() as stack:
        assert served.get(PATH).status_code == 200
        open_ones, dripping = [], []
        for before, part, drips in CUTS:
            connection = connected(stack, served)
            connection.sendall(before + part)
            open_ones.append(connection)
            dripping += [connection] if drips else []
        assert all_end(served, open_ones, dripping, 8) < 2
        assert served.get(PATH).json()["data"] == []  # nothing of half a request is taken


def test_a_slow_request_that_comes_in_time_is_answered(tmp_path):
    with impatient(tmp_path, header=5, body=5) as served, ExitStack() as stack:
        connection = connected(stack, served)
        for byte in post(PATH.encode(), JSON):
            connection.send(bytes([byte]))
            time.sleep(0.001)
        assert status_of(connection) == 201
        connection.sendall(get(PATH.encode()))  # the time begins anew
        assert status_of(connection) == 200


def test_who_does_not_read_its_answer_is_left(tmp_path):
    ask = get(b"/static/vis-network.js", NO)
    with impatient(tmp_path) as served, ExitStack() as stack:
        open_ones = [connected(stack, served, bytes_to_read=2048) for _ in range(80)]  # more than are answered at once
        for connection in open_ones:
            connection.sendall(ask)
        until = time.monotonic() + 10
        while served.get(PATH).status_code != 200:
            assert time.monotonic() < until
        for connection in open_ones:
            while not has_ended(connection):
                pass


def test_strangers_are_bounded_and_shut_nobody_out(tmp_path):
    with impatient(tmp_path, header=60, strangers=20) as served, ExitStack() as stack:
        friend = connected(stack, served)
        friend.sendall(get(PATH.encode()))
        assert status_of(friend) == 200
        strangers = [connected(stack, served) for _ in range(60)]
        known = {"Authorization": f"Token {TOKEN}"}
        with httpx2.Client(base_url=served.url, headers=known, timeout=5, verify=False) as another:
            assert another.get(PATH).status_code == 200
        for connection in strangers[:39]:  # those that have come before the twenty newest and the other friend
            assert has_ended(connection)
        strangers[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            strangers[-1].recv(1)
        friend.sendall(get(PATH.encode()))  # who was known before is not one of them
        assert status_of(friend) == 200


def a_stranger(served):
    return httpx2.Client(base_url=served.url, timeout=30, verify=False)  # to read certificates takes long


def port(served):
    return urlsplit(served.url).port


def timed(ask):
    began = time.monotonic()
    return ask().status_code, time.monotonic() - began


@pytest.mark.parametrize("way", ["header", "login", "link", "cookie"])
def test_wrong_tokens_are_slowed_and_right_ones_are_not(tmp_path, way):
    with serving(tmp_path) as served, a_stranger(served) as stranger:
        asks = {
            "header": lambda: stranger.get(PATH, headers={"Authorization": "Token wrong"}),
            "login": lambda: stranger.post("/login", data={"token": "wrong"}),
            "link": lambda: stranger.get("/login", params={"token": "wrong"}),
            "cookie": lambda: stranger.get(PATH, headers={"Cookie": f"{cookie_name(port(served))}=1999999999.ab"}),
        }
        tries = [timed(asks[way]) for _ in range(FREE + 5)]
        assert {status for status, _ in tries} == {401}
        waited = [seconds for _, seconds in tries][-2:]
        assert waited[0] > 0.35 and waited[1] > 0.75
        status, seconds = timed(lambda: served.get(PATH))
        assert status == 200 and seconds < waited[1]  # the next one would have waited for twice as long
        assert timed(asks[way])[1] < waited[1]  # as they were not in a row any more


def test_who_only_asks_without_a_token_is_not_slowed(tmp_path):
    with serving(tmp_path) as served, a_stranger(served) as stranger:
        asks = [partial(stranger.get, path) for path in (PATH, "/login")] * (FREE + 6)
        tries = [timed(ask) for ask in asks]
        assert {status for status, _ in tries} == {401} and max(seconds for _, seconds in tries) < 1


@pytest.mark.parametrize("way", ["header", "login", "cookie"])
def test_wrong_tokens_that_come_at_once_are_answered_one_after_the_other(tmp_path, way):
    with serving(tmp_path) as served:

        def ask(number):
            with a_stranger(served) as stranger:
                if way == "login":
                    return timed(lambda: stranger.post("/login", data={"token": f"wrong{number}"}))
                shown = {"Authorization": f"Token wrong{number}"}
                if way == "cookie":
                    shown = {"Cookie": f"{cookie_name(port(served))}=1999999999.{number}"}
                return timed(lambda: stranger.get(PATH, headers=shown))

        with ThreadPoolExecutor(FREE + 6) as pool:
            asked = [pool.submit(ask, number) for number in range(FREE + 6)]
            while sum(one.done() for one in asked) < FREE + 4:  # two more wait, for more than a second
                time.sleep(0.01)
            status, seconds = timed(lambda: served.get(PATH))
            told = [one.result() for one in asked]
        longest = max(waited for _, waited in told)
        assert {one for one, _ in told} == {401} and status == 200
        assert longest > 1.5 and seconds < longest / 2  # behind the others it would have waited for longer than they


def test_a_cookie_whose_time_is_over_is_no_guess(tmp_path):
    with serving(tmp_path) as served, a_stranger(served) as somebody:
        over = {"Cookie": f"{cookie_name(port(served))}={cookie(TOKEN, 1_000)}"}
        tries = [timed(lambda: somebody.get(PATH, headers=over)) for _ in range(FREE + 6)]
        assert {status for status, _ in tries} == {401} and max(seconds for _, seconds in tries) < 0.5


def test_the_table_of_wrong_tokens_is_bounded_and_of_each_address_alone():
    table = WrongTokens(addresses=10)
    for number in range(1000):
        table.guess("evil", float(number % 50))
        table.guess(f"other-{number}", float(number % 50))
        assert len(table.counts) <= 10
    assert table.guess("evil", 500.0) == 0 and table.guess("other-999", 50.0) == 0
    waits = [table.guess("guesser", 100.0) for _ in range(FREE + 40)]
    assert waits == sorted(waits) and waits[FREE - 1] == 0 < waits[FREE] and waits[-1] == QUEUE_SECONDS
    assert waits[FREE + 7] - waits[FREE + 6] == pytest.approx(LONGEST_SECONDS)
    assert [table.guess("friend", 100.0) for _ in range(FREE)] == [0] * FREE
    assert table.guess("guesser", 119.0) == pytest.approx(3.0)  # one more than those that wait still
    table.right("guesser")
    assert table.guess("guesser", 119.0) == 0


def test_any_pace_of_guesses_is_slowed_and_nobody_else_is():
    """In thirty mixes of guesses, alone and at once, each address waits as if it were the only one."""
    for seed in range(30):
        chance = Random(seed)
        table, waited = WrongTokens(), {}
        now, log = 0.0, []
        for _ in range(80):
            now += chance.choice((0.0, 0.0, 0.1, 3.0))
            address = chance.choice(("a", "b", "c"))
            log.append((address, now))
            waited.setdefault(address, []).append(table.guess(address, now))
        for address, waits in waited.items():
            alone = WrongTokens()
            assert [alone.guess(address, at) for one, at in log if one == address] == waits
            assert not any(waits[:FREE]) and all(0 < wait <= QUEUE_SECONDS for wait in waits[FREE:])
