"""Ranks what was found by words and by meaning, for searches, recall and every interface. Hot module.

Scores of different scales are combined as z-scores over the candidates. Measured on LoCoMo, BEAM and DevMemBench
(docs/benchmarks.md): reciprocal rank fusion is worse than words alone, this is better on all three.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW_WEIGHT = 1.5  # weight of the window's BM25, relative to the memory's own
DENSE_SHARE = 0.5  # share of meaning in the combined score; the rest is words
SESSION_WEIGHT = 0.1  # weight of all matches in the same session
NEAR_WEIGHT = 0.1  # weight of the cosine of each direct neighbour
NAMED_WEIGHT = 0.6  # in standard deviations, if the query names one of the memory's facets
DENSE_PLACES = 2  # of ten places, for the nearest in meaning that would be left out
# Weights of a full point of importance and of confidence: they decide only between close matches.
TIE_WORTH = 0.1
TIE_CONFIDENCE = 0.05


class RankedCandidate:
    """A memory that may answer a query, by its `seq`: how well it matches, and its worth.

    `own` is the BM25 of its own words or its evidence's, `window` that of the memory with its neighbours in the
    session, `around` that of all matches in its session. `cosine` is that of its vector (-1..1; None without one),
    `near` the sum of its neighbours' cosines. `named` tells whether the query names one of its facets. `worth` is its
    importance now, 0..1.
    """

    __slots__ = (
        *("seq", "session", "own", "window", "around", "cosine", "near", "named", "worth", "confidence"),
        *("score", "dense"),
    )

    def __init__(self, seq: int, session: str | None = None) -> None:
        self.seq = seq
        self.session = session
        self.own = 0.0
        self.window = 0.0
        self.around = 0.0
        self.cosine: float | None = None
        self.near = 0.0
        self.named = False
        self.worth = 0.0
        self.confidence = 0.0
        self.score = 0.0
        self.dense = False

    @property
    def lexical(self) -> float:
        return self.own + WINDOW_WEIGHT * self.window


def ranked(candidates: Iterable[RankedCandidate], limit: int) -> list[RankedCandidate]:
    """Returns the best `limit`, in order, each with its `score`. Two of ten places are for the nearest in meaning that
    would be left out (`dense`).
    """
    found = list(candidates)
    compared = [one for one in found if one.cosine is not None]
    share = DENSE_SHARE if compared else 0.0
    for part, values in (
        (1 - share, [one.lexical for one in found]),
        (SESSION_WEIGHT, [one.around for one in found]),
    ):
        for one, value in zip(found, _z(values)):  # noqa: B905  strict= needs Python 3.10
            one.score += part * value
    # A memory without a vector yet gets the average.
    for one, value in zip(compared, _z([_meaning(one) for one in compared])):  # noqa: B905
        one.score += share * value
    for one in found:
        one.score += NAMED_WEIGHT * one.named + TIE_WORTH * one.worth + TIE_CONFIDENCE * one.confidence
    found.sort(key=_order)
    kept = limit - limit * DENSE_PLACES // 10
    behind = [one for one in found[kept:] if one.cosine is not None]
    last = sorted(behind, key=lambda one: (-_meaning(one), -one.seq))[: limit - kept]
    for one in last:
        one.dense = one not in found[:limit]
    last += [one for one in found[kept:] if one not in last][: limit - kept - len(last)]
    return found[:kept] + sorted(last, key=_order)


def _order(one: RankedCandidate) -> tuple[float, int]:
    """Returns a sort key: the best first, of equal ones the newest."""
    return -one.score, -one.seq


def _meaning(one: RankedCandidate) -> float:
    return (one.cosine or 0.0) + NEAR_WEIGHT * one.near


def _z(values: list[float]) -> list[float]:
    """Returns each value's distance from the mean in standard deviations, or 0 if all values are equal."""
    if not values:
        return []
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    return [(value - mean) / spread if spread > 1e-9 else 0.0 for value in values]
