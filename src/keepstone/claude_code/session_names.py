"""Reads what the client calls a session: the title that the user gave it, and the titles, the plan and the summaries
that a model wrote, which may come from untrusted content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..language.task_name import name_in
from ..lib.pattern import Pattern
from .person import blocks_of, string
from .transcript import USER
from .transcript_files import lines, marked_records

_PLAN = "Implement the following plan:"  # how the client begins a session with a plan that was approved before
_TITLES: dict[object, str] = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
_MARKS = (b'"custom-title"', b'"ai-title"', b'"summary"', b'"isCompactSummary"', _PLAN.encode())
# The part of a compaction's summary that says what was asked for.
_REQUEST = Pattern(r"\bPrimary Request(?: and Intent)?\W{1,12}([^\n]{4,600})")
_WHO = Pattern(
    r"^(?:the )?user(?:'s)? (?:\w+ly )?(?:asked|requested|wanted|wants|instructed)(?: me)?(?: to| for| that)? ",
    re.IGNORECASE,
)


@dataclass(slots=True)
class SessionNames:
    """The `given` title is the user's own. `made` are names in a model's words, the best first, each with the uuid of
    the record that holds it, if that has one.
    """

    given: str = ""
    made: list[tuple[str, str]] = field(default_factory=list)


def names_of(path: str) -> SessionNames:
    """Returns the names of the session in a transcript. Raises OSError if it cannot be read."""
    named: dict[str, tuple[str, str]] = {}
    leaf = ""
    for record in marked_records(path, _MARKS):
        kind, uuid = record.get("type"), string(record.get("uuid"))
        if kind == USER:
            named |= {key: (name, uuid) for key, name in _in_message(record).items()}
        elif kind in _TITLES:
            named[_TITLES[kind]] = string(record.get(_TITLES[kind])), uuid
            leaf = string(record.get("leafUuid")) or leaf
    if leaf and not _holds(path, leaf):
        named.pop("summary", None)  # older clients name other sessions in a transcript, too
    made = (named.get(key, ("", "")) for key in ("plan", "aiTitle", "summary", "request"))
    return SessionNames(named.get("customTitle", ("", ""))[0], [name for name in made if name[0]])


def _in_message(record: dict[str, object]) -> dict[str, str]:
    """Returns the names in a user's record that the client wrote."""
    message = record.get("message")
    blocks = blocks_of(message.get("content")) if isinstance(message, dict) else []
    text = next((string(block.get("text")) for block in blocks if block.get("type") == "text"), "")
    if text.startswith(_PLAN):
        return {"plan": name_in(text.removeprefix(_PLAN))}
    found = _REQUEST.search(text) if record.get("isCompactSummary") else None
    return {"request": _WHO.sub("", found[1].strip(" *-:"))} if found else {}


def _holds(path: str, uuid: str) -> bool:
    mark = f'"uuid":"{uuid}"'.encode()
    with open(path, "rb") as file:
        return any(mark in line.replace(b'"uuid": "', b'"uuid":"') for _, _, line in lines(file, 0))
