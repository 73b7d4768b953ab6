"""Neuroloom's memories and their graph: stored, found, rated, related, explored."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ...api.types import Filter
from ...lib.limits import EXPLORE_DEPTH, EXPLORE_LIMIT, EXPLORE_MOST, LINK_SHOWN
from ...model.hit import Hit, edge_object, iso
from ...model.relationship import RELATED_TO
from ..memory_cache import memory_of
from ..problems import told
from ..reply import PAGE, AllOption, Limit, MemoryId, Page, ProjectOption, RequestModel, Text, Word, reply, whole_text

if TYPE_CHECKING:
    from ...api.types import Subgraph
    from ...model.relationship import Edge

router = APIRouter(prefix="/api/v1", tags=["Neuroloom"], responses=told())
SEARCH_LIMIT = 5  # NL-34
BORN = 0.7  # importance of what is stored without one; NL-12
MISSING = told(HTTPStatus.NOT_FOUND)
Score = Annotated[float, Field(ge=0, le=1)]


class MemoryOut(BaseModel):
    """A memory as Neuroloom has it (NL-10)."""

    memory_id: str = Field(examples=["mem-3fa2c1d07e5b9a46"])
    title: str
    narrative: str
    memory_type: str = Field(examples=["decision"])
    tags: list[str]
    concepts: list[str]
    source_files: list[str]
    importance_score: float | None = Field(description="What it is worth now, 0..1.")
    confidence_score: float
    access_count: int = Field(description="How often it was fetched or of use.")
    retrieval_count: int
    last_accessed_at: str | None
    created_at: str
    updated_at: str
    source_session_id: str | None
    pagerank_score: float | None
    community_label: str | None
    project: str | None
    status: str
    trust: str
    pinned: bool
    score: float | None = Field(description="Of a search: the higher, the better it fits.")


class Memories(BaseModel):
    data: list[MemoryOut]
    page: int
    more: bool


class Found(BaseModel):
    data: list[MemoryOut]


class EdgeOut(BaseModel):
    source: str
    target: str
    type: str = Field(examples=["supersedes"])
    method: str = Field(examples=["manual"])
    confidence: float
    is_bidirectional: bool
    notes: str | None


class Graph(BaseModel):
    """Memories and the relationships between them; `seeds` are those that the topic led to."""

    nodes: list[MemoryOut]
    edges: list[EdgeOut]
    seeds: list[str]
    total: int


class Way(BaseModel):
    """The memories on the way, in order; none, and no length, where there is no way."""

    path: list[MemoryOut]
    edges: list[EdgeOut]
    length: int | None


class ToStore(RequestModel):
    """What is stored; a text that reads as instructions to a model waits for a person's word."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"narrative": "Deploys need the VPN: the registry is internal", "memory_type": "fact"}]
        }
    )

    narrative: Text = Field(min_length=1)
    memory_type: Word = "general"
    title: Word = Field("", description="Put before the narrative where that does not begin with it.")
    tags: list[Word] = Field(default_factory=list, max_length=50)
    importance_score: Score = BORN
    source_session_id: Word = ""


class ToRevise(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"narrative": "Deploys need the VPN and a ticket"}]})

    narrative: Text | None = None
    memory_type: Word | None = None
    importance_score: Score | None = None
    tags: list[Word] = Field(default_factory=list, max_length=50, description="Added to those it has.")
    pinned: bool | None = None


class Feedback(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"useful": True, "context": "saved me an hour"}]})

    useful: bool
    context: Word = ""
    session_id: Word = ""


class Topic(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"topic": "database query performance", "depth": 1}]})

    topic: Word = Field(min_length=1)
    depth: int = Field(1, ge=1, le=EXPLORE_DEPTH)
    limit: int = Field(EXPLORE_LIMIT, ge=1, le=EXPLORE_MOST)
    relationship_types: list[Word] = Field(default_factory=list, max_length=20)
    min_edge_confidence: Score = LINK_SHOWN


class Ends(RequestModel):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"source_memory_id": "mem-3fa2c1", "target_memory_id": "mem-77ab03"}]}
    )

    source_memory_id: Word
    target_memory_id: Word
    min_edge_confidence: Score = LINK_SHOWN


class ToRelate(RequestModel):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"source_memory_id": "mem-3fa2c1", "target_memory_id": "mem-77ab03", "relationship_type": "supersedes"}
            ]
        }
    )

    source_memory_id: Word
    target_memory_id: Word
    relationship_type: Word = RELATED_TO
    notes: Word = ""


class Related(BaseModel):
    source: str
    target: str
    type: str
    method: Literal["manual"]
    new: bool = Field(description="false where it was drawn before.")


