"""Asks a model through Anthropic's SDK and the Messages API. The SDK finds key and address in the environment."""

from __future__ import annotations

import anthropic

from ...lib.limits import REQUEST_SECONDS
from ..budget import NOTHING, Spent, cost
from .model_client import AGAIN, INPUTS, RUN, WINDOW, Failed, Reply, Request, counted

PASSING = {408, 409, 429}  # and every 5xx: the same request may succeed later


class Sdk:
    """Asks one model. Raises Failed if there is no key."""

    def __init__(self, model: str, timeout: float = REQUEST_SECONDS) -> None:
        self.model = model
        try:
            # Calls are minutes apart, so no connection is kept open.
            self.api = anthropic.Anthropic(max_retries=0, timeout=timeout, default_headers={"Connection": "close"})
        except (anthropic.AnthropicError, ValueError, TypeError) as problem:
            raise Failed(f"the SDK can't be set up: {problem}", RUN) from problem
        if not (self.api.api_key or self.api.auth_token or self.api.credentials):
            raise Failed("there is no key for the Anthropic API: export ANTHROPIC_API_KEY=...", RUN)
        self.address = str(self.api.base_url)

    def ask(self, request: Request) -> Reply:
        try:
            message = self.api.messages.create(
                model=self.model,
                max_tokens=request.answer_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.prompt}],
                thinking={"type": "disabled"},
                output_config={"format": {"type": "json_schema", "schema": request.schema}},
            )
        except anthropic.APIStatusError as problem:
            raise _refused(problem) from problem
        except anthropic.APIConnectionError as problem:
            raise Failed(f"no answer from the Anthropic API: {problem}", AGAIN) from problem
        except anthropic.AnthropicError as problem:
            raise Failed(f"the Anthropic API can't be asked: {problem}", RUN) from problem
        except ValueError as problem:
            raise Failed("the Anthropic API's answer is no JSON", AGAIN) from problem
        if not isinstance(message, anthropic.types.Message):
            raise Failed("the Anthropic API's answer is no message", AGAIN)
        spent = _spent(self.model, message)
        if message.stop_reason != "end_turn":
            raise Failed(f"the model's answer is not whole: it stopped for {message.stop_reason}", WINDOW, spent=spent)
        return Reply("".join(block.text for block in message.content if block.type == "text"), spent)


def _refused(problem: anthropic.APIStatusError) -> Failed:
    """Returns the failure for an error that the API reports. The API does not charge for those."""
    passing = problem.status_code in PASSING or problem.status_code >= 500
    said = f"the Anthropic API says {problem.status_code}: {problem.api_message or 'nothing more'}"
    return Failed(said, AGAIN if passing else RUN, after=_after(problem), spent=NOTHING)


def _after(problem: anthropic.APIStatusError) -> float:
    try:
        return max(0.0, float(problem.response.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0  # a date: our own back-off is used


def _spent(model: str, message: anthropic.types.Message) -> Spent | None:
    """Returns the spending that the server reports, or None if it reports no valid numbers."""
    sent, received = counted(message.usage, INPUTS), counted(message.usage, ("output_tokens",))
    if sent is None or received is None:
        return None
    return Spent(sent, received, cost(model, sent, received))
