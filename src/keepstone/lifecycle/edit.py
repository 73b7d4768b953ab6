"""A person's changes to memories: store, revise, rate, pin, forget, restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..db import sessions
from ..db.records import MemoryRecord
from ..db.writer import Transaction, Writer
from ..lib.errors import BadInput, StateError
from ..lib.limits import ASKED_NOW, EXCERPT_CHARS
from ..lib.text import MAIN_AGENT, clean, clip
from ..model.candidate import BY_CLAUDE, PROGRAM_SAID, Candidate, accept, title_of
from ..model.memory import ALIASES, QUARANTINED
from ..model.tiers import BY_HAND
from ..model.trust import suspicion
from ..model.validate import (
    nothing_left,
    require_day,
    require_kind,
    require_relevance,
    require_rest,
    require_span,
    require_tags,
    require_text,
    require_tier,
)
from ..project.identity import Identity
from . import (
    add_sql,
    edit_sql,
    forgotten_sql,
    merge_sql,
    note_files_sql,
    ratings_sql,
    suggestions_sql,
    supersede_sql,
    versions_sql,
)
from .add_sql import Origin
from .initial_relevance import relevance_of


def store(
    writer: Writer,
    given: Mapping[str, Any],
    identity: Identity | None,
    *,
    redact: Callable[[str], str],
    seed: str,
    outside: str | None,
    origin: str = "manual",
    asked_at: float = ASKED_NOW,
    actor: str = "",
    by_program: bool = False,
    is_persons: bool = True,
) -> tuple[str, bool]:
    """Stores a person's memory as `Memory` or a job gives it. Returns (id, whether it is new). `seed` makes its id. A
    text from within a session, or from a program, is quarantined if it reads like an instruction to a model, or for the
    reason in `outside`; None means outside a session. What a model stores brings nothing back that was
    forgotten since the user asked for it (`asked_at`). Of a session that a program runs (`by_program`) the memory is
    marked. One that is no person's statement (`is_persons`) takes none back. Raises BadInput.
    """
    now, kind = float(given["at"]), given["kind"]
    content = require_rest(redact(require_text(given["text"])))
    scope = "user" if given["user"] else "project"
    one_kind = require_kind(kind)
    relevance = relevance_of(content) if given["relevance"] is None else require_relevance(given["relevance"])
    words = [*require_tags(given["tags"], redact), *([f"kind:{kind}"] if kind in ALIASES else [])]
    until, ends_at = _ends(given, now)
    tier = require_tier(given.get("tier") or "", ends_at is not None)
    method = "api" if origin == "api" else "manual" if is_persons else BY_CLAUDE
    candidate = accept(
        Candidate(
            *(one_kind, content, relevance, f"manual:{seed}", content, method),
            scope=scope,
            deadline_at=until,
            ends_at=ends_at,
            tier=tier,
            suspect=why_suspect((content, *words), "" if origin == "api" and outside is None else outside),
            by_program=by_program or outside == PROGRAM_SAID,  # another machine tells only the reason
        )
    )
    if candidate is None:
        raise nothing_left()
    agent = given.get("agent") or MAIN_AGENT
    with writer.transaction() as tx:
        if forgotten_sql.was_erased(tx, [content, *words], asked_at):
            raise BadInput("this says what was erased, and the user has not asked for it", "let the user store it")
        project_id = None if given["user"] else sessions.project(tx, identity, "", now)
        whence = Origin(origin, project_id, given["session"] or None, agent_id=agent, actor=actor)
        return add_sql.store(tx, whence, candidate, words, seed, now, asked_at)


def _ends(given: Mapping[str, Any], now: float) -> tuple[float | None, float | None]:
    """Returns the day with which a memory ends, if one was given, and when it ends."""
    if given.get("ttl") and given.get("until"):
        raise BadInput("it ends either after a time or with a day", "--ttl 30d, or --until 2026-12-24")
    until = require_day(given["until"], now) if given.get("until") else None
    return until, now + require_span(given["ttl"]) if given.get("ttl") else until


def revise(
    writer: Writer,
    memory_id: str,
    *,
    text: str | None = None,
    kind: str | None = None,
    relevance: float | None = None,
    tags: Sequence[str] = (),
    redact: Callable[[str], str],
    now: float,
    outside: str | None,
    asked_at: float = ASKED_NOW,
) -> None:
    """Replaces the fields that are given. The earlier text is kept as a version. Within a session, `outside` is the
    reason why the text may come from untrusted content, "" if it does not. Raises BadInput for a suspect text, which
    would be quarantined, and for one that was forgotten or erased since the user asked a model for it
    (`asked_at`).
    """
    content = None if text is None else require_rest(redact(require_text(text)))
    one_kind = None if kind is None else require_kind(kind)
    level = None if relevance is None else require_relevance(relevance)
    words = require_tags(tags, redact)
    if content is None and one_kind is None and level is None and not words:
        raise BadInput("there is nothing to revise", 'keepstone revise ID "the sentence as it should be"')
    if why := why_suspect((*words, *filter(None, [content])), outside):
        says = f"what this memory would say then has to wait for a person's word: {why}"
        raise BadInput(says, "let the user correct it, or keep the new text beside it: keepstone store 'the sentence'")

    def change(memory: MemoryRecord) -> None:
        memory.used_at = now  # correcting a memory counts as using it
        if content is not None:
            memory.content, memory.title = content, title_of(content)
            memory.status_reason = memory.status_reason if memory.trust == QUARANTINED else None
        memory.kind = one_kind or memory.kind
        memory.relevance = memory.relevance if level is None else level

    with writer.transaction() as tx:
        require_news(tx, memory_id, [*filter(None, [content]), *words], asked_at)
        edit_sql.change(tx, memory_id, "revise", change, now, words)


def require_news(tx: Transaction, memory_id: str, texts: Sequence[str], asked_at: float) -> None:
    """Raises BadInput for a text that was forgotten where a memory is seen, or erased, since the user asked for it: a
    model brings nothing back.
    """
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    project_id = memory.project_id if memory else None
    if forgotten_sql.was_forgotten(tx, project_id, texts, asked_at) or forgotten_sql.was_erased(tx, texts, asked_at):
        says = "what this memory would say then was forgotten or erased, and the user has not asked for it"
        raise BadInput(says, "let the user say the sentence, or correct it in a terminal: keepstone revise")


def why_suspect(texts: Sequence[str], outside: str | None) -> str:
    """Returns the reason why texts have to be quarantined, "" if they need not or outside a session."""
    return "" if outside is None or not texts else suspicion(texts, outside)


def rate(
    writer: Writer, memory_id: str, vote: str, note: str, session: str, *, redact: Callable[[str], str], now: float
) -> None:
    """Stores a vote and its note, once a session. `outdated` counts as a vote down and labels the memory until it is
    revised or rated up again. Raises BadInput for a note that is too long.
    """
    if len(clean(note)) > EXCERPT_CHARS:
        raise BadInput(f"a note has at most {EXCERPT_CHARS} characters, this has {len(clean(note))}", "say it shorter")
    reason = clip(redact(clean(note)), EXCERPT_CHARS)
    with writer.transaction() as tx:
        ratings_sql.rate(tx, memory_id, vote, reason, session or None, now)


def pin(writer: Writer, memory_id: str, pinned: bool, now: float) -> None:
    def change(memory: MemoryRecord) -> None:
        memory.pinned = int(pinned)
        if pinned and memory.origin not in BY_HAND:
            memory.expires_at = None  # an end that a person set stays

    with writer.transaction() as tx:
        edit_sql.change(tx, memory_id, "pin" if pinned else "unpin", change, now)


def trust(writer: Writer, memory_id: str, now: float) -> None:
    def change(memory: MemoryRecord) -> None:
        memory.trust, memory.status_reason = "trusted", None

    with writer.transaction() as tx:
        edit_sql.change(tx, memory_id, "trust", change, now)
        accepted = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
        if accepted and supersede_sql.may_act(accepted, now):
            for older in note_files_sql.replaced_by(tx, accepted):
                supersede_sql.supersede(tx, accepted, older, supersede_sql.BY_RULE, tx.session, now)
            supersede_sql.take_effect(tx, accepted, "", tx.session, now, is_accepted=True)


def forget(writer: Writer, memory_id: str, now: float) -> None:
    """Hides a memory from every recall, and summaries that quote it. They can be restored; stating it again does not
    bring it back. A merged memory that quotes it is undone, and a suggestion that says the same turned down.
    """

    def change(memory: MemoryRecord) -> None:
        memory.status, memory.status_reason = "deleted", "forgotten"

    with writer.transaction() as tx:
        merge_sql.take_apart(tx, memory_id, now)
        for one in (memory_id, *forgotten_sql.summaries_of(tx, memory_id)):
            edit_sql.change(tx, one, "forget", change, now)
        gone = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
        if gone is not None:
            suggestions_sql.refuse_alike(tx, gone.project_id, gone.content, now)


def prune(writer: Writer, memory_id: str, now: float) -> None:
    """Archives a memory: hidden, restorable, and back automatically when it is stated again."""

    def change(memory: MemoryRecord) -> None:
        memory.status, memory.status_reason = "archived", "pruned"

    with writer.transaction() as tx:
        edit_sql.change(tx, memory_id, "prune", change, now)


def restore(writer: Writer, memory_id: str, now: float) -> None:
    """Brings a memory back, however it ended. It no longer expires, as a person wanted it, except at a future end that
    the person set. One that waited for review waits again. Raises StateError for an active memory.
    """
    with writer.transaction() as tx:

        def change(memory: MemoryRecord) -> None:
            is_over = memory.expires_at is not None and memory.expires_at <= now
            if memory.status == "active" and not is_over:
                raise StateError(f"{memory.id} is active already", "keepstone recent --forgotten, or --archived")
            memory.status, memory.status_reason = "active", versions_sql.reason_to_wait(tx, memory)
            if memory.origin not in BY_HAND:
                memory.origin, memory.expires_at = BY_HAND[0], None  # counts as given by a person
            elif is_over:
                memory.expires_at = None

        edit_sql.restore(tx, memory_id, change, now)
