"""Chooses and renders the memories that a session sees at its start. Hot module."""

from __future__ import annotations

from ..freshness.doubts import doubts
from ..model import render
from ..model.importance import steps
from ..model.memory import Provenance, StoredMemory
from ..model.policies import DEFAULT, Policies
from ..model.tiers import tiers_of
from .other_area import elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from typing import Any

    from ..claude_code.memory_index import Index
    from ..db.reader import Reader

    Worth = Callable[[StoredMemory], float]

BRIEF_ROWS = 5  # rows read, as a multiple of the brief's limit, for each scope: 100 rows cost 1.5 ms more than 25


class Brief:
    """The text to inject and the ids of the memories in it."""

    __slots__ = ("text", "ids")

    def __init__(self, text: str, ids: list[str]) -> None:
        self.text = text
        self.ids = ids


class Near:
    """The place of a session: the project's folder `root` ("" for none) and the session's own `folder` below it. After
    a compaction, `session` is its id, whose focus is then used.
    """

    __slots__ = ("root", "folder", "session")

    def __init__(self, root: str = "", folder: str = "", session: str = "") -> None:
        self.root = root
        self.folder = folder
        self.session = session


def brief(
    store: Reader | None,
    project: str | None,
    name: str,
    *,
    limit: int,
    budget: int,
    now: float,
    kinds: str = "",
    index: Index | None = None,
    near: Near | None = None,
    worth: Worth | None = None,
) -> Brief:
    """Returns the brief of a project. `name` is the project's name for people. Without memories, the brief only says
    how to store one.

    `kinds` is a JSON array of the kinds to choose from, or "" for all. Memories that the `index` of the client's own
    memory already tells are left out. `near` is the place of the session. `worth` returns a memory's worth for the
    order (default: its importance now).
    """
    near = near or Near()
    worth = worth or by_importance(DEFAULT, now)
    if store is None or store.empty:
        return Brief(render.brief([], 0, name, budget)[0], [])
    about = store.focused(near.session, project, limit, now) if near.session else []
    topic = {memory.id: relevance for memory, relevance in about}
    more = [memory for memory, _ in about]
    rows = store.brief_rows(project, kinds, BRIEF_ROWS * limit, now)
    chosen = _untold(store, rows + more, limit, index, near, topic, worth)
    if index and len(chosen) < limit:  # few candidates remain: read more, once
        rows = store.brief_rows(project, kinds, BRIEF_ROWS * limit + index.lines, now)
        chosen = _untold(store, rows + more, limit, index, near, topic, worth)
    shown: list[tuple[StoredMemory, Provenance]] = [(memory, store.provenance(memory)) for memory in chosen]
    total = store.count_in_scope(project, False, kinds, now) if shown else 0
    if all(memory.scope == "user" for memory in chosen):
        name = ""  # no memory comes from this project
    doubted = doubts(store, [memory.id for memory in chosen], near.root, now)
    text, count = render.brief(shown, total, name, budget, now, doubted)
    return Brief(text, [memory.id for memory, _ in shown[:count]])


def _untold(
    store: Reader,
    rows: list[StoredMemory],
    limit: int,
    index: Index | None,
    near: Near,
    topic: Mapping[str, float],
    worth: Worth,
) -> list[StoredMemory]:
    """Returns the `limit` best memories that the index does not tell."""
    rows = list({memory.id: memory for memory in rows}.values())
    far = elsewhere(store, rows, near.folder)
    chosen = choose(rows, limit, worth, far, topic)
    while index and (told := [memory for memory in chosen if _is_told(memory, index, store)]):
        rows = [memory for memory in rows if memory not in told]
        chosen = choose(rows, limit, worth, far, topic)
    return chosen


def _is_told(memory: StoredMemory, index: Index, store: Reader) -> bool:
    if memory.origin == "auto_memory" and any(
        facet == "file" and index.names(value) for facet, value in store.facets(memory.id)
    ):
        return True
    return index.says(render.headline(memory).rstrip("…")) or index.says(memory.content)


def by_importance(policies: Policies, now: float) -> Worth:
    """Returns a function for a memory's importance now, in steps of 0.05, so that close values count as equal."""
    return lambda memory: steps(policies.importance(memory, now))


def worth_of(values: Mapping[str, Any], now: float) -> Worth:
    """Returns the function for a memory's worth under these settings."""
    if values["brief_order"] == "relevance":
        return by_relevance
    return by_importance(Policies(tiers_of(values)), now)


def by_relevance(memory: StoredMemory) -> float:
    """Returns a memory's relevance, as it was set when the memory was made."""
    return memory.relevance


def choose(
    memories: list[StoredMemory],
    limit: int,
    worth: Worth = by_relevance,
    far: Container[str] = (),
    topic: Mapping[str, float] = {},  # noqa: B006  never changed
) -> list[StoredMemory]:
    """Returns the `limit` best memories: pinned first, then by worth, then newest. A group gets at most half of the
    places, rounded up, while other groups have candidates. Only the newest session summary is considered.

    Outdated memories come last in any case. The memories in `topic` (id to relevance) come before the others, and those
    of another area (`far`) after them.
    """
    newest = max((m for m in memories if m.kind == "summary"), key=lambda m: (m.created_at, m.id), default=None)
    held = [m for m in memories if m.kind != "summary" or m is newest]
    ordered = sorted(
        held,
        key=lambda m: (
            *(m.outdated, -m.pinned, -topic.get(m.id, 0.0), m.id in far),
            *(-worth(m), -m.created_at, m.id),
        ),
    )
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


def news(store: Reader, session: str, ids: list[str]) -> list[str]:
    """Returns the ids that a resumed session has not seen: memories that changed since they were shown, and those of
    `ids` that were never shown.
    """
    delivered = store.delivered(session)
    changed = [memory_id for memory_id, delivered_at, updated_at in delivered if updated_at > delivered_at]
    shown = {row[0] for row in delivered}
    return changed + [memory_id for memory_id in ids if memory_id not in shown]
