"""Offers Neuroca's interface: short-term, medium-term and long-term memory, a working memory, and consolidation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..lib.errors import NotFound
from ..lib.text import query_terms, words
from ..model.hit import Hit
from ..model.importance import band
from .memory import Memory
from .types import Filter

TIERS = {"stm": ("working",), "mtm": ("episodic",), "ltm": ("semantic", "procedural")}
STM_TTL = "60m"  # the lifetime that Neuroca gives short-term memories


def overlap(text: str, context: str) -> float:
    """Returns the share, 0..1, of a context's words that a text contains."""
    terms = query_terms(context)
    held = set(words(text))
    return sum(term in held for term in terms) / len(terms) if terms else 0.0


@dataclass(slots=True)
class Neuroca:
    """Neuroca's interface to a `Memory`, for one session. `relevance` of a text to a context can be replaced."""

    memory: Memory
    session: str = "neuroca"
    relevance: Callable[[str, str], float] = overlap

    def add_memory(
        self, content: str, importance: float | None = None, tags: Sequence[str] = (), initial_tier: str = "stm"
    ) -> str:
        """Stores a memory, by default in the short-term tier. Returns its id."""
        tier, ttl = TIERS[initial_tier][0], STM_TTL if initial_tier == "stm" else ""
        given = {"tier": tier, "ttl": ttl, "origin": "api"}
        return self.memory.store(content, kind="general", relevance=importance, tags=tags, **given)[0].memory.id  # type: ignore[arg-type]

    def retrieve_memory(self, memory_id: str, tier: str | None = None) -> Hit | None:
        """Returns a memory, only if it is in `tier` if that is given, and counts it as used. Returns None if there is
        none.
        """
        try:
            hit = self.memory.get([memory_id])[0]
        except NotFound:
            return None
        alive = hit.memory.status == "active" and not self.memory.lifecycle.is_over(hit.memory)
        if not alive or (tier and hit.memory.tier not in TIERS[tier]):
            return None
        return self.memory.show(memory_id)[0]

    def priority(self, hit: Hit) -> str:
        """Returns high, medium or low for a memory's importance now."""
        found = band(self.memory.lifecycle.worth(hit.memory.id).importance)
        return {"critical": "high", "important": "high", "moderate": "medium"}.get(found, "low")

    def search_memories(
        self,
        query: str,
        tags: Sequence[str] = (),
        tiers: Sequence[str] = ("stm", "mtm", "ltm"),
        limit: int = 10,
        update_working_memory: bool = False,
    ) -> list[Hit]:
        """Returns the most relevant memories of some tiers, each once."""
        wanted = {name for tier in tiers for name in TIERS[tier]}
        found = {hit.memory.id: hit for hit in self.memory.search(query, limit=limit * 2).found}
        if "stm" in tiers:
            short = self.memory.lifecycle.working()
            found.update((hit.memory.id, hit) for hit in short if self.relevance(hit.memory.content, query) > 0)
        kept = [hit for hit in found.values() if hit.memory.tier in wanted and set(tags) <= set(hit.facet("tag"))]
        kept.sort(key=lambda hit: (-self.relevance(hit.memory.content, query), -(hit.score or 0.0)))
        if update_working_memory:
            self.memory.focus.focus([hit.memory.id for hit in kept[:limit]], session=self.session)
        return kept[:limit]

    def update_context(self, context_data: Mapping[str, Any]) -> bool:
        """Adds the memories that fit a context to the working memory. Returns False if the context has no text."""
        text = next(
            (str(context_data[key]) for key in ("text", "query", "input", "message") if context_data.get(key)), ""
        )
        if not text:
            return False
        self.memory.focus.focus(words=text, session=self.session)
        return True

    def get_prompt_context_memories(
        self, max_memories: int = 5, max_tokens_per_memory: int = 150, min_relevance: float = 0.0
    ) -> list[str]:
        """Returns the texts of the most relevant memories in the working memory."""
        return self.memory.focus.prompt_context(
            session=self.session,
            max_memories=max_memories,
            max_tokens=max_tokens_per_memory,
            min_relevance=min_relevance,
        )

    def clear_context(self) -> None:
        self.memory.focus.unfocus(self.session)

    def run_consolidation_cycle(self) -> list[dict[str, Any]]:
        """Runs one consolidation cycle. Returns what each step examined, promoted and skipped, and why."""
        return [step.as_object() for step in self.memory.lifecycle.consolidate()]

    def strengthen(self, memory_id: str) -> Hit:
        return self.memory.rate(memory_id, "up")

    def decay(self, memory_id: str) -> Hit:
        return self.memory.rate(memory_id, "down")

    def update_memory(self, memory_id: str, content: str | None = None, importance: float | None = None) -> Hit:
        return self.memory.revise(memory_id, content, relevance=importance)

    def delete_memory(self, memory_id: str) -> Hit:
        return self.memory.forget(memory_id)

    def get_system_stats(self) -> dict[str, int]:
        """Returns the number of memories in each tier."""
        narrow = [(name, Filter(tier=tier)) for name, tiers in TIERS.items() if name != "stm" for tier in tiers]
        counts = {"stm": len(self.memory.lifecycle.working()), "mtm": 0, "ltm": 0}
        for name, one in narrow:
            counts[name] += len(self.memory.lifecycle.selected(everything=True, narrow=one))
        return counts
