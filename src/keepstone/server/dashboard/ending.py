"""What ends next, and what would keep it."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ...lib.limits import PAGE_LIMIT
from ...model.tiers import BY_HAND
from .page import PageView

router = APIRouter(prefix="/ending")


@router.get("")
def ending(view: PageView) -> Response:
    hits = view.memory.lifecycle.ending(everything=view.everything, limit=PAGE_LIMIT)
    told = [view.memory.lifecycle.worth(hit.memory.id) for hit in hits]
    return view.page("ending.html", told=told, now=view.memory.context.clock(), most=PAGE_LIMIT, by_hand=BY_HAND)
