"""Cuts the turns of a transcript into windows for extraction: every new turn is in one of them, oldest first, with a
few earlier turns for context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..lib.limits import WINDOW_CHARS, WINDOW_OVERLAP
from ..lib.text import head_and_tail
from ..model.candidate import Neighbour
from .transcript import Turn

WINDOW_MESSAGES = 20


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


def windows(
    new: Iterable[Turn],
    processed: Iterable[Turn] = (),
    messages: int = WINDOW_MESSAGES,
    chars: int = WINDOW_CHARS,
    overlap: int = WINDOW_OVERLAP,
) -> Iterator[Window]:
    """Cuts `new` into windows of at most `messages` turns and `chars` characters. The last `overlap` turns of a window
    are context in the next. A turn longer than a window keeps its head and tail.
    """
    carried = tuple(processed)[-overlap:] if overlap else ()
    room: list[Turn] = []
    size = 0
    for turn in new:
        turn = cut(turn, chars)
        if room and (len(room) == messages or size + len(turn.text) > chars):
            yield Window(carried, tuple(room))
            carried = (carried + tuple(room))[-overlap:] if overlap else ()
            room, size = [], 0
        room.append(turn)
        size += len(turn.text)
    if room:
        yield Window(carried, tuple(room), full=len(room) >= messages or size >= chars)
