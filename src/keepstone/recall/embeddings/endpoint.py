"""Gets vectors from a server with OpenAI's embeddings API."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from ...lib.errors import KeepstoneError
from ...lib.http import post
from ...lib.limits import EXPLAINED_CHARS
from ...lib.text import clip, one_line
from ...lib.url import is_loopback
from ...lib.vector import unit

ENDPOINT_BATCH = 100  # texts in one request
ENDPOINT_SECONDS = 30.0  # timeout of one request
VECTOR_DIMS_MAX = 8_192  # twice the largest on the market


class Endpoint:
    """A server and a model. Its answers are untrusted: vectors that are malformed or of different sizes are refused."""

    def __init__(self, url: str, model: str, key: str) -> None:
        """Raises KeepstoneError if the address or the model is missing."""
        if not url.startswith(("http://", "https://")) or not model:
            raise KeepstoneError(
                "the embedder `endpoint` needs a server's address and a model",
                "keepstone config embedder_url http://127.0.0.1:11434/v1; keepstone config embedder_model NAME",
            )
        self.url = url.rstrip("/") + "/embeddings"
        self.name = model
        self.model = f"{model}@{url}"
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.dims = 0

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        found: list[list[float] | None] = []
        for start in range(0, len(texts), ENDPOINT_BATCH):
            found += self._ask(list(texts[start : start + ENDPOINT_BATCH]))
        return found

    def _ask(self, texts: list[str]) -> list[list[float] | None]:
        body = json.dumps({"model": self.name, "input": texts}).encode()
        try:
            answer = post(self.url, body, self.headers, ENDPOINT_SECONDS, proxied=not is_loopback(self.url))
            if answer.status != 200:
                raise ValueError(f"it answers {answer.status} {answer.text}")
            told = json.loads(answer.content)
            rows = sorted(told["data"], key=lambda row: int(row["index"]))
            return [self._fit(row["embedding"]) for row in self._all(rows, len(texts))]
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
            says = clip(one_line(str(problem)), EXPLAINED_CHARS)
            raise KeepstoneError(
                f"{self.url} gives no vectors: {says}", "keepstone config embedder static"
            ) from problem

    @staticmethod
    def _all(rows: list[Any], count: int) -> list[Any]:
        if len(rows) != count:
            raise ValueError(f"{len(rows)} of {count} came back")
        return rows

    def _fit(self, values: Any) -> list[float] | None:
        numbers = [float(value) for value in values]
        if not 0 < len(numbers) <= VECTOR_DIMS_MAX or not all(map(math.isfinite, numbers)):
            raise ValueError("one is no vector")
        if len(numbers) != (self.dims or len(numbers)):
            raise ValueError("they are not of one size")
        self.dims = len(numbers)
        return unit(numbers)
