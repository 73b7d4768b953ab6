"""Offers Neuroloom's ways through the graph, by its names: explore, path, by-file, graph and related."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ...lib.limits import EXPLORE_DEPTH, EXPLORE_LIMIT, EXPLORE_MOST, LINK_SHOWN
from ..problems import MISSING, documented
from ..reply import PAGE, AllOption, Limit, MemoryId, Page, ProjectOption, RequestModel, Score, Word, example, reply
from .memories import find_memories
from .models import EdgeOut, FoundOut, MemoryOut, edge_out, memory_out
from .relationships import explore_topic, find_path, find_related, graph_page

if TYPE_CHECKING:
    from ...api.types import Subgraph

router = APIRouter(prefix="/api/v1/memories", tags=["Neuroloom"], responses=documented())


class GraphOut(BaseModel):
    """Memories and the relationships between them; `seeds` are the memories that a search for the topic found."""

    nodes: list[MemoryOut]
    edges: list[EdgeOut]
    seeds: list[str]
    total: int


class PathOut(BaseModel):
    """The memories on the path, in order. If there is no path, they are empty and the length is null."""

    path: list[MemoryOut]
    edges: list[EdgeOut]
    length: int | None


class ExploreIn(RequestModel):
    model_config = example(topic="database query performance", depth=1)

    topic: Word = Field(min_length=1)
    depth: int = Field(1, ge=1, le=EXPLORE_DEPTH)
    limit: int = Field(EXPLORE_LIMIT, ge=1, le=EXPLORE_MOST)
    relationship_types: list[Word] = Field(default_factory=list, max_length=20)
    min_edge_confidence: Score = LINK_SHOWN


class PathIn(RequestModel):
    model_config = example(source_memory_id="mem-3fa2c1", target_memory_id="mem-77ab03")

    source_memory_id: Word
    target_memory_id: Word
    min_edge_confidence: Score = LINK_SHOWN


def graph_out(found: Subgraph) -> dict[str, Any]:
    nodes, edges = [memory_out(hit) for hit in found.nodes], [edge_out(edge) for edge in found.edges]
    return {"nodes": nodes, "edges": edges, "seeds": found.seeds, "total": found.total}


@router.get("/by-file", response_model=FoundOut)
def by_file(
    request: Request, path: Annotated[Word, Query(min_length=1)], project: ProjectOption = "", limit: Limit = 10
) -> Response:
    """Returns the memories that came from a file, newest first. The end of its path is enough."""
    found = find_memories(request, file=path, limit=limit, project=project)
    return reply({"data": [memory_out(hit) for hit in found]})


@router.post("/explore", response_model=GraphOut)
def explore(request: Request, given: ExploreIn, project: ProjectOption = "", everything: AllOption = False) -> Response:
    """Returns what is known around a topic: what a search finds and what is related to it."""
    more: dict[str, Any] = {"depth": given.depth, "limit": given.limit, "types": given.relationship_types}
    more |= {"min_weight": given.min_edge_confidence, "everything": everything}
    return reply(graph_out(explore_topic(request, given.topic, project, **more)))


@router.post("/path", response_model=PathOut, responses=MISSING)
def path(request: Request, given: PathIn, project: ProjectOption = "", everything: AllOption = False) -> Response:
    """Returns a shortest path between two memories."""
    more: dict[str, Any] = {"min_weight": given.min_edge_confidence, "everything": everything}
    found = graph_out(find_path(request, given.source_memory_id, given.target_memory_id, project, **more))
    nodes = found["nodes"]
    return reply({"path": nodes, "edges": found["edges"], "length": len(nodes) - 1 if nodes else None})


@router.get("/graph", response_model=GraphOut)
def graph(
    request: Request, project: ProjectOption = "", everything: AllOption = False, limit: Limit = PAGE, page: Page = 1
) -> Response:
    """Returns a page of the whole graph: `limit` memories, and the relationships that lead from them."""
    return reply(graph_out(graph_page(request, limit, page, project, everything)))


@router.get("/{memory_id}/related", response_model=GraphOut, responses=MISSING)
def related(
    request: Request,
    memory_id: MemoryId,
    project: ProjectOption = "",
    everything: AllOption = False,
    depth: Annotated[int, Query(ge=1, le=EXPLORE_DEPTH)] = 1,
    limit: Limit = 10,
    min_edge_confidence: Score = LINK_SHOWN,
) -> Response:
    """Returns what is related to a memory."""
    more: dict[str, Any] = {"depth": depth, "limit": limit, "min_weight": min_edge_confidence, "everything": everything}
    return reply(graph_out(find_related(request, memory_id, project, **more)))
