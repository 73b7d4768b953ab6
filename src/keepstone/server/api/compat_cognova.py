"""Cognova's endpoints (CG-29): search, context, store, extract, and delete."""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ...api.memory import Memory
from ...config import settings
from ...lib.errors import BadInput
from ...lib.limits import BRIEF_LIMIT, BRIEF_LIMIT_MAX, MANUAL_RELEVANCE
from ...model.hit import Hit, iso
from ..memory_cache import memory_of
from ..problems import told
from ..reply import MemoryId, RequestModel, Text, Word, need_name, reply, whole_text

router = APIRouter(prefix="/api/memory", tags=["Cognova"], responses=told())
SEARCH_LIMIT, SEARCH_MOST = 20, 100  # CG-29


class Row(BaseModel):
    """A memory as Cognova has it."""

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
    trust: str = Field(description="quarantined where it waits for a person's word, and is not recalled.")


class Rows(BaseModel):
    data: list[Row]


class One(BaseModel):
    data: Row


class Formatted(BaseModel):
    memories: list[Row]
    formatted: str = Field(description="What the next session of the project receives at its start.")


class Context(BaseModel):
    data: Formatted


class Extracted(BaseModel):
    data: list[Row]
    message: str = Field(examples=["Extracted 2 memories", "No memories worth extracting"])


class ToStore(RequestModel):
    """What is stored; a text that reads as instructions to a model waits for a person's word."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"content": "Deploys need the VPN: the registry is internal", "chunkType": "fact"}]
        }
    )

    content: Text = Field(min_length=1)
    chunk_type: Word = Field(alias="chunkType", min_length=1)
    session_id: Word | None = Field(None, alias="sessionId")
    project_path: Word | None = Field(None, alias="projectPath")
    source_excerpt: Text | None = Field(
        None, alias="sourceExcerpt", description="Taken, and not kept: the text itself is the evidence."
    )
    relevance_score: float | None = Field(None, alias="relevanceScore", ge=0, le=1)


class ToExtract(RequestModel):
    """A transcript of Claude Code's, by its path or as text; one of both."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"transcript": "User: we use PostgreSQL, not MySQL"}]})

    transcript: Annotated[str, Field(max_length=500_000)] | None = None
    transcript_path: Annotated[str, Field(max_length=4096)] | None = Field(None, alias="transcriptPath")
    session_id: Word | None = Field(None, alias="sessionId")
    project_path: Word | None = Field(None, alias="projectPath")


def row(hit: Hit) -> dict[str, Any]:
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


@router.get("/search", response_model=Rows)
def search(
    request: Request,
    query: Annotated[Word, Query(examples=["billing database"])] = "",
    project_path: Annotated[Word, Query(alias="projectPath")] = "",
    chunk_type: Annotated[Word, Query(alias="chunkType")] = "",
    min_relevance: Annotated[float, Query(alias="minRelevance", ge=0, le=1)] = 0.0,
    limit: Annotated[int, Query(ge=1, le=SEARCH_MOST)] = SEARCH_LIMIT,
) -> Response:
    """The best matches of a query, or without one the newest memories."""
    memory, kind = memory_of(request, project_path), chunk_type or None
    # what is not relevant enough is left out before the page is cut
    most = SEARCH_MOST if min_relevance else limit
    found = memory.search(query, kind=kind, limit=most).found if query else memory.recent(kind=kind, limit=most)
    return reply({"data": [row(hit) for hit in found if hit.memory.relevance >= min_relevance][:limit]})


@router.get("/context", response_model=Context)
def context(
    request: Request,
    project: Word = "",
    limit: Annotated[int, Query(ge=1, le=BRIEF_LIMIT_MAX)] = BRIEF_LIMIT,
) -> Response:
    """What the next session of a project receives at its start. Counts nothing."""
    memory = memory_of(request, project)
    brief = memory.brief(limit)
    return reply({"data": {"memories": [row(hit) for hit in memory.get(brief.ids)], "formatted": brief.text}})


@router.post("/store", response_model=One, status_code=HTTPStatus.CREATED)
def store(request: Request, given: ToStore) -> Response:
    """Stores a memory; one that is known already is the answer, and has been confirmed by that."""
    memory = memory_of(request, given.project_path or "", given.session_id or "")
    relevance = MANUAL_RELEVANCE if given.relevance_score is None else given.relevance_score
    hit, _ = memory.store(whole_text(given.content), kind=given.chunk_type, relevance=relevance, origin="api")
    return reply({"data": row(hit)}, HTTPStatus.CREATED)


@router.post("/extract", response_model=Extracted)
def extract(request: Request, given: ToExtract) -> Response:
    """Learns from a transcript that lies among the client's own, or that is sent along: as the client writes it, which
    says itself of which project it is, or as `User:` and `Assistant:`.
    """
    if bool(given.transcript) == bool(given.transcript_path):
        raise BadInput("one of transcript and transcriptPath is needed", "transcriptPath=~/.claude/projects/...")
    memory = memory_of(request, given.project_path or "")
    if given.transcript_path:
        learned = memory.capture.capture(client_s(memory, given.transcript_path)).new
    else:
        learned = memory.capture.capture_text(whole_text(given.transcript or ""), need_name(given.session_id or "")).new
    rows = [row(hit) for hit in memory.lifecycle.still_there(learned)]
    count = len(rows)
    says = f"Extracted {count} {'memory' if count == 1 else 'memories'}" if rows else "No memories worth extracting"
    return reply({"data": rows, "message": says})


@router.delete("/{memory_id}", response_model=One, responses=told(HTTPStatus.NOT_FOUND))
def delete(request: Request, memory_id: MemoryId) -> Response:
    """Forgets a memory; restoring brings it back."""
    return reply({"data": row(memory_of(request).forget(memory_id))})


def client_s(memory: Memory, path: str) -> str:
    """The real path of a transcript of the client's own. Raises BadInput for any other: nobody's file is read."""
    own = os.path.realpath(os.path.join(settings.client_home(memory.context.environ), "projects")) + os.sep
    real = os.path.realpath(path) if os.path.isabs(path) and "\0" not in path else ""
    if not real.startswith(own) or not real.endswith(".jsonl") or not os.path.isfile(real):
        raise BadInput("that is no transcript of Claude Code's own", f"transcriptPath names a file below {own}")
    return real
