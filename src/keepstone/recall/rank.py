"""The one ranking of what was found, by words and by meaning: for searches, recall, and every face. Hot module.

Scores of unlike scales are fused as z-scores over the candidates. Measured on LoCoMo, BEAM and DevMemBench
(docs/benchmarks.md): reciprocal rank fusion loses to the words alone, this gains on all three.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW_WEIGHT = 1.5  # of BM25 of a memory with its neighbours, beside its own
DENSE_SHARE = 0.5  # of the fused score is meaning, the rest words
SESSION_WEIGHT = 0.1  # of all that matches in the same session
NEAR_WEIGHT = 0.1  # of the cosine of either direct neighbour
NAMED_WEIGHT = 0.6  # standard deviations, for a facet that the query names
DENSE_PLACES = 2  # of ten, for the nearest in meaning that would be left out
# for a whole point: they decide where matches are close
TIE_WORTH = 0.1
TIE_CONFIDENCE = 0.05


class RankedCandidate:
    """A memory that may be an answer, by its `seq`: how well it matches, 0 where it does not, and what it is worth.

    `own` is BM25 of its own words or of its evidence's, `window` of it and its neighbours in the session, `around` that
    of all that matches in its session, `cosine` that of its vector (-1..1; None without one) and `near` the sum of its
    neighbours', `named` whether the query names one of its facets, `worth` its importance now, 0..1.
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
    """The best `limit`, in order, each with its `score`; of ten places the last two are for the nearest in meaning that
    would be left out (`dense`).
    """
    found = list(candidates)
    compared = [one for one in found if one.cosine is not None]
    share = DENSE_SHARE if compared else 0.0
    for part, values in (
        (1 - share, [one.lexical for one in found]),
        (SESSION_WEIGHT, [one.around for one in found]),
    ):
        for one, value in zip(found, _z(values)):  # noqa: B905  strict= is younger than the hooks' Python 3.9
            one.score += part * value
    # what has no vector yet is as near as the average
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
    """The best first, of the equally good the newest."""
    return -one.score, -one.seq


def _meaning(one: RankedCandidate) -> float:
    return (one.cosine or 0.0) + NEAR_WEIGHT * one.near


def _z(values: list[float]) -> list[float]:
    """Each value's distance from the mean, in standard deviations; 0 where all are alike."""
    if not values:
        return []
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    return [(value - mean) / spread if spread > 1e-9 else 0.0 for value in values]
