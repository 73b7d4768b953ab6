"""Reports whether Keepstone is useful: what sessions of the last days were shown, used, corrected and learned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..db.reader import Reader
from ..lib.limits import WEEK_DAYS
from ..model.delivery import CONTRADICTED, USED
from ..model.hit import iso
from ..model.memory import GROUPS, group_of
from ..model.render import headline
from ..model.scope import Scope
from .week_sql import Span, WeekReader

WEEK_NAMED = 3  # memories that are named in a list; the others are only counted, so that all fits on one screen

DAY = 86_400.0  # seconds


@dataclass(frozen=True)
class Named:
    """A memory in a line, and the number of sessions that it is listed for."""

    id: str
    short_id: str
    says: str
    sessions: int


@dataclass(frozen=True)
class Week:
    """The report of a week. Memories are counted once each, deliveries once a session. `most_used` and
    `most_contradicted` name the first few. `unjudged` counts deliveries of sessions that were not captured yet.
    `learned` counts every group, including zero.
    """

    project: str | None
    everything: bool
    days: int
    since: str
    until: str
    sessions: int
    shown: int
    deliveries: int
    unjudged: int
    used: int
    used_deliveries: int
    most_used: list[Named]
    contradicted: int
    most_contradicted: list[Named]
    corrected: int
    superseded: int
    revised: int
    outdated: int
    learned: dict[str, int]

    @property
    def empty(self) -> bool:
        return not (self.deliveries or self.corrected or any(self.learned.values()))


def week(store: Reader, report: WeekReader, scope: Scope, project: str | None, now: float) -> Week:
    """Returns the report. `project` is the project's name for people."""
    span = Span(now - WEEK_DAYS * DAY, now, scope.project, scope.everything)
    delivered = report.delivered(span)
    used, contradicted = (
        Counter(memory_id for memory_id, _, verdict in delivered if verdict == wanted)
        for wanted in (USED, CONTRADICTED)
    )
    corrected = report.corrected(span)
    ways = Counter(how for how, _ in corrected)
    learned = Counter[str]()
    for kind, count in report.learned(span).items():
        learned[group_of(kind)] += count
    return Week(
        project=project,
        everything=scope.everything,
        days=WEEK_DAYS,
        since=iso(span.since) or "",
        until=iso(span.until) or "",
        sessions=len({session for _, session, _ in delivered}),
        shown=len({memory_id for memory_id, _, _ in delivered}),
        deliveries=len(delivered),
        unjudged=sum(verdict is None for _, _, verdict in delivered),
        used=len(used),
        used_deliveries=used.total(),
        most_used=_named(store, used),
        contradicted=len(contradicted),
        most_contradicted=_named(store, contradicted),
        corrected=len({memory_id for _, memory_id in corrected}),
        superseded=ways["superseded"],
        revised=ways["revised"],
        outdated=ways["outdated"],
        learned={group: learned[group] for group in GROUPS},
    )


def _named(store: Reader, counts: Counter[str]) -> list[Named]:
    """Returns the memories with the most sessions."""
    first = sorted(counts, key=lambda memory_id: (-counts[memory_id], memory_id))[:WEEK_NAMED]
    return [Named(one, store.short_id(one), headline(store.get(one)), counts[one]) for one in first]