class Unrelated(BaseModel):
    types: list[str] = Field(description="The types of the relationships that are gone.")


def as_memory(hit: Hit) -> dict[str, Any]:
    memory = hit.memory
    return {
        "memory_id": memory.id,
        "title": memory.title,
        "narrative": memory.content,
        "memory_type": memory.kind,
        "tags": hit.facet("tag"),
        "concepts": hit.facet("concept"),
        "source_files": hit.facet("file"),
        "importance_score": None if hit.importance is None else round(hit.importance, 3),
        "confidence_score": memory.confidence,
        "access_count": memory.use_count,  # in Neuroloom's sense: requirements K8
        "retrieval_count": memory.retrieval_count,
        "last_accessed_at": iso(memory.accessed_at),
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "source_session_id": memory.session_id,
        "pagerank_score": memory.pagerank,
        "community_label": memory.community,
        "project": hit.project,
        "status": memory.status,
        "trust": memory.trust,
        "pinned": bool(memory.pinned),
        "score": hit.score,
    }


def as_edge(edge: Edge) -> dict[str, Any]:
    told = edge_object(edge)
    renamed = {"confidence": told.pop("weight"), "is_bidirectional": told.pop("bidirectional")}
    return {**told, **renamed}


def _graph(found: Subgraph) -> Response:
    nodes, edges = [as_memory(hit) for hit in found.nodes], [as_edge(edge) for edge in found.edges]
    return reply({"nodes": nodes, "edges": edges, "seeds": found.seeds, "total": found.total})


@router.post("/memories", response_model=MemoryOut, status_code=HTTPStatus.CREATED)
def store(request: Request, given: ToStore, project: ProjectOption = "") -> Response:
    """Stores a memory; one that is known already is the answer, and has been confirmed by that."""
    text = given.narrative if given.narrative.startswith(given.title) else f"{given.title}: {given.narrative}"
    memory = memory_of(request, project, given.source_session_id)
    more: dict[str, Any] = {"kind": given.memory_type, "relevance": given.importance_score, "tags": given.tags}
    hit, _ = memory.store(whole_text(text), **more, origin="api")
    return reply(as_memory(hit), HTTPStatus.CREATED)


@router.get("/memories", response_model=Memories)
def listing(
    request: Request,
    project: ProjectOption = "",
    everything: AllOption = False,
    memory_type: Word = "",
    tag: Word = "",
    which: Annotated[Literal["", "forgotten", "archived"], Query(description="Those instead of what holds.")] = "",
    limit: Limit = PAGE,
    page: Page = 1,
) -> Response:
    """The memories, the newest first."""
    asked: dict[str, Any] = {"kind": memory_type or None, "everything": everything, "which": which}
    narrow, offset = Filter(tag.lower()), (page - 1) * limit
    found = memory_of(request, project).recent(limit=limit + 1, offset=offset, narrow=narrow, **asked)
    return reply({"data": [as_memory(hit) for hit in found[:limit]], "page": page, "more": len(found) > limit})


@router.get("/memories/search", response_model=Found)
def search(
    request: Request,
    query: Annotated[Word, Query(min_length=1, examples=["billing database"])],
    project: ProjectOption = "",
    everything: AllOption = False,
    memory_type: Word = "",
    file: Annotated[Word, Query(description="Only what came of this file.")] = "",
    limit: Limit = SEARCH_LIMIT,
) -> Response:
    """The best matches, by words and by meaning. Counts what it returns."""
    asked: dict[str, Any] = {"kind": memory_type or None, "everything": everything, "narrow": Filter(file=file)}
    found = memory_of(request, project).search(query, limit=limit, **asked)
    return reply({"data": [as_memory(hit) for hit in found.found]})


@router.get("/memories/by-file", response_model=Found)
def by_file(
    request: Request, path: Annotated[Word, Query(min_length=1)], project: ProjectOption = "", limit: Limit = 10
) -> Response:
    """What came of a file, the newest first; the end of a path will do."""
    found = memory_of(request, project).recent(limit=limit, narrow=Filter(file=path))
    return reply({"data": [as_memory(hit) for hit in found]})


@router.post("/memories/explore", response_model=Graph)
def explore(request: Request, given: Topic, project: ProjectOption = "", everything: AllOption = False) -> Response:
    """What is known around a topic: what a search finds, and what hangs together with that (GR-6)."""
    more: dict[str, Any] = {"depth": given.depth, "limit": given.limit, "types": given.relationship_types}
    memory = memory_of(request, project)
    return _graph(
        memory.graph.explore(given.topic, min_weight=given.min_edge_confidence, everything=everything, **more)
    )


