"""The fence against Keepstone's own words: what it showed to a session is no news when that says it again."""

from __future__ import annotations

import re
from collections.abc import Container

from ..language.duplicates import normalise
from ..model.candidate import Candidate

# How a line of the brief or of a listing ends; a person does not write so.
_SHOWN = re.compile(r"\([0-9a-f]{6,16}, (?:[^\n]{0,100}, )?\d{4}-\d\d-\d\d|\bID: [0-9a-f]{6,16} \|")


def is_echo(candidate: Candidate, shown: Container[str]) -> bool:
    """Whether a candidate is one of the `shown` texts (normalised), word for word, or quotes a line of Keepstone's."""
    return normalise(candidate.content) in shown or bool(_SHOWN.search(candidate.excerpt))
