"""Runs sessions of clients without hooks, reads transcripts, shows and undoes what sessions changed, and reviews."""

from __future__ import annotations

import os
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from ...lib.errors import BadInput, KeepstoneError, NotFound
from ...lib.limits import BRIEF_LIMIT_MAX
from ...lib.text import session_key
from ...model.hit import iso, source_lines
from ..memory_cache import memory_of
from ..problems import CONFLICT, MISSING, MISSING_OR_CONFLICT, documented
from ..reply import (
    PAGE,
    AllOption,
    Limit,
    Page,
    ProjectOption,
    RequestModel,
    Text,
    Word,
    example,
    reply,
    require_name,
    whole_text,
)
from .memories import brief_of
from .models import MemoryOut, memory_out

if TYPE_CHECKING:
    from ...api.memory import Memory
    from ...api.types import Proposal, Seen
    from ...claude_code.observation import Observation
    from ...model.hit import Hit

BATCH_MOST = 100  # observations of one request

router = APIRouter(prefix="/api/v1", tags=["Sessions and review"], responses=documented())
SessionId = Annotated[str, Path(description="A session's id.", max_length=500)]


class SessionOut(BaseModel):
    session_id: str = Field(examples=["sess-4f1c8a2e"])
    project_name: str | None
    folder: str | None
    branch_name: str | None
    started_at: str
    last_seen_at: str
    ended_at: str | None
    memories: int = Field(description="Active memories that came from it.")
    shown: int = Field(description="Memories that were shown to it.")
    observations: int = Field(description="Its stored observations; each is kept for a week.")


class SessionsOut(BaseModel):
    data: list[SessionOut]
    page: int
    total: int


class StartIn(RequestModel):
    model_config = example(session_id="sess-4f1c8a2e", branch_name="main")

    session_id: Word = Field(min_length=1)
    branch_name: Word = ""


class EndIn(RequestModel):
    model_config = example(summary="Moved billing to PostgreSQL")

    summary: Text = Field("", description="The outcome; stored as a memory of the session.")


class EndedOut(SessionOut):
    transitioned_count: int = Field(description="Notes of the session that stay.")


class ContextOut(BaseModel):
    text: str = Field(description="What a session here gets at its start.")
    memories: list[MemoryOut]


class ChangeOut(BaseModel):
    change: str = Field(examples=["new"])
    memory: MemoryOut


class ChangesOut(BaseModel):
    session_id: str
    undone: bool
    changes: list[ChangeOut]


class UndoneOut(BaseModel):
    """Ids of memories, by what undoing did to them; `refused` are those of suggestions that were turned down."""

    forgotten: list[str]
    revived: list[str]
    weakened: list[str]
    reverted: list[str]
    unrated: list[str]
    reconnected: list[str]
    left: list[str]
    refused: list[str]


class ObserveIn(RequestModel):
    """A tool call, or a statement if no tool is named. Texts are shortened and redacted; no output is kept."""

    model_config = example(session_id="sess-4f1c8a2e", tool="Bash", command="make test", state="ok")

    session_id: Word = Field(min_length=1)
    tool: Word = ""
    command: Text = ""
    state: Literal["ok", "failed", "unknown"] = "unknown"
    files: list[Word] = Field(default_factory=list, max_length=100)
    reasoning: Text = ""


class Batch(RequestModel):
    observations: list[ObserveIn] = Field(max_length=BATCH_MOST)


class ObservedOut(BaseModel):
    """Whether it was stored: a call of Keepstone itself is not."""

    kept: bool
    call_id: str | None


class ProposalOut(BaseModel):
    key: str
    kind: str = Field(examples=["merge"], description="quarantine, suggestion, merge, promote or prune.")
    why: str
    score: float
    text: str | None = Field(description="The text of the merged memory, or of the suggestion.")
    tier: str | None
    suggestion: str | None = Field(description="The id of a suggestion; it has no members.")
    members: list[MemoryOut]
    sources: list[str] = Field(
        description="Where the members come from, in words: origin, files, and who said it when."
    )
    replaces: list[MemoryOut] = Field(description="What accepting a quarantined memory takes back.")


