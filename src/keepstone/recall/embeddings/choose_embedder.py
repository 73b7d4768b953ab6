"""Chooses the embedder, which makes vectors of texts."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...config.bound_key import bind_key
from ...config.extras import require_packages
from ...lib.errors import KeepstoneError
from ...lib.limits import VECTORS_COMPARED

if TYPE_CHECKING:
    from .vector_cache import VectorCache


class Embedder(Protocol):
    """Makes vectors of texts. Vectors of different models are never compared."""

    model: str
    dims: int

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        """Returns a vector of length one for each text, or None for a text without content. Raises KeepstoneError on
        failure.
        """


def choose(values: Mapping[str, Any], environ: Mapping[str, str], home: str) -> Embedder | None:
    """Returns the embedder of the settings, or None if it is off. Raises KeepstoneError if it cannot be loaded."""
    if values["embedder"] == "static":
        from .static import Static

        try:
            return Static(home, environ)
        except (OSError, ValueError) as problem:
            raise KeepstoneError(
                "its table of words is not made yet, or broken", "keepstone worker run --wait"
            ) from problem
    if values["embedder"] == "minilm":
        require_packages("embedder", "minilm")
        from .minilm import MiniLM

        return MiniLM()
    if values["embedder"] == "endpoint":
        from .endpoint import Endpoint

        key = environ.get("KEEPSTONE_EMBEDDER_KEY", "")
        endpoint = Endpoint(values["embedder_url"], values["embedder_model"], key)
        if key:
            bind_key(home, "embedder_url", "KEEPSTONE_EMBEDDER_KEY", key, values["embedder_url"])
        return endpoint
    return None


def new_vector_cache(dims: int) -> VectorCache | None:
    """Returns a new cache for vectors, or None if numpy is not installed."""
    if not importlib.util.find_spec("numpy"):
        return None
    from .vector_cache import VectorCache

    return VectorCache(dims)


class QueryVectors:
    """Makes the vectors of queries. `log` gets the reason if no vector can be made; then only words count."""

    most = VECTORS_COMPARED

    def __init__(self, embedder: Embedder, log: Callable[[str], None]) -> None:
        self.embedder = embedder
        self.model = embedder.model
        self.log = log

    def look(self, query: str) -> list[float] | None:
        """Returns the query's vector, or None if the query has no content or no vector can be made."""
        try:
            return self.embedder.vectors([query])[0]
        except KeepstoneError as problem:
            self.log(f"searched by words alone: {problem}")
            return None
