"""The tiers' policies: decay and time to live, promotion, pruning and eviction. Pure. Hot module.

Every function takes the current time and computes from timestamps. Decayed values are never stored, so decay does not
compound.
"""

from __future__ import annotations

import math

from ..lib import limits
from ..lib.limits import EXPONENTIAL, LOGARITHMIC, NEVER, STEP, TIER_DEFAULTS
from ..lib.text import span_seconds
from .memory import TIERS, WORKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .memory import StoredMemory

LOG_BEND = 0.9  # multiplied by -1 / span: decay is slow at first and fast later
WORKING_USES = 10
WORKING_WORTH = 0.6
EPISODIC_USES = 20
EPISODIC_AGE = 30.0
EPISODIC_WORTH = 0.7
HABIT_CONFIDENCE = 0.7

DAY = 86_400.0
OLDEST, LEAST_IMPORTANT, LEAST_SURE = "oldest", "least important", "least sure"
_EVICTS = {WORKING: OLDEST, "episodic": LEAST_IMPORTANT, "semantic": LEAST_IMPORTANT, "procedural": LEAST_SURE}
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
        floor: float = 0.0,
        least: float = TIER_DEFAULTS["episodic"]["least"],
        summarise: bool = False,
    ) -> None:
        self.name = name
        self.curve = curve
        self.half_life = half_life
        self.span = span
        self.floor = floor
        self.ttl = ttl
        self.cap = cap
        self.evicts = evicts
        self.least = least
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
    return tiers_of({})


def tiers_of(values: Mapping[str, Any]) -> dict[str, Tier]:
    """Returns the tiers under the values of the settings `tier.NAME.FIELD`. A missing value has its default."""
    found = {}
    for name, defaults in TIER_DEFAULTS.items():
        own = {field: values.get("tier." + name + "." + field, value) for field, value in defaults.items()}
        own.update((field, _days(own[field])) for field in ("ttl", "half_life", "span") if field in own)
        found[name] = Tier(name, evicts=_EVICTS[name], **own)
    return found


def _days(span: str) -> float:
    return 0.0 if span == NEVER else span_seconds(span) / DAY


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
