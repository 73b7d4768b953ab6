"""Reads the turns around a memory's evidence from the archive, or else from the client's transcripts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..claude_code.transcript import ASSISTANT, USER
from ..claude_code.transcript_files import turns_of
from ..lib.limits import AROUND_TURNS
from ..lib.text import clean, clip, day, one_line
from ..model.hit import Hit
from .search_archive import ToldTurn

AROUND_CHARS = 300  # characters of each turn


def around(
    transcript_of: Callable[[str], str | None],
    archived: Callable[[str], list[ToldTurn]],
    shown: Hit,
    redact: Callable[[str], str],
) -> list[dict[str, Any]]:
    """Returns, for each piece of evidence, its date, its session and the turns around it. `archived` returns those that
    the archive holds around a record.
    """
    found = []
    for session, record, _, _, at in shown.evidence:
        path = transcript_of(session or "")
        turns = [_line(turn.speaker, turn.text, redact) for turn in archived(record)]
        turns = turns or (_near(path, record, redact) if path and os.path.exists(path) else [])
        found.append({"day": day(at), "session": session or "unknown", "turns": turns})
    return found


def _near(path: str, record: str, redact: Callable[[str], str]) -> list[str]:
    said = [turn for turn in turns_of(path) if turn.role in (USER, ASSISTANT) and turn.text.strip()]
    at = next((number for number, turn in enumerate(said) if turn.uuid == record), None)
    if at is None:
        return []
    near = said[max(0, at - AROUND_TURNS) : at + AROUND_TURNS + 1]
    return [_line(turn.role, turn.text, redact) for turn in near]


def _line(speaker: str, text: str, redact: Callable[[str], str]) -> str:
    return f"{speaker}: {clip(one_line(redact(clean(text))), AROUND_CHARS)}"
