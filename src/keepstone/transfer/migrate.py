"""Copies all rows of a database file to a PostgreSQL database, then checks that they are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..db.engines import postgres
from ..lib.errors import KeepstoneError, StoreError
from .adopt_sql import DUPLICATE, FORGOTTEN, MERGED, NEW
from .dump_sql import Dump
from .migrate_sql import CHANGED, MENDED, RENEWED, MigrationReport, Mover


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a migration. `lacking` of the `memories` are not on the server yet, which has `others` besides."""

    source: str
    target: str
    user: str
    workspace: str
    memories: int
    rows: int
    lacking: int
    others: int


@dataclass(frozen=True, slots=True)
class Moved:
    """The result of a migration: the numbers of memories by result, and of added rows. `compared` rows are the same on
    the server, `lacking` rows are missing there, by table. `damaged` and `damaged_there` are the ids of memories whose
    digest does not match in the file or on the server, `differing` those with another text there.
    """

    plan: Plan
    new: int = 0
    merged: int = 0
    known: int = 0
    forgotten: int = 0
    renewed: int = 0
    mended: int = 0
    changed: int = 0
    rows: int = 0
    redacted: int = 0
    marks_left: int = 0
    compared: int = 0
    lacking: dict[str, int] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    damaged_there: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        return not (self.lacking or self.damaged or self.damaged_there or self.differing)


def planned(dump: Dump, url: str, lacking: int, others: int) -> Plan:
    user, workspace = postgres().owner(url)
    shown = postgres().shown(url)
    return Plan(dump.path, shown, user, workspace, dump.count("memory"), len(dump), lacking, others)


def rehearse(dump: Dump, mover: Mover, plan: Plan, now: float, watch: Callable[[int], None]) -> Moved:
    """Returns what a migration would do. Changes nothing."""
    report = mover.passage(dump, False, now, watch)
    return _moved(plan, report, None, dump.redaction.changed)


def move(dump: Dump, mover: Mover, plan: Plan, now: float, watch: Callable[[int], None]) -> Moved:
    """Copies the rows, then compares them, so each is read twice. `watch` is called with the number done. Raises
    KeepstoneError if the connection is lost: the same command then continues from there.
    """
    done = None
    try:
        done = mover.passage(dump, True, now, watch)
        found = mover.passage(dump, False, now, lambda behind: watch(plan.rows + behind))
    except StoreError as problem:
        raise _stopped(problem, plan, done) from problem
    return _moved(plan, done, found, dump.redaction.changed)


def _stopped(problem: StoreError, plan: Plan, done: MigrationReport | None) -> KeepstoneError:
    where = "while it was compared" if done else "in the middle"
    says = f"stopped {where}: {problem.message}"
    return StoreError(
        says, f"{problem.hint}; what has come to {plan.target} stays, and the same again goes on from there"
    )


def _moved(plan: Plan, done: MigrationReport, found: MigrationReport | None, redacted: int) -> Moved:
    last = found or done
    states = done.states
    return Moved(
        plan,
        new=states[NEW],
        merged=states[MERGED],
        known=states[DUPLICATE],
        forgotten=states[FORGOTTEN],
        renewed=states[RENEWED],
        mended=states[MENDED],
        changed=states[CHANGED],
        rows=sum((done.added if found else done.lacking).values()),
        redacted=redacted,
        marks_left=last.marks_left,
        compared=sum(last.wanted.values()) - sum(last.lacking.values()),
        lacking={table: count for table, count in sorted(last.lacking.items()) if count and found},
        damaged=_once(last.damaged),
        damaged_there=_once(last.damaged_there),
        differing=_once(last.differing),
    )


def _once(ids: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))
