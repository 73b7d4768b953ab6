"""Chooses the extractor, which turns a window of a transcript into candidates.

Every extractor returns only what is worth keeping for later sessions: no greetings, acknowledgements or debugging
steps. Titles have at most 100 characters, relevance is 0..1, and an empty list means that there is nothing to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ...claude_code.window import Window
from ...config.bound_key import bind_key
from ...lib.errors import BadInput
from ...model.candidate import Candidate
from ..budget import Caps, account_of
from . import model_client
from .claude_cli import ClaudeCli, binary
from .model_extractor import Model
from .rules import Rules

if TYPE_CHECKING:
    from .anthropic_sdk import Sdk
    from .endpoint import ModelEndpoint

KEY = "KEEPSTONE_EXTRACTOR_KEY"


class Extractor(Protocol):
    @property
    def paid(self) -> bool:
        """Tells whether a window costs money and leaves this machine. If so, it is given redacted and with similar
        memories, and a window that is not full is given later.
        """
        ...

    def extract(self, window: Window) -> list[Candidate]:
        """Returns the candidates in the window's new turns. Its processed turns are only context."""
        ...


def choose(
    settings: Mapping[str, Any],
    *,
    environ: Mapping[str, str],
    home: str,
    budget: model_client.Budget,
    redact: Callable[[str], str],
    clock: Callable[[], float],
    log: Callable[[str], None],
) -> Extractor:
    """Returns the extractor that the settings name. Nothing else selects one, not even a key in the environment. `log`
    gets the address that is sent to.
    """
    name = settings["extractor"]
    if name == "rules":
        return Rules()
    account = account_of(settings["extractor"], settings["extractor_model"])

    def connect() -> model_client.ModelClient:
        client = _connected(name, account.model, settings["extractor_url"], environ, home)
        log(f"redacted parts of conversations go to {client.address}")
        return client

    caps = Caps(settings["extractor_daily_calls"], settings["extractor_tokens"])
    return Model(account, connect, budget, caps, redact=redact, clock=clock)


def _connected(
    name: str, model: str, url: str, environ: Mapping[str, str], home: str
) -> Sdk | ClaudeCli | ModelEndpoint:
    if name == "anthropic":
        return _sdk(model)
    if name == "claude-cli":
        return ClaudeCli(model, environ, home)
    from .endpoint import ModelEndpoint

    key = environ.get(KEY, "")
    client = ModelEndpoint(url, model, key)
    if key:
        try:
            bind_key(home, "extractor_url", KEY, key, url)
        except BadInput as problem:
            raise model_client.Failed(f"{problem}: {problem.hint}", model_client.RUN) from problem
    return client


def lacks(settings: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Returns what the extractor lacks in this shell, "" for nothing. Sessions may have another environment."""
    extractor = settings["extractor"]
    if extractor == "anthropic" and not (environ.get("ANTHROPIC_API_KEY") or environ.get("ANTHROPIC_AUTH_TOKEN")):
        return "there is no ANTHROPIC_API_KEY here; a session without one leaves the work to the rules"
    if extractor == "endpoint" and not settings["extractor_model"]:
        return "no model is named: keepstone config extractor_model NAME"
    if extractor == "claude-cli":
        try:
            binary(environ)
        except model_client.Failed as problem:
            return problem.problem
    return ""


def _sdk(model: str) -> Sdk:
    try:
        from .anthropic_sdk import Sdk
    except ImportError as problem:
        hint = f"the anthropic package can't be imported ({problem}): keepstone doctor"
        raise model_client.Failed(hint, model_client.RUN) from problem
    return Sdk(model)
