"""Prepares and stores memories that a caller gives: their place and time, and whether their text may be untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..config.settings import PROGRAMS_IGNORE, PROGRAMS_LEARN
from ..context import Context
from ..lib.errors import BadInput
from ..lib.limits import ASKED_NOW, UNASKED
from ..lib.text import session_key
from ..model.candidate import PROGRAM_SAID
from ..model.memory import MODEL
from ..project.identity import folder_of, spelled

if TYPE_CHECKING:
    from ..db.writer import Writer


def request_of(context: Context, text: str, **more: object) -> dict[str, Any]:
    """Returns a memory that a caller gives, with its place and time, as a job of the spool holds it. Raises BadInput in
    a session of a program if those are ignored.
    """
    caller = context.caller
    if caller.by_program and context.settings["programs"] == PROGRAMS_IGNORE:
        says = "a program runs this session, and nothing is learned from programs"
        raise BadInput(says, "keepstone config programs review, in a terminal")
    where = {
        "cwd": spelled(caller.folder),
        "project_dir": spelled(caller.project_dir),
        "session": session_key(caller.session) if caller.session else "",
    }
    more["by_model"], more["by_program"] = caller.by_model, caller.by_program
    more["agent"] = more.get("agent") or caller.agent
    return {"text": text, **more, **where, "at": context.clock()}


def store_request(context: Context, to: Writer, given: Mapping[str, Any], seed: str) -> tuple[str, bool]:
    """Stores a memory from `request_of`. Returns its id and whether it is new. The same seed makes no second memory."""
    from ..redaction.redact import redact
    from . import edit  # the rest of this module is for what only queues a memory

    identity = context.caller.project_of(folder_of(given["cwd"]), folder_of(given["project_dir"]))
    origin = given.get("origin") or "manual"
    by_model = given.get("by_model", bool(given["session"]))
    said = str(given["text"]), given["session"], given["at"]
    by_program = bool(given.get("by_program"))
    outside = untrusted_reason(context, *said, by_model, by_program)
    asked = asked_at(context, *said, by_model, by_program)
    own = is_stated(context, *said, by_model, by_program)
    actor = MODEL if by_model and given["session"] else context.actor if context.for_model else ""
    more: dict[str, Any] = {"origin": origin, "outside": outside, "asked_at": asked, "actor": actor, "is_persons": own}
    return edit.store(to, given, identity, redact=redact, seed=seed, by_program=by_program, **more)


def require_no_program(context: Context) -> None:
    """Raises BadInput in a session of a program that does not speak for the user."""
    if _is_not_for_user(context, context.caller.by_program):
        says = "a program runs this session, and what the user may have meant is no question to it"
        raise BadInput(says, "keepstone review, in a terminal")


def said_by_user(context: Context) -> str:
    """Returns the user's last message in the caller's session, in the user's own words: "" where a program speaks that
    does not speak for the user.
    """
    caller = context.caller
    return (
        "" if _is_not_for_user(context, caller.by_program) else caller.users_message(context.clock(), _speak(context))
    )


def _is_not_for_user(context: Context, by_program: bool) -> bool:
    return by_program and not _speak(context)


def _speak(context: Context) -> bool:
    """Tells whether programs speak for the user."""
    return bool(context.settings["programs"] == PROGRAMS_LEARN)


def untrusted_reason(
    context: Context, text: str, session: str, at: float, by_model: bool, by_program: bool
) -> str | None:
    """Returns why the text may not be the user's or the model's own: "" if it is, None outside a session."""
    if _is_not_for_user(context, by_program):
        return PROGRAM_SAID
    if not session:
        return "" if context.for_programs else None
    return context.caller.untrusted_reason(text, session, at, _speak(context)) if by_model else ""


def is_stated(context: Context, text: str, session: str, at: float, by_model: bool, by_program: bool) -> bool:
    """Tells whether a text counts as a person's statement: it is given by one, or the prompts of the session whose
    model gives it say it.
    """
    if not by_model or not session:
        return True
    return not _is_not_for_user(context, by_program) and context.caller.states(text, session, at, _speak(context))


def is_stated_now(context: Context, text: str) -> bool:
    """Returns the same for a text that the caller gives now."""
    caller = context.caller
    return is_stated(context, text, context.session or "", context.clock(), caller.by_model, caller.by_program)


def asked_at(context: Context, text: str, session: str, at: float, by_model: bool, by_program: bool) -> float:
    """Returns when the user asked for a text: ASKED_NOW for one that they give themselves; for a model's the time of
    their last message if it says this text, otherwise UNASKED.
    """
    if context.for_model or _is_not_for_user(context, by_program):
        return UNASKED
    return context.caller.asked_at(text, session, at, _speak(context)) if by_model and session else ASKED_NOW


def asked_at_now(context: Context, text: str) -> float:
    """Returns the same for a text that the caller gives now."""
    caller = context.caller
    return asked_at(context, text, context.session or "", context.clock(), caller.by_model, caller.by_program)


def untrusted_reason_now(context: Context, text: str) -> str | None:
    """Returns the same for a text that the caller gives now."""
    caller = context.caller
    return untrusted_reason(context, text, context.session or "", context.clock(), caller.by_model, caller.by_program)
