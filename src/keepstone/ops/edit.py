"""What a person does to memories: store, revise, rate, pin, forget, restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.candidate import Candidate, accept, title_of
from ..core.defaults import EXCERPT_CHARS
from ..core.errors import BadInput, NotFound
from ..core.given import need_day, need_kind, need_relevance, need_span, need_tags, need_text, need_tier
from ..core.lifecycle import BY_HAND
from ..core.model import ALIASES, OUTDATED, QUARANTINED, StoredMemory
from ..core.relate import SUPERSEDES, need_type
from ..core.relevance import relevance_of
from ..core.text import MAIN_AGENT, clean, clip
from ..core.trust import suspicion
from ..project import Identity
from ..store.store import Origin, Store
from ..store.tables import Memory

VOTES = ("up", "down", OUTDATED)


def store(
    to: Store,
    given: Mapping[str, Any],
    identity: Identity | None,
    *,
    redact: Callable[[str], str],
    seed: str,
    outside: str | None,
    origin: str = "manual",
) -> tuple[str, bool]:
    """Stores a person's memory as `Memory` or a job gives it; (id, whether it is new). `seed` makes its id. What comes
    from within a session, or from a program, waits where it reads as instructions to a model, or for the reason that
    `outside` gives; None is no session. Raises BadInput, saying what would do.
    """
    now, kind = float(given["at"]), given["kind"]
    content = redact(need_text(given["text"]))
    scope = "user" if given["user"] else "project"
    one_kind = need_kind(kind)
    relevance = relevance_of(content) if given["relevance"] is None else need_relevance(given["relevance"])
    words = [*need_tags(given["tags"], redact), *([f"kind:{kind}"] if kind in ALIASES else [])]
    if given.get("ttl") and given.get("until"):
        raise BadInput("it ends either after a time or with a day", "--ttl 30d, or --until 2026-12-24")
    until = need_day(given["until"], now) if given.get("until") else None
    ends_at = now + need_span(given["ttl"]) if given.get("ttl") else until
    tier = need_tier(given.get("tier") or "", ends_at is not None)
    candidate = accept(
        Candidate(
            *(one_kind, content, relevance, f"manual:{seed}", content, "api" if origin == "api" else "manual"),
            scope=scope,
            deadline_at=until,
            ends_at=ends_at,
            tier=tier,
            suspect=why_suspect((content, *words), "" if origin == "api" and outside is None else outside),
        )
    )
    if candidate is None:
        raise BadInput("nothing is left of this text to store", 'keepstone store "one sentence with the why"')
    project_id = None if given["user"] else to.project(identity, "", now)
    agent = given.get("agent") or MAIN_AGENT
    return to.store(Origin(origin, project_id, given["session"] or None, agent_id=agent), candidate, words, seed, now)


def revise(
    to: Store,
    memory_id: str,
    *,
    text: str | None = None,
    kind: str | None = None,
    relevance: float | None = None,
    tags: Sequence[str] = (),
    redact: Callable[[str], str],
    now: float,
    outside: str | None,
) -> None:
    """Replaces what is given; the earlier text is kept as a version. Within a session `outside` says why the text may
    be the words of others, "" that it is not. Raises BadInput for a suspect text, which would have to wait.
    """
    content = None if text is None else redact(need_text(text))
    one_kind = None if kind is None else need_kind(kind)
    level = None if relevance is None else need_relevance(relevance)
    words = need_tags(tags, redact)
    if content is None and one_kind is None and level is None and not words:
        raise BadInput("there is nothing to revise", 'keepstone revise ID "the sentence as it should be"')
    if why := why_suspect((*words, *filter(None, [content])), outside):
        says = f"what this memory would say then has to wait for a person's word: {why}"
        raise BadInput(says, "let the user correct it, or keep the new text beside it: keepstone store 'the sentence'")

    def change(memory: Memory) -> None:
        memory.used_at = now  # who corrects it has use for it
        if content is not None:
            memory.content, memory.title = content, title_of(content)
            memory.status_reason = memory.status_reason if memory.trust == QUARANTINED else None
        memory.kind = one_kind or memory.kind
        memory.relevance = memory.relevance if level is None else level

    to.change(memory_id, "revise", change, now, words)


def draw(
    to: Store,
    source: StoredMemory,
    target: StoredMemory,
    type: str,
    notes: str,
    outside: str | None,
    *,
    redact: Callable[[str], str],
    now: float,
) -> bool:
    """Draws a relationship by hand; whether it is new. Raises BadInput and NotFound, saying what would do."""
    kind, said = need_type(type), redact(clean(notes))
    if source.id == target.id:
        raise BadInput("a memory has no relationship with itself", "keepstone graph relate ID OTHER-ID")
    for one in (source, target):
        if one.trust == QUARANTINED or one.status == "deleted":
            why = "waits for a person's word" if one.trust == QUARANTINED else "is forgotten"
            raise NotFound(
                f"{one.id} {why}", "keepstone review" if one.trust == QUARANTINED else "keepstone restore ID"
            )
    if kind == SUPERSEDES and source.status != "active":
        raise BadInput(
            f"{source.id} is {source.status_reason or source.status} itself", f"keepstone restore {source.id}"
        )
    if kind == SUPERSEDES and (source.scope, source.project_id) != (target.scope, target.project_id):
        raise BadInput("only a memory of the same project supersedes one", "--type contradicts says that of others")
    if len(said) > EXCERPT_CHARS:
        raise BadInput(f"notes have at most {EXCERPT_CHARS} characters, these have {len(said)}", "say it shorter")
    if said and (why := why_suspect([said], outside)):
        raise BadInput(f"these notes would have to wait for a person's word: {why}", "relate them without --notes")
    return to.relate(source.id, target.id, kind, said, now)


def why_suspect(texts: Sequence[str], outside: str | None) -> str:
    """Why what is given has to wait, "" for what need not, as nothing need outside of a session."""
    return "" if outside is None or not texts else suspicion(texts, outside)


def rate(
    to: Store, memory_id: str, vote: str, note: str, session: str, *, redact: Callable[[str], str], now: float
) -> None:
    """Stores a vote and why, once a session. `outdated` counts as one down and marks the memory, until it is revised or
    rated up again.
    """
    if len(clean(note)) > EXCERPT_CHARS:
        raise BadInput(f"a note has at most {EXCERPT_CHARS} characters, this has {len(clean(note))}", "say it shorter")
    to.rate(memory_id, vote, clip(redact(clean(note)), EXCERPT_CHARS), session or None, now)


def pin(to: Store, memory_id: str, pinned: bool, now: float) -> None:
    def change(memory: Memory) -> None:
        memory.pinned = int(pinned)
        if pinned and memory.origin not in BY_HAND:
            memory.expires_at = None  # a person's own end stays

    to.change(memory_id, "pin" if pinned else "unpin", change, now)


def trust(to: Store, memory_id: str, now: float) -> None:
    def change(memory: Memory) -> None:
        memory.trust, memory.status_reason = "trusted", None

    to.change(memory_id, "trust", change, now)


def forget(to: Store, memory_id: str, now: float) -> None:
    """Hides a memory from every recall; it stays restorable, and what states it again does not bring it back."""

    def change(memory: Memory) -> None:
        memory.status, memory.status_reason = "deleted", "forgotten"

    to.change(memory_id, "forget", change, now)


def prune(to: Store, memory_id: str, now: float) -> None:
    """Archives a memory: hidden, restorable, and back by itself when it is stated again."""

    def change(memory: Memory) -> None:
        memory.status, memory.status_reason = "archived", "pruned"

    to.change(memory_id, "prune", change, now)


def restore(to: Store, memory_id: str, now: float) -> None:
    """Brings a memory back, whatever it ended by; it does not end by itself again, as a person wanted it, unless by an
    end of the person's own that is still to come. Raises BadInput for what is there.
    """

    def change(memory: Memory) -> None:
        is_over = memory.expires_at is not None and memory.expires_at <= now
        if memory.status == "active" and not is_over:
            raise BadInput(f"{memory.id} is active already", "keepstone recent --forgotten, or --archived")
        memory.status, memory.status_reason = "active", None
        if memory.origin not in BY_HAND:
            memory.origin, memory.expires_at = BY_HAND[0], None  # a person gave it again
        elif is_over:
            memory.expires_at = None

    to.restore(memory_id, change, now)
