"""The tiers' policies: decay and time to live, promotion, pruning and eviction. Pure. Hot module.

Every function takes the current time and computes from timestamps. Decayed values are never stored, so decay does not
compound.
"""

from __future__ import annotations

import math

from ..lib import limits
from .memory import TIERS, WORKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .memory import StoredMemory

# Caps, per agent
WORKING_CAP = 100
EPISODIC_CAP = 10_000
SEMANTIC_CAP = 50_000
PROCEDURAL_CAP = 5_000
EPISODIC_DAYS = 30.0  # time to live
EPISODIC_HALF_LIFE = 30.0  # half is left at the end of the time to live
SEMANTIC_SPAN = 365.0  # after a year without use, nothing is left
LOG_BEND = 0.9  # multiplied by -1 / span: decay is slow at first and fast later
PROMOTED_IMPORTANCE = 0.5  # importance needed at the end of the time to live
WORKING_USES = 10
WORKING_WORTH = 0.6
EPISODIC_USES = 20
EPISODIC_AGE = 30.0
EPISODIC_WORTH = 0.7
HABIT_CONFIDENCE = 0.7

DAY = 86_400.0
EXPONENTIAL, LOGARITHMIC, STEP, CONSTANT = CURVES = ("exponential", "logarithmic", "step", "constant")
OLDEST, LEAST_IMPORTANT, LEAST_SURE = "oldest", "least important", "least sure"
BY_HAND = ("manual", "onboarding")  # origins of memories that a person stored: no job removes them
BY_ITSELF = ("hook", "api")  # origins of memories that no person asked for: only these expire
SOLVES, HABITS = ("solution", "incident"), ("pattern", "convention", "sdlc_knowledge")


def exponential(days: float, rate: float) -> float:
    """Returns the share left after `days` at a daily rate: exp(-rate * days)."""
    return math.exp(-rate * max(0.0, days))


def logarithmic(days: float, bend: float, span: float) -> float:
    """Returns the share left: 1 - log(1 + bend * days) / log(1 + bend * span), 0..1; 0 from `span` days on.

    With `bend` above 0 it falls fast at first, with `bend` between -1/span and 0 slowly at first; 0 gives a straight
    line. Raises ValueError if `span` is not above 0 or `bend` is not above -1 / span.
    """
    if span <= 0 or bend * span <= -1:
        raise ValueError("a logarithmic curve takes a span above 0 and a bend above -1 / span")
    days = max(0.0, days)
    if days >= span:
        return 0.0
    gone = days / span if bend == 0 else math.log1p(bend * days) / math.log1p(bend * span)
    return min(1.0, max(0.0, 1.0 - gone))


def step(days: float, threshold: float) -> float:
    """Returns 1 until the threshold, then 0."""
    return 1.0 if days < threshold else 0.0


class Tier:
    """The policy of one tier. `half_life` (exponential), `span` (logarithmic, step) and `ttl` are in days, 0 for none;
    `floor` is the share that decay leaves, 0..1; `cap` is a number of memories per agent; a memory with importance
    below `least` is not promoted when it expires; `summarise` tells whether clusters of expiring memories are summed
    up.
    """

    __slots__ = ("name", "curve", "half_life", "span", "floor", "ttl", "cap", "evicts", "least", "summarise")

    def __init__(
        self,
        name: str,
        curve: str,
        cap: int,
        evicts: str,
        ttl: float = 0.0,
        half_life: float = 0.0,
        span: float = 0.0,
        summarise: bool = False,
    ) -> None:
        self.name = name
        self.curve = curve
        self.half_life = half_life
        self.span = span
        self.floor = 0.0
        self.ttl = ttl
        self.cap = cap
        self.evicts = evicts
        self.least = PROMOTED_IMPORTANCE
        self.summarise = summarise

    def left(self, days: float) -> float:
        """Returns the share of relevance left, 0..1, `days` after a memory was made or last used."""
        return max(self.floor, self._left(days))

    def _left(self, days: float) -> float:
        if self.curve == EXPONENTIAL:
            return exponential(days, math.log(2) / self.half_life)
        if self.curve == LOGARITHMIC:
            return logarithmic(days, -LOG_BEND / self.span, self.span)
        return step(days, self.span) if self.curve == STEP else 1.0


