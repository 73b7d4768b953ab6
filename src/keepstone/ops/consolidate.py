"""The consolidation cycle: what has earned another tier is lifted, what is at the end of its time is decided on, and
the report says why the rest stayed where it was (NC-4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..core.cluster import SUBJECTS, clusters, summary
from ..core.defaults import JOB_WRITES, REPORTED_REASONS
from ..core.errors import KeepstoneError
from ..core.lifecycle import Standing
from ..core.model import TIERS, WORKING
from ..store.store import Store
from ..store.tiers import batches


@dataclass(slots=True)
class Step:
    """What a step of the cycle did. `lifted` are (memory id, tier, why), `proposed` those that wait for a person's
    word, `skipped` how many stayed, and `stayed` why, of the first few.
    """

    name: str
    examined: int = 0
    lifted: list[tuple[str, str, str]] = field(default_factory=list)
    proposed: list[tuple[str, str, str]] = field(default_factory=list)
    skipped: int = 0
    stayed: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def promoted(self) -> int:
        return len(self.lifted)

    def as_object(self) -> dict[str, Any]:
        return {**asdict(self), "promoted": self.promoted}


@dataclass(slots=True)
class Swept:
    """What became of memories at the end of their time: lifted, summed up, or ended (ids)."""

    kept: Step
    summaries: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)


def consolidate(store: Store, confirm_habits: bool, now: float) -> list[Step]:
    """One cycle. A memory is lifted by one tier: what is examined is gathered before anything is lifted. A second cycle
    at once lifts nothing.
    """
    gathered = [
        ("working to episodic", store.in_tiers([WORKING])),
        ("episodic to semantic", store.in_tiers(["episodic"])),
        ("to procedural", store.habits(["semantic"])),
    ]
    steps = []
    for name, ids in gathered:
        step = Step(name)
        for standings in store.standings(ids, now):
            _step(store, step, standings, "" if confirm_habits else "procedural", now)
        steps.append(step)
    return steps


def _step(store: Store, step: Step, standings: Iterable[Standing], habit: str, now: float) -> list[Standing]:
    """Lifts what has earned it, and gives back what stays. `habit` is the tier that a habit goes to, "" for one that
    waits for a person's word.
    """
    earned: list[tuple[str, str, str]] = []
    staying = []
    for given in standings:
        step.examined += 1
        tier, why = store.policies.promotion(given, now)
        if not tier:
            staying.append(given)
            step.skipped += 1
            if len(step.stayed) < REPORTED_REASONS:
                step.stayed.append((given.memory.id, why))
        elif tier == "procedural" and not habit:
            step.proposed.append((given.memory.id, tier, why))
        else:
            earned.append((given.memory.id, habit if tier == "procedural" else tier, why))
    for tier in TIERS:
        for some in batches([one for one in earned if one[1] == tier], JOB_WRITES):
            _lift(store, step, some, tier, now)
    return staying


def _lift(store: Store, step: Step, earned: list[tuple[str, str, str]], tier: str, now: float) -> None:
    """Lifts some together; one by one where there is no room for all of them."""
    why = {memory_id: reason for memory_id, _, reason in earned}
    try:
        step.lifted += [(memory_id, tier, why[memory_id]) for memory_id in store.lift(list(why), tier, why, now)]
    except KeepstoneError as problem:
        if len(earned) == 1:
            step.errors.append(f"{earned[0][0]}: {problem.message}")
            return
        for one in earned:
            _lift(store, step, [one], tier, now)


def sweep(store: Store, now: float) -> Swept:
    """Decides on what ends within a day, sums up what belongs together of the rest, and ends what has had its time."""
    done = Swept(Step("at the end of their time"))
    over: list[Standing] = []
    for standings in store.standings(store.ending(now), now):
        over += _step(store, done.kept, standings, "semantic", now)
    done.summaries = _sum_up(store, over, now)
    done.expired = store.expire(now)
    return done


def _sum_up(store: Store, over: Sequence[Standing], now: float) -> list[str]:
    """The ids of the summaries of clusters that end now: while one of them has time left they wait for each other."""
    tiers = store.policies.tiers
    ended = [
        given.memory
        for given in over
        if (given.memory.expires_at or now) <= now
        and given.memory.trust == "trusted"
        and given.memory.tier in tiers
        and tiers[given.memory.tier].summarise
    ]
    about = store.subjects([memory.id for memory in ended], SUBJECTS)
    made = [store.sum_up(episodes, summary(subjects, episodes), now) for subjects, episodes in clusters(ended, about)]
    return [memory_id for memory_id in made if memory_id]
