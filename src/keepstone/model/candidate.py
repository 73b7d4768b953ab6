"""Candidates: memories that an extractor proposes, and the check that accepts them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..lib.limits import CONTENT_CHARS, EXCERPT_CHARS, RULES_CONFIDENCE, TITLE_CHARS
from ..lib.text import clean, clip, one_line
from .memory import ALIASES, KINDS, SCOPES
from .relationship import CAUSED_BY, CONTRADICTS, DEPENDS_ON, REFERENCES, SUPERSEDES

LASTING_CONFIDENCE = 0.7  # an automatic memory below this confidence is episodic

REPEATS = "repeats"
CHOSEN = "chosen"  # the method of evidence for an option of the assistant's that the user has chosen
PROGRAM = "program"  # the method of evidence for what a program said in the user's place
BY_CLAUDE = "model"  # the method of evidence for what a session's model stored and its user has not said
PROGRAM_SAID = "a program said it"  # why a memory waits that is of a session without a person
PROGRAM_RAN = "a program ran its session"  # why one waits that Claude said there
RUN_BY = "run_by"  # the facet of a memory whose session a program ran; its value is PROGRAM
MODEL_MAY_NAME = (REPEATS, CONTRADICTS, SUPERSEDES, CAUSED_BY, DEPENDS_ON, REFERENCES)  # relations in a model's answer


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored memory that is similar to a window's text."""

    id: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """An extracted memory that is not stored yet.

    `excerpt` is the source quote, verbatim from the turn `record_uuid`; `method` is the speaker (`user`, `program` or
    `assistant`). `said_at`, `deadline_at` and `ends_at` are UTC unix seconds. `relevance` and `confidence` are 0..1.
    `relation` is its relation to the memory `related_id`, "" for none. An `unsure` candidate is likely to last: it
    becomes a suggestion. `suspect` is the reason to quarantine it; `outside` is the reason why the text may not be
    the user's or the assistant's own. `by_program` tells that a program ran its session. `facets` are (facet, value).
    The statement stops binding at `deadline_at`; the memory expires at `ends_at`, or with its tier if that is None.
    `tier` is "" for the kind's tier; `branch` was checked out at the time.
    """

    kind: str
    content: str
    relevance: float
    record_uuid: str
    excerpt: str
    method: str
    confidence: float = RULES_CONFIDENCE
    title: str = ""
    scope: str = "project"
    said_at: float | None = None
    relation: str = ""
    related_id: str = ""
    unsure: bool = False
    suspect: str = ""
    outside: str = ""
    deadline_at: float | None = None
    ends_at: float | None = None
    tier: str = ""
    branch: str = ""
    facets: tuple[tuple[str, str], ...] = ()
    by_program: bool = False


def accept(candidate: Candidate) -> Candidate | None:
    """Returns the candidate made fit for storage: numbers clamped to 0..1, texts cleaned, the title cut. Returns None
    if the kind or scope is unknown, the content is empty or too long, or a number is not a number.
    """
    kind = ALIASES.get(candidate.kind, candidate.kind)
    content = clean(candidate.content)
    if kind not in KINDS or candidate.scope not in SCOPES or not content or len(content) > CONTENT_CHARS:
        return None
    numbers = (candidate.relevance, candidate.confidence)
    if any(isinstance(n, bool) or not isinstance(n, int | float) or math.isnan(n) for n in numbers):
        return None
    return replace(
        candidate,
        kind=kind,
        content=content,
        relevance=min(1.0, max(0.0, float(candidate.relevance))),
        excerpt=clip(clean(candidate.excerpt), EXCERPT_CHARS),
        confidence=min(1.0, max(0.0, float(candidate.confidence))),
        title=title_of(candidate.title or content),
    )


def title_of(text: str) -> str:
    """Returns a memory's title: the first 100 characters of the text, on one line."""
    return clip(one_line(text), TITLE_CHARS)


def tier_at_birth(kind: str, confidence: float) -> str:
    """Returns a new memory's tier: its kind's, but at most `episodic` if its confidence is below
    LASTING_CONFIDENCE.
    """
    tier = KINDS[kind][1]
    return "episodic" if tier == "semantic" and confidence < LASTING_CONFIDENCE else tier
