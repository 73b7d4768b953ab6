"""Rows of the tables as dataclasses, read and written by a `Transaction`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..lib.text import MAIN_AGENT
from .writer import Record


@dataclass(slots=True)
class MemoryRecord(Record):
    TABLE: ClassVar[str] = "memory"
    KEY: ClassVar[tuple[str, ...]] = ("seq",)
    id: str
    scope: str
    kind: str
    tier: str
    title: str
    content: str
    relevance: float
    confidence: float
    origin: str
    created_at: float
    updated_at: float
    content_hash: str
    row_digest: str
    seq: int | None = None
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = None
    status: str = "active"
    status_reason: str | None = None
    trust: str = "trusted"
    pinned: int = 0
    access_count: int = 0
    retrieval_count: int = 0
    use_count: int = 0
    up_votes: int = 0
    down_votes: int = 0
    session_id: str | None = None
    branch: str | None = None
    accessed_at: float | None = None
    used_at: float | None = None
    verified_at: float | None = None
    expires_at: float | None = None
    deadline_at: float | None = None
    version: int = 1
    pagerank: float | None = None
    community: str | None = None
    related_at: float | None = None


@dataclass(slots=True)
class EvidenceRecord(Record):
    TABLE: ClassVar[str] = "evidence"
    KEY: ClassVar[tuple[str, ...]] = ("seq",)
    memory_id: str
    record_uuid: str
    excerpt: str
    trust: str
    method: str
    row_digest: str
    created_at: float
    seq: int | None = None
    session_id: str | None = None


@dataclass(slots=True)
class MemoryFacetRecord(Record):
    TABLE: ClassVar[str] = "memory_facet"
    KEY: ClassVar[tuple[str, ...]] = (
        "memory_id",
        "facet",
        "value",
    )
    memory_id: str
    facet: str
    value: str
    content_hash: str | None = None
    verified_at: float | None = None


@dataclass(slots=True)
class VectorRecord(Record):
    TABLE: ClassVar[str] = "vector"
    KEY: ClassVar[tuple[str, ...]] = (
        "memory_id",
        "model",
    )
    memory_id: str
    model: str
    dims: int
    data: bytes


@dataclass(slots=True)
class MemoryVersionRecord(Record):
    TABLE: ClassVar[str] = "memory_version"
    KEY: ClassVar[tuple[str, ...]] = (
        "memory_id",
        "version",
    )
    memory_id: str
    version: int
    title: str
    content: str
    kind: str
    tier: str
    relevance: float
    confidence: float
    valid_from: float
    valid_to: float
    reason: str
    status: str | None = None


@dataclass(slots=True)
class SessionRecord(Record):
    TABLE: ClassVar[str] = "session"
    KEY: ClassVar[tuple[str, ...]] = ("id",)
    id: str
    started_at: float
    last_seen_at: float
    project_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    branch: str | None = None
    ended_at: float | None = None
    cursor_offset: int = 0
    cursor_uuid: str | None = None
    cursor_digest: str | None = None
    carry_offset: int = 0


@dataclass(slots=True)
class ProjectRecord(Record):
    TABLE: ClassVar[str] = "project"
    KEY: ClassVar[tuple[str, ...]] = ("id",)
    id: str
    name: str
    created_at: float


@dataclass(slots=True)
class ProjectKeyRecord(Record):
    TABLE: ClassVar[str] = "project_key"
    KEY: ClassVar[tuple[str, ...]] = ("key",)
    key: str
    project_id: str


@dataclass(slots=True)
class RelationshipRecord(Record):
    TABLE: ClassVar[str] = "relationship"
    KEY: ClassVar[tuple[str, ...]] = (
        "source_id",
        "target_id",
        "type",
    )
    source_id: str
    target_id: str
    type: str
    method: str
    created_at: float
    weight: float = 1.0
    notes: str | None = None


@dataclass(slots=True)
class RatingRecord(Record):
    TABLE: ClassVar[str] = "rating"
    KEY: ClassVar[tuple[str, ...]] = ("seq",)
    memory_id: str
    vote: str
    rated_at: float
    seq: int | None = None
    session_id: str | None = None
    note: str = ""


@dataclass(slots=True)
class JobRecord(Record):
    TABLE: ClassVar[str] = "job"
    KEY: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    due_at: float
    claimed_until: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    problem: str | None = None
    report: str = "{}"


@dataclass(slots=True)
class AuditRecord(Record):
    TABLE: ClassVar[str] = "audit"
    KEY: ClassVar[tuple[str, ...]] = ("seq",)
    at: float
    actor: str
    op: str
    details: str
    seq: int | None = None
    memory_id: str | None = None
    session_id: str | None = None


@dataclass(slots=True)
class UsageRecord(Record):
    TABLE: ClassVar[str] = "usage"
    KEY: ClassVar[tuple[str, ...]] = (
        "day",
        "extractor",
        "model",
    )
    day: str
    extractor: str
    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    uncosted: int = 0
    failures: int = 0
    problem: str | None = None
    problem_at: float | None = None
