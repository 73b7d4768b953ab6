"""Searches the archive, and shows a turn with those around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..db.reader import Reader
from ..lib.errors import NotFound
from ..lib.limits import AROUND_TURNS
from ..lib.text import clean, query_terms
from ..model.hit import iso
from ..model.memory import QUARANTINED
from ..model.turn import PREFIX, StoredTurn
from .find import find
from .match_archive_sql import (
    FIRST_SCHEMA,
    ArchiveMatches,
    ArchiveScope,
    turns_by_number,
    turns_of,
    turns_of_record,
)

if TYPE_CHECKING:
    from .find import Lens

EXCERPT_CHARS = 200
HIDDEN = "(others may have written this: `keepstone show` in a terminal shows it)"
NUMBER_DIGITS = 18  # of a turn: a longer one is out of range
STEM_LETTERS = 4  # two words that begin with as many letters, and differ in an ending, are forms of one
ENDING_LETTERS = 4
_WORD = re.compile(r"\w+")
_PART = re.compile(r".+?(?:[.!?…]+(?=\s)|\n|$)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quote:
    """A turn that was found: the transcript's record that it comes from, its part that matches best, and the words in
    it that match. `said_at` is in unix seconds.
    """

    id: str
    session: str
    record: str
    project: str | None
    speaker: str
    said_at: float
    excerpt: str
    words: list[str]

    def as_object(self) -> dict[str, object]:
        """Returns the fields in JSON."""
        return {
            "id": self.id,
            "kind": "turn",
            "project": self.project,
            "session": self.session,
            "record": self.record,
            "speaker": self.speaker,
            "said_at": iso(self.said_at),
            "excerpt": self.excerpt,
            "words": self.words,
        }


@dataclass(frozen=True, slots=True)
class ToldTurn:
    """A turn whole. `said_at` is in unix seconds; `is_asked` tells whether it is the one that was asked for."""

    id: str
    session: str
    speaker: str
    said_at: float
    text: str
    is_asked: bool


def search(store: Reader, query: str, scope: ArchiveScope, limit: int, lens: Lens | None) -> list[Quote]:
    """Returns the best matches, best first; none if the query has no word."""
    terms = query_terms(query)
    if store.schema < FIRST_SCHEMA or not terms:
        return []
    matches = ArchiveMatches(store, scope)
    found = [turn for turn, one in find(matches, query, limit, lens) if matches.answers(turn, one)]
    names = store.project_names()
    return [_quote(turn, terms, names.get(turn.project_id or "")) for turn in found]


def around(store: Reader, given: str, turns: int, untrusted: bool) -> list[ToldTurn]:
    """Returns a turn between up to so many `turns` on each side; what others may have written only if it is `untrusted`
    that is asked for too. Raises NotFound.
    """
    number = given.removeprefix(PREFIX)
    is_known = number.isdecimal() and len(number) <= NUMBER_DIGITS and store.schema >= FIRST_SCHEMA
    found = turns_by_number(store, [int(number)]) if is_known else []
    if not found:
        raise NotFound(f"no turn {clean(given)!r} is in the archive", "keepstone search --in sessions 'retry limit'")
    return _around(store, found[0], turns, untrusted)


def around_record(store: Reader, record: str, untrusted: bool) -> list[ToldTurn]:
    """Returns the turn of a transcript's record with those around it, as `around` does; none if it is not there."""
    found = turns_of_record(store, record) if store.schema >= FIRST_SCHEMA else []
    return _around(store, found[0], AROUND_TURNS, untrusted) if found else []


def _around(store: Reader, asked: StoredTurn, turns: int, untrusted: bool) -> list[ToldTurn]:
    near = turns_of(store, asked.session_id, asked.place - turns, asked.place + turns)
    return [_told(turn, untrusted, turn.seq == asked.seq) for turn in near]


def session(store: Reader, session_id: str, untrusted: bool) -> list[ToldTurn]:
    """Returns what the archive holds of a session, in order. `untrusted` is as in `around`."""
    found = turns_of(store, session_id) if store.schema >= FIRST_SCHEMA else []
    return [_told(turn, untrusted) for turn in found]


def _told(turn: StoredTurn, untrusted: bool, is_asked: bool = False) -> ToldTurn:
    text = turn.text if untrusted or turn.trust != QUARANTINED else HIDDEN
    return ToldTurn(turn.id, turn.session_id, turn.speaker, turn.said_at, text, is_asked)


def _quote(turn: StoredTurn, terms: Sequence[str], project: str | None) -> Quote:
    excerpt = _best_part(turn.text, terms)
    words = list(dict.fromkeys(word for word in _WORD.findall(excerpt) if _matches(word, terms)))
    return Quote(turn.id, turn.session_id, turn.record_uuid, project, turn.speaker, turn.said_at, excerpt, words)


def _best_part(text: str, terms: Sequence[str]) -> str:
    """Returns the sentences of a text that hold the most terms, in one line of at most EXCERPT_CHARS characters."""
    parts = [part for part in _PART.findall(text) if part.strip()]
    scores = [len({term for word in _WORD.findall(part) for term in terms if _matches(word, [term])}) for part in parts]
    if not parts:
        return ""
    best = max(range(len(parts)), key=lambda at: scores[at])
    last = best
    while last + 1 < len(parts) and len("".join(parts[best : last + 2])) <= EXCERPT_CHARS:
        last += 1
    line = " ".join(clean("".join(parts[best : last + 1])).split())
    return line if len(line) <= EXCERPT_CHARS else _cut(line, terms)


def _cut(line: str, terms: Sequence[str]) -> str:
    """Returns the part of a long line from shortly before its first match on."""
    first = next((word.start() for word in _WORD.finditer(line) if _matches(word[0], terms)), 0)
    start = max(0, min(first - EXCERPT_CHARS // 4, len(line) - EXCERPT_CHARS))
    cut = line[start : start + EXCERPT_CHARS]
    return ("…" if start else "") + cut.strip() + ("…" if start + EXCERPT_CHARS < len(line) else "")


def _matches(word: str, terms: Sequence[str]) -> bool:
    """Tells whether a word is a form of one of the terms, roughly as the index takes it."""
    low = word.lower()
    return any(low == term or _are_forms(low, term) for term in terms)


def _are_forms(one: str, other: str) -> bool:
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= STEM_LETTERS and max(len(one), len(other)) - shared <= ENDING_LETTERS
