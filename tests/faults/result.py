"""What came of a harm: the form in which every part of the campaign tells it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Result:
    """Of a scenario and a harm, at `done` of its `steps`; each problem is `step: what is wrong`."""

    scenario: str
    harm: str
    steps: int = 0
    done: int = 0
    lost: list[str] = field(default_factory=list)
    corrupt: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        return self.lost + self.corrupt + self.unclear