class PendingOut(BaseModel):
    data: list[ProposalOut]


class VerdictIn(RequestModel):
    model_config = example(verdict="accept")

    verdict: Literal["accept", "reject"]


class DecidedOut(BaseModel):
    key: str
    verdict: str
    memory: MemoryOut | None = Field(description="None for a suggestion that was turned down.")


def capture_text(request: Request, text: str, session: str, project: str) -> list[Hit]:
    """Captures a transcript that is sent along. Returns its new memories."""
    memory = memory_of(request, project)
    return memory.lifecycle.still_there(memory.capture.capture_text(whole_text(text), require_name(session)).new)


def capture_file(request: Request, path: str, project: str) -> list[Hit]:
    """Captures a transcript of Claude Code's own. Returns its new memories. Raises BadInput for any other file."""
    memory = memory_of(request, project)
    return memory.lifecycle.still_there(memory.capture.capture(_own_transcript(memory, path)).new)


def _own_transcript(memory: Memory, path: str) -> str:
    own = os.path.realpath(memory.capture.past_sessions) + os.sep
    real = os.path.realpath(path) if os.path.isabs(path) and "\0" not in path else ""
    if not real.startswith(own) or not real.endswith(".jsonl") or not os.path.isfile(real):
        raise BadInput("that is no transcript of Claude Code's own", f"name a file below {own}")
    return real


def session_out(seen: Seen) -> dict[str, Any]:
    return {
        "session_id": seen.id,
        "project_name": seen.project,
        "folder": seen.folder or None,
        "branch_name": seen.branch or None,
        "started_at": iso(seen.started_at),
        "last_seen_at": iso(seen.last_seen_at),
        "ended_at": iso(seen.ended_at),
        "memories": seen.memories,
        "shown": seen.shown,
        "observations": seen.observations,
    }


@router.get("/sessions", response_model=SessionsOut)
def listing(
    request: Request, project: ProjectOption = "", everything: AllOption = False, limit: Limit = PAGE, page: Page = 1
) -> Response:
    """Lists sessions, newest first."""
    found, total = memory_of(request, project).sessions.sessions(
        limit=limit, offset=(page - 1) * limit, everything=everything
    )
    return reply({"data": [session_out(one) for one in found], "page": page, "total": total})


@router.post("/sessions/start", response_model=SessionOut, status_code=HTTPStatus.CREATED, responses=CONFLICT)
def start(request: Request, given: StartIn, project: ProjectOption = "") -> Response:
    """Starts a session. Ends an open session that a program started in the same project."""
    session, branch = require_name(given.session_id), require_name(given.branch_name)
    return reply(session_out(memory_of(request, project).sessions.start_session(session, branch)), HTTPStatus.CREATED)


@router.get("/sessions/{session_id}", response_model=SessionOut, responses=MISSING)
def show(request: Request, session_id: SessionId) -> Response:
    return reply(session_out(memory_of(request).sessions.session(session_id)))


@router.post("/sessions/{session_id}/end", response_model=EndedOut, responses=MISSING_OR_CONFLICT)
def end(request: Request, session_id: SessionId, given: EndIn) -> Response:
    """Ends a session: its notes stay, guesses are deleted."""
    seen = memory_of(request).sessions.session(session_id)
    if seen.ended_at:
        raise KeepstoneError(f"{seen.id} has ended already", "a new session has a new id")
    if given.summary:
        of_session = memory_of(request, _folder(seen), session_id)
        of_session.store(whole_text(given.summary), kind="summary", relevance=None, origin="api")
    memory = memory_of(request, _folder(seen))
    count = memory.sessions.end_session(session_id)
    return reply({**session_out(memory.sessions.session(session_id)), "transitioned_count": count})


def _folder(seen: Seen) -> str:
    """Returns the folder of a session's project, or "", the server's own, if it no longer exists."""
    return seen.folder if seen.folder and os.path.isdir(seen.folder) else ""


