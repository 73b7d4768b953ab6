"""Converts a conversation in plain text to transcript records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..lib.fast_json import dump
from ..lib.pattern import Pattern
from ..lib.text import digest
from ..model.hit import iso

_SPEAKER = Pattern(r"^[ \t]*\**(user|human|assistant|claude)\**:\**[ \t]*", re.IGNORECASE | re.MULTILINE)


def records(text: str, session: str, folder: str, now: float) -> str:
    """Returns the lines of a transcript. A text that is already JSON lines is returned unchanged. Otherwise each turn
    of a speaker (`User:`, `Assistant:`) becomes a record, and text before the first speaker is the user's. The same
    text always makes the same records.
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
