"""Records whether a new user was made the onboarding offer, and the answer, in `onboarding` in the data home. Hot
module.
"""

from __future__ import annotations

import os

from ..lib import files
from ..lib.fast_json import dump, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OFFERED, DECLINED, ACCEPTED = "offered", "declined", "accepted"


def state(home: str) -> dict[str, Any]:
    """Returns the `state`, the `session` in which the offer was made, and the ids of the memories of `answers`; {}
    before the offer.
    """
    try:
        found = parse(files.read(_path(home)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def is_due(home: str, session: str) -> bool:
    """Tells whether this session is to make the offer: the first session that asks, and the same one after a
    compaction.
    """
    offered = {"state": OFFERED, "session": session}
    return files.create_exclusive(_path(home), dump(offered)) or state(home) == offered


def mark_answered(home: str, came: str, answers: dict[str, str]) -> None:
    """Stores how the offer was answered, and the answers, so that it is not made again. Raises OSError."""
    files.write(_path(home), dump({"state": came, "answers": answers}))


def past_sessions(client_home: str, now: str = "") -> int:
    """Returns the number of the client's transcripts. `now` is the path of the present session's, which is
    not counted.
    """
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
