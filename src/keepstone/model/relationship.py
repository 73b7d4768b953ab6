"""Relationships between memories: types, methods, and the link that two memories earn by shared files, symbols and
concepts.

Only the best link of a pair counts. Shared names weigh by rarity: a name that every memory has says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..lib.errors import BadInput
from ..lib.limits import LINKS_MAX, RARE_CONCEPT

# Weights of a relationship by a name that no other memory has.
SYMBOL_WEIGHT = 0.8
FILE_WEIGHT = 0.6
SESSION_LINK = 0.2
TIME_LINK = 0.15
SIMILAR_COSINE = 0.8  # of two texts. Made for neural vectors: the static table reaches it only for near repeats
CONCEPTS_SHARED = 2  # concepts that two memories must share to be linked, unless one is rare
NEAR_SECONDS = 900.0  # between two memories that count as near in time
LINKS_WEAK = 2  # links by session or time per memory: otherwise thirty memories of a session would all be linked
LINK_LOW = 0.1  # a weaker link is dropped

REFERENCES, RELATED_TO, CAUSED_BY, CONTRADICTS = "references", "related_to", "caused_by", "contradicts"
SUPERSEDES, SIMILAR_TO, DEPENDS_ON, DERIVED_FROM = "supersedes", "similar_to", "depends_on", "derived_from"
TYPES = (REFERENCES, RELATED_TO, CAUSED_BY, CONTRADICTS, SUPERSEDES, SIMILAR_TO, DEPENDS_ON, DERIVED_FROM)
SYMMETRIC = (CONTRADICTS, SIMILAR_TO)  # stored once and shown at both ends
FILE, SYMBOL, CONCEPT, SIMILARITY = "file_overlap", "symbol_overlap", "concept_overlap", "semantic_similarity"
TIME, SESSION = "temporal_proximity", "session_context"
MANUAL, BY_MODEL = "manual", "llm_extraction"
# The type that each heuristic finds. The other types are stated by a person, a model or the memory's own text.
HEURISTICS = {
    SYMBOL: REFERENCES,
    FILE: REFERENCES,
    SIMILARITY: SIMILAR_TO,
    CONCEPT: RELATED_TO,
    SESSION: RELATED_TO,
    TIME: RELATED_TO,
}
ALIASES = {"supports": RELATED_TO}  # from other tools
WEAK = (SESSION, TIME)  # used only if no better method links a pair

# The wording of a relationship at its source and at its target.
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
    """The names and properties that two memories share. `files`, `symbols` and `concepts` are the rarities (0..1) of
    those that both name, `overlap` is the shared part of all concepts that either names, by rarity, `cosine` the
    similarity of their texts, and `seconds` the time between them.
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
    """A relationship found by a heuristic. `weight` is 0..1."""

    weight: float
    method: str

    @property
    def type(self) -> str:
        return HEURISTICS[self.method]


def require_type(given: str) -> str:
    """Returns the relationship type for a name or another tool's alias. Raises BadInput with the valid types if it is
    unknown.
    """
    type = ALIASES.get(given, given)
    if type not in TYPES:
        raise BadInput(f"there is no relationship {given[:20]!r}", f"one of {', '.join(TYPES)}")
    return type


def rarity(holders: int, total: int) -> float:
    """Returns how rare a name is that `holders` of `total` memories have: 1 for a single holder, 0 if all have it."""
    return min(1.0, max(0.0, math.log((total + 1) / max(holders, 1)) / math.log(total + 1))) if total > 1 else 0.0


def overlap(shared: Sequence[float], own: Sequence[float], others: int) -> float:
    """Returns the shared part of all concepts that either memory names, by rarity, 0..1. Each of the `others` that only
    the other memory names counts as rare as the own ones on average: looking up each would take longer than all the
    rest.
    """
    whole = sum(own) * (1 + others / len(own)) if own else 0.0
    return sum(shared) / whole if whole else 0.0


def link(shared: Shared) -> Link | None:
    """Returns the best link of two memories, or None."""
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
    """Returns the weight of shared concepts. One concept that many memories name links nothing."""
    telling = len(shared.concepts) >= CONCEPTS_SHARED or max(shared.concepts, default=0.0) >= RARE_CONCEPT
    return shared.overlap if telling else 0.0


def best(found: Mapping[str, Link]) -> dict[str, Link]:
    """Returns a memory's strongest links, by the other's id: at most LINKS_MAX, and at most LINKS_WEAK by session or
    time. Ties keep the order of `found`.
    """
    ordered = sorted(found.items(), key=lambda item: -item[1].weight)
    weak = [other for other, made in ordered if made.method in WEAK]
    left_out = frozenset(weak[LINKS_WEAK:])
    return dict([item for item in ordered if item[0] not in left_out][:LINKS_MAX])


@dataclass(frozen=True, slots=True)
class Edge:
    """A stored relationship. `weight` is 0..1, `notes` is a person's note."""

    source: str
    target: str
    type: str
    method: str
    weight: float
    notes: str | None = None

    def order(self) -> tuple[float, str, str, str]:
        """Returns a sort key that puts the strongest first."""
        return -self.weight, self.source, self.target, self.type

    def other(self, one: str) -> str:
        return self.target if self.source == one else self.source


def as_dot(nodes: Iterable[tuple[str, str]], edges: Iterable[Edge]) -> str:
    """Returns a graph in Graphviz's DOT language. `nodes` are (id, label)."""
    lines = [f"  {_quoted(one)} [label={_quoted(label)}];" for one, label in nodes]
    lines += [
        f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [label={_quoted(edge.type)}, weight={edge.weight:.2f}];"
        for edge in edges
    ]
    return "\n".join(["digraph keepstone {", *lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
