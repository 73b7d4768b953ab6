"""Explains why a memory is found for a query, or is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..db.reader import Reader
from ..lib.limits import LISTING_LIMIT_MAX
from ..lib.text import query_terms
from ..model.memory import StoredMemory
from .find import find, forms
from .match_sql import Matches

if TYPE_CHECKING:
    from .find import Lens


@dataclass(frozen=True, slots=True)
class Why:
    """A memory's match with a query. `place` is its rank among `total` results, 0 if it is not one of them. `state`
    tells why it is not recalled at all, "" if it is. `words` are the query's words in the memory or its evidence. `own`
    is the BM25 of its texts, `window` that of the memory with its neighbours in the session, `cosine` that of its
    vector (None without one). `named` tells whether the query names a facet, `worth` is its importance now.
    """

    memory: StoredMemory
    place: int
    total: int
    state: str
    words: tuple[str, ...] = ()
    own: float = 0.0
    window: float = 0.0
    cosine: float | None = None
    named: bool = False
    worth: float = 0.0


def why(store: Reader, matches: Matches, memory_id: str, query: str, lens: Lens | None) -> Why:
    memory = store.get(memory_id)
    matches.vector_cache_of = None  # the cache has no cosine for memories that are far away
    found = find(matches, query, LISTING_LIMIT_MAX, lens)
    place = next((at for at, (one, _) in enumerate(found, start=1) if one.id == memory.id), 0)
    if not matches.holds(memory.seq):
        return Why(memory, 0, len(found), _state(memory))
    words = tuple(term for term in query_terms(query) if matches.says(memory.seq, forms(term)))
    seen = matches.at(memory.seq)
    return Why(memory, place, len(found), "", words, seen.own, seen.window, seen.cosine, seen.named, seen.worth)


def _state(memory: StoredMemory) -> str:
    if memory.status != "active":
        return memory.status_reason or memory.status
    if memory.trust != "trusted":
        return memory.trust
    return "expired, a note for its session or of another project"
