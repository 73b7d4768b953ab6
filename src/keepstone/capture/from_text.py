"""A conversation that a program tells as text, as the records of a transcript."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..lib.fast_json import dump
from ..lib.text import digest
from ..model.hit import iso

_SPEAKER = re.compile(r"^[ \t]*\**(user|human|assistant|claude)\**:\**[ \t]*", re.IGNORECASE | re.MULTILINE)


def records(text: str, session: str, folder: str, now: float) -> str:
    """The lines of a transcript: the text's own where it is one already, else a record for each turn of a speaker
    (`User:`, `Assistant:`); what nobody is named for, the user has said. The same text again makes the same records.
    """
    if text.lstrip().startswith("{"):
        return text
    lines = []
    for number, (role, said) in enumerate(_turns(text)):
        record = {
            "type": role,
            "uuid": digest(session, str(number), said),
            "sessionId": session,
            "cwd": folder,
            "timestamp": iso(now),
            "message": {"role": role, "content": said},
        }
        lines.append(dump(record) + "\n")
    return "".join(lines)


def _turns(text: str) -> Iterator[tuple[str, str]]:
    found = list(_SPEAKER.finditer(text))
    ends = [one.start() for one in found] + [len(text)]
    if said := text[: ends[0]].strip():
        yield "user", said
    for one, end in zip(found, ends[1:], strict=True):
        if said := text[one.end() : end].strip():
            yield "user" if one[1].lower() in ("user", "human") else "assistant", said
