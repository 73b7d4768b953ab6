"""How two memories hang together by what they share: the method that links them, of which type, how strongly (GR-1,
GR-2, requirements 2.5).

Of a pair the best link counts. What every other memory has says nothing: files, symbols and concepts weigh by rarity
(W-NL3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..lib.errors import BadInput
from ..lib.limits import LINKS_MAX, RARE_CONCEPT

# of a relationship, for one that nobody else names
SYMBOL_WEIGHT = 0.8
FILE_WEIGHT = 0.6
SESSION_LINK = 0.2
TIME_LINK = 0.15
SIMILAR_COSINE = 0.8  # of two texts, made for neural vectors: the static table gives that only to near repeats
CONCEPTS_SHARED = 2  # that link two memories, or one that is rare
NEAR_SECONDS = 900.0  # between two memories that are near in time
LINKS_WEAK = 2  # of those by session or time: else thirty memories of a session are all linked
LINK_LOW = 0.1  # a weaker one is none

REFERENCES, RELATED_TO, CAUSED_BY, CONTRADICTS = "references", "related_to", "caused_by", "contradicts"
SUPERSEDES, SIMILAR_TO, DEPENDS_ON, DERIVED_FROM = "supersedes", "similar_to", "depends_on", "derived_from"
TYPES = (REFERENCES, RELATED_TO, CAUSED_BY, CONTRADICTS, SUPERSEDES, SIMILAR_TO, DEPENDS_ON, DERIVED_FROM)
SYMMETRIC = (CONTRADICTS, SIMILAR_TO)  # kept once, and said of both
FILE, SYMBOL, CONCEPT, SIMILARITY = "file_overlap", "symbol_overlap", "concept_overlap", "semantic_similarity"
TIME, SESSION = "temporal_proximity", "session_context"
MANUAL, BY_MODEL = "manual", "llm_extraction"
# What each heuristic makes; the others are said by somebody, or by a memory's own words.
HEURISTICS = {
    SYMBOL: REFERENCES,
    FILE: REFERENCES,
    SIMILARITY: SIMILAR_TO,
    CONCEPT: RELATED_TO,
    SESSION: RELATED_TO,
    TIME: RELATED_TO,
}
ALIASES = {"supports": RELATED_TO}  # Z3-26
WEAK = (SESSION, TIME)  # only where nothing better links a pair

# A relationship as it is said of its source, and of its target.
RELATIONS = {
    "supersedes": ("supersedes", "superseded by"),
    "contradicts": ("may contradict", "may be contradicted by"),
    "derived_from": ("made of", "went into"),
    "caused_by": ("caused by", "led to"),
    "depends_on": ("depends on", "needed by"),
    "references": ("references", "referenced by"),
    "related_to": ("related to", "related to"),
    "similar_to": ("similar to", "similar to"),
}


@dataclass(frozen=True, slots=True)
class Shared:
    """What two memories have in common. `files`, `symbols` and `concepts` are the rarities (0..1) of those that both
    name, `overlap` the concepts' share of all that either names, by rarity, `cosine` how near their texts are, and
    `seconds` what lies between them.
    """

    files: tuple[float, ...] = ()
    symbols: tuple[float, ...] = ()
    concepts: tuple[float, ...] = ()
    overlap: float = 0.0
    cosine: float = 0.0
    same_session: bool = False
    seconds: float = math.inf


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A relationship that a heuristic finds; `weight` is 0..1."""

    weight: float
    method: str

    @property
    def type(self) -> str:
        return HEURISTICS[self.method]


def need_type(given: str) -> str:
    """A type of relationship, or what another tool calls one. Raises BadInput with the valid ones."""
    type = ALIASES.get(given, given)
    if type not in TYPES:
        raise BadInput(f"there is no relationship {given[:20]!r}", f"one of {', '.join(TYPES)}")
    return type


def rarity(holders: int, total: int) -> float:
    """How much it tells that a memory names what `holders` of `total` name: 1 for the only one, 0 for all."""
    return min(1.0, max(0.0, math.log((total + 1) / max(holders, 1)) / math.log(total + 1))) if total > 1 else 0.0


def overlap(shared: Sequence[float], own: Sequence[float], others: int) -> float:
    """The share of what both name in what either names, by rarity, 0..1. What only the other one names, `others` of
    them, counts as rare as the own on average: to ask how rare each is would take longer than all the rest.
    """
    whole = sum(own) * (1 + others / len(own)) if own else 0.0
    return sum(shared) / whole if whole else 0.0


def link(shared: Shared) -> Link | None:
    """What links two memories best, None for nothing."""
    found = [
        Link(SYMBOL_WEIGHT * max(shared.symbols, default=0.0), SYMBOL),
        Link(FILE_WEIGHT * max(shared.files, default=0.0), FILE),
        Link(_by_concepts(shared), CONCEPT),
        Link(min(shared.cosine, 1.0) if shared.cosine >= SIMILAR_COSINE else 0.0, SIMILARITY),
    ]
    best = max(found)
    if best.weight >= LINK_LOW:
        return best
    if shared.same_session:
        return Link(SESSION_LINK, SESSION)
    return Link(TIME_LINK, TIME) if shared.seconds <= NEAR_SECONDS else None


def _by_concepts(shared: Shared) -> float:
    """One concept that many name links nothing."""
    telling = len(shared.concepts) >= CONCEPTS_SHARED or max(shared.concepts, default=0.0) >= RARE_CONCEPT
    return shared.overlap if telling else 0.0


def best(found: Mapping[str, Link]) -> dict[str, Link]:
    """Of a memory's links the strongest, by the other's id: few, and of the weak ones fewer, which any session has. Of
    equally strong ones those that come first in `found`.
    """
    ordered = sorted(found.items(), key=lambda item: -item[1].weight)
    weak = [other for other, made in ordered if made.method in WEAK]
    left_out = frozenset(weak[LINKS_WEAK:])
    return dict([item for item in ordered if item[0] not in left_out][:LINKS_MAX])


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship, as it is kept: `weight` is 0..1, `notes` what a person noted of it."""

    source: str
    target: str
    type: str
    method: str
    weight: float
    notes: str | None = None

    def order(self) -> tuple[float, str, str, str]:
        """The strongest first."""
        return -self.weight, self.source, self.target, self.type

    def other(self, one: str) -> str:
        return self.target if self.source == one else self.source


def as_dot(nodes: Iterable[tuple[str, str]], edges: Iterable[Edge]) -> str:
    """A graph in the language of Graphviz; `nodes` are (id, label)."""
    lines = [f"  {_quoted(one)} [label={_quoted(label)}];" for one, label in nodes]
    lines += [
        f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [label={_quoted(edge.type)}, weight={edge.weight:.2f}];"
        for edge in edges
    ]
    return "\n".join(["digraph keepstone {", *lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
