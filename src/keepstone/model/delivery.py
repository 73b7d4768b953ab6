"""Memories that sessions were shown, and the verdicts on their use."""

from __future__ import annotations

from dataclasses import dataclass

USED, CONTRADICTED, UNKNOWN = "used", "contradicted", "unknown"
RANK = {UNKNOWN: 0, USED: 1, CONTRADICTED: 2}  # a verdict may only rise


@dataclass(frozen=True, slots=True)
class Delivered:
    """A memory that a session was shown. `digits` are those of its id."""

    id: str
    kind: str
    content: str

    @property
    def digits(self) -> str:
        return self.id.removeprefix("mem-")
