"""The timeline of sessions; what one changed, and taking that back."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from ...api.memory import Memory
from ...lib.errors import NotFound
from ...lib.limits import DASHBOARD_ROWS
from ...lib.text import day
from ...model.hit import STAYS, Hit
from .page import PageView

if TYPE_CHECKING:
    from ...api.types import Seen

router = APIRouter(prefix="/sessions")
Id = Annotated[str, Path(max_length=500)]


@router.get("")
def timeline(view: PageView, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    first = (page - 1) * DASHBOARD_ROWS
    found, total = view.memory.sessions.sessions(limit=DASHBOARD_ROWS, offset=first, everything=view.everything)
    lines = [(one, _changes(view.memory, one.id)) for one in found]
    days = [(when, list(those)) for when, those in groupby(lines, lambda line: day(line[0].started_at))]
    values: dict[str, Any] = {"days": days, "page": page, "more": first + len(found) < total, "total": total}
    return view.part("sessions_part.html", **values) if view.is_part else view.page("sessions.html", **values)


@router.get("/{session_id}")
def show(view: PageView, session_id: Id) -> Response:
    found = view.memory.history.diff(session_id)
    can = not found.undone and any(what not in STAYS for what, _ in found.changes)
    return view.page("session.html", found=found, seen=_seen(view.memory, found.session), can_undo=can)


def _changes(memory: Memory, session: str) -> list[tuple[str, Hit]]:
    """What a session changed; nothing for one that never did."""
    try:
        return list(memory.history.diff(session).changes)
    except NotFound:
        return []


@router.post("/{session_id}/undo")
def undo(view: PageView, session_id: Id) -> Response:
    """Takes back what a session changed; its page then tells what became of each."""
    session = view.memory.history.diff(session_id).session
    view.memory.history.undo(session)
    return view.go(f"/sessions/{session}", "undone")


def _seen(memory: Memory, session: str) -> Seen | None:
    """The session itself; None for one of which only the audit knows."""
    try:
        return memory.sessions.session(session)
    except NotFound:
        return None
