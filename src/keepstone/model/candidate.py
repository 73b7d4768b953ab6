"""Candidates: what an extractor returns, and what of it is acceptable (CG-9)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..lib.limits import CONTENT_CHARS, EXCERPT_CHARS, RULES_CONFIDENCE, TITLE_CHARS
from ..lib.text import clean, clip, one_line
from .memory import ALIASES, KINDS, SCOPES, WORKING
from .relationship import CAUSED_BY, CONTRADICTS, DEPENDS_ON, REFERENCES, SUPERSEDES

LASTING_CONFIDENCE = 0.7  # an automatic memory below it is episodic

REPEATS = "repeats"
MODEL_MAY_NAME = (REPEATS, CONTRADICTS, SUPERSEDES, CAUSED_BY, DEPENDS_ON, REFERENCES)  # that a model may name


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored memory that is like what a window says."""

    id: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory extracted, not yet stored. `excerpt` is verbatim from the turn `record_uuid`; `method` who said it
    (`user` or `assistant`), `said_at` when, in UTC unix seconds. `relevance` and `confidence` lie in 0..1. `relation`
    is what it is to the memory `related_id`, "" for nothing. One that is `unsure` lives for its session, unless it is
    said again; `suspect` says why it must wait for a person's word, `outside` why what the
    assistant said may be the words of others; `facets` are (facet, value). `deadline_at` is
    when what it says stops binding, `ends_at` when it is to end itself, None for when its tier does; `tier` is where it
    goes, "" for where its kind does; `branch` the one that was checked out when it was said.
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


def accept(candidate: Candidate) -> Candidate | None:
    """The candidate made fit to store, or None: an unknown kind or scope, no content or no number is dropped, numbers
    are clamped to 0..1, texts are cleaned and a title over 100 characters is cut.
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
    """A memory's title: its first 100 characters as one line."""
    return clip(one_line(text), TITLE_CHARS)


def tier_at_birth(kind: str, confidence: float, unsure: bool = False) -> str:
    """The kind's tier; an automatic memory that is not sure enough is episodic at most (requirements 2.2)."""
    tier = WORKING if unsure else KINDS[kind][1]
    return "episodic" if tier == "semantic" and confidence < LASTING_CONFIDENCE else tier
