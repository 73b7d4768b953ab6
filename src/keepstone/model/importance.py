"""Computes a memory's current importance from seven factors, the names of importance bands, and the current confidence.

Pure. Importance is never stored: it changes with time. Hot module.
"""

from __future__ import annotations

import math

from .tiers import DAY, Tier, sinks, touched_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .memory import StoredMemory

RELEVANCE_SHARE = 0.5  # the share of relevance in importance; usage is the rest
IMPORTANCE_WEIGHTS = (
    ("recency", 0.15),
    ("uses", 0.15),
    ("searches", 0.05),
    ("confidence", 0.20),
    ("last use", 0.15),
    ("ratings", 0.20),
    ("links", 0.10),  # PageRank
)
COUNT_FULL = 20  # a higher count adds nothing
USE_DAYS = 30.0  # the days in which the boost of a use falls to 1/e
CONFIDENCE_HALF_LIFE = 365.0
CONFIDENCE_FLOOR = 0.1
IMPORTANCE_STEP = 0.05

# (lower edge, name) of each band; the last band takes all lower values.
COGNOVA = ((0.9, "critical"), (0.7, "important"), (0.5, "moderate"), (0.0, "minor"))
Z3RNO = ((0.8, "critical"), (0.5, "notable"), (0.2, "routine"), (0.0, "trivial"))


def band(value: float, scheme: tuple[tuple[float, str], ...] = COGNOVA) -> str:
    """Returns the name of the band that a number in 0..1 falls in."""
    return next((name for edge, name in scheme if value >= edge), scheme[-1][1])


class Factor:
    """One factor of importance: its name, weight and value. The value is 0..1, or None if it is not known yet."""

    __slots__ = ("name", "weight", "value")

    def __init__(self, name: str, weight: float, value: float | None) -> None:
        self.name = name
        self.weight = weight
        self.value = value


def sureness(memory: StoredMemory, now: float) -> float:
    """Returns the current confidence in a memory, 0..1. It halves within a year after the last statement or
    verification. Age alone does not lower it below a tenth.
    """
    days = max(0.0, now - max(memory.created_at, memory.verified_at or 0.0)) / DAY
    aged: float = memory.confidence * 0.5 ** (days / CONFIDENCE_HALF_LIFE)
    return max(min(memory.confidence, CONFIDENCE_FLOOR), aged)


def saturating(count: int) -> float:
    """Maps a count to 0..1: 0 for none, 1 from COUNT_FULL on. The curve is logarithmic, because the tenth use says less
    than the first.
    """
    return min(1.0, math.log1p(max(0, count)) / math.log1p(COUNT_FULL))


def factors(memory: StoredMemory, tier: Tier, now: float, rank: float | None = None) -> list[Factor]:
    """Returns the seven factors of a memory's importance. `rank` is the percentile of its PageRank, 0..1, or None
    before the first run: then the other six share its weight.
    """
    values = _values(memory, tier, now, rank)
    return [Factor(name, weight, value) for (name, weight), value in zip(IMPORTANCE_WEIGHTS, values)]  # noqa: B905


def _values(memory: StoredMemory, tier: Tier, now: float, rank: float | None) -> tuple[float | None, ...]:
    """Returns the factors' values in the order of IMPORTANCE_WEIGHTS."""
    idle = max(0.0, now - touched_at(memory)) / DAY
    votes = memory.up_votes + memory.down_votes
    return (
        sinks(memory, tier, now),
        saturating(memory.use_count),
        saturating(memory.retrieval_count),
        sureness(memory, now),
        math.exp(-idle / USE_DAYS),
        (memory.up_votes + 1) / (votes + 2),
        None if rank is None else min(1.0, max(0.0, rank)),  # a damaged row may hold any number
    )


def importance(memory: StoredMemory, tier: Tier, now: float, rank: float | None = None) -> float:
    """Returns a memory's current importance, 0..1: half from decayed relevance, half from usage. A pinned memory is
    never less important than its relevance.
    """
    usage = known = 0.0
    for (_, weight), value in zip(IMPORTANCE_WEIGHTS, _values(memory, tier, now, rank)):  # noqa: B905
        if value is not None:
            usage += weight * value
            known += weight
    usage /= known
    share = RELEVANCE_SHARE
    worth = share * memory.relevance * sinks(memory, tier, now) + (1 - share) * usage
    return max(worth, memory.relevance) if memory.pinned else worth


def steps(value: float) -> int:
    """Returns importance in steps of 0.05. Memories in the same step count as equally important."""
    return int(value / IMPORTANCE_STEP + 0.5)
