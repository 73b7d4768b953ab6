"""Describes the tables as SQLModel classes. They mirror the migrations, which alone create the tables; tests compare
the two. Only tests import this module: other code reads the columns from `records`.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer
from sqlmodel import Field, SQLModel

from ..lib.text import MAIN_AGENT


class MemoryRow(SQLModel, table=True):
    __tablename__ = "memory"
    seq: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = Field(default=None, foreign_key="project.id")
    scope: str
    kind: str
    tier: str
    status: str = "active"
    status_reason: str | None = None
    trust: str = "trusted"
    pinned: int = 0
    title: str
    content: str
    relevance: float
    confidence: float
    access_count: int = 0
    retrieval_count: int = 0
    use_count: int = 0
    up_votes: int = 0
    down_votes: int = 0
    origin: str
    session_id: str | None = None
    branch: str | None = None
    created_at: float
    updated_at: float
    accessed_at: float | None = None
    used_at: float | None = None
    verified_at: float | None = None
    expires_at: float | None = None
    deadline_at: float | None = None
    content_hash: str
    row_digest: str
    version: int = 1
    pagerank: float | None = None
    community: str | None = None
    related_at: float | None = None


class EvidenceRow(SQLModel, table=True):
    __tablename__ = "evidence"
    seq: int | None = Field(default=None, primary_key=True)
    memory_id: str = Field(foreign_key="memory.id")
    session_id: str | None = None
    record_uuid: str
    excerpt: str
    trust: str
    method: str
    row_digest: str
    created_at: float


class MemoryFacetRow(SQLModel, table=True):
    __tablename__ = "memory_facet"
    memory_id: str = Field(primary_key=True, foreign_key="memory.id")
    facet: str = Field(primary_key=True)
    value: str = Field(primary_key=True)
    content_hash: str | None = None
    verified_at: float | None = None


class VectorRow(SQLModel, table=True):
    __tablename__ = "vector"
    memory_id: str = Field(primary_key=True, foreign_key="memory.id")
    model: str = Field(primary_key=True)
    dims: int
    data: bytes


class MemoryVersionRow(SQLModel, table=True):
    __tablename__ = "memory_version"
    memory_id: str = Field(primary_key=True, foreign_key="memory.id")
    version: int = Field(primary_key=True)
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


class SessionRow(SQLModel, table=True):
    __tablename__ = "session"
    id: str = Field(primary_key=True)
    project_id: str | None = Field(default=None, foreign_key="project.id")
    transcript_path: str | None = None
    cwd: str | None = None
    branch: str | None = None
    started_at: float
    last_seen_at: float
    ended_at: float | None = None
    cursor_offset: int = 0
    cursor_uuid: str | None = None
    cursor_digest: str | None = None
    carry_offset: int = 0


class ProjectRow(SQLModel, table=True):
    __tablename__ = "project"
    id: str = Field(primary_key=True)
    name: str
    created_at: float


class ProjectKeyRow(SQLModel, table=True):
    __tablename__ = "project_key"
    key: str = Field(primary_key=True)
    project_id: str = Field(foreign_key="project.id")


class DeliveryRow(SQLModel, table=True):
    __tablename__ = "delivery"
    session_id: str = Field(primary_key=True)
    memory_id: str = Field(primary_key=True)
    event: str
    chars: int
    delivered_at: float
    verdict: str | None = None
    verdict_at: float | None = None


class RelationshipRow(SQLModel, table=True):
    __tablename__ = "relationship"
    source_id: str = Field(primary_key=True, foreign_key="memory.id")
    target_id: str = Field(primary_key=True, foreign_key="memory.id")
    type: str = Field(primary_key=True)
    method: str
    created_at: float
    weight: float = 1.0
    notes: str | None = None


class MergedFromRow(SQLModel, table=True):
    __tablename__ = "merged_from"
    memory_id: str = Field(primary_key=True, foreign_key="memory.id")
    source_id: str = Field(primary_key=True, foreign_key="memory.id")


class RatingRow(SQLModel, table=True):
    __tablename__ = "rating"
    seq: int | None = Field(default=None, primary_key=True)
    memory_id: str = Field(foreign_key="memory.id")
    session_id: str | None = None
    vote: str
    note: str = ""
    rated_at: float


class ProposalRow(SQLModel, table=True):
    __tablename__ = "proposal"
    kind: str = Field(primary_key=True)
    members: str = Field(primary_key=True)
    answer: str
    answered_at: float


class SuggestionRow(SQLModel, table=True):
    __tablename__ = "suggestion"
    id: str = Field(primary_key=True)
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = Field(default=None, foreign_key="project.id")
    session_id: str | None = None
    record_uuid: str
    branch: str | None = None
    scope: str
    kind: str
    text: str
    excerpt: str
    method: str
    relevance: float
    confidence: float
    trust: str = "trusted"
    trust_reason: str | None = None
    state: str = "waiting"
    memory_id: str | None = Field(default=None, foreign_key="memory.id")
    said_at: float
    deadline_at: float | None = None
    expires_at: float
    asked: int = 0
    asked_at: float | None = None
    asked_in: str | None = None
    asked_before: str | None = None


class TurnRow(SQLModel, table=True):
    __tablename__ = "turn"
    seq: int | None = Field(default=None, primary_key=True)
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = Field(default=None, foreign_key="project.id")
    session_id: str
    place: int
    record_uuid: str
    speaker: str
    answers: str = ""
    text: str
    trust: str = "trusted"
    said_at: float
    model: str | None = None
    vector: bytes | None = None


class TombstoneRow(SQLModel, table=True):
    __tablename__ = "tombstone"
    digest: str = Field(primary_key=True)
    erased_at: float


class JobRow(SQLModel, table=True):
    __tablename__ = "job"
    name: str = Field(primary_key=True)
    due_at: float
    claimed_until: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    problem: str | None = None
    report: str = "{}"


class ObservationRow(SQLModel, table=True):
    __tablename__ = "observation"
    seq: int | None = Field(default=None, primary_key=True)
    session_id: str
    call_id: str
    tool: str
    command: str
    files: str
    state: str
    reasoning: str
    record_uuid: str
    place: int
    observed_at: float
    error: str = ""


class FocusRow(SQLModel, table=True):
    __tablename__ = "focus"
    session_id: str = Field(primary_key=True)
    memory_id: str = Field(primary_key=True, foreign_key="memory.id")
    relevance: float
    by_hand: int = 0
    focused_at: float


class AuditRow(SQLModel, table=True):
    __tablename__ = "audit"
    seq: int | None = Field(default=None, primary_key=True)
    at: float
    actor: str
    op: str
    memory_id: str | None = None
    session_id: str | None = None
    details: str


class UsageRow(SQLModel, table=True):
    __tablename__ = "usage"
    day: str = Field(primary_key=True)
    extractor: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    uncosted: int = 0
    failures: int = 0
    problem: str | None = None
    problem_at: float | None = None


class SettingRow(SQLModel, table=True):
    __tablename__ = "setting"
    key: str = Field(primary_key=True)
    value: str


for _table in SQLModel.metadata.tables.values():
    for _column in _table.columns:
        if isinstance(_column.type, Integer):
            _column.type = BigInteger()  # as SQLite's are; PostgreSQL's INTEGER ends at two thousand million
