"""What sessions were shown, and the verdicts on it."""

from __future__ import annotations

from dataclasses import dataclass

USED, CONTRADICTED, UNKNOWN = "used", "contradicted", "unknown"
RANK = {UNKNOWN: 0, USED: 1, CONTRADICTED: 2}  # a verdict only ever rises


@dataclass(frozen=True, slots=True)
class Delivered:
    """A memory that a session was shown; `digits` are its id's."""

    id: str
    kind: str
    content: str

    @property
    def digits(self) -> str:
        return self.id.removeprefix("mem-")
