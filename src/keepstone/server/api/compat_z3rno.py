"""Offers Z3rno's endpoints: audit, history, promote, update and forget."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ...lib.limits import AT_MAX
from ...model.hit import Hit, iso
from ..problems import MISSING, documented
from ..reply import PAGE, Limit, MemoryId, Page, RequestModel, Score, Text, Word, example, reply
from .memories import audit_page, erase_memory, forget_memory, history_of, promote_memory, revise_memory
from .models import EntryOut, entry_out, importance_out

router = APIRouter(prefix="/v1", tags=["Z3rno"], responses=documented())
Tier = Literal["working", "episodic", "semantic", "procedural"]
At = Annotated[float, Query(ge=0, le=AT_MAX, description="UTC, seconds since 1970.")]


class AgentMemoryOut(BaseModel):
    """A memory by Z3rno's names. Its type is its tier."""

    id: str
    agent_id: str
    memory_type: Tier
    content: str
    importance: float | None = Field(description="Its importance now, 0..1.")
    created_at: str
    updated_at: str
    expires_at: str | None
    version: int
    status: str


class AuditOut(BaseModel):
    data: list[EntryOut]
    page: int
    more: bool


class VersionOut(BaseModel):
    version: int
    title: str
    content: str
    kind: str
    tier: str
    relevance: float
    confidence: float
    status: str | None
    valid_from: str
    valid_to: str
    reason: str


class HistoryOut(BaseModel):
    memory: AgentMemoryOut
    versions: list[VersionOut]
    audit: list[EntryOut]


class UpdateIn(RequestModel):
    model_config = example(importance=0.9)

    content: Text | None = None
    importance: Score | None = None


class PromoteIn(RequestModel):
    model_config = example(target_type="semantic")

    target_type: Literal["semantic", "procedural"]


class ForgetIn(RequestModel):
    model_config = example(hard=False)

    hard: bool = Field(False, description="Erases it from every file, for good.")


class ForgottenOut(BaseModel):
    id: str
    forgotten: bool
    erased: bool
    problems: list[str] = Field(description="Why it could not be erased everywhere.")


def agent_memory(hit: Hit) -> dict[str, Any]:
    """Returns the fields of `AgentMemoryOut`."""
    memory = hit.memory
    return {
        "id": memory.id,
        "agent_id": memory.agent_id,
        "memory_type": memory.tier,
        "content": memory.content,
        "importance": importance_out(hit),
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "expires_at": iso(memory.expires_at),
        "version": memory.version,
        "status": memory.status,
    }


@router.get("/audit", response_model=AuditOut, responses=MISSING)
def audit(
    request: Request,
    op: Word = "",
    memory_id: Word = "",
    session_id: Word = "",
    actor: Literal["", "person", "model", "worker"] = "",
    agent_id: Word = "",
    memory_type: Literal["", "working", "episodic", "semantic", "procedural"] = "",
    since: At = 0.0,
    before: At = AT_MAX,
    limit: Limit = PAGE,
    page: Page = 1,
) -> Response:
    """Returns what was done to memories, by whom and when, newest first."""
    asked: dict[str, Any] = {"op": op, "memory": memory_id, "session": session_id, "actor": actor, "agent": agent_id}
    found, more = audit_page(request, limit, page, tier=memory_type, since=since, before=before, **asked)
    return reply({"data": [entry_out(one) for one in found], "page": page, "more": more})


@router.get("/memories/{memory_id}/history", response_model=HistoryOut, responses=MISSING)
def history(request: Request, memory_id: MemoryId) -> Response:
    """Returns a memory, its earlier states, and what was done to it, oldest first. Counts nothing."""
    hit, versions, entries = history_of(request, memory_id)
    earlier = [{**asdict(one), "valid_from": iso(one.valid_from), "valid_to": iso(one.valid_to)} for one in versions]
    return reply({"memory": agent_memory(hit), "versions": earlier, "audit": [entry_out(one) for one in entries]})


@router.post("/memories/{memory_id}/promote", response_model=AgentMemoryOut, responses=MISSING)
def promote(request: Request, memory_id: MemoryId, given: PromoteIn) -> Response:
    """Moves a memory to a higher tier."""
    return reply(agent_memory(promote_memory(request, memory_id, given.target_type)))


@router.patch("/memories/{memory_id}", response_model=AgentMemoryOut, responses=MISSING)
def update(request: Request, memory_id: MemoryId, given: UpdateIn) -> Response:
    """Replaces the text of a memory, or its initial importance; the earlier text is kept as a version."""
    return reply(agent_memory(revise_memory(request, memory_id, given.content, relevance=given.importance)))


@router.post("/memories/{memory_id}/forget", response_model=ForgottenOut, responses=MISSING)
def forget(request: Request, memory_id: MemoryId, given: ForgetIn) -> Response:
    """Forgets a memory, or erases it."""
    if given.hard:
        whole, problems = erase_memory(request, memory_id)
        return reply({"id": whole, "forgotten": True, "erased": not problems, "problems": problems})
    hit = forget_memory(request, memory_id)
    return reply({"id": hit.memory.id, "forgotten": True, "erased": False, "problems": []})
