"""The timeline of sessions; what one changed, and taking that back."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Response

from ...core.defaults import DASHBOARD_ROWS
from ...core.errors import NotFound
from ...core.text import day
from ...memory import Memory
from .page import Here

if TYPE_CHECKING:
    from ...memory import Seen

router = APIRouter(prefix="/sessions")
Id = Annotated[str, Path(max_length=500)]
STAYS = ("merge", "unmerged", "erase")  # what no undoing takes back
UNDONE = {
    "forgotten": "forgotten",
    "revived": "hold again",
    "weakened": "are less sure",
    "reverted": "are as they were before",
    "unrated": "are no longer rated",
    "reconnected": "have the relationships of before",
}


@router.get("")
def timeline(view: Here, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    first = (page - 1) * DASHBOARD_ROWS
    found, total = view.memory.sessions(limit=DASHBOARD_ROWS, offset=first, everything=view.everything)
    days = [(when, list(those)) for when, those in groupby(found, lambda one: day(one.started_at))]
    values = {"days": days, "page": page, "more": first + len(found) < total, "total": total}
    return view.part("sessions_part.html", **values) if view.is_part else view.page("sessions.html", **values)


@router.get("/{session_id}")
def show(view: Here, session_id: Id) -> Response:
    found = view.memory.diff(session_id)
    can = not found.undone and any(what not in STAYS for what, _ in found.changes)
    return view.page("session.html", found=found, seen=_seen(view.memory, found.session), can_undo=can)


@router.get("/{session_id}/changes")
def changes(view: Here, session_id: Id) -> Response:
    """What a session changed, beside its line in the timeline; nothing for one that never did."""
    try:
        return view.part("changes.html", found=view.memory.diff(session_id))
    except NotFound:
        return view.part("changes.html", found={"changes": ()})


@router.post("/{session_id}/undo")
def undo(view: Here, session_id: Id) -> Response:
    """Takes back what a session changed, and tells what became of each."""
    found = view.memory.diff(session_id)
    done = view.memory.undo(found.session)
    told = [(says, view.memory.still_there(getattr(done, name))) for name, says in UNDONE.items()]
    left = view.memory.still_there(done.left)
    return view.page("undone.html", found=found, told=[pair for pair in told if pair[1]], left=left)


def _seen(memory: Memory, session: str) -> Seen | None:
    """The session itself; None for one of which only the audit knows."""
    try:
        return memory.session(session)
    except NotFound:
        return None
