"""Tells whether memories are similar enough to merge, and makes one text of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..language.duplicates import markers, normalise, same
from ..lib.limits import CONTENT_CHARS
from ..lib.pattern import Pattern
from ..model.memory import StoredMemory

# The least similarity of two memories that may be merged.
MERGE_COSINE = 0.92
MERGE_RATIO = 92.0

_ENDS = Pattern(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ\"“`(\d])|\n+")


def is_near(one: str, other: str, cosine: float | None, ratio: Callable[[str, str], float]) -> bool:
    """Tells whether two texts are similar enough to be merged: in meaning (`cosine` of their vectors) or in wording,
    with the same negations, numbers and versions: "use Redis" and "no longer use Redis" are not.
    """
    alike = (cosine or 0.0) >= MERGE_COSINE or ratio(normalise(one), normalise(other)) >= MERGE_RATIO
    return alike and markers(one) == markers(other)


def merged_text(texts: Iterable[str], ratio: Callable[[str, str], float]) -> str:
    """Returns the sentences of all texts, each once. A sentence that repeats another, or is a part of it,
    is left out.
    """
    kept: list[str] = []
    for text in texts:
        for sentence in _ENDS.split(text.strip()):
            if any(same(sentence, other, ratio) or normalise(sentence) in normalise(other) for other in kept):
                continue
            kept = [other for other in kept if normalise(other) not in normalise(sentence)]
            kept.append(sentence.strip())
    found = ""
    for sentence in kept:
        if len(found) + len(sentence) < CONTENT_CHARS:
            found += (" " if found and found[-1] in ".!?" else ". " if found else "") + sentence
    return found


def groups(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Returns pairs joined into groups without overlap, in order: a memory that is near one of a group
    belongs to it.
    """
    of: dict[str, set[str]] = {}
    for one, other in pairs:
        group = of.get(one, {one}) | of.get(other, {other})
        for member in group:
            of[member] = group
    return sorted({tuple(sorted(group)) for group in of.values()})


def inherited(sources: Sequence[StoredMemory], importance: Callable[[StoredMemory], float]) -> dict[str, object]:
    """Returns the values that a merged memory inherits: the highest of each, and the votes of the most important
    source, so that it is no less important than any source.
    """
    best = max(sources, key=lambda one: (importance(one), one.id))
    used = [one.used_at for one in sources if one.used_at]
    checked = [one.verified_at for one in sources if one.verified_at]
    return {
        "relevance": max(one.relevance for one in sources),
        "confidence": max(one.confidence for one in sources),
        "access_count": max(one.access_count for one in sources),
        "retrieval_count": max(one.retrieval_count for one in sources),
        "use_count": max(one.use_count for one in sources),
        "up_votes": best.up_votes,
        "down_votes": best.down_votes,
        "pinned": max(one.pinned for one in sources),
        "created_at": max(one.created_at for one in sources),
        "used_at": max(used) if used else None,
        "verified_at": max(checked) if checked else None,
    }
