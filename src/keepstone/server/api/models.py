"""Defines a memory, a relationship and an audit entry as the REST API answers them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ...model.hit import Hit, edge_object, iso

if TYPE_CHECKING:
    from ...api.types import Entry
    from ...model.relationship import Edge


class MemoryOut(BaseModel):
    """A memory."""

    memory_id: str = Field(examples=["mem-3fa2c1d07e5b9a46"])
    title: str
    narrative: str
    memory_type: str = Field(examples=["decision"])
    tags: list[str]
    concepts: list[str]
    source_files: list[str]
    importance_score: float | None = Field(description="Its importance now, 0..1.")
    confidence_score: float
    access_count: int = Field(description="How often it was fetched or of use.")
    retrieval_count: int
    last_accessed_at: str | None
    created_at: str
    updated_at: str
    source_session_id: str | None
    attended: bool = Field(description="Whether a person was there; otherwise a program ran its session.")
    pagerank_score: float | None
    community_label: str | None
    project: str | None
    status: str
    trust: str
    pinned: bool
    score: float | None = Field(description="In a search: the higher, the better the match.")


class FoundOut(BaseModel):
    data: list[MemoryOut]


class EdgeOut(BaseModel):
    """A relationship between two memories."""

    source: str
    target: str
    type: str = Field(examples=["supersedes"])
    method: str = Field(examples=["manual"])
    confidence: float
    is_bidirectional: bool
    notes: str | None


class EntryOut(BaseModel):
    """An entry of the audit log; it never contains content."""

    at: str
    actor: str = Field(description="person, model (a command within a session, or MCP) or worker.")
    op: str = Field(examples=["store"])
    memory_id: str | None
    session_id: str | None
    details: dict[str, Any]


def memory_out(hit: Hit) -> dict[str, Any]:
    """Returns the fields of `MemoryOut`."""
    memory = hit.memory
    return {
        "memory_id": memory.id,
        "title": memory.title,
        "narrative": memory.content,
        "memory_type": memory.kind,
        "tags": hit.facet("tag"),
        "concepts": hit.facet("concept"),
        "source_files": hit.facet("file"),
        "importance_score": importance_out(hit),
        "confidence_score": memory.confidence,
        "access_count": memory.use_count,  # Neuroloom counts uses under this name
        "retrieval_count": memory.retrieval_count,
        "last_accessed_at": iso(memory.accessed_at),
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "source_session_id": memory.session_id,
        "attended": hit.attended,
        "pagerank_score": memory.pagerank,
        "community_label": memory.community,
        "project": hit.project,
        "status": memory.status,
        "trust": memory.trust,
        "pinned": bool(memory.pinned),
        "score": hit.score,
    }


def importance_out(hit: Hit) -> float | None:
    return None if hit.importance is None else round(hit.importance, 3)


def edge_out(edge: Edge) -> dict[str, Any]:
    """Returns the fields of `EdgeOut`."""
    fields = edge_object(edge)
    renamed = {"confidence": fields.pop("weight"), "is_bidirectional": fields.pop("bidirectional")}
    return fields | renamed


def entry_out(entry: Entry) -> dict[str, Any]:
    """Returns the fields of `EntryOut`."""
    return {**asdict(entry), "at": iso(entry.at)}
