"""Z3rno's audit, history, promotion, update and forgetting (Z3-16 to Z3-24)."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ...lib.limits import AT_MAX
from ...lib.text import agent_key
from ...model.hit import Hit, iso
from ..memory_cache import memory_of
from ..problems import told
from ..reply import PAGE, Limit, MemoryId, Page, RequestModel, Text, Word, reply, whole_text

router = APIRouter(prefix="/v1", tags=["Z3rno"], responses=told())
MISSING = told(HTTPStatus.NOT_FOUND)
Tier = Literal["working", "episodic", "semantic", "procedural"]
At = Annotated[float, Query(ge=0, le=AT_MAX, description="UTC, seconds since 1970.")]


class AgentMemory(BaseModel):
    """A memory as Z3rno has it: its type says how it lives."""

    id: str
    agent_id: str
    memory_type: Tier
    content: str
    importance: float | None = Field(description="What it is worth now, 0..1.")
    created_at: str
    updated_at: str
    expires_at: str | None
    version: int
    status: str


class EntryOut(BaseModel):
    """A line of the audit; it never holds what a memory says."""

    at: str
    actor: str = Field(description="person or worker.")
    op: str = Field(examples=["store"])
    memory_id: str | None
    session_id: str | None
    details: dict[str, Any]


class Audit(BaseModel):
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


class History(BaseModel):
    memory: AgentMemory
    versions: list[VersionOut]
    audit: list[EntryOut]


class ToUpdate(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"importance": 0.9}]})

    content: Text | None = None
    importance: Annotated[float, Field(ge=0, le=1)] | None = None


class ToPromote(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"target_type": "semantic"}]})

    target_type: Literal["semantic", "procedural"]


class ToForget(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"hard": False}]})

    hard: bool = Field(False, description="Erases it from every file, for good.")


class Forgotten(BaseModel):
    id: str
    forgotten: bool
    erased: bool
    problems: list[str] = Field(description="What still holds it, where it could not be erased everywhere.")


def as_agent_s(hit: Hit) -> dict[str, Any]:
    memory = hit.memory
    return {
        "id": memory.id,
        "agent_id": memory.agent_id,
        "memory_type": memory.tier,
        "content": memory.content,
        "importance": None if hit.importance is None else round(hit.importance, 3),
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "expires_at": iso(memory.expires_at),
        "version": memory.version,
        "status": memory.status,
    }


@router.get("/audit", response_model=Audit, responses=MISSING)
def audit(
    request: Request,
    op: Word = "",
    memory_id: Word = "",
    session_id: Word = "",
    actor: Literal["", "person", "worker"] = "",
    agent_id: Word = "",
    memory_type: Literal["", "working", "episodic", "semantic", "procedural"] = "",
    since: At = 0.0,
    before: At = AT_MAX,
    limit: Limit = PAGE,
    page: Page = 1,
) -> Response:
    """What was done to memories, by whom and when, the newest first (Z3-22)."""
    memory = memory_of(request)
    asked: dict[str, Any] = {
        "op": op,
        "session": session_id,
        "actor": actor,
        "tier": memory_type,
        "since": since,
        "before": before,
    }
    asked["agent"] = agent_key(agent_id) if agent_id else ""
    asked["memory"] = memory.history.audited(memory_id) if memory_id else ""
    found = memory.history.audit(**asked, limit=limit, page=page)
    following = memory.history.audit(**asked, limit=1, page=page * limit + 1)
    return reply({"data": [_entry(one) for one in found], "page": page, "more": bool(following)})


def _entry(one: Any) -> dict[str, Any]:
    return {**asdict(one), "at": iso(one.at)}


@router.get("/memories/{memory_id}/history", response_model=History, responses=MISSING)
def history(request: Request, memory_id: MemoryId) -> Response:
    """Everything that a memory was, and what was done to it, oldest first (Z3-23). Counts nothing."""
    hit, versions, done = memory_of(request).history.history(memory_id)
    told = [{**asdict(one), "valid_from": iso(one.valid_from), "valid_to": iso(one.valid_to)} for one in versions]
    return reply({"memory": as_agent_s(hit), "versions": told, "audit": [_entry(one) for one in done]})


@router.post("/memories/{memory_id}/promote", response_model=AgentMemory, responses=MISSING)
def promote(request: Request, memory_id: MemoryId, given: ToPromote) -> Response:
    """Lifts a memory to a higher tier."""
    return reply(as_agent_s(memory_of(request).lifecycle.promote(memory_id, given.target_type)))


@router.patch("/memories/{memory_id}", response_model=AgentMemory, responses=MISSING)
def update(request: Request, memory_id: MemoryId, given: ToUpdate) -> Response:
    """Replaces what a memory says, or what it was given at birth; the version before is kept."""
    content = None if given.content is None else whole_text(given.content)
    return reply(as_agent_s(memory_of(request).revise(memory_id, content, relevance=given.importance)))


@router.post("/memories/{memory_id}/forget", response_model=Forgotten, responses=MISSING)
def forget(request: Request, memory_id: MemoryId, given: ToForget) -> Response:
    """Forgets a memory, or erases it."""
    memory = memory_of(request)
    if given.hard:
        whole = memory.history.audited(memory_id)
        done = memory.privacy.erase([whole])
        told = {"id": whole, "forgotten": True, "erased": not done.problems, "problems": list(done.problems)}
        return reply(told)
    hit = memory.forget(memory_id)
    return reply({"id": hit.memory.id, "forgotten": True, "erased": False, "problems": []})
