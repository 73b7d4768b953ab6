"""Describes a moment in a session at which memories are recalled, and renders them. Hot module."""

from __future__ import annotations

from ..freshness.doubts import doubts
from ..model import render
from ..model.anchor import NO_DOUBT
from .choose_matcher import matches_in
from .match_sql import Matches
from .other_area import elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..db.reader import Reader
    from ..model.memory import StoredMemory

COMPANIONS = 2  # contradictions and causes that are added for each recalled memory


class Recalled:
    """The result of a recall: the text to inject ("" for none), (id, characters) of each memory in it, (id,
    relevance 0..1) for the session's focus, and the ids of the suggestions that it asks about.
    """

    __slots__ = ("text", "shown", "focus", "asked")

    def __init__(self, text: str = "", shown: Iterable[tuple[str, int]] = ()) -> None:
        self.text = text
        self.shown = list(shown)
        self.focus: list[tuple[str, float]] = [(memory_id, 1.0) for memory_id, _ in self.shown]
        self.asked: list[str] = []


class Moment:
    """A session at a hook event: its project, its folder, and the memories that it was shown."""

    __slots__ = ("store", "project", "session", "event", "now", "root", "folder", "_shown")

    def __init__(
        self, store: Reader, project: str | None, session: str, event: str, now: float, root: str, folder: str
    ) -> None:
        """`root` is the project's folder ("" for none). `folder` is the session's folder below it ("" for the project's
        own).
        """
        self.store = store
        self.project = project
        self.session = session
        self.event = event
        self.now = now
        self.root = root
        self.folder = folder
        self._shown: list[tuple[str, str, int]] | None = None

    @property
    def shown(self) -> list[tuple[str, str, int]]:
        if self._shown is None:
            self._shown = self.store.shown(self.session)
        return self._shown

    def matches(self) -> Matches:
        return matches_in(self.store, self.project, False, "", self.now, hot=True)

    def is_spent(self, budget: int) -> bool:
        """Tells whether the session has been shown `budget` characters or more at this event."""
        return sum(chars for _, event, chars in self.shown if event == self.event) >= budget

    def untold(self, found: Iterable[StoredMemory]) -> list[StoredMemory]:
        """Returns the memories that the session was not shown yet."""
        told = {memory_id for memory_id, _, _ in self.shown}
        return [memory for memory in found if memory.id not in told]

    def accompanied(self, chosen: Sequence[StoredMemory]) -> list[StoredMemory]:
        """Returns the memories, each followed by its possible contradictions and causes that were not shown yet."""
        found: dict[str, StoredMemory] = {}
        beside = self.store.company([memory.id for memory in chosen], self.now)
        for memory in chosen:
            found.setdefault(memory.id, memory)
            others = [other for one, _, other in beside if one == memory.id][:COMPANIONS]
            for other in self.untold(map(self.store.get, others)):
                found.setdefault(other.id, other)
        return list(found.values())

    def elsewhere(self, found: Sequence[StoredMemory]) -> set[str]:
        """Returns the ids of memories of another area of the repository than the session's."""
        return elsewhere(self.store, found, self.folder)

    def lines(self, chosen: Sequence[StoredMemory], limit: int) -> list[str]:
        """Returns one line for each memory, of at most `limit` characters, with its provenance."""
        doubted = doubts(self.store, [memory.id for memory in chosen], self.root, self.now)
        return [
            render.recall_line(memory, self.store.provenance(memory), self.now, doubted.get(memory.id, NO_DOUBT), limit)
            for memory in chosen
        ]