def default_tiers() -> dict[str, Tier]:
    """Returns the four tiers with their default policies."""
    made = (
        Tier(WORKING, CONSTANT, WORKING_CAP, OLDEST),
        Tier(
            *("episodic", EXPONENTIAL, EPISODIC_CAP, LEAST_IMPORTANT),
            ttl=EPISODIC_DAYS,
            half_life=EPISODIC_HALF_LIFE,
            summarise=True,
        ),
        Tier("semantic", LOGARITHMIC, SEMANTIC_CAP, LEAST_IMPORTANT, span=SEMANTIC_SPAN),
        Tier("procedural", CONSTANT, PROCEDURAL_CAP, LEAST_SURE),
    )
    return {tier.name: tier for tier in made}


# The fields of a tier that a setting may change, with their lowest and highest value.
_NUMBERS = {
    "half_life": (0.01, 36_500.0),
    "span": (0.01, 36_500.0),
    "floor": (0.0, 1.0),
    "ttl": (0.0, 36_500.0),
    "cap": (1.0, 10_000_000.0),
    "least": (0.0, 1.0),
    "summarise": (0.0, 1.0),
}
TAKES = "parts like episodic.ttl=60,semantic.cap=1000; of a tier " + ", ".join(["curve", *_NUMBERS])


def tiers_of(text: str) -> dict[str, Tier]:
    """Returns the tiers with the changes of a setting. Raises ValueError, with the accepted form, if the text is not
    valid.
    """
    found = default_tiers()
    for part in text.split(",") if text else ():
        key, _, value = part.partition("=")
        name, _, field = key.strip().partition(".")
        if name not in found or (field != "curve" and field not in _NUMBERS):
            raise ValueError(TAKES)
        _set(found[name], field, value.strip())
    for tier in found.values():
        if (tier.curve == EXPONENTIAL and not tier.half_life) or (tier.curve in (LOGARITHMIC, STEP) and not tier.span):
            raise ValueError(tier.name + ": " + tier.curve + " needs half_life (exponential) or span")
    return found


def _set(tier: Tier, field: str, value: str) -> None:
    if field == "curve":
        if value not in CURVES:
            raise ValueError("a curve is " + ", ".join(CURVES))
        tier.curve = value
        return
    low, high = _NUMBERS[field]
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise ValueError(tier.name + "." + field + " from " + repr(low) + " to " + repr(high))
    if field == "ttl" and tier.name == "procedural" and number:
        raise ValueError("no ttl for procedural memories: they stay (Z3-11)")
    setattr(tier, field, bool(number) if field == "summarise" else int(number) if field == "cap" else number)


def touched_at(memory: StoredMemory) -> float:
    """Returns when a memory was made or last used, whichever is later. Being shown is not a use."""
    return max(memory.created_at, memory.used_at or 0.0)


def expires_at(tier: Tier, origin: str, now: float) -> float | None:
    """Returns when a memory stored now expires, or None for never: memories that a person stored or imported stay. The
    time counts from now, not from when it was said, because past sessions are ingested too.
    """
    return now + tier.ttl * DAY if tier.ttl and origin in BY_ITSELF else None


def sinks(memory: StoredMemory, tier: Tier, now: float) -> float:
    """Returns the share of a memory's relevance left, 0..1: by its tier's curve, or 0 after its deadline."""
    if memory.deadline_at is not None and now >= memory.deadline_at:
        return 0.0
    return tier.left((now - touched_at(memory)) / DAY)


class Standing:
    """The facts that decide a promotion: the memory, its current `importance`, and the number of `sessions` that stated
    it.
    """

    __slots__ = ("memory", "importance", "sessions")

    def __init__(self, memory: StoredMemory, importance: float, sessions: int) -> None:
        self.memory = memory
        self.importance = importance
        self.sessions = sessions


def promotion(given: Standing, tier: Tier, now: float) -> tuple[str, str]:
    """Returns (earned tier, reason), or ("", reason why none). A memory rises one tier at a time.

    At the end of its time to live, an episodic memory stays if it is important enough or is a proven solution.
    """
    memory = given.memory
    if memory.status != "active" or memory.trust != "trusted":
        return "", "it waits for a person's word" if memory.status == "active" else "it is " + memory.status
    if memory.origin in BY_HAND and memory.expires_at is not None:
        return "", "it ends when you said"
    if memory.tier == WORKING:
        return _from_working(given)
    if memory.kind in HABITS and memory.tier in ("episodic", "semantic"):
        earned = _habit(given)
        if earned[0] or memory.tier == "semantic":
            return earned
    if memory.tier == "episodic":
        return _from_episodic(given, tier, now)
    highest = memory.tier == TIERS[-1]
    return "", "there is no higher one" if highest else "nothing lifts it further but your word"


