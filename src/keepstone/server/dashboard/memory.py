"""A memory's page: what it says, why and since when, what it is to others; and what a person does to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Response

from ...api.memory import Memory
from ...lib.diff import difference
from ...lib.errors import BadInput, KeepstoneError, NotFound
from ...lib.limits import LINK_SHOWN
from ...lib.text import query_terms
from ...model.hit import MEANS, METHOD_LABELS, Hit
from ...model.memory import QUARANTINED
from ...model.relationship import RELATIONS, SUPERSEDES, TYPES
from .memories import words_of
from .page import Line, PageView, Text, View, Words, text_of

DASHBOARD_RELATED = 30  # of what hangs together with a memory, and of whom it was shown

router = APIRouter(prefix="/memories/{memory_id}")
Id = Annotated[str, Path(max_length=64)]
FIRST = ("contradicts", "supersedes", "caused_by", "depends_on", "derived_from")  # what weighs most for who reads


@router.get("")
def show(view: PageView, memory_id: Id) -> Response:
    """Everything that is known of a memory. Counts as nothing: a person looks."""
    return _page(view, memory_id)


def _page(view: View, memory_id: str, problem: KeepstoneError | None = None, given: str = "") -> Response:
    """The page, with a text that was `given` for it where that could not be taken."""
    q = view.request.query_params.get("q", "")[:500]
    hit, _ = view.memory.show(memory_id, count=False)
    whole = hit.memory.id
    _, versions, done = view.memory.history.history(whole)
    return view.page(
        "memory.html",
        problem,
        given=given,
        hit=hit,
        memory=hit.memory,
        worth=view.memory.lifecycle.worth(whole),
        means=MEANS,
        said=METHOD_LABELS,
        earlier=_earlier(versions, hit),
        done_to_it=done[::-1],
        related=_related(view.memory, hit),
        types=sorted(TYPES),
        relations=RELATIONS,
        shown_to=view.memory.sessions.deliveries(whole, limit=DASHBOARD_RELATED, everything=True),
        rivals=view.memory.lifecycle.still_there(hit.doubt.rivals),
        made_of=_made_of(view.memory, done),
        replaces=view.memory.review.would_replace([whole])[0] if hit.memory.trust == QUARANTINED else [],
        q=q,
        found=_why(view, whole, q),
    )


def _made_of(memory: Memory, done: list[Any]) -> list[Hit]:
    """The memories that one was merged of."""
    return memory.lifecycle.still_there(
        one for entry in done if entry.op == "merge" for one in entry.details.get("sources", ())
    )


def _earlier(versions: list[Any], hit: Hit) -> list[tuple[Any, list[tuple[str, str]]]]:
    """Every earlier text, the latest first, with what the next one changed of it."""
    after = [version.content for version in versions[1:]] + [hit.memory.content]
    texts = [
        (one, difference(one.content, text)) for one, text in zip(versions, after, strict=False) if one.content != text
    ]
    return texts[::-1]


def _related(memory: Memory, hit: Hit) -> list[tuple[str, list[dict[str, Any]]]]:
    """(what it is to them, those memories) of what hangs together with a memory, what matters most first."""
    try:
        around = memory.graph.related(hit.memory.id, limit=DASHBOARD_RELATED, min_weight=LINK_SHOWN, everything=True)
    except NotFound:
        return []  # what is forgotten or waits hangs together with nothing
    nodes = {node.memory.id: node for node in around.nodes}
    found: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for edge in around.edges:
        if hit.memory.id not in (edge.source, edge.target):
            continue
        says = RELATIONS[edge.type][edge.target == hit.memory.id]
        place = FIRST.index(edge.type) if edge.type in FIRST else len(FIRST)
        found.setdefault((place, says), []).append({"hit": nodes[edge.other(hit.memory.id)], "edge": edge})
    return [(says, found[place, says]) for place, says in sorted(found)]


@router.get("/why")
def why(view: PageView, memory_id: Id, q: Words = "") -> Response:
    """Why a search finds it, or does not."""
    return view.part("why.html", q=q, found=_why(view, memory_id, q))


def _why(view: View, memory_id: str, q: str) -> Any:
    return view.memory.lifecycle.why(memory_id, q, everything=view.everything) if query_terms(q) else None


@router.get("/around")
def around(view: PageView, memory_id: Id) -> Response:
    """What was said around its evidence, as far as the client still has it."""
    hit, _ = view.memory.show(memory_id, count=False)
    return view.part("around.html", pieces=view.memory.history.around(hit))


@router.get("/others")
def others(view: PageView, memory_id: Id, q: Words = "") -> Response:
    """Memories to choose one of, for a relationship with this one."""
    found: list[Hit] = []
    if query_terms(q):
        found = view.memory.search(q, limit=DASHBOARD_RELATED, everything=True, count=False).found
    whole = view.memory.get([memory_id])[0].memory.id
    return view.part("others.html", q=q, hits=[hit for hit in found if hit.memory.id != whole])


@router.post("/revise")
def revise(
    view: PageView,
    memory_id: Id,
    text: Text = "",
    kind: Line = "",
    relevance: Line = "",
    tags: Line = "",
    version: Annotated[int, Form()] = 0,
) -> Response:
    """Changes what differs from what there is, unless somebody else has changed it since the form was filled."""
    hit = view.memory.get([memory_id])[0]
    try:
        if version and (version != hit.memory.version or hit.memory.status != "active"):
            raise KeepstoneError("this memory has changed since you opened it", "look at it, then save your text again")
        new = text_of(text)
        change = _change(hit, kind, relevance, tags)
        if new in ("", hit.memory.content.strip()) and not any(change.values()):
            return view.go(f"/memories/{hit.memory.id}", "same")
        view.memory.revise(hit.memory.id, None if new == hit.memory.content.strip() else new or None, **change)
    except KeepstoneError as problem:
        return _page(view, hit.memory.id, problem, text)
    view.wrote()
    return view.go(f"/memories/{hit.memory.id}", "revised")


def _change(hit: Hit, kind: str, relevance: str, tags: str) -> dict[str, Any]:
    """What else a form changes of a memory. Raises BadInput for a relevance that is no number."""
    try:
        born = float(relevance) if relevance else hit.memory.relevance
    except ValueError:
        raise BadInput(f"{relevance!r} is no number", "relevance lies between 0 and 1") from None
    return {
        "kind": kind if kind and kind != hit.memory.kind else None,
        "relevance": None if born == hit.memory.relevance else born,
        "tags": [tag for tag in words_of(tags) if tag not in hit.facet("tag")],
    }


@router.post("/rate")
def rate(
    view: PageView,
    memory_id: Id,
    vote: Annotated[Literal["up", "down", "outdated"], Form()],
    note: Line = "",
) -> Response:
    hit = view.memory.rate(memory_id, vote, text_of(note))
    return view.go(f"/memories/{hit.memory.id}", vote)


@router.post("/erase")
def erase(view: PageView, memory_id: Id) -> Response:
    """Removes it from every file; what stands in the way of that is told."""
    done = view.memory.privacy.erase([view.memory.history.audited(memory_id)])
    if done.problems:
        raise KeepstoneError(
            f"it is not erased everywhere: {'; '.join(done.problems)}", "mend that, and erase it again"
        )
    return view.go("/", "erased")


@router.post("/relate")
def relate(
    view: PageView,
    memory_id: Id,
    other: Line = "",
    type: Line = "",
    notes: Line = "",
) -> Response:
    try:
        if not other.strip():
            raise BadInput("it is not said to which memory", "search for it, and choose one")
        view.memory.graph.relate(memory_id, other, type, text_of(notes))
    except KeepstoneError as problem:
        return _page(view, memory_id, problem)
    return view.go(f"/memories/{view.memory.get([memory_id])[0].memory.id}", "related")


@router.post("/settle")
def resolve_contradiction(view: PageView, memory_id: Id, other: Line) -> Response:
    """Of two that contradict each other this one holds, and takes the other back."""
    try:
        view.memory.graph.relate(memory_id, other, SUPERSEDES)
    except KeepstoneError as problem:
        return _page(view, memory_id, problem)
    return view.go(f"/memories/{view.memory.get([memory_id])[0].memory.id}", "settled")


@router.post("/unrelate")
def unrelate(
    view: PageView,
    memory_id: Id,
    other: Line,
    type: Line,
) -> Response:
    view.memory.graph.unrelate(memory_id, other, type)
    return view.go(f"/memories/{view.memory.get([memory_id])[0].memory.id}", "unrelated")


ACTS: dict[str, tuple[str, Callable[[Memory, str], Any]]] = {
    "pin": ("pinned", lambda memory, one: memory.pin(one)),
    "unpin": ("unpinned", lambda memory, one: memory.pin(one, False)),
    "forget": ("forgotten", lambda memory, one: memory.forget(one)),
    "restore": ("restored", lambda memory, one: memory.restore(one)),
    "trust": ("trusted", lambda memory, one: memory.review.trust(one)),
    "promote": ("promoted", lambda memory, one: memory.lifecycle.promote(one)),
    "demote": ("demoted", lambda memory, one: memory.lifecycle.demote(one)),
    "verify": ("verified", lambda memory, one: memory.maintenance.verify([one])),
    "unmerge": ("unmerged", lambda memory, one: memory.review.unmerge(one)),
}


@router.post("/{act}")
def act(
    view: PageView,
    memory_id: Id,
    act: Literal["pin", "unpin", "forget", "restore", "trust", "promote", "demote", "verify", "unmerge"],
) -> Response:
    """Does one of the things that need no further word; what was taken apart leads to the first of its parts."""
    done, change = ACTS[act]
    try:
        made = change(view.memory, memory_id)
    except KeepstoneError as problem:
        return _page(view, memory_id, problem)
    shown = made[0] if act == "unmerge" else view.memory.get([memory_id])[0]
    return view.go(f"/memories/{shown.memory.id}", done)
