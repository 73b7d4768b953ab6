"""What waits for a person's word: quarantined memories, and what the machine proposes to prune, merge and promote.

Proposals are computed when somebody looks, so they are always current (NL-29); nothing is done unasked (NL-26).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..core import unite
from ..core.candidate import Candidate, title_of
from ..core.errors import BadInput
from ..core.fastjson import dump
from ..core.lifecycle import BY_HAND, is_prunable, touched_at
from ..core.model import StoredMemory
from ..core.text import clip, day, digest
from ..core.vector import cosine, unpacked
from ..store.review import CONFIRMED, REJECTED
from ..store.store import Origin, Store
from . import edit

if TYPE_CHECKING:
    from ..core.policies import Policies

PRUNE, MERGE, PROMOTE, QUARANTINE = KINDS = ("prune", "merge", "promote", "quarantine")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed for which memories, and why. `text` is what a merging would say, `tier` where a promotion leads;
    the more urgent has the higher `score`.
    """

    kind: str
    members: tuple[str, ...]
    why: str
    score: float
    text: str = ""
    tier: str = ""

    @property
    def key(self) -> str:
        """Names it: the same members are the same proposal."""
        return digest(self.kind, *self.members)[:6]

    def as_object(self, members: list[dict[str, Any]]) -> dict[str, Any]:
        """Its fields in JSON, with its `members` as who asks has memories."""
        return {
            "key": self.key,
            "kind": self.kind,
            "why": self.why,
            "score": round(self.score, 3),
            "text": self.text or None,
            "tier": self.tier or None,
            "members": members,
        }


def proposals(
    store: Store,
    waiting: Sequence[StoredMemory],
    model: str,
    retention: float,
    now: float,
    kinds: Sequence[str] = KINDS,
) -> list[Proposal]:
    """Every proposal that was not turned down, by kind and urgency. `waiting` are the quarantined memories, `model` the
    one whose vectors are compared.
    """
    found: list[Proposal] = []
    if QUARANTINE in kinds:
        found += [Proposal(QUARANTINE, (m.id,), m.status_reason or "", 1.0) for m in waiting]
    if MERGE in kinds:
        found += _merges(store, model, now)
    if PROMOTE in kinds:
        found += _promotions(store, now)
    if PRUNE in kinds:
        found += _prunings(store, retention, now)
    answered = store.answered()
    return [one for one in found if (one.kind, dump(list(one.members))) not in answered]


def _prunings(store: Store, retention: float, now: float) -> list[Proposal]:
    found = []
    for memory in store.stale(retention, now):
        worth = store.policies.importance(memory, now)
        if is_prunable(memory, worth, retention, now):
            why = f"importance {worth:.2f}, idle since {day(touched_at(memory))}"
            found.append(Proposal(PRUNE, (memory.id,), why, 1.0 - worth))
    return sorted(found, key=lambda one: (-one.score, one.members))


def _promotions(store: Store, now: float) -> list[Proposal]:
    found = []
    for given in chain.from_iterable(store.standings(store.habits(["episodic", "semantic"]), now)):
        tier, why = store.policies.promotion(given, now)
        if tier == "procedural":
            found.append(Proposal(PROMOTE, (given.memory.id,), why, given.importance, tier=tier))
    return sorted(found, key=lambda one: (-one.score, one.members))


def _merges(store: Store, model: str, now: float) -> list[Proposal]:
    pairs = store.near_pairs(now)
    ids = sorted({memory_id for pair in pairs for memory_id in pair})
    held, vectors = store.held(ids), store.vectors_of(model, ids)
    near = [pair for pair in pairs if _is_near(store, held, vectors, *pair)]
    found = []
    for members in unite.groups(near):
        texts = [held[one].content for one in sorted(members, key=lambda one: (held[one].created_at, one))]
        why = f"{len(members)} {held[members[0]].kind} memories of one file say nearly the same"
        found.append(Proposal(MERGE, members, why, float(len(members)), unite.united(texts, store.ratio)))
    return sorted(found, key=lambda one: (-one.score, one.members))


def _is_near(
    store: Store, held: Mapping[str, StoredMemory], vectors: Mapping[str, bytes], one: str, other: str
) -> bool:
    alike = None
    if one in vectors and other in vectors:
        alike = cosine(unpacked(vectors[one]), vectors[other])
    return unite.is_near(held[one].content, held[other].content, alike, store.ratio)


def united(store: Store, ids: Sequence[str], now: float) -> tuple[list[StoredMemory], str]:
    """The memories of a merging, oldest first, and the sentences of all of them. Raises BadInput for memories that are
    not of one kind and place.
    """
    sources = sorted(store.held(ids).values(), key=lambda one: (one.created_at, one.id))
    if len(sources) < 2:
        raise BadInput("a merging takes two memories or more", "keepstone merge ID ID")
    places = {(one.kind, one.scope, one.project_id) for one in sources}
    if len(places) > 1 or not all(_is_here(one, now) for one in sources):
        raise BadInput("only active memories of one type and project can be merged", "keepstone show ID")
    return sources, unite.united([one.content for one in sources], store.ratio)


def merge(
    store: Store, ids: Sequence[str], policies: Policies, redact: Callable[[str], str], text: str, now: float
) -> str:
    """Makes one memory of several, with the sentences of all of them or a person's own `text`; its id. Raises BadInput
    as `united` does.
    """
    sources, content = united(store, ids, now)
    store.need_sound([one.id for one in sources])
    content = redact(text) if text else content
    newest = sources[-1]
    values = unite.inherited(sources, lambda one: policies.importance(one, now))
    made = Candidate(
        kind=newest.kind,
        content=content,
        title=title_of(content),
        relevance=newest.relevance,
        record_uuid="merge:" + digest(*sorted(ids), repr(now)),
        excerpt=clip(content, 500),
        method="merge",
        confidence=newest.confidence,
        scope=newest.scope,
    )
    by_hand = next((one.origin for one in sources if one.origin in BY_HAND), newest.origin)
    origin = Origin(by_hand, newest.project_id, newest.session_id, agent_id=newest.agent_id)
    return store.merge(origin, sorted(one.id for one in sources), made, values, now)


def _is_here(one: StoredMemory, now: float) -> bool:
    return one.status == "active" and one.trust == "trusted" and (one.expires_at is None or one.expires_at > now)


def confirm(store: Store, one: Proposal, policies: Policies, redact: Callable[[str], str], now: float) -> str:
    """Does what is proposed; the id of the memory that it is about afterwards."""
    if one.kind == MERGE:
        made = merge(store, one.members, policies, redact, "", now)
    else:
        made = one.members[0]
        if one.kind == PRUNE:
            edit.prune(store, made, now)
        elif one.kind == PROMOTE:
            store.lift([made], one.tier, {made: one.why}, now, "person")
        else:
            edit.trust(store, made, now)
    store.answer(one.kind, dump(list(one.members)), CONFIRMED, now)
    return made


def reject(store: Store, one: Proposal, now: float) -> None:
    """Notes that it is not to be done; what is quarantined and not wanted is forgotten."""
    if one.kind == QUARANTINE:
        edit.forget(store, one.members[0], now)
    store.answer(one.kind, dump(list(one.members)), REJECTED, now)
