"""Computes and decides pending items: quarantined memories, and proposals to prune, merge and promote.

Proposals are computed when a person opens the review, so they are always current. Nothing is done without being asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..db.records import MemoryRecord, SuggestionRecord
from ..db.writer import Transaction, Writer
from ..lib.errors import BadInput, StateError
from ..lib.fast_json import dump
from ..lib.text import clip, day, digest, one_line
from ..lib.vector import cosines, unpacked
from ..model.candidate import Candidate, title_of
from ..model.hit import METHOD_LABELS
from ..model.memory import QUARANTINED, StoredMemory
from ..model.suggestion import REFUSED, short_id
from ..model.tiers import BY_HAND, is_prunable, touched_at
from . import edit, keep_suggestion, merge_text, note_files_sql, review_sql, suggestions_sql, supersede_sql, tiers_sql
from . import merge_sql as merging
from .add_sql import Origin
from .review_sql import CONFIRMED, REJECTED

if TYPE_CHECKING:
    from ..model.policies import Policies

PRUNE, MERGE, PROMOTE, QUARANTINE, SUGGESTION = KINDS = ("prune", "merge", "promote", "quarantine", "suggestion")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal for some memories, and its reason. `text` is the text of a merged memory, `tier` the target of a
    promotion. A more urgent proposal has a higher `score`. A `suggestion` is none of a memory: `text` is what it would
    say, and `source` who said what when.
    """

    kind: str
    members: tuple[str, ...]
    why: str
    score: float
    text: str = ""
    tier: str = ""
    suggestion: str = ""
    source: str = ""

    @property
    def key(self) -> str:
        """Returns a short name, which is the same for the same kind and members; a suggestion's own one."""
        return short_id(self.suggestion) if self.suggestion else digest(self.kind, *self.members)[:6]

    def as_object(
        self, members: list[dict[str, Any]], replaces: list[dict[str, Any]], sources: list[str]
    ) -> dict[str, Any]:
        """Returns its fields for JSON, with `members`, and what accepting it `replaces`, in the caller's format."""
        return {
            "key": self.key,
            "kind": self.kind,
            "why": self.why,
            "score": round(self.score, 3),
            "text": self.text or None,
            "tier": self.tier or None,
            "suggestion": self.suggestion or None,
            "members": members,
            "sources": [*sources, *([self.source] if self.source else [])],
            "replaces": replaces,
        }


def proposals(
    writer: Writer,
    waiting: Sequence[StoredMemory],
    suggested: Sequence[SuggestionRecord],
    model: str,
    retention: float,
    now: float,
    kinds: Sequence[str] = KINDS,
) -> list[Proposal]:
    """Returns every proposal that was not rejected, by kind and urgency. `waiting` are the quarantined memories,
    `suggested` the suggestions, `model` is the embedder whose vectors are compared.
    """
    found: list[Proposal] = []
    if QUARANTINE in kinds:
        found += [Proposal(QUARANTINE, (m.id,), m.status_reason or "", 1.0) for m in waiting]
    if SUGGESTION in kinds:
        found += map(_suggested, suggested)
    if MERGE in kinds:
        found += _merges(writer, model, now)
    if PROMOTE in kinds:
        found += _promotions(writer, now)
    if PRUNE in kinds:
        found += _prunings(writer, retention, now)
    with writer.transaction() as tx:
        answered = review_sql.answered(tx)
    return [one for one in found if (one.kind, dump(list(one.members))) not in answered]


def _suggested(one: SuggestionRecord) -> Proposal:
    why = f"{one.trust_reason or 'likely to last'}, waits until {day(one.expires_at)}"
    within = f" in session {one_line(one.session_id)}" if one.session_id else ""
    source = f"{METHOD_LABELS.get(one.method, one.method)}{within}, {day(one.said_at)}: “{one_line(one.excerpt)}”"
    return Proposal(SUGGESTION, (), why, 0.5, one.text, suggestion=one.id, source=source)


def _prunings(writer: Writer, retention: float, now: float) -> list[Proposal]:
    found = []
    with writer.transaction() as tx:
        stale = review_sql.stale(tx, retention, now)
    for memory in stale:
        worth = writer.policies.importance(memory, now)
        if is_prunable(memory, worth, retention, now):
            why = f"importance {worth:.2f}, idle since {day(touched_at(memory))}"
            found.append(Proposal(PRUNE, (memory.id,), why, 1.0 - worth))
    return sorted(found, key=lambda one: (-one.score, one.members))


def _promotions(writer: Writer, now: float) -> list[Proposal]:
    found = []
    habits = tiers_sql.habits(writer, ["episodic", "semantic"])
    for given in chain.from_iterable(tiers_sql.standings(writer, habits, now)):
        tier, why = writer.policies.promotion(given, now)
        if tier == "procedural":
            found.append(Proposal(PROMOTE, (given.memory.id,), why, given.importance, tier=tier))
    return sorted(found, key=lambda one: (-one.score, one.members))


