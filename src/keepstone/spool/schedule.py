"""The periodic jobs, and when each is due. Times are UTC unix seconds."""

from __future__ import annotations

from dataclasses import dataclass

from ..lib.limits import DAY_SECONDS, HOUR_SECONDS

SWEEP_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """A job that runs every `every` seconds, or with `at` once a day, `at` seconds after midnight UTC."""

    name: str
    does: str
    every: float
    at: float | None = None

    def next(self, now: float) -> float:
        """Returns when the job is due after a run that ends now. Missed runs are not made up for."""
        if self.at is None:
            return now + self.every
        midnight = now - now % DAY_SECONDS
        return midnight + self.at + (DAY_SECONDS if now >= midnight + self.at else 0.0)

    @property
    def when(self) -> str:
        if self.at is not None:
            return f"{int(self.at // 3600):02}:{int(self.at % 3600 // 60):02} UTC"
        return f"every {self.every / 60:.0f} min" if self.every < DAY_SECONDS else "daily"


SWEEP, CONSOLIDATE, CAPS, BACKUP, VERIFY = "sweep", "consolidate", "caps", "backup", "verify"
RANK, GROUP = "rank", "group"
SCHEDULES = (  # in this order: memories that a cap evicts need no other job
    Schedule(CAPS, "evicts what a tier has no room for", HOUR_SECONDS),
    Schedule(SWEEP, "decides on what is at the end of its time, and ends it", SWEEP_SECONDS),
    Schedule(CONSOLIDATE, "lifts what has earned another tier", HOUR_SECONDS),
    Schedule(RANK, "tells which memories are central among the others", DAY_SECONDS, HOUR_SECONDS),
    Schedule(GROUP, "tells which memories form a community", DAY_SECONDS, 1.5 * HOUR_SECONDS),
    Schedule(BACKUP, "copies the database, and drops the oldest copies", DAY_SECONDS, 2 * HOUR_SECONDS),
    Schedule(VERIFY, "looks whether files still say what memories quote", DAY_SECONDS, 2.5 * HOUR_SECONDS),
)
