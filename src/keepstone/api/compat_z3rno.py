"""Offers Z3rno's interface: memories of agents with an importance, a type that decides how they live, and a time to
live.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..config import runtime
from ..lib.errors import NotFound
from ..lib.limits import LISTING_LIMIT_MAX
from ..lib.text import query_terms
from ..model.hit import Hit
from ..model.memory import StoredMemory
from .memory import Memory
from .types import Filter


@dataclass(frozen=True, slots=True)
class Z3rno:
    """Z3rno's interface to a `Memory`. Types are working, episodic, semantic and procedural."""

    memory: Memory
    sessions: dict[str, str] = field(default_factory=dict)  # the open session of each agent

    def store(
        self,
        agent_id: str,
        content: str,
        memory_type: str = "episodic",
        importance: float | None = None,
        ttl_seconds: int | None = None,
    ) -> str:
        """Stores a memory. Returns its id. Without an importance, it is scored from its content."""
        given = {"tier": memory_type, "agent": agent_id, "origin": "api", "ttl": str(ttl_seconds or "")}
        hit, _ = self._place(agent_id).store(content, kind="general", relevance=importance, **given)  # type: ignore[arg-type]
        return hit.memory.id

    def _place(self, agent_id: str) -> Memory:
        """Returns the `Memory` of an agent's session."""
        session, of = self.sessions.get(agent_id), self.memory.context
        if session is None:
            return self.memory
        environ = {**of.environ, runtime.SESSION: session}
        if not of.caller.by_model:  # the session is the program's own: what it stores is no model's word
            environ[runtime.TYPED] = "1"
        return Memory(of.home, of.caller.folder, environ, of.clock, of.policies)

    def recall(
        self,
        query: str,
        memory_type: str = "",
        top_k: int = 10,
        similarity_threshold: float = 0.0,
        time_range: tuple[float | None, float | None] = (None, None),
        as_of: float | None = None,
        metadata_filter: str = "",
        include_deleted: bool = False,
    ) -> list[Hit]:
        """Returns the best matches with a score of at least the threshold, on a scale from the worst match (0) to the
        best (1). `metadata_filter` is a tag. With `include_deleted`, forgotten memories that contain a word of the
        query follow.
        """
        if as_of is not None:
            return self.memory.history.as_of(query, as_of, limit=top_k)
        narrow = Filter(metadata_filter, tier=memory_type, since=time_range[0], before=time_range[1])
        found = self.memory.search(query, limit=top_k, narrow=narrow).found
        scores = [hit.score or 0.0 for hit in found]
        low, spread = min(scores, default=0.0), (max(scores, default=0.0) - min(scores, default=0.0)) or 1.0
        kept = [hit for hit in found if ((hit.score or 0.0) - low) / spread >= similarity_threshold]
        if include_deleted:
            gone = self.memory.recent(which="forgotten", limit=LISTING_LIMIT_MAX, narrow=narrow)
            asked = set(query_terms(query))
            kept += [hit for hit in gone if asked & set(query_terms(hit.memory.content))]
        return kept[:top_k]

    def update(self, memory_id: str, content: str | None = None, importance: float | None = None) -> Hit:
        return self.memory.revise(memory_id, content, relevance=importance)

    def promote(self, memory_id: str, target_type: str) -> Hit:
        return self.memory.lifecycle.promote(memory_id, target_type)

    def forget(self, agent_id: str, memory_id: str, hard: bool = False) -> bool:
        """Forgets a memory, or erases it with `hard`. Returns whether it did. Raises NotFound if the agent has no such
        memory.
        """
        (hit,) = self.memory.get([memory_id])
        if hit.memory.agent_id != agent_id:
            raise NotFound(f"{agent_id} has no memory {memory_id}")
        return bool(self._forget([hit.memory], hard))

    def forget_all(self, agent_id: str, hard: bool = False) -> int:
        """Forgets, or erases with `hard`, all memories of this agent, in every project. Returns their number."""
        narrow = Filter(agent=agent_id)
        return self._forget(self.memory.lifecycle.selected(everything=True, narrow=narrow, deleted=hard), hard)

    def _forget(self, found: Sequence[StoredMemory], hard: bool) -> int:
        ids = [memory.id for memory in found]
        if not hard or not ids:
            return self.memory.lifecycle.forget_all(ids)
        return len({*self.memory.privacy.erase(ids).erased} & {*ids})  # summaries of them go along

    def history(self, memory_id: str) -> list[Any]:
        return list(self.memory.history.history(memory_id)[1])

    def audit(self, **asked: Any) -> list[Any]:
        return list(self.memory.history.audit(**asked))

    def start_session(self, agent_id: str) -> str:
        """Starts a session for what this agent stores. Returns its id."""
        self.sessions[agent_id] = os.urandom(16).hex()
        return self.sessions[agent_id]

    def end_session(self, session_id: str) -> int:
        """Ends a session. Returns the number of working memories that became episodic: Z3rno's `transitioned_count`."""
        for agent_id in [agent for agent, session in self.sessions.items() if session == session_id]:
            del self.sessions[agent_id]
        return self.memory.sessions.end_session(session_id)