def _from_working(given: Standing) -> tuple[str, str]:
    used = min(given.memory.use_count, WORKING_USES) / WORKING_USES
    worth = given.importance * (0.5 + 0.5 * used)
    if given.sessions >= 2:
        return "episodic", "stated in " + str(given.sessions) + " sessions"
    if worth >= WORKING_WORTH:
        return "episodic", "worth " + _two(worth)
    return "", "worth " + _two(worth) + " of " + _two(WORKING_WORTH) + ", not stated again"


def _habit(given: Standing) -> tuple[str, str]:
    confidence, sessions = given.memory.confidence, given.sessions
    if sessions >= limits.REPEATED_SESSIONS and confidence >= HABIT_CONFIDENCE:
        return "procedural", "done in " + str(sessions) + " sessions, confidence " + _two(confidence)
    return "", _counted(sessions) + ", confidence " + _two(confidence)


def _from_episodic(given: Standing, tier: Tier, now: float) -> tuple[str, str]:
    memory = given.memory
    if given.sessions >= limits.REPEATED_SESSIONS:
        return "semantic", "stated in " + str(given.sessions) + " sessions"
    age = min((now - memory.created_at) / DAY, EPISODIC_AGE) / EPISODIC_AGE
    used = min(memory.use_count, EPISODIC_USES) / EPISODIC_USES
    worth = 0.5 * given.importance + 0.3 * used + 0.2 * max(0.0, age)
    if worth >= EPISODIC_WORTH:
        return "semantic", "worth " + _two(worth)
    if memory.expires_at is None or memory.expires_at > now + limits.DECISION_SECONDS:
        return "", "worth " + _two(worth) + " of " + _two(EPISODIC_WORTH) + ", " + _counted(given.sessions)
    if given.importance >= tier.least:
        return "semantic", "importance " + _two(given.importance) + " at the end of its time"
    if memory.kind in SOLVES and memory.confidence >= HABIT_CONFIDENCE:
        return "semantic", "a proven cure, confidence " + _two(memory.confidence)
    return "", "importance " + _two(given.importance) + " of " + _two(tier.least) + " at the end of its time"


def _two(number: float) -> str:
    return f"{number:.2f}"


def _counted(sessions: int) -> str:
    return "stated in " + str(sessions) + " of " + str(limits.REPEATED_SESSIONS) + " sessions"


def may_promote(tier: str, target: str) -> bool:
    """Tells whether a person may promote a memory from a tier to another."""
    return tier in TIERS and target in TIERS and TIERS.index(target) > TIERS.index(tier)


def is_prunable(memory: StoredMemory, importance: float, retention: float, now: float) -> bool:
    """Tells whether a memory is a candidate for pruning: importance below PRUNE_IMPORTANCE, older than `retention`
    days, and idle for PRUNE_IDLE_DAYS or `retention` days, whichever is less. A pinned memory is never a candidate.
    """
    idle = min(limits.PRUNE_IDLE_DAYS, retention) * DAY
    return (
        memory.status == "active"
        and not memory.pinned
        and importance < limits.PRUNE_IMPORTANCE
        and memory.created_at < now - retention * DAY
        and touched_at(memory) < now - idle
    )


def evicted(rows: Iterable[Any], tier: Tier, room: int, now: float) -> list[Any]:
    """Returns the memories to evict from a full tier, in order: `room` of them, or fewer if the others are safe.

    Rows have `pinned`, `origin`, `created_at`, `accessed_at`, `confidence` and `importance`. Pinned memories and those
    that a person stored are safe. Memories younger than a day go last, because they had no time to be used.
    """

    def order(row: Any) -> tuple[bool, float, float]:
        worth = {
            OLDEST: row.accessed_at or row.created_at,  # evicts the least recently used
            LEAST_IMPORTANT: row.importance,
            LEAST_SURE: row.confidence,
        }[tier.evicts]
        return row.created_at > now - limits.NEWBORN_SECONDS, worth, row.created_at

    loose = [row for row in rows if not row.pinned and row.origin not in BY_HAND]
    return sorted(loose, key=order)[:room]
