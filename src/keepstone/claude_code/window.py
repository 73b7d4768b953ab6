"""Cuts the turns of a transcript into windows for extraction: every new turn is in one of them, oldest first, with a
few earlier turns for context.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..lib.limits import WINDOW_CHARS
from ..lib.text import head_and_tail
from ..model.candidate import Neighbour
from .transcript import ASSISTANT, USER, Turn

WINDOW_MESSAGES = 20
CONTEXT_MESSAGES = 4
CONTEXT_MESSAGES_MAX = 100


@dataclass(frozen=True, slots=True)
class Window:
    """The `new` turns to extract from, and `processed` earlier ones for context only. A window that is not `full` has
    room for later turns. `known` are similar memories, for an extractor that compares.
    """

    processed: tuple[Turn, ...]
    new: tuple[Turn, ...]
    full: bool = True
    known: tuple[Neighbour, ...] = ()


def cut(turn: Turn, chars: int = WINDOW_CHARS) -> Turn:
    """Returns the turn with at most `chars` characters of text, from its head and tail."""
    return replace(turn, text=head_and_tail(turn.text, chars)) if len(turn.text) > chars else turn


def has_context(turns: Sequence[Turn]) -> bool:
    """Tells whether these turns are context enough for the one after them: some, with the last prompt and the
    assistant's last words among them, which a prompt may mend or answer after many calls of tools.
    """
    speak = {turn.role for turn in turns if turn.text}
    return len(turns) >= CONTEXT_MESSAGES and {USER, ASSISTANT} <= speak or len(turns) >= CONTEXT_MESSAGES_MAX


def context(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Returns the last of these turns: as few as are context enough, or all."""
    found = deque[Turn]()
    for turn in reversed(turns):
        found.appendleft(turn)
        if has_context(found):
            break
    return tuple(found)


def windows(
    new: Iterable[Turn], processed: Sequence[Turn] = (), messages: int = WINDOW_MESSAGES, chars: int = WINDOW_CHARS
) -> Iterator[Window]:
    """Cuts `new` into windows of at most `messages` turns and `chars` characters. The last turns of a window are
    context in the next. A turn longer than a window keeps its head and tail.
    """
    carried = context(processed)
    room: list[Turn] = []
    size = 0
    for turn in new:
        turn = cut(turn, chars)
        if room and (len(room) == messages or size + len(turn.text) > chars):
            yield Window(carried, tuple(room))
            carried = context((*carried, *room))
            room, size = [], 0
        room.append(turn)
        size += len(turn.text)
    if room:
        yield Window(carried, tuple(room), full=len(room) >= messages or size >= chars)
