"""Opens the embedder of the settings. Caches embedders in the process, because loading a model takes a second."""

from __future__ import annotations

import os
from typing import Any

from ..config import runtime
from ..context import Context
from ..lib.errors import KeepstoneError
from .embeddings import choose_embedder
from .embeddings.choose_embedder import Embedder, QueryVectors

MOST = 4  # cached embedders in a process
_made: dict[tuple[Any, ...], Embedder | None] = {}


def embedder_of(context: Context) -> Embedder | None:
    """Returns the embedder of the settings, or None if there is none or it cannot be loaded."""
    try:
        return _chosen(context)
    except KeepstoneError:
        return None


def embedder_problem(context: Context) -> KeepstoneError | None:
    """Returns why the embedder of the settings cannot be loaded, with what to type, or None if it can."""
    try:
        _chosen(context)
    except KeepstoneError as problem:
        return problem
    return None


def lens_of(context: Context) -> QueryVectors | None:
    """Returns what compares a query with memories by meaning, or None if only words count."""
    embedder = embedder_of(context)
    return QueryVectors(embedder, context.log) if embedder else None


def _chosen(context: Context) -> Embedder | None:
    """Returns the cached embedder. Loads it again if a setting or one of its files has changed."""
    values, environ = context.settings.values, context.environ
    names = [values[name] for name in ("embedder", "embedder_url", "embedder_model")]
    paths = runtime.table_file(context.home), runtime.weights_file(context.home, environ)
    key = (*names, environ.get("KEEPSTONE_EMBEDDER_KEY", ""), *map(_state, paths))
    if key not in _made:
        made = choose_embedder.choose(values, environ, context.home)
        if values["embedder"] == "endpoint":
            context.log(f"the texts of memories and queries go to {values['embedder_url']}, which makes their vectors")
        if len(_made) >= MOST:
            _made.clear()
        _made[key] = made
    return _made[key]


def _state(path: str) -> tuple[str, int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return path, 0, 0, 0
    return path, found.st_ino, found.st_size, found.st_mtime_ns
