"""Whether a newcomer was made the one offer, and what came of it: `onboarding` in the data home. Hot module."""

from __future__ import annotations

import os

from ..lib import files
from ..lib.fast_json import dump, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OFFERED, DECLINED, ACCEPTED = "offered", "declined", "accepted"


def state(home: str) -> dict[str, Any]:
    """What is known: the `state`, the `session` that it was offered in, and the memories of `answers`; {} before."""
    try:
        found = parse(files.read(_path(home)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def is_due(home: str, session: str) -> bool:
    """Whether this session is to make the offer: the first one that asks, and that one again after a compaction."""
    offered = {"state": OFFERED, "session": session}
    return files.create_exclusive(_path(home), dump(offered)) or state(home) == offered


def mark_answered(home: str, came: str, answers: dict[str, str]) -> None:
    """Notes how it was answered, and the answers: nobody is asked again. Raises OSError."""
    files.write(_path(home), dump({"state": came, "answers": answers}))


def past_sessions(client_home: str, now: str = "") -> int:
    """How many transcripts of sessions the client keeps; that of this session, `now`, is none of the past."""
    count = 0
    for folder in _entries(os.path.join(client_home, "projects")):
        count += sum(path.endswith(".jsonl") and path != now for path in _entries(folder))
    return count


def _entries(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def _path(home: str) -> str:
    return os.path.join(home, "onboarding")
