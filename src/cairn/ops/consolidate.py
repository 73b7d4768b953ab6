"""The consolidation cycle: what has earned another tier is lifted, what is at the end of its time is decided on, and
the report says why the rest stayed where it was (NC-4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..core.cluster import SUBJECTS, clusters, summary
from ..core.defaults import REPORTED_REASONS
from ..core.errors import CairnError
from ..core.lifecycle import Standing
from ..core.model import WORKING
from ..store.store import Store


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
    steps = []
    gathered = [
        ("working to episodic", store.standing([WORKING], now)),
        ("episodic to semantic", store.standing(["episodic"], now)),
        ("to procedural", store.habits(now)),
    ]
    for name, standings in gathered:
        step = Step(name)
        _step(store, step, standings, confirm_habits, now)
        steps.append(step)
    return steps


def _step(store: Store, step: Step, standings: Iterable[Standing], confirm_habits: bool, now: float) -> None:
    for given in standings:
        step.examined += 1
        tier, why = store.policies.promotion(given, now)
        if not tier:
            step.skipped += 1
            if len(step.stayed) < REPORTED_REASONS:
                step.stayed.append((given.memory.id, why))
        elif tier == "procedural" and confirm_habits:
            step.proposed.append((given.memory.id, tier, why))
        else:
            _lift(store, step, given.memory.id, tier, why, now)


def _lift(store: Store, step: Step, memory_id: str, tier: str, why: str, now: float) -> None:
    try:
        if store.lift(memory_id, tier, why, now):
            step.lifted.append((memory_id, tier, why))
    except CairnError as problem:
        step.errors.append(f"{memory_id}: {problem.message}")


def sweep(store: Store, now: float) -> Swept:
    """Decides on what ends within a day, sums up what belongs together of the rest, and ends what has had its time."""
    done = Swept(Step("at the end of their time"))
    over: list[Standing] = []
    for given in store.ending(now):
        done.kept.examined += 1
        tier, why = store.policies.promotion(given, now)
        if tier:
            _lift(store, done.kept, given.memory.id, tier if tier != "procedural" else "semantic", why, now)
        else:
            done.kept.skipped += 1
            if len(done.kept.stayed) < REPORTED_REASONS:
                done.kept.stayed.append((given.memory.id, why))
            over.append(given)
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
