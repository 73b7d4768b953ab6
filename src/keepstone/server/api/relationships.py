"""Draws, removes and follows relationships between memories."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from ...model.relationship import RELATED_TO
from ..memory_cache import memory_of
from ..problems import MISSING, MISSING_OR_CONFLICT, documented
from ..reply import RequestModel, Word, example, reply, whole_text

if TYPE_CHECKING:
    from ...api.types import Subgraph

router = APIRouter(prefix="/api/v1", tags=["Neuroloom"], responses=documented())


class RelateIn(RequestModel):
    model_config = example(source_memory_id="mem-3fa2c1", target_memory_id="mem-77ab03", relationship_type="supersedes")

    source_memory_id: Word
    target_memory_id: Word
    relationship_type: Word = RELATED_TO
    notes: Word = ""


class RelatedOut(BaseModel):
    source: str
    target: str
    type: str
    method: Literal["manual"]
    new: bool = Field(description="false if it existed already.")


class UnrelatedOut(BaseModel):
    types: list[str] = Field(description="The types of the removed relationships.")


# `options` are those of the methods of `Graph`.


def explore_topic(request: Request, topic: str, project: str, **options: Any) -> Subgraph:
    return memory_of(request, project).graph.explore(topic, **options)


def find_related(request: Request, memory_id: str, project: str, **options: Any) -> Subgraph:
    return memory_of(request, project).graph.related(memory_id, **options)


def find_path(request: Request, source: str, target: str, project: str, **options: Any) -> Subgraph:
    return memory_of(request, project).graph.path(source, target, **options)


def graph_page(request: Request, limit: int, page: int, project: str, everything: bool) -> Subgraph:
    """Returns a page of the whole graph: `limit` memories, and the relationships that lead from them."""
    return memory_of(request, project).graph.graph(limit=limit, offset=(page - 1) * limit, everything=everything)


@router.post("/relationships", response_model=RelatedOut, status_code=HTTPStatus.CREATED, responses=MISSING_OR_CONFLICT)
def relate(request: Request, given: RelateIn) -> Response:
    """Draws a relationship by hand. Drawing it again changes nothing."""
    memory = memory_of(request)
    ends = (given.source_memory_id, given.target_memory_id)
    new = memory.graph.relate(*ends, given.relationship_type, whole_text(given.notes))
    source, target = (hit.memory.id for hit in memory.get(ends))
    drawn = {"source": source, "target": target, "type": given.relationship_type, "method": "manual", "new": new}
    return reply(drawn, HTTPStatus.CREATED)


@router.delete("/relationships", response_model=UnrelatedOut, responses=MISSING)
def unrelate(
    request: Request, source_memory_id: Word, target_memory_id: Word, relationship_type: Word = ""
) -> Response:
    """Removes the relationships of two memories, of a type or all."""
    return reply({"types": memory_of(request).graph.unrelate(source_memory_id, target_memory_id, relationship_type)})
