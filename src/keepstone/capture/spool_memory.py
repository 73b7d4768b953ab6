"""Accepts a person's memory while dependencies are missing, and spools it for the worker."""

from __future__ import annotations

from typing import Any

from ..model.validate import (
    require_day,
    require_kind,
    require_relevance,
    require_rest,
    require_span,
    require_tags,
    require_text,
)
from ..redaction.mask import mask
from ..spool import spool


def accept(home: str, given: dict[str, Any]) -> str:
    """Spools the arguments of `Memory.store`. Returns the text as it is spooled: without the secrets that the standard
    library alone can recognise. Raises BadInput with a valid example.
    """
    require_sound(given)
    text = require_rest(mask(require_text(given["text"])).strip())
    kept = {**given, "text": text, "tags": require_tags(given["tags"], mask)}
    spool.put(home, "store", repr(kept), kept)
    return text


def require_sound(given: dict[str, Any]) -> None:
    """Raises BadInput if the arguments could never be stored."""
    require_kind(given["kind"])
    if given["relevance"] is not None:
        require_relevance(given["relevance"])
    if given["ttl"]:
        require_span(given["ttl"])
    if given["until"]:
        require_day(given["until"], given["at"])
    require_text(given["text"])
