"""Offers Cognova's endpoints: search, context, store, extract and delete."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ...lib.errors import BadInput
from ...lib.limits import BRIEF_LIMIT, BRIEF_LIMIT_MAX
from ...model.hit import Hit, iso
from ..problems import MISSING, documented
from ..reply import Limit, MemoryId, RequestModel, Text, Word, example, reply
from .memories import brief_of, find_memories, forget_memory, store_memory
from .sessions import capture_file, capture_text

router = APIRouter(prefix="/api/memory", tags=["Cognova"], responses=documented())
SEARCH_LIMIT = 20


class CognovaMemoryOut(BaseModel):
    """A memory by Cognova's names."""

    id: str = Field(examples=["mem-3fa2c1d07e5b9a46"])
    session_id: str | None = Field(alias="sessionId")
    project_path: str | None = Field(alias="projectPath", description="The project's name.")
    chunk_type: str = Field(alias="chunkType", examples=["decision"])
    content: str
    source_excerpt: str | None = Field(alias="sourceExcerpt")
    relevance_score: float = Field(alias="relevanceScore", ge=0, le=1)
    access_count: int = Field(alias="accessCount")
    last_accessed_at: str | None = Field(alias="lastAccessedAt")
    created_at: str = Field(alias="createdAt")
    expires_at: str | None = Field(alias="expiresAt")
    status: str = Field(description="active, archived or deleted.")
    trust: str = Field(description="quarantined if it waits for a person's review; it is not recalled until then.")


class RowsOut(BaseModel):
    data: list[CognovaMemoryOut]


class OneOut(BaseModel):
    data: CognovaMemoryOut


class FormattedOut(BaseModel):
    memories: list[CognovaMemoryOut]
    formatted: str = Field(description="What the next session of the project gets at its start.")


class CognovaContextOut(BaseModel):
    data: FormattedOut


class ExtractedOut(BaseModel):
    data: list[CognovaMemoryOut]
    message: str = Field(examples=["Extracted 2 memories", "No memories worth extracting"])


class CognovaStoreIn(RequestModel):
    """A memory to store. A text that reads like instructions to a model is quarantined until a person reviews it."""

    model_config = example(content="Deploys need the VPN: the registry is internal", chunkType="fact")

    content: Text = Field(min_length=1)
    chunk_type: Word = Field(alias="chunkType", min_length=1)
    session_id: Word | None = Field(None, alias="sessionId")
    project_path: Word | None = Field(None, alias="projectPath")
    source_excerpt: Text | None = Field(
        None, alias="sourceExcerpt", description="Accepted and not stored: the text itself is the evidence."
    )
    relevance_score: float | None = Field(None, alias="relevanceScore", ge=0, le=1)


class ExtractIn(RequestModel):
    """A transcript of Claude Code, either by its path or as text."""

    model_config = example(transcript="User: we use PostgreSQL, not MySQL")

    transcript: Annotated[str, Field(max_length=500_000)] | None = None
    transcript_path: Annotated[str, Field(max_length=4096)] | None = Field(None, alias="transcriptPath")
    session_id: Word | None = Field(None, alias="sessionId")
    project_path: Word | None = Field(None, alias="projectPath")


def row(hit: Hit) -> dict[str, Any]:
    """Returns the fields of `CognovaMemoryOut`."""
    memory = hit.memory
    return {
        "id": memory.id,
        "sessionId": memory.session_id,
        "projectPath": hit.project,
        "chunkType": memory.kind,
        "content": memory.content,
        "sourceExcerpt": hit.evidence[0][2] if hit.evidence else None,
        "relevanceScore": memory.relevance,
        "accessCount": memory.access_count,
        "lastAccessedAt": iso(memory.accessed_at),
        "createdAt": iso(memory.created_at),
        "expiresAt": iso(memory.expires_at),
        "status": memory.status,
        "trust": memory.trust,
    }


@router.get("/search", response_model=RowsOut)
def search(
    request: Request,
    query: Annotated[Word, Query(examples=["billing database"])] = "",
    project_path: Annotated[Word, Query(alias="projectPath")] = "",
    chunk_type: Annotated[Word, Query(alias="chunkType")] = "",
    min_relevance: Annotated[float, Query(alias="minRelevance", ge=0, le=1)] = 0.0,
    limit: Limit = SEARCH_LIMIT,
) -> Response:
    """Returns the best matches of a query, or without one the newest memories."""
    asked: dict[str, Any] = {"kind": chunk_type, "min_relevance": min_relevance, "project": project_path}
    return reply({"data": [row(hit) for hit in find_memories(request, query, limit=limit, **asked)]})


@router.get("/context", response_model=CognovaContextOut)
def context(
    request: Request, project: Word = "", limit: Annotated[int, Query(ge=1, le=BRIEF_LIMIT_MAX)] = BRIEF_LIMIT
) -> Response:
    """Returns what the next session of a project gets at its start. Counts nothing."""
    text, memories = brief_of(request, limit, project)
    return reply({"data": {"memories": [row(hit) for hit in memories], "formatted": text}})


@router.post("/store", response_model=OneOut, status_code=HTTPStatus.CREATED)
def store(request: Request, given: CognovaStoreIn) -> Response:
    """Stores a memory. If it is known already, confirms and returns that one."""
    whose = {"project": given.project_path or "", "session": given.session_id or ""}
    hit = store_memory(request, given.content, kind=given.chunk_type, relevance=given.relevance_score, **whose)
    return reply({"data": row(hit)}, HTTPStatus.CREATED)


@router.post("/extract", response_model=ExtractedOut)
def extract(request: Request, given: ExtractIn) -> Response:
    """Captures memories from one of Claude Code's own transcripts, or from one that is sent along: as the client writes
    it, which names its project, or as `User:` and `Assistant:`.
    """
    if bool(given.transcript) == bool(given.transcript_path):
        raise BadInput("one of transcript and transcriptPath is needed", "transcriptPath=~/.claude/projects/...")
    project = given.project_path or ""
    if given.transcript_path:
        found = capture_file(request, given.transcript_path, project)
    else:
        found = capture_text(request, given.transcript or "", given.session_id or "", project)
    count = f"Extracted {len(found)} {'memory' if len(found) == 1 else 'memories'}"
    return reply({"data": [row(hit) for hit in found], "message": count if found else "No memories worth extracting"})


@router.delete("/{memory_id}", response_model=OneOut, responses=MISSING)
def delete(request: Request, memory_id: MemoryId) -> Response:
    """Forgets a memory; restoring brings it back."""
    return reply({"data": row(forget_memory(request, memory_id))})
