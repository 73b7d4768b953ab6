"""Merging memories that say nearly the same: which may be, and one text of several (NL-30 to NL-32, W-NL11, W-NL12)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ..language.duplicates import markers, normalise, same
from ..lib.limits import CONTENT_CHARS
from ..model.memory import StoredMemory

# from here on two memories are nearly the same
MERGE_COSINE = 0.92
MERGE_RATIO = 92.0

_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ\"“`(\d])|\n+")


def is_near(one: str, other: str, cosine: float | None, ratio: Callable[[str, str], float]) -> bool:
    """Whether two texts are alike enough to be merged: in meaning (`cosine` of their vectors) or in wording, and equal
    in their negations, numbers and versions: "use Redis" and "no longer use Redis" are not.
    """
    alike = (cosine or 0.0) >= MERGE_COSINE or ratio(normalise(one), normalise(other)) >= MERGE_RATIO
    return alike and markers(one) == markers(other)


def merged_text(texts: Iterable[str], ratio: Callable[[str, str], float]) -> str:
    """The sentences of all texts, each once: what says the same as an earlier one, or is a part of it, is left out."""
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
    """Pairs as groups without overlap, in order: whoever is near one of a group is in it."""
    of: dict[str, set[str]] = {}
    for one, other in pairs:
        group = of.get(one, {one}) | of.get(other, {other})
        for member in group:
            of[member] = group
    return sorted({tuple(sorted(group)) for group in of.values()})


def inherited(sources: Sequence[StoredMemory], importance: Callable[[StoredMemory], float]) -> dict[str, object]:
    """What a merged memory takes over: of everything the most, and the votes of the one that is worth most, so that it
    is worth no less than any of its sources (NL-32).
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
