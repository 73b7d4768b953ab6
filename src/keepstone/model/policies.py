"""The policies for memories as one replaceable value: tiers, importance, promotion.

    Memory(policies=Policies(importance=lambda memory, tier, now, rank: memory.relevance))

Hot module.
"""

from __future__ import annotations

from .importance import importance as default_importance
from .tiers import default_tiers
from .tiers import promotion as default_promotion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .memory import StoredMemory
    from .tiers import Standing, Tier

    Importance = Callable[[StoredMemory, Tier, float, float | None], float]
    Promotion = Callable[[Standing, Tier, float], tuple[str, str]]


class Policies:
    """Holds the tiers by name and the functions for importance and promotion, with the signatures of the default ones.

    A memory whose tier has no policy is treated as semantic.
    """

    __slots__ = ("tiers", "_importance", "_promotion")

    def __init__(
        self,
        tiers: Mapping[str, Tier] | None = None,
        importance: Importance = default_importance,
        promotion: Promotion = default_promotion,
    ) -> None:
        self.tiers = dict(tiers or default_tiers())
        self._importance = importance
        self._promotion = promotion

    def tier_of(self, memory: StoredMemory) -> Tier:
        return self.tiers.get(memory.tier) or self.tiers["semantic"]

    def importance(self, memory: StoredMemory, now: float) -> float:
        """Returns a memory's current importance, 0..1."""
        return self._importance(memory, self.tier_of(memory), now, memory.pagerank)

    def promotion(self, given: Standing, now: float) -> tuple[str, str]:
        """Returns (earned tier, reason), or ("", reason why none)."""
        return self._promotion(given, self.tier_of(given.memory), now)


DEFAULT = Policies()
