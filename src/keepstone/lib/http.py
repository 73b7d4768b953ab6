"""Posts over HTTP and takes a bounded answer: the other side is untrusted, and may drip or never end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

# Of an answer: a thousand of the longest memories with their evidence, or a hundred vectors of 8,192 numbers.
ANSWER_BYTES = 32_000_000


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The status, the headers by their names in lower case, and the body."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")


def post(
    url: str, body: bytes, headers: Mapping[str, str], seconds: float, *, connect: float | None = None, proxied: bool
) -> HttpAnswer:
    """Returns the answer to JSON. `seconds` bound each wait and the answer's body as a whole, `connect` the connection;
    resolving a name may take longer. `proxied` tells whether the environment's proxy may stand between. No redirect is
    followed. Raises TimeoutError if time is up, and ConnectionError for whatever else is no answer.
    """
    until = time.monotonic() + seconds
    plain = {"content-type": "application/json", "accept-encoding": "identity"}  # compressed, it may unpack to a flood
    timeout = httpx2.Timeout(seconds, connect=seconds if connect is None else connect)
    is_encrypted = url.lower().startswith("https:")  # to read the certificates takes 20 ms
    try:
        with httpx2.Client(timeout=timeout, trust_env=proxied, verify=is_encrypted, follow_redirects=False) as client:
            with client.stream("POST", url, content=body, headers={**plain, **headers}) as answer:
                content = bytearray()
                for part in answer.iter_raw():
                    content += part
                    if len(content) > ANSWER_BYTES:
                        raise ConnectionError("its answer has no end")
                    if time.monotonic() > until:
                        raise TimeoutError(f"its answer is not whole after {seconds:.0f} seconds")
                return HttpAnswer(answer.status_code, dict(answer.headers), bytes(content))
    except httpx2.TimeoutException as problem:
        raise TimeoutError(f"nothing came within {seconds:.0f} seconds") from problem
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, ValueError) as problem:
        raise ConnectionError(str(problem)) from problem
