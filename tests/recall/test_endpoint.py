"""A server of embeddings, on loopback and by OpenAI's protocol; its answers are a stranger's."""

from __future__ import annotations

import pytest

from keepstone.lib.errors import KeepstoneError
from keepstone.recall.embeddings.endpoint import Endpoint
from loopback import server


def rows(body, vector=lambda text: [3.0, 4.0]):
    made = [{"object": "embedding", "index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
    return 200, {"object": "list", "model": body["model"], "data": made[::-1]}


def test_texts_go_in_batches_and_come_back_in_order_at_length_one():
    with server(lambda body: rows(body, lambda text: [float(len(text)), 0.0, 1.0])) as (url, asked):
        embedder = Endpoint(url + "/", "small", "key-1")
        found = embedder.vectors(["x" * number for number in range(150)])
        assert [len(body["input"]) for _, _, body in asked] == [100, 50]
        path, headers, body = asked[0]
        assert path == "/v1/embeddings" and body["model"] == "small" and headers["Authorization"] == "Bearer key-1"
        assert len(found) == 150 and embedder.dims == 3 and found[0] == [0.0, 0.0, 1.0]
        assert found[1] == pytest.approx([0.5**0.5, 0.0, 0.5**0.5])


def test_without_a_key_none_is_sent():
    with server(rows) as (url, asked):
        assert Endpoint(url, "small", "").vectors(["x"]) == [[0.6, 0.8]]
        assert "Authorization" not in asked[0][1]


@pytest.mark.parametrize(
    "answer",
    [
        lambda body: (500, {"error": "down"}),
        lambda body: (401, {"error": "no key"}),
        lambda body: (200, b"<html>"),
        lambda body: (200, {}),
        lambda body: (200, {"data": []}),
        lambda body: (200, {"data": [{"index": 0, "embedding": "AAAA"}] * 2}),
        lambda body: rows(body, lambda text: ["x"]),
        lambda body: rows(body, lambda text: []),
        lambda body: rows(body, lambda text: [float("nan")]),
        lambda body: rows(body, lambda text: [1e400]),
        lambda body: rows(body, lambda text: [1.0] * len(text)),
        lambda body: rows(body, lambda text: [1.0] * 9_000),
        lambda body: (200, [1, 2]),
        lambda body: (200, {"data": 5}),
    ],
)
def test_what_is_no_vector_is_an_error_that_says_what_to_type(answer):
    with server(answer) as (url, _):
        with pytest.raises(KeepstoneError, match="gives no vectors") as raised:
            Endpoint(url, "small", "").vectors(["x", "long"])
        assert raised.value.hint == "keepstone config embedder static"


def test_a_server_that_is_not_there_and_an_address_that_is_none():
    with pytest.raises(KeepstoneError, match="gives no vectors"):
        Endpoint("http://127.0.0.1:9", "small", "").vectors(["x"])
    for url, model in (("", "small"), ("file:///etc/passwd", "small"), ("http://127.0.0.1:9", "")):
        with pytest.raises(KeepstoneError, match="needs a server's address and a model"):
            Endpoint(url, model, "")
