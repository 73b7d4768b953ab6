"""Recognises Keepstone's own text: a memory that a session was shown is not new if the session repeats it."""

from __future__ import annotations

from collections.abc import Callable, Container

from ..language.duplicates import normalise
from ..lib.pattern import Pattern
from ..model.candidate import Candidate

# The end of a line in the brief or a listing. A person writes like this of a commit, so the id has to be a memory's.
_SHOWN = Pattern(r"\(([0-9a-f]{6,16}), (?:[^\n]{0,100}, )?\d{4}-\d\d-\d\d|\bID: ([0-9a-f]{6,16}) \|")


def is_echo(candidate: Candidate, shown: Container[str], is_memory: Callable[[str], bool]) -> bool:
    """Tells whether a candidate is identical to one of the `shown` texts (normalised), or quotes a line of
    Keepstone's. `is_memory` tells whether an id begins that of a memory.
    """
    return normalise(candidate.content) in shown or quotes_line(candidate.excerpt, is_memory)


def quotes_line(text: str, is_memory: Callable[[str], bool]) -> bool:
    """Tells whether a text quotes a line in which Keepstone shows a memory."""
    return any(is_memory(found[1] or found[2]) for found in _SHOWN.finditer(text))
