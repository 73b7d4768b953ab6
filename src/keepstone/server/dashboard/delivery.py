"""What reaches the model: what the next session would receive, what the last ones did, and whether that was of use."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ...lib.limits import PAGE_LIMIT
from .page import PageView

router = APIRouter(prefix="/delivery")


@router.get("")
def delivery(view: PageView) -> Response:
    brief = view.memory.brief()
    latest = view.memory.sessions.deliveries(limit=PAGE_LIMIT, everything=view.everything)
    hits = {
        hit.memory.id: hit for hit in view.memory.lifecycle.still_there(dict.fromkeys(one.memory for one in latest))
    }
    return view.page(
        "delivery.html",
        brief=brief.text,
        where=view.memory.context.caller.identity.name
        if view.memory.context.caller.identity
        else "a folder outside any project",
        in_brief=view.memory.get(brief.ids),
        week=view.memory.maintenance.week(everything=view.everything),
        latest=[(one, hits[one.memory]) for one in latest if one.memory in hits],
    )
