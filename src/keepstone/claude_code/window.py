"""Windows of extraction: every new turn in one of them, oldest first, with a little of what came before."""

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
    """`new` turns to extract from; `processed` ones, read before, only say what those refer to. One that is not `full`
    has room for turns to come. `known` are memories like it, for an extractor that compares.
    """

    processed: tuple[Turn, ...]
    new: tuple[Turn, ...]
    full: bool = True
    known: tuple[Neighbour, ...] = ()


def cut(turn: Turn, chars: int = WINDOW_CHARS) -> Turn:
    """The turn with at most so many characters of its text, from head and tail."""
    return replace(turn, text=head_and_tail(turn.text, chars)) if len(turn.text) > chars else turn


def windows(
    new: Iterable[Turn],
    processed: Iterable[Turn] = (),
    messages: int = WINDOW_MESSAGES,
    chars: int = WINDOW_CHARS,
    overlap: int = WINDOW_OVERLAP,
) -> Iterator[Window]:
    """Cuts `new` into windows of at most `messages` turns and `chars` characters; the last `overlap` turns of a
    window go along with the next. A turn longer than a window keeps its head and tail.
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
