"""Stores, finds, changes and removes memories, and reads their history: functions for every vocabulary, and routes."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from ...api.types import Filter
from ...lib.limits import MANUAL_RELEVANCE, PAGE_MOST
from ...lib.text import agent_key
from ..memory_cache import memory_of
from ..problems import MISSING, MISSING_OR_CONFLICT, documented
from ..reply import (
    PAGE,
    AllOption,
    Limit,
    MemoryId,
    Page,
    ProjectOption,
    RequestModel,
    Score,
    Text,
    Word,
    example,
    reply,
    whole_text,
)
from .models import FoundOut, MemoryOut, memory_out

if TYPE_CHECKING:
    from ...api.types import Entry, Version
    from ...model.hit import Hit

router = APIRouter(prefix="/api/v1", tags=["Neuroloom"], responses=documented())
SEARCH_LIMIT = 5
STORED_IMPORTANCE = 0.7  # of a memory that is stored without one


class MemoriesOut(FoundOut):
    page: int
    more: bool


class StoreIn(RequestModel):
    """A memory to store. A text that reads like instructions to a model is quarantined until a person reviews it."""

    model_config = example(narrative="Deploys need the VPN: the registry is internal", memory_type="fact")

    narrative: Text = Field(min_length=1)
    memory_type: Word = "general"
    title: Word = Field("", description="Put before the narrative if that does not begin with it.")
    tags: list[Word] = Field(default_factory=list, max_length=50)
    importance_score: Score = STORED_IMPORTANCE
    source_session_id: Word = ""


class ReviseIn(RequestModel):
    model_config = example(narrative="Deploys need the VPN and a ticket")

    narrative: Text | None = None
    memory_type: Word | None = None
    importance_score: Score | None = None
    tags: list[Word] = Field(default_factory=list, max_length=50, description="Added to those it has.")
    pinned: bool | None = None


class FeedbackIn(RequestModel):
    model_config = example(useful=True, context="saved me an hour")

    useful: bool
    context: Word = ""
    session_id: Word = ""


def store_memory(
    request: Request, text: str, *, relevance: float | None = None, project: str = "", session: str = "", **fields: Any
) -> Hit:
    """Stores a program's memory, with the `fields` of `Memory.store`. Without a relevance it gets that of a memory that
    a person stores. Returns it, or the memory that says the same already.
    """
    fields["relevance"] = MANUAL_RELEVANCE if relevance is None else relevance
    return memory_of(request, project, session).store(whole_text(text), **fields, origin="api")[0]


def find_memories(
    request: Request,
    query: str = "",
    *,
    kind: str = "",
    file: str = "",
    min_relevance: float = 0.0,
    limit: int,
    project: str,
    everything: bool = False,
) -> list[Hit]:
    """Returns the best matches of a query, or without one the newest memories. Counts the matches of a query."""
    most = PAGE_MOST if min_relevance else limit  # what is not relevant enough does not count towards the limit
    asked: dict[str, Any] = {"kind": kind or None, "limit": most, "everything": everything, "narrow": Filter(file=file)}
    memory = memory_of(request, project)
    found = memory.search(query, **asked).found if query else memory.recent(**asked)
    return [hit for hit in found if hit.memory.relevance >= min_relevance][:limit]


def brief_of(request: Request, limit: int, project: str) -> tuple[str, list[Hit]]:
    """Returns the brief that a session of the project gets at its start, and its memories. Counts nothing."""
    memory = memory_of(request, project)
    brief = memory.brief(limit)
    return brief.text, memory.get(brief.ids)


def revise_memory(request: Request, memory_id: str, text: str | None, pinned: bool | None = None, **fields: Any) -> Hit:
    """Corrects a memory's text, the `fields` of `Memory.revise`, and whether it is pinned; None and no tags leave one
    as it is. Raises BadInput if nothing is to change.
    """
    memory = memory_of(request)
    if pinned is None or text is not None or any(value not in (None, "", []) for value in fields.values()):
        hit = memory.revise(memory_id, None if text is None else whole_text(text), **fields)
    return hit if pinned is None else memory.pin(memory_id, pinned)


def promote_memory(request: Request, memory_id: str, tier: str) -> Hit:
    return memory_of(request).lifecycle.promote(memory_id, tier)


def forget_memory(request: Request, memory_id: str) -> Hit:
    return memory_of(request).forget(memory_id)


def erase_memory(request: Request, memory_id: str) -> tuple[str, list[str]]:
    """Erases a memory from every file. Returns its whole id, and the problems that kept it in some."""
    memory = memory_of(request)
    whole = memory.history.audited(memory_id)
    return whole, memory.privacy.erase([whole]).problems


def audit_page(
    request: Request, limit: int, page: int, *, memory: str = "", agent: str = "", **filters: Any
) -> tuple[list[Entry], bool]:
    """Returns a page of the audit log, newest first, and whether more follow. `memory` may be a prefix of an id, even
    of an erased memory; the other `filters` are those of `History.audit`.
    """
    history = memory_of(request).history
    filters["memory"] = history.audited(memory) if memory else ""
    filters["agent"] = agent_key(agent) if agent else ""
    entries = history.audit(**filters, limit=limit, page=page)
    return entries, bool(history.audit(**filters, limit=1, page=page * limit + 1))


def history_of(request: Request, memory_id: str) -> tuple[Hit, list[Version], list[Entry]]:
    """Returns a memory, its earlier states, and its audit entries, oldest first. Counts nothing."""
    return memory_of(request).history.history(memory_id)


@router.post("/memories", response_model=MemoryOut, status_code=HTTPStatus.CREATED)
def store(request: Request, given: StoreIn, project: ProjectOption = "") -> Response:
    """Stores a memory. If it is known already, confirms and returns that one."""
    text = given.narrative if given.narrative.startswith(given.title) else f"{given.title}: {given.narrative}"
    fields: dict[str, Any] = {"kind": given.memory_type, "relevance": given.importance_score, "tags": given.tags}
    hit = store_memory(request, text, project=project, session=given.source_session_id, **fields)
    return reply(memory_out(hit), HTTPStatus.CREATED)


@router.get("/memories", response_model=MemoriesOut)
def listing(
    request: Request,
    project: ProjectOption = "",
    everything: AllOption = False,
    memory_type: Word = "",
    tag: Word = "",
    which: Annotated[Literal["", "forgotten", "archived"], Query(description="Those instead of active ones.")] = "",
    limit: Limit = PAGE,
    page: Page = 1,
) -> Response:
    """Lists memories, newest first."""
    asked: dict[str, Any] = {"kind": memory_type or None, "everything": everything, "which": which}
    narrow, offset = Filter(tag.lower()), (page - 1) * limit
    found = memory_of(request, project).recent(limit=limit + 1, offset=offset, narrow=narrow, **asked)
    return reply({"data": [memory_out(hit) for hit in found[:limit]], "page": page, "more": len(found) > limit})


@router.get("/memories/search", response_model=FoundOut)
def search(
    request: Request,
    query: Annotated[Word, Query(min_length=1, examples=["billing database"])],
    project: ProjectOption = "",
    everything: AllOption = False,
    memory_type: Word = "",
    file: Annotated[Word, Query(description="Only memories that came from this file.")] = "",
    limit: Limit = SEARCH_LIMIT,
) -> Response:
    """Returns the best matches, by words and by meaning. Counts what it returns."""
    asked: dict[str, Any] = {"kind": memory_type, "file": file, "project": project, "everything": everything}
    found = find_memories(request, query, limit=limit, **asked)
    return reply({"data": [memory_out(hit) for hit in found]})


@router.get("/memories/{memory_id}", response_model=MemoryOut, responses=MISSING)
def show(request: Request, memory_id: MemoryId) -> Response:
    """Returns a memory. Counts as a use."""
    return reply(memory_out(memory_of(request).show(memory_id)[0]))


@router.patch("/memories/{memory_id}", response_model=MemoryOut, responses=MISSING)
def revise(request: Request, memory_id: MemoryId, given: ReviseIn) -> Response:
    """Corrects a memory; the earlier text is kept as a version."""
    fields: dict[str, Any] = {"kind": given.memory_type, "relevance": given.importance_score, "tags": given.tags}
    return reply(memory_out(revise_memory(request, memory_id, given.narrative, given.pinned, **fields)))


@router.delete("/memories/{memory_id}", response_model=MemoryOut, responses=MISSING)
def forget(request: Request, memory_id: MemoryId) -> Response:
    """Forgets a memory; restoring brings it back."""
    return reply(memory_out(forget_memory(request, memory_id)))


@router.post("/memories/{memory_id}/restore", response_model=MemoryOut, responses=MISSING_OR_CONFLICT)
def restore(request: Request, memory_id: MemoryId) -> Response:
    """Brings back a forgotten, archived or expired memory."""
    return reply(memory_out(memory_of(request).restore(memory_id)))


@router.post(
    "/memories/{memory_id}/feedback", response_model=MemoryOut, status_code=HTTPStatus.CREATED, responses=MISSING
)
def feedback(request: Request, memory_id: MemoryId, given: FeedbackIn) -> Response:
    """Rates a memory. The last vote of a session counts."""
    memory = memory_of(request, session=given.session_id)
    hit = memory.rate(memory_id, "up" if given.useful else "down", whole_text(given.context))
    return reply(memory_out(hit), HTTPStatus.CREATED)