def _merges(writer: Writer, model: str, now: float) -> list[Proposal]:
    with writer.transaction() as tx:
        pairs = review_sql.near_pairs(tx, now)
        ids = sorted({memory_id for pair in pairs for memory_id in pair})
        held, vectors = review_sql.held(tx, ids), review_sql.vectors_of(tx, model, ids)
    near = [pair for pair in pairs if _is_near(writer, held, vectors, *pair)]
    found = []
    for members in merge_text.groups(near):
        texts = [held[one].content for one in sorted(members, key=lambda one: (held[one].created_at, one))]
        why = f"{len(members)} {held[members[0]].kind} memories of one file say nearly the same"
        found.append(Proposal(MERGE, members, why, float(len(members)), merge_text.merged_text(texts, writer.ratio)))
    return sorted(found, key=lambda one: (-one.score, one.members))


def _is_near(
    writer: Writer, held: Mapping[str, StoredMemory], vectors: Mapping[str, bytes], one: str, other: str
) -> bool:
    alike = None
    if one in vectors and other in vectors:
        (alike,) = cosines(unpacked(vectors[one]), [vectors[other]])
    return merge_text.is_near(held[one].content, held[other].content, alike, writer.ratio)


def preview_merge(writer: Writer, ids: Sequence[str], now: float) -> tuple[list[StoredMemory], str]:
    """Returns the memories to merge, oldest first, and the sentences of all of them. Raises BadInput for
    fewer than two, and StateError if they are not active memories of one kind and project.
    """
    with writer.transaction() as tx:
        held = review_sql.held(tx, ids)
    sources = sorted(held.values(), key=lambda one: (one.created_at, one.id))
    if len(sources) < 2:
        raise BadInput("a merging takes two memories or more", "keepstone merge ID ID")
    places = {(one.kind, one.scope, one.project_id) for one in sources}
    if len(places) > 1 or not all(supersede_sql.may_act(one, now) for one in sources):
        raise StateError("only active memories of one type and project can be merged", "keepstone show ID")
    return sources, merge_text.merged_text([one.content for one in sources], writer.ratio)


def merge(
    writer: Writer, ids: Sequence[str], policies: Policies, redact: Callable[[str], str], text: str, now: float
) -> str:
    """Merges memories into one, with the sentences of all of them or a person's own `text`. Returns its id. Raises
    BadInput as `preview_merge` does, and for a damaged memory.
    """
    sources, content = preview_merge(writer, ids, now)
    with writer.transaction() as tx:
        merging.require_sound(tx, [one.id for one in sources])
    content = redact(text or content)
    newest = sources[-1]
    values = merge_text.inherited(sources, lambda one: policies.importance(one, now))
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
    with writer.transaction() as tx:
        return merging.merge(tx, origin, sorted(one.id for one in sources), made, values, now)


def would_replace(writer: Writer, ids: Sequence[str], now: float) -> list[list[str]]:
    """Returns for each memory which others accepting it would archive: none for one that does not wait."""
    with writer.transaction() as tx:
        held = review_sql.records(tx, ids)
        waiting = {one: record for one, record in held.items() if record.trust == QUARANTINED}
        return [_replaced(tx, waiting[one], now) if one in waiting else [] for one in ids]


def _replaced(tx: Transaction, memory: MemoryRecord, now: float) -> list[str]:
    of_file = [one.id for one in note_files_sql.replaced_by(tx, memory)]
    return list(dict.fromkeys([*of_file, *supersede_sql.would_supersede(tx, memory, now)]))


def confirm(writer: Writer, one: Proposal, policies: Policies, redact: Callable[[str], str], now: float) -> str:
    """Carries out a proposal. Returns the id of the memory that results."""
    if one.kind == SUGGESTION:
        with writer.transaction() as tx:
            known = _waiting(tx, one)
            said = keep_suggestion.candidate_of(known, "", False, "")
            return keep_suggestion.become(tx, known, said, tx.actor, tx.session, now)[0]
    if one.kind == MERGE:
        made = merge(writer, one.members, policies, redact, "", now)
    else:
        made = one.members[0]
        if one.kind == PRUNE:
            edit.prune(writer, made, now)
        elif one.kind == PROMOTE:
            with writer.transaction() as tx:
                tiers_sql.lift(tx, [made], one.tier, {made: one.why}, now, tx.actor)
        else:
            edit.trust(writer, made, now)
    with writer.transaction() as tx:
        review_sql.answer(tx, one.kind, dump(list(one.members)), CONFIRMED, now)
    return made


def _waiting(tx: Transaction, one: Proposal) -> SuggestionRecord:
    known = tx.record(SuggestionRecord, "WHERE t.id = :id AND t.state = 'waiting'", {"id": one.suggestion})
    if known is None:
        raise StateError(f"{one.key} waits no more: it was settled meanwhile", "keepstone review")
    return known


def reject(writer: Writer, one: Proposal, now: float) -> None:
    """Stores a rejection. A rejected quarantined memory is forgotten, a suggestion waits no more."""
    if one.kind == SUGGESTION:
        with writer.transaction() as tx:
            suggestions_sql.change_state(tx, _waiting(tx, one), REFUSED, now, actor=tx.actor, session=tx.session)
        return
    if one.kind == QUARANTINE:
        edit.forget(writer, one.members[0], now)
    with writer.transaction() as tx:
        review_sql.answer(tx, one.kind, dump(list(one.members)), REJECTED, now)
