"""Suggestions: statements that are likely to last, and wait for somebody's word. They are no memories. Hot module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A suggestion waits; it became a memory; two sessions were asked and said nothing of it; a person turned it down; it
# says again what another one of its session says, which stands for both, or what a memory says, and may be another's.
WAITING, KEPT, IGNORED, REFUSED, REPEATED = STATES = ("waiting", "kept", "ignored", "refused", "repeated")

WAITING_DAYS = 14.0  # from when it was said; then its row goes
ASKED_MOST = 2  # sessions that are asked about a suggestion
ASKED_IN_SESSION = 6  # suggestions that one session is asked about
SHORT_ID_DIGITS = 4  # of its id, as a session's model is told it


class Suggested:
    """What a session's model may be asked to keep: `waiting`, each (id, text), and what it was `asked` already,
    each (id, text, when).
    """

    __slots__ = ("asked", "waiting")

    def __init__(self, waiting: Sequence[tuple[str, str]], asked: Sequence[tuple[str, str, float]]) -> None:
        self.waiting = waiting
        self.asked = asked


def is_suggestion(name: str) -> bool:
    """Tells whether a name or an id is a suggestion's, and no memory's."""
    return name.strip().lower().startswith("s")


def short_id(suggestion_id: str, digits: int = SHORT_ID_DIGITS) -> str:
    """Returns the name by which a suggestion is kept: `s`, and the beginning of its id."""
    return "s" + suggestion_id.partition("-")[2][:digits]
