"""Runs the consolidation cycle: promotes memories that have earned another tier, decides on those that expire, and
reports why the others stayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..db.writer import Writer
from ..lib.errors import KeepstoneError
from ..lib.limits import JOB_WRITES
from ..model.memory import TIERS, WORKING
from ..model.tiers import Standing
from . import suggestions_sql, tiers_sql
from .cluster import SUBJECTS, clusters, summary
from .sum_up_sql import sum_up
from .tiers_sql import batches

REPORTED_REASONS = 20  # reasons that are reported, of the first memories that stayed


@dataclass(slots=True)
class MergeStep:
    """The result of a step of the cycle. `lifted` holds (memory id, tier, reason), `proposed` the memories that need a
    person's confirmation, `skipped` the number that stayed, and `stayed` the reasons of the first few.
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
    """The ids of memories that expire: promoted, summed up, or ended."""

    kept: MergeStep
    summaries: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)


def consolidate(writer: Writer, confirm_promotions: bool, now: float) -> list[MergeStep]:
    """Runs one cycle. It promotes a memory by one tier, as the memories to examine are chosen before any is promoted. A
    second cycle right after promotes nothing.
    """
    gathered = [
        ("working to episodic", tiers_sql.in_tiers(writer, [WORKING])),
        ("episodic to semantic", tiers_sql.in_tiers(writer, ["episodic"])),
        ("to procedural", tiers_sql.habits(writer, ["semantic"])),
    ]
    steps = []
    for name, ids in gathered:
        step = MergeStep(name)
        for standings in tiers_sql.standings(writer, ids, now):
            _step(writer, step, standings, "" if confirm_promotions else "procedural", now)
        steps.append(step)
    return steps


def _step(writer: Writer, step: MergeStep, standings: Iterable[Standing], habit: str, now: float) -> list[Standing]:
    """Promotes memories that have earned it. Returns those that stay. `habit` is the tier that a habit goes to, "" if
    it needs a person's confirmation.
    """
    earned: list[tuple[str, str, str]] = []
    staying = []
    for given in standings:
        step.examined += 1
        tier, why = writer.policies.promotion(given, now)
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
            _lift(writer, step, some, tier, now)
    return staying


def _lift(writer: Writer, step: MergeStep, earned: list[tuple[str, str, str]], tier: str, now: float) -> None:
    """Promotes memories together, or one by one if there is no room for all of them."""
    why = {memory_id: reason for memory_id, _, reason in earned}
    try:
        with writer.transaction() as tx:
            lifted = tiers_sql.lift(tx, list(why), tier, why, now)
        step.lifted += [(memory_id, tier, why[memory_id]) for memory_id in lifted]
    except KeepstoneError as problem:
        if len(earned) == 1:
            step.errors.append(f"{earned[0][0]}: {problem.message}")
            return
        for one in earned:
            _lift(writer, step, [one], tier, now)


def sweep(writer: Writer, now: float) -> Swept:
    """Decides on memories that expire within a day, sums up clusters of those that stay, and ends the expired ones, and
    the suggestions that nobody has taken up.
    """
    done = Swept(MergeStep("at the end of their time"))
    over: list[Standing] = []
    for standings in tiers_sql.standings(writer, tiers_sql.ending(writer, now), now):
        over += _step(writer, done.kept, standings, "semantic", now)
    done.summaries = _sum_up(writer, over, now)
    done.expired = tiers_sql.expire(writer, now)
    with writer.transaction() as tx:
        suggestions_sql.expire(tx, now)
    return done


def _sum_up(writer: Writer, over: Sequence[Standing], now: float) -> list[str]:
    """Sums up clusters of memories that have all expired. Returns the ids of the summaries."""
    policies = writer.policies.tiers
    ended = [
        given.memory
        for given in over
        if (given.memory.expires_at or now) <= now
        and given.memory.trust == "trusted"
        and given.memory.tier in policies
        and policies[given.memory.tier].summarise
    ]
    with writer.transaction() as tx:
        about = tiers_sql.subjects(tx, [memory.id for memory in ended], SUBJECTS)
    made = []
    for subjects, episodes in clusters(ended, about):
        with writer.transaction() as tx:
            made.append(sum_up(tx, episodes, summary(subjects, episodes), now))
    return [memory_id for memory_id in made if memory_id]
