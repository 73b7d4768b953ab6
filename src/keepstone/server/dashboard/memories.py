"""The front page: memories found as somebody types, or the newest; a new one; several made one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Response

from ...api.types import Filter
from ...lib.errors import BadInput, KeepstoneError
from ...lib.limits import DASHBOARD_ROWS, LISTING_LIMIT_MAX
from ...lib.text import query_terms
from ...model.hit import Hit
from .page import Line, PageView, Text, View, Words, stamp, text_of

router = APIRouter()
State = Literal["", "contradicted", "waiting", "archived", "forgotten"]
EVERYWHERE = "*"  # in the place of a project's folder


@router.get("/")
def look(
    view: PageView,
    q: Words = "",
    kind: Words = "",
    state: State = "",
    tag: Words = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """What a search finds, or the newest; a search here counts as nothing, however often somebody types."""
    found, more = _found(view, q, kind, state, tag, page)
    values: dict[str, Any] = {
        "q": q,
        "kind": kind,
        "state": state,
        "tag": tag,
        "page": page,
        "hits": found,
        "more": more,
    }
    if view.is_part:
        return view.part("rows.html" if page > 1 else "results.html", **values)
    return view.page("memories.html", **values)


def _found(view: View, q: str, kind: str, state: str, tag: str, page: int) -> tuple[list[Hit], bool]:
    """The memories of a page, and whether there are more."""
    narrow = Filter(tag.lower())
    if q.strip() and not state:
        if page > 1 or not query_terms(q):  # a search has one page: the best
            return [], False
        asked = {**_asked(view, kind), "narrow": narrow}
        return view.memory.search(q, limit=DASHBOARD_ROWS, count=False, **asked).found, False
    first, most = (page - 1) * DASHBOARD_ROWS, DASHBOARD_ROWS + 1
    if not q.strip() and state not in ("waiting", "contradicted"):
        shown = view.memory.recent(limit=most, offset=first, which=state, narrow=narrow, **_asked(view, kind))
        return shown[:DASHBOARD_ROWS], len(shown) == most
    held = _held(view, kind, state, narrow)
    words = q.lower().split()
    fitting = [hit for hit in held if all(word in hit.memory.content.lower() for word in words)]
    return fitting[first : first + DASHBOARD_ROWS], len(fitting) > first + DASHBOARD_ROWS


def _held(view: View, kind: str, state: str, narrow: Filter) -> list[Hit]:
    """What is in a state by which no search finds it."""
    if state in ("waiting", "contradicted"):
        of_state = view.memory.review.quarantined if state == "waiting" else view.memory.review.contradicted
        held = of_state(everything=view.everything)
        held = [hit for hit in held if not narrow.tag or narrow.tag in hit.facet("tag")]
        return [hit for hit in held if kind in ("", hit.memory.kind, hit.memory.group)]
    return view.memory.recent(limit=LISTING_LIMIT_MAX, which=state, narrow=narrow, **_asked(view, kind))


def _asked(view: View, kind: str) -> dict[str, Any]:
    return {"kind": kind or None, "everything": view.everything}


@router.get("/store")
def ask(view: PageView) -> Response:
    return _asking(view, {})


def _asking(view: View, given: dict[str, str], problem: KeepstoneError | None = None) -> Response:
    """The form for a new memory, with what was filled in."""
    empty = {
        "text": "",
        "kind": "fact",
        "tags": "",
        "until": "",
        "place": view.chosen or view.memory.context.caller.folder,
    }
    here = {
        "folder": view.memory.context.caller.folder,
        "name": view.memory.context.caller.identity.name if view.memory.context.caller.identity else "no project",
    }
    return view.page("store.html", problem, given=empty | given, here=here)


@router.post("/store")
def store(
    view: PageView,
    text: Text = "",
    kind: Line = "fact",
    tags: Line = "",
    until: Line = "",
    place: Annotated[str, Form(max_length=4096)] = "",
) -> Response:
    """Stores a memory in the project of a folder, or for every one."""
    try:
        said = text_of(text)
        if not said:
            raise BadInput("there is no text to store", "one sentence with the why")
        memory = view.memory_of("" if place == EVERYWHERE else place)
        hit, new = memory.store(said, kind=kind, tags=words_of(tags), until=until, user=place == EVERYWHERE)
    except KeepstoneError as problem:
        given = {"text": text, "kind": kind, "tags": tags, "until": until, "place": place}
        return _asking(view, given, problem)
    view.wrote()
    return view.go(f"/memories/{hit.memory.id}", "stored" if new else "known")


def words_of(tags: str) -> list[str]:
    """Tags, divided by commas."""
    return [tag.strip() for tag in tags.split(",") if tag.strip()]


@router.get("/merge")
def compare(view: PageView, ids: Annotated[list[str], Query(alias="id", max_length=20)]) -> Response:
    """The memories that are to be one, side by side, and what that one would say."""
    try:
        return _comparing(view, ids, view.memory.review.preview_merge(ids))
    except BadInput as problem:
        return _comparing(view, ids, "", problem)


def _comparing(view: View, ids: list[str], text: str, problem: KeepstoneError | None = None) -> Response:
    hits = view.memory.lifecycle.still_there(dict.fromkeys(ids))
    return view.page("merge.html", problem, hits=hits, text=text, seen=stamp(hits))


@router.post("/merge")
def merge(
    view: PageView,
    ids: Annotated[list[str], Form(alias="id", max_length=20)],
    text: Text = "",
    seen: Line = "",
) -> Response:
    try:
        if stamp(view.memory.get(dict.fromkeys(ids))) != seen:
            raise KeepstoneError("one of these has changed since you saw them", "look at them, then merge them again")
        made = view.memory.review.merge(ids, text_of(text))
    except KeepstoneError as problem:
        return _comparing(view, ids, text, problem)
    view.wrote()
    return view.go(f"/memories/{made.memory.id}", "merged")
