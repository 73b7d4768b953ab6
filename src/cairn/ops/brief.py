"""What a session should know at its start: choose, render, and say what was delivered. Hot module."""

from __future__ import annotations

from ..core import render
from ..core.defaults import BRIEF_CANDIDATES
from ..core.model import Provenance, StoredMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.reader import Reader


class Brief:
    """The text to inject and the ids of the memories it holds."""

    __slots__ = ("text", "ids")

    def __init__(self, text: str, ids: list[str]) -> None:
        self.text = text
        self.ids = ids


def brief(
    store: Reader | None, project: str | None, name: str, *, limit: int, budget: int, now: float, kinds: str = ""
) -> Brief:
    """The brief of a project, `name` for people; a store without memories gives the storing line alone.

    `kinds` is a JSON array of the kinds to choose from, or "" for all.
    """
    if store is None or store.empty:
        return Brief(render.brief([], 0, name, budget)[0], [])
    chosen = choose(store.brief_candidates(project, kinds, BRIEF_CANDIDATES * limit, now), limit)
    shown: list[tuple[StoredMemory, Provenance]] = [(memory, store.provenance(memory)) for memory in chosen]
    total = store.count_in_scope(project, False, kinds, now) if shown else 0
    if all(memory.scope == "user" for memory in chosen):
        name = ""  # nothing here comes from this project
    text, count = render.brief(shown, total, name, budget)
    return Brief(text, [memory.id for memory, _ in shown[:count]])


def choose(candidates: list[StoredMemory], limit: int) -> list[StoredMemory]:
    """The `limit` best: pinned, relevance, newest (CG-18); at most half, rounded up, of a group while others wait.

    What was rated outdated comes last, whatever else it has.
    """
    ordered = sorted(candidates, key=lambda m: (m.outdated, -m.pinned, -m.relevance, -m.created_at, m.id))
    most = (limit + 1) // 2
    counts: dict[str, int] = {}
    taken: list[StoredMemory] = []
    passed: list[StoredMemory] = []
    for memory in ordered:
        if counts.get(memory.group, 0) < most and not memory.outdated:
            counts[memory.group] = counts.get(memory.group, 0) + 1
            taken.append(memory)
        else:
            passed.append(memory)
    return (taken + passed)[:limit]


def news(store: Reader, session: str, ids: list[str]) -> bool:
    """Whether a resumed session would learn anything: a memory it was not shown, or one changed or gone since."""
    delivered = {row[0]: row for row in store.delivered(session)}
    if any(memory_id not in delivered for memory_id in ids):
        return True
    return any(
        updated_at is None or updated_at > delivered_at or status != "active"
        for _, delivered_at, updated_at, status in delivered.values()
    )
