"""Asks a model of a server with OpenAI's API of chat completions, such as Ollama's."""

from __future__ import annotations

import json
from typing import Any

from ...lib.http import HttpAnswer, post
from ...lib.limits import EXPLAINED_CHARS
from ...lib.text import clip, one_line
from ...lib.url import is_loopback
from ..budget import Spent
from .model_client import AGAIN, RUN, WINDOW, Failed, Reply, Request, counted

ANSWER_SECONDS = 300.0  # a model on the user's own machine may take minutes
PASSING = {408, 409, 425, 429}  # and every 5xx: the same request may succeed later
REFUSED = {400, 413, 422}  # how a server says that it does not take a part of the request, or one that is so long


class ModelEndpoint:
    """Asks one model. The server's answers are untrusted. Raises Failed if the address or the model is missing."""

    def __init__(self, url: str, model: str, key: str, timeout: float = ANSWER_SECONDS) -> None:
        key = key.strip()
        if not key.isprintable() or not key.isascii():
            raise Failed("the key has signs that no key has: export KEEPSTONE_EXTRACTOR_KEY=...", RUN)
        if not url.startswith(("http://", "https://")):
            raise Failed(f"{url!r} is no address: keepstone config extractor_url http://127.0.0.1:11434/v1", RUN)
        if not model:
            raise Failed(f"say which model of {url} is to read: keepstone config extractor_model NAME", RUN)
        self.address = url.rstrip("/") + "/chat/completions"
        self.model = model
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.timeout = timeout
        self.is_plain = False  # whether the server takes no more than a model and messages

    def ask(self, request: Request) -> Reply:
        body = json.dumps(self._body(request)).encode()
        proxied = not is_loopback(self.address)  # no proxy stands between two programs of one machine
        try:
            answer = post(self.address, body, self.headers, self.timeout, proxied=proxied)
        except OSError as problem:
            raise Failed(f"no answer from {self.address}: {_clipped(problem)}", AGAIN) from problem
        if answer.status != 200:
            raise self._refused(answer)
        try:
            told = json.loads(answer.content)
            choice = told["choices"][0]
            text, stopped = choice["message"]["content"], choice.get("finish_reason") or "stop"
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as problem:
            raise Failed(f"the answer of {self.address} is no chat completion", WINDOW) from problem
        spent = self._spent(told.get("usage"))
        if stopped != "stop" or not isinstance(text, str):
            raise Failed(f"the model's answer is not whole: it stopped for {_clipped(stopped)}", WINDOW, spent=spent)
        return Reply(text, spent)

    def _body(self, request: Request) -> dict[str, Any]:
        said = {"system": request.system, "user": request.prompt}
        asked = [{"role": role, "content": text} for role, text in said.items()]
        if self.is_plain:
            return {"model": self.model, "messages": asked}
        form = {"type": "json_schema", "json_schema": {"name": "memories", "strict": True, "schema": request.schema}}
        return {
            "model": self.model,
            "messages": asked,
            "max_tokens": request.answer_tokens,
            "temperature": 0,
            "response_format": form,
        }

    def _refused(self, answer: HttpAnswer) -> Failed:
        """Returns the failure for a status. A server that does not take a request is asked once more in the plainest
        form; after that the window is to blame, which may be too long.
        """
        said = f"{self.address} says {answer.status}: {_clipped(answer.text or 'nothing more')}"
        passing = answer.status in PASSING or answer.status >= 500
        then = AGAIN if passing else RUN
        if answer.status in REFUSED:
            then, self.is_plain = WINDOW if self.is_plain else AGAIN, True
        return Failed(said, then, after=_seconds(answer.headers.get("retry-after", "")))

    def _spent(self, usage: object) -> Spent | None:
        """Returns the spending that the server reports, or None if it reports no valid numbers. One on this machine is
        free, unless it asks for a key.
        """
        sent, received = counted(usage, ("prompt_tokens",)), counted(usage, ("completion_tokens",))
        if sent is None or received is None:
            return None
        return Spent(sent, received, 0.0 if is_loopback(self.address) and not self.headers else None)


def _clipped(said: object) -> str:
    return clip(one_line(str(said)), EXPLAINED_CHARS)


def _seconds(said: str) -> float:
    try:
        return max(0.0, float(said or 0))
    except ValueError:
        return 0.0  # a date: our own back-off is used
