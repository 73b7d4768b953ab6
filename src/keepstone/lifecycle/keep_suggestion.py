"""Keeps suggestions as memories: by the word of a person, or of a session's model in a sentence of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..claude_code.untrusted import is_told
from ..context import Context
from ..db import sessions
from ..db.records import SuggestionRecord
from ..db.writer import Transaction
from ..language import stated
from ..language.duplicates import adds_no_number, normalise
from ..lib.errors import BadInput, NotFound, StateError
from ..lib.fast_json import dump
from ..lib.text import STOP_WORDS
from ..model.candidate import Candidate, accept
from ..model.memory import MODEL, QUARANTINED
from ..model.suggestion import IGNORED, KEPT, REFUSED, short_id
from ..model.trust import suspicion
from ..model.validate import nothing_left, require_rest, require_text
from . import add_sql, forgotten_sql, suggestions_sql
from .add_sql import Origin
from .store_request import is_stated_now, require_no_program, untrusted_reason_now

if TYPE_CHECKING:
    from ..db.writer import Writer

# Why a sentence of a model's waits for review.
FAR = "says little of what the user said"
AGAINST = "the user has not said this, and it is against what is known"
# What a sentence that stands alone shares with what was said, at least: a part of its words, and of the words said.
# Of 822 sentences that readers wrote for what real people had said, 73 in 100 do, and 1 in 100 of what readers wrote
# for something else that was said in the same project.
OWN_PART, SAID_PART = 1 / 3, 1 / 3
STORE = "keepstone store --type decision 'one sentence with the why'"
_NAMED = "WHERE t.id IN (SELECT value FROM json_each(:ids)) AND t.state <> 'repeated' ORDER BY t.id"


def keep(context: Context, to: Writer, name: str, sentence: str, redact: Callable[[str], str]) -> tuple[str, bool]:
    """Makes a memory of a suggestion of the caller's project: with its text, or with a `sentence` that says it alone.
    The user's words are its evidence. Returns (id, whether it is new).

    A session's model keeps only what may be trusted. A sentence of its own waits for review if it says little of what
    the user said or may come from outside, and any if it is against a known memory that the user has only guessed
    about. Raises BadInput, NotFound or StateError for a name that is none, or none here, or of what waits no more.
    """
    by_model, now = context.caller.by_model, context.clock()
    require_no_program(context)
    own = require_rest(redact(require_text(sentence))) if sentence else ""
    outside = untrusted_reason_now(context, own) if own and by_model else ""
    is_stated = not by_model or bool(own and not stated.is_guess(own) and is_stated_now(context, own))
    with to.transaction() as tx:
        one = _named(tx, name, sessions.project(tx, context.caller.identity, "", now), now)
        if by_model and one.trust == QUARANTINED:
            says = f"{short_id(one.id)} waits for a person's word: {one.trust_reason}"
            raise BadInput(says, "the user decides: keepstone review, in a terminal")
        made = candidate_of(one, own, by_model, outside or "")
        if by_model and forgotten_sql.was_erased(tx, [made.content], one.said_at):
            raise BadInput("this says what was erased, and the user has not asked for it", "let the user store it")
        if not (is_stated or _is_said(own or one.text, one)) and not made.suspect:
            against = add_sql.disputes(tx, _origin_of(one, tx.actor, context.session), made, now)
            made = replace(made, suspect=AGAINST if against else "")
        return become(tx, one, made, MODEL if by_model else tx.actor, context.session, now)


def become(
    tx: Transaction, one: SuggestionRecord, made: Candidate, actor: str, session: str | None, now: float
) -> tuple[str, bool]:
    """Makes a memory of a suggestion. Returns (id, whether it is new)."""
    memory_id, is_new = add_sql.keep(tx, _origin_of(one, actor, session), made, now)
    tx.update("evidence", {"memory_id": memory_id, "record_uuid": one.record_uuid}, {"session_id": one.session_id})
    suggestions_sql.change_state(tx, one, KEPT, now, memory_id, actor, session)
    return memory_id, is_new


def _origin_of(one: SuggestionRecord, actor: str, session: str | None) -> Origin:
    project = one.project_id if one.scope == "project" else None
    return Origin("hook", project, session or one.session_id, one.branch, one.agent_id, actor)


def candidate_of(one: SuggestionRecord, sentence: str, by_model: bool, outside: str) -> Candidate:
    """Returns what a suggestion is kept as. A person's word makes it trusted, whatever it waited for."""
    made = replace(suggestions_sql.candidate_of(one), suspect="")
    if sentence:
        said = (one.text, one.excerpt)
        told = any(is_told(sentence, text) for text in said)
        far = not told and not any(_shares(sentence, text) for text in said)
        why = suspicion([sentence], (FAR if far else "" if told else outside)) if by_model else ""
        made = replace(made, content=sentence, suspect=why)
    accepted = accept(made)
    if accepted is None:
        raise nothing_left()
    return accepted


def _is_said(sentence: str, one: SuggestionRecord) -> bool:
    """Tells whether a suggestion states a sentence, and does not only guess it."""
    return not stated.is_guess(sentence) and stated.is_stated(sentence, (one.text, one.excerpt))


def _shares(sentence: str, said: str) -> bool:
    """Tells whether a sentence says what a user has said, in other words, and not much else."""
    own, known = (_starts(text) for text in (sentence, said))
    shared = len(own & known)
    return adds_no_number(sentence, said) and 0 < shared >= OWN_PART * len(own) and shared >= SAID_PART * len(known)


def _starts(text: str) -> set[str]:
    """Returns the beginnings of a text's telling words, which inflection does not change."""
    return {word[:4] for word in normalise(text).split() if word not in STOP_WORDS}


def _named(tx: Transaction, name: str, project_id: str | None, now: float) -> SuggestionRecord:
    """Returns the suggestion of a name that waits in a project."""
    ids = suggestions_sql.whole_ids(tx, name)
    found = tx.records(SuggestionRecord, _NAMED, {"ids": dump(ids)})
    called = short_id(ids[0]) if ids else name.strip()[:20]
    here = [one for one in found if one.project_id == project_id]
    waiting = [one for one in here if one.state not in (KEPT, IGNORED, REFUSED) and one.expires_at > now]
    if len(waiting) > 1:
        raise BadInput(f"several suggestions have a name that begins with {called}", "give more of its digits")
    if not waiting:
        raise _gone(called, found, here)
    return waiting[0]


def _gone(name: str, found: Sequence[SuggestionRecord], here: Sequence[SuggestionRecord]) -> Exception:
    """Returns the error that tells why no suggestion of a name waits here."""
    if found and not here:
        return NotFound(f"{name} was suggested in another project", f"{STORE}, if it holds in this one")
    if not here:
        return NotFound(f"there is no suggestion {name}: each waits 14 days at most", STORE)
    one = here[0]
    if one.state == KEPT and one.memory_id:
        return StateError(f"{name} is kept already", f"keepstone show {one.memory_id[4:10]}")
    if one.state == REFUSED:
        return StateError(f"the user has turned {name} down", f"{STORE}, if they want it now")
    if one.state == IGNORED:
        return StateError(f"{name} was dropped: two sessions said nothing of it", STORE)
    return StateError(f"{name} has waited for 14 days, and is over", STORE)
