"""What a memory is worth now: importance from seven factors, what bands are called, and how sure it still is.

Pure, and never stored (DESIGN 2). Weights and formula: requirements 2.5; factors: NL-18. Hot module.
"""

from __future__ import annotations

import math

from .tiers import DAY, Tier, sinks, touched_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .memory import StoredMemory

RELEVANCE_SHARE = 0.5  # of importance; the rest is usage
IMPORTANCE_WEIGHTS = (
    ("recency", 0.15),
    ("uses", 0.15),
    ("searches", 0.05),
    ("confidence", 0.20),
    ("last use", 0.15),
    ("ratings", 0.20),
    ("links", 0.10),  # PageRank
)
COUNT_FULL = 20  # from so many on a count says no more
USE_DAYS = 30.0  # in which the boost of a use falls to 1/e
CONFIDENCE_HALF_LIFE = 365.0
CONFIDENCE_FLOOR = 0.1
IMPORTANCE_STEP = 0.05

# A band's lower edge and name; the last takes the rest. CG-16 with its gaps closed, and Z3-2.
COGNOVA = ((0.9, "critical"), (0.7, "important"), (0.5, "moderate"), (0.0, "minor"))
Z3RNO = ((0.8, "critical"), (0.5, "notable"), (0.2, "routine"), (0.0, "trivial"))


def band(value: float, scheme: tuple[tuple[float, str], ...] = COGNOVA) -> str:
    """The name of a number in 0..1 in one of the seeds' schemes."""
    return next((name for edge, name in scheme if value >= edge), scheme[-1][1])


class Factor:
    """One of the seven: its name, its weight, and what it comes to, 0..1, None where it is not known yet."""

    __slots__ = ("name", "weight", "value")

    def __init__(self, name: str, weight: float, value: float | None) -> None:
        self.name = name
        self.weight = weight
        self.value = value


def sureness(memory: StoredMemory, now: float) -> float:
    """The confidence in a memory now, 0..1: half of it a year after it was stated or verified last, and not below a
    tenth by age alone (NL-24, requirements 2.5).
    """
    days = max(0.0, now - max(memory.created_at, memory.verified_at or 0.0)) / DAY
    aged: float = memory.confidence * 0.5 ** (days / CONFIDENCE_HALF_LIFE)
    return max(min(memory.confidence, CONFIDENCE_FLOOR), aged)


def saturating(count: int) -> float:
    """0 for none, 1 from twenty on: the tenth time says less than the first."""
    return min(1.0, math.log1p(max(0, count)) / math.log1p(COUNT_FULL))


def factors(memory: StoredMemory, tier: Tier, now: float, rank: float | None = None) -> list[Factor]:
    """The seven factors of a memory's importance. `rank` is the percentile of its PageRank, 0..1, None before the first
    run: the other six share its weight then (NL-17).
    """
    values = _values(memory, tier, now, rank)
    return [Factor(name, weight, value) for (name, weight), value in zip(IMPORTANCE_WEIGHTS, values)]  # noqa: B905


def _values(memory: StoredMemory, tier: Tier, now: float, rank: float | None) -> tuple[float | None, ...]:
    """In the order of the weights."""
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
    """What a memory is worth now, 0..1: half its decayed relevance, half how it is used; one that is pinned never less
    than its relevance.
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
    """Importance in steps of .05: what is closer than that is equally important (DESIGN 4)."""
    return int(value / IMPORTANCE_STEP + 0.5)