@router.get("/sessions/{session_id}/context", response_model=ContextOut, responses=MISSING)
def context(
    request: Request,
    session_id: SessionId,
    max_memories: Annotated[int, Query(ge=1, le=BRIEF_LIMIT_MAX)] = 10,
) -> Response:
    """Returns what a session of its project gets at its start. Counts nothing."""
    seen = memory_of(request).sessions.session(session_id)
    text, memories = brief_of(request, max_memories, _folder(seen))
    return reply({"text": text, "memories": [memory_out(hit) for hit in memories]})


@router.get("/sessions/{session_id}/diff", response_model=ChangesOut, responses=MISSING)
def diff(request: Request, session_id: SessionId) -> Response:
    """Returns what a session changed."""
    found = memory_of(request).history.diff(session_id)
    changes = [{"change": what, "memory": memory_out(hit)} for what, hit in found.changes]
    return reply({"session_id": found.session, "undone": found.undone, "changes": changes})


@router.post("/sessions/{session_id}/undo", response_model=UndoneOut, responses=MISSING)
def undo(request: Request, session_id: SessionId) -> Response:
    """Undoes what a session changed, except what was changed again since."""
    return reply(asdict(memory_of(request).history.undo(session_id)))


@router.post("/observations", response_model=ObservedOut, status_code=HTTPStatus.CREATED, responses=CONFLICT)
def observe(request: Request, given: ObserveIn, project: ProjectOption = "") -> Response:
    """Stores what a session did."""
    return reply(observed_out(_observe(memory_of(request, project), given)), HTTPStatus.CREATED)


@router.post(
    "/observations/batch", response_model=list[ObservedOut], status_code=HTTPStatus.CREATED, responses=CONFLICT
)
def observe_all(request: Request, given: Batch, project: ProjectOption = "") -> Response:
    """Stores several observations, in their order."""
    memory = memory_of(request, project)
    return reply([observed_out(_observe(memory, one)) for one in given.observations], HTTPStatus.CREATED)


def _observe(memory: Memory, given: ObserveIn) -> Observation | None:
    texts: dict[str, Any] = {name: whole_text(getattr(given, name)) for name in ("command", "reasoning")}
    files = [whole_text(one) for one in given.files]
    session = session_key(require_name(given.session_id))
    return memory.sessions.observe(require_name(given.tool), state=given.state, files=files, session=session, **texts)


def observed_out(made: Observation | None) -> dict[str, Any]:
    return {"kept": made is not None, "call_id": made.call_id if made else None}


def proposal_out(memory: Memory, proposal: Proposal, replaced: list[Hit]) -> dict[str, Any]:
    hits = memory.get(proposal.members)
    sources = [line for hit in hits for line in source_lines(hit)]
    return proposal.as_object(list(map(memory_out, hits)), list(map(memory_out, replaced)), sources)


@router.get("/review", response_model=PendingOut)
def review(
    request: Request, project: ProjectOption = "", everything: AllOption = False, limit: Limit = PAGE
) -> Response:
    """Lists the pending items: quarantined memories and proposals. Nothing is done unasked."""
    memory = memory_of(request, project)
    found = memory.review.review(everything=everything, limit=limit)
    replaced = memory.review.replaced_by(found)
    return reply({"data": [proposal_out(memory, *pair) for pair in zip(found, replaced, strict=True)]})


@router.post("/review/{key}", response_model=DecidedOut, responses=MISSING_OR_CONFLICT)
def decide_proposal(request: Request, key: Annotated[str, Path(max_length=200)], given: VerdictIn) -> Response:
    """Carries out a proposal, or rejects it for good. A rejected quarantined memory is forgotten. Of a rejected
    suggestion there is no memory.
    """
    memory = memory_of(request)
    proposal = next((one for one in memory.review.review(everything=True) if one.key == key), None)
    if proposal is None:
        raise NotFound("nothing of that key waits", "GET /api/v1/review lists the keys")
    if given.verdict == "accept":
        hits = memory.review.confirm([proposal])
    else:
        memory.review.reject([proposal])
        hits = memory.get(proposal.members[:1])
    decided = {"key": key, "verdict": given.verdict, "memory": memory_out(hits[0]) if hits else None}
    return reply(decided)
