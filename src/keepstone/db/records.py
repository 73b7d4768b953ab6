"""The tables, a class each: its columns in order, its primary key, and the tables that its columns refer to by `id`.
Each table follows those that it refers to, so rows can be written in this order and deleted in reverse order. Tests
compare all of it with `tables` and with what the migrations of both engines make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, dataclass_transform

from ..lib.text import MAIN_AGENT

_TYPES = {"int": int, "float": float, "str": str, "bytes": bytes}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `default` is used if an older export lacks the column."""

    name: str
    type: type
    nullable: bool
    default: Any = None


@dataclass_transform(kw_only_default=True)
class Record:
    """A row of a table. Its fields are the columns, given by name. No dataclass: making those takes 8 ms more in each
    process that writes.
    """

    TABLE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]]
    REFERENCES: ClassVar[dict[str, str]]
    COLUMNS: ClassVar[tuple[Column, ...]]
    _defaults: ClassVar[dict[str, Any]]
    _names: ClassVar[frozenset[str]]

    def __init_subclass__(cls, table: str, key: tuple[str, ...], references: dict[str, str] | None = None) -> None:
        cls.TABLE, cls.KEY, cls.REFERENCES = table, key, references or {}
        cls.COLUMNS = tuple(
            Column(name, _TYPES[type.removesuffix(" | None")], type.endswith(" | None"), vars(cls).get(name))
            for name, type in cls.__annotations__.items()
        )
        cls._defaults = {one.name: one.default for one in cls.COLUMNS if one.nullable or one.default is not None}
        cls._names = frozenset(cls.__annotations__)

    def __init__(self, **values: Any) -> None:
        row = {**self._defaults, **values}
        if row.keys() != self._names:
            raise TypeError(f"{self.TABLE}: missing or unknown: {', '.join(row.keys() ^ self._names)}")
        vars(self).update((name, row[name]) for name in self.__annotations__)

    def but(self, **values: Any) -> Self:
        """Returns a copy with other values."""
        return type(self)(**{**vars(self), **values})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class ProjectRecord(Record, table="project", key=("id",)):
    id: str
    name: str
    created_at: float


class ProjectKeyRecord(Record, table="project_key", key=("key",), references={"project_id": "project"}):
    key: str
    project_id: str


class MemoryRecord(Record, table="memory", key=("seq",), references={"project_id": "project"}):
    seq: int | None = None
    id: str
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = None
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


class AuditRecord(Record, table="audit", key=("seq",)):
    seq: int | None = None
    at: float
    actor: str
    op: str
    memory_id: str | None = None
    session_id: str | None = None
    details: str


class DeliveryRecord(Record, table="delivery", key=("session_id", "memory_id")):
    session_id: str
    memory_id: str
    event: str
    chars: int
    delivered_at: float
    verdict: str | None = None
    verdict_at: float | None = None


class JobRecord(Record, table="job", key=("name",)):
    name: str
    due_at: float
    claimed_until: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    problem: str | None = None
    report: str = "{}"


class ObservationRecord(Record, table="observation", key=("seq",)):
    seq: int | None = None
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


class ProposalRecord(Record, table="proposal", key=("kind", "members")):
    kind: str
    members: str
    answer: str
    answered_at: float


class SettingRecord(Record, table="setting", key=("key",)):
    key: str
    value: str


class TombstoneRecord(Record, table="tombstone", key=("digest",)):
    digest: str
    erased_at: float


class UsageRecord(Record, table="usage", key=("day", "extractor", "model")):
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


class SessionRecord(Record, table="session", key=("id",), references={"project_id": "project"}):
    id: str
    project_id: str | None = None
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


class EvidenceRecord(Record, table="evidence", key=("seq",), references={"memory_id": "memory"}):
    seq: int | None = None
    memory_id: str
    session_id: str | None = None
    record_uuid: str
    excerpt: str
    trust: str
    method: str
    row_digest: str
    created_at: float


class FocusRecord(Record, table="focus", key=("session_id", "memory_id"), references={"memory_id": "memory"}):
    session_id: str
    memory_id: str
    relevance: float
    by_hand: int = 0
    focused_at: float


class MemoryFacetRecord(
    Record, table="memory_facet", key=("memory_id", "facet", "value"), references={"memory_id": "memory"}
):
    memory_id: str
    facet: str
    value: str
    content_hash: str | None = None
    verified_at: float | None = None


class MemoryVersionRecord(
    Record, table="memory_version", key=("memory_id", "version"), references={"memory_id": "memory"}
):
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


class MergedFromRecord(
    Record,
    table="merged_from",
    key=("memory_id", "source_id"),
    references={"memory_id": "memory", "source_id": "memory"},
):
    memory_id: str
    source_id: str


class RatingRecord(Record, table="rating", key=("seq",), references={"memory_id": "memory"}):
    seq: int | None = None
    memory_id: str
    session_id: str | None = None
    vote: str
    note: str = ""
    rated_at: float


class RelationshipRecord(
    Record,
    table="relationship",
    key=("source_id", "target_id", "type"),
    references={"source_id": "memory", "target_id": "memory"},
):
    source_id: str
    target_id: str
    type: str
    method: str
    created_at: float
    weight: float = 1.0
    notes: str | None = None


class SuggestionRecord(
    Record, table="suggestion", key=("id",), references={"project_id": "project", "memory_id": "memory"}
):
    id: str
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = None
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
    memory_id: str | None = None
    said_at: float
    deadline_at: float | None = None
    expires_at: float
    asked: int = 0
    asked_at: float | None = None
    asked_in: str | None = None
    asked_before: str | None = None


class TurnRecord(Record, table="turn", key=("seq",), references={"project_id": "project"}):
    seq: int | None = None
    workspace: str = "default"
    user_id: str = "local"
    agent_id: str = MAIN_AGENT
    project_id: str | None = None
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


class VectorRecord(Record, table="vector", key=("memory_id", "model"), references={"memory_id": "memory"}):
    memory_id: str
    model: str
    dims: int
    data: bytes


TABLES = {kind.TABLE: kind.COLUMNS for kind in Record.__subclasses__()}
KEYS = {kind.TABLE: kind.KEY for kind in Record.__subclasses__()}
REFERENCES = {kind.TABLE: kind.REFERENCES for kind in Record.__subclasses__() if kind.REFERENCES}


def names(table: str) -> list[str]:
    """Returns the names of a table's columns."""
    return [column.name for column in TABLES[table]]


def is_numbered(table: str) -> bool:
    """Tells whether the database numbers the rows of a table."""
    return KEYS[table] == ("seq",)
