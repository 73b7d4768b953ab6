"""What waits for a person's word, one by one, by keyboard too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Response

from ...api.memory import Memory
from ...lib.diff import difference
from ...lib.errors import KeepstoneError, NotFound
from ...lib.limits import DASHBOARD_ROWS
from ...model.hit import PROPOSED
from .page import PageView, stamp

if TYPE_CHECKING:
    from ...api.types import Proposal

router = APIRouter(prefix="/review")
# a kind of proposal: (what it is, what accepting it does, what turning it down does)
PROPOSAL_LABELS = {
    "quarantine": (PROPOSED["quarantine"], "Trust it", "Forget it"),
    "suggestion": (PROPOSED["suggestion"], "Keep it", "Drop it"),
    "merge": (PROPOSED["merge"], "Merge them", "Keep both"),
    "promote": (PROPOSED["promote"], "Promote it", "Leave it"),
    "prune": (PROPOSED["prune"], "Archive it", "Keep it"),
}


@router.get("")
def queue(view: PageView) -> Response:
    waiting = view.memory.review.review(everything=view.everything)
    first = _shown(view.memory, waiting[:DASHBOARD_ROWS])
    contradicted = len(view.memory.review.contradicted(everything=view.everything))
    return view.page("review.html", waiting=first, total=len(waiting), says=PROPOSAL_LABELS, contradicted=contradicted)


def _shown(memory: Memory, waiting: Sequence[Proposal]) -> list[dict[str, Any]]:
    """What a person has to see of each: `seen` changes with any of it."""
    found = []
    replaced = memory.review.replaced_by(waiting)
    for one, replaces in zip(waiting, replaced, strict=True):
        hits = memory.get(one.members)
        pair = [hit.memory.content for hit in hits] if one.kind == "merge" and len(hits) == 2 else []
        changed = difference(*pair) if pair else []
        seen = stamp([*hits, *replaces]) if hits else one.key
        found.append({"proposal": one, "hits": hits, "replaces": replaces, "changed": changed, "seen": seen})
    return found


@router.post("/{key}")
def decide_proposal(
    view: PageView,
    key: Annotated[str, Path(max_length=200)],
    verdict: Annotated[Literal["accept", "reject"], Form()],
    seen: Annotated[str, Form(max_length=100)],
) -> Response:
    """Does what is proposed or not, as it was `seen`: what has changed meanwhile is to be looked at first."""
    proposal = next((one for one in view.memory.review.review(everything=True) if one.key == key), None)
    if proposal is None:
        raise NotFound("that waits no more: it was settled meanwhile", "reload the page")
    (shown,) = _shown(view.memory, [proposal])
    if shown["seen"] != seen:
        raise KeepstoneError("a memory of it has changed since you saw it", "reload the page, and look again")
    if verdict == "accept":
        hits = view.memory.review.confirm([proposal])
    else:
        view.memory.review.reject([proposal])
        hits = view.memory.get(proposal.members[:1])
    done = PROPOSAL_LABELS[proposal.kind][1 if verdict == "accept" else 2]
    if view.is_part:
        return view.part("settled.html", hits=hits, text=proposal.text, done=done)
    return view.go("/review", verdict + "ed")
