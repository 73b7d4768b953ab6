"""Maintains the focus: what a session is about. Prompts, files and commands add to it; its size is limited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..db.reader import FOCUS, TRIM_FOCUS, Reader
from ..lib.limits import FOCUS_ROWS
from ..lib.text import cut
from ..model.memory import StoredMemory
from ..model.scope import Scope
from .find import find
from .search import matches_of

if TYPE_CHECKING:
    from .find import Lens


def focus(
    store: Reader, session: str, scope: Scope, ids: Sequence[str], words: str, now: float, lens: Lens | None
) -> list[tuple[str, float]]:
    """Adds `ids` and the memories that `words` find to a session's focus. Returns the focus as (id, relevance). A
    memory that is already in it keeps the higher relevance. If the focus is full, the least relevant memories are
    removed.
    """
    fed = [(store.get(memory_id).id, 1.0, 1) for memory_id in ids]
    if words.strip():
        found = find(matches_of(store, scope, now), words, FOCUS_ROWS, lens)
        best = max((one.score for _, one in found), default=0.0)
        worst = min((one.score for _, one in found), default=0.0)
        spread = best - worst or 1.0
        fed += [(memory.id, round((one.score - worst) / spread, 3), 0) for memory, one in found]
    if fed:
        statements = [
            (FOCUS, {"session": session, "id": memory_id, "relevance": relevance, "by_hand": by_hand, "now": now})
            for memory_id, relevance, by_hand in fed
        ]
        store.count([*statements, (TRIM_FOCUS, {"session": session, "most": FOCUS_ROWS})])
    return [(memory.id, relevance) for memory, relevance in store.focused(session, scope.project, FOCUS_ROWS, now)]


def context(held: Sequence[tuple[StoredMemory, float]], max_tokens: int) -> list[str]:
    """Returns the texts of memories, each cut to about `max_tokens` tokens, at the end of a sentence if possible."""
    return [cut(memory.content, 4 * max_tokens) for memory, _ in held]
