"""How memories hang together: drawn, and by their communities."""

from __future__ import annotations

import json

from fastapi import APIRouter, Response
from markupsafe import Markup

from .page import PageView

router = APIRouter(prefix="/graph")


@router.get("")
def graph(view: PageView) -> Response:
    drawing, total = view.memory.graph.drawing(everything=view.everything)
    communities = view.memory.graph.overview(everything=view.everything)
    data = json.dumps({**drawing, "pages": True}).replace("<", "\\u003c")  # so that no text ends the element it is in
    shown = len(drawing["nodes"])
    return view.page("graph.html", data=Markup(data), communities=communities, shown=shown, total=total)
