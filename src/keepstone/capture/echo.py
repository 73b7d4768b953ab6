"""Recognises Keepstone's own text: a memory that a session was shown is not new if the session repeats it."""

from __future__ import annotations

from collections.abc import Container

from ..language.duplicates import normalise
from ..lib.pattern import Pattern
from ..model.candidate import Candidate

# The end of a line in the brief or a listing. A person does not write like this.
_SHOWN = Pattern(r"\([0-9a-f]{6,16}, (?:[^\n]{0,100}, )?\d{4}-\d\d-\d\d|\bID: [0-9a-f]{6,16} \|")


def is_echo(candidate: Candidate, shown: Container[str]) -> bool:
    """Tells whether a candidate is identical to one of the `shown` texts (normalised), or quotes a line of
    Keepstone's.
    """
    return normalise(candidate.content) in shown or bool(_SHOWN.search(candidate.excerpt))