@router.post("/memories/path", response_model=Way, responses=MISSING)
def path(request: Request, given: Ends, project: ProjectOption = "", everything: AllOption = False) -> Response:
    """A shortest way between two memories (GR-7)."""
    least = given.min_edge_confidence
    ends = (given.source_memory_id, given.target_memory_id)
    found = memory_of(request, project).graph.path(*ends, min_weight=least, everything=everything)
    length = len(found.nodes) - 1 if found.nodes else None
    edges = [as_edge(edge) for edge in found.edges]
    return reply({"path": [as_memory(hit) for hit in found.nodes], "edges": edges, "length": length})


@router.get("/memories/graph", response_model=Graph)
def graph(
    request: Request,
    project: ProjectOption = "",
    everything: AllOption = False,
    limit: Limit = PAGE,
    page: Page = 1,
) -> Response:
    """A page of the whole graph: so many memories, and the relationships that lead from them (GR-8)."""
    return _graph(
        memory_of(request, project).graph.graph(limit=limit, offset=(page - 1) * limit, everything=everything)
    )


@router.get("/memories/{memory_id}", response_model=MemoryOut, responses=MISSING)
def show(request: Request, memory_id: MemoryId) -> Response:
    """A memory whole. Counts as a use."""
    return reply(as_memory(memory_of(request).show(memory_id)[0]))


@router.patch("/memories/{memory_id}", response_model=MemoryOut, responses=MISSING)
def revise(request: Request, memory_id: MemoryId, given: ToRevise) -> Response:
    """Corrects a memory; what it said before is kept as a version."""
    memory = memory_of(request)
    changed: dict[str, Any] = {"kind": given.memory_type, "relevance": given.importance_score, "tags": given.tags}
    text = None if given.narrative is None else whole_text(given.narrative)
    hit = memory.pin(memory_id, given.pinned) if given.pinned is not None else None
    if hit is None or text is not None or any(value for value in changed.values()):
        hit = memory.revise(memory_id, text, **changed)
    return reply(as_memory(hit))


@router.delete("/memories/{memory_id}", response_model=MemoryOut, responses=MISSING)
def forget(request: Request, memory_id: MemoryId) -> Response:
    """Forgets a memory; restoring brings it back."""
    return reply(as_memory(memory_of(request).forget(memory_id)))


@router.post("/memories/{memory_id}/restore", response_model=MemoryOut, responses=MISSING)
def restore(request: Request, memory_id: MemoryId) -> Response:
    """Brings back a memory that was forgotten or archived."""
    return reply(as_memory(memory_of(request).restore(memory_id)))


@router.post(
    "/memories/{memory_id}/feedback", response_model=MemoryOut, status_code=HTTPStatus.CREATED, responses=MISSING
)
def feedback(request: Request, memory_id: MemoryId, given: Feedback) -> Response:
    """Rates a memory (NL-23). Of one session the last vote counts."""
    memory = memory_of(request, "", given.session_id)
    hit = memory.rate(memory_id, "up" if given.useful else "down", whole_text(given.context))
    return reply(as_memory(hit), HTTPStatus.CREATED)


@router.get("/memories/{memory_id}/related", response_model=Graph, responses=MISSING)
def related(
    request: Request,
    memory_id: MemoryId,
    project: ProjectOption = "",
    everything: AllOption = False,
    depth: Annotated[int, Query(ge=1, le=EXPLORE_DEPTH)] = 1,
    limit: Limit = 10,
    min_edge_confidence: Annotated[float, Query(ge=0, le=1)] = LINK_SHOWN,
) -> Response:
    """What hangs together with a memory."""
    more: dict[str, Any] = {"depth": depth, "limit": limit, "min_weight": min_edge_confidence, "everything": everything}
    return _graph(memory_of(request, project).graph.related(memory_id, **more))


@router.post("/relationships", response_model=Related, status_code=HTTPStatus.CREATED, responses=MISSING)
def relate(request: Request, given: ToRelate) -> Response:
    """Draws a relationship by hand (GR-10); again it changes nothing."""
    memory = memory_of(request)
    ends = (given.source_memory_id, given.target_memory_id)
    new = memory.graph.relate(*ends, given.relationship_type, whole_text(given.notes))
    source, target = (hit.memory.id for hit in memory.get(ends))
    told = {"source": source, "target": target, "type": given.relationship_type, "method": "manual", "new": new}
    return reply(told, HTTPStatus.CREATED)


@router.delete("/relationships", response_model=Unrelated, responses=MISSING)
def unrelate(
    request: Request, source_memory_id: Word, target_memory_id: Word, relationship_type: Word = ""
) -> Response:
    """Takes the relationships of two memories away, of a type or all."""
    return reply({"types": memory_of(request).graph.unrelate(source_memory_id, target_memory_id, relationship_type)})
