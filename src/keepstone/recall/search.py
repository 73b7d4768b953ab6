"""Searches and lists memories in a scope, and shows one in full. If counting fails, the answer is given anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..db.filter_sql import RECALLABLE
from ..db.hits import hits
from ..db.reader import COUNT_RETRIEVAL, COUNT_USE, GRAPH, Reader
from ..freshness.doubts import doubts
from ..lib.errors import BadInput
from ..lib.text import query_terms, words
from ..model.anchor import NO_DOUBT
from ..model.filter import NO_FILTER
from ..model.hit import Hit
from ..model.memory import StoredMemory
from ..model.scope import Scope
from .choose_matcher import matches_in
from .find import find
from .match_sql import Matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .find import Lens

    Linked = Callable[[list[str]], list[str]]  # returns the ids of memories that are strongly linked to the given ones

NEIGHBOUR_TERMS = 60  # words of a window by which similar memories are found: 70 ms, outside any hook


class Results:
    """The results of a search. If there are none, `searched` is the number of memories in scope and `elsewhere` that of
    other projects.
    """

    __slots__ = ("found", "searched", "elsewhere")

    def __init__(self, found: list[Hit], searched: int, elsewhere: int) -> None:
        self.found = found
        self.searched = searched
        self.elsewhere = elsewhere


def search(
    store: Reader, query: str, scope: Scope, limit: int, now: float, lens: Lens | None = None, count: bool = True
) -> Results:
    """Returns the best matches in text, evidence and facets, and by meaning if there is a `lens`. Counts them as
    retrieved unless `count` is false. Raises BadInput if the query has no word.
    """
    return _results(store, _found(store, query, scope, limit, now, lens), scope, now, count)


def like(store: Reader, text: str, scope: Scope, limit: int, now: float) -> list[StoredMemory]:
    """Returns the memories most like a text, by its most frequent words. Counts nothing."""
    counts = Counter(words(text))
    terms = sorted(query_terms(text), key=lambda term: -counts[term])[:NEIGHBOUR_TERMS]
    found = find(matches_of(store, scope, now), " ".join(terms), limit, most=NEIGHBOUR_TERMS) if terms else []
    return [memory for memory, _ in found]


def about(
    store: Reader, topic: str, scope: Scope, limit: int, now: float, lens: Lens | None, linked: Linked
) -> Results:
    """Returns everything known about a topic: what a search finds, then memories that are `linked` to those or share a
    tag or file with them. Raises BadInput if the topic has no word.
    """
    found = _found(store, topic, scope, limit, now, lens)
    if found and not scope.kinds and scope.narrow is NO_FILTER and store.schema >= GRAPH:
        others = linked([memory.id for memory, _ in found])
        found += [(store.get(one), 0.0) for one in others[: max(0, limit - len(found))]]
    known = {memory.id for memory, _ in found}
    if found and len(found) < limit:
        shared = sorted({str(v) for memory, _ in found for f, v in store.facets(memory.id) if f in ("tag", "file")})
        alike = matches_of(store, scope, now)
        alike.by_facets(shared)
        rest = alike.memories(sorted(alike.found.values(), key=lambda one: -one.seq)[:limit])
        found += [(memory, 0.0) for memory, _ in rest if memory.id not in known]
    return _results(store, found[:limit], scope, now)


def recent(store: Reader, scope: Scope, limit: int, now: float, state: str = RECALLABLE, offset: int = 0) -> list[Hit]:
    """Returns up to `limit` memories after the newest `offset`, newest first."""
    found = store.listing(scope.project, scope.everything, scope.kinds, offset + limit, now, state, scope.narrow)
    found = found[offset:]
    return _shown(store, [(memory, None) for memory in found], scope, now)


def show(
    store: Reader, given: str, scope: Scope, now: float, count: bool = True
) -> tuple[Hit, list[tuple[int, str, float, float, str]]]:
    """Returns one memory in full with its earlier texts. Counts as a use unless `count` is false. Raises NotFound."""
    memory = store.get(given)
    if count:
        store.count([(COUNT_USE, {"id": memory.id, "now": now})])
    shown = _shown(store, [(store.get(memory.id), None)], scope, now)[0]
    return shown, store.versions(memory.id)


def matches_of(store: Reader, scope: Scope, now: float) -> Matches:
    """Returns an empty `Matches` for a scope."""
    return matches_in(store, scope.project, scope.everything, scope.kinds, now, scope.narrow)


def _found(
    store: Reader, query: str, scope: Scope, limit: int, now: float, lens: Lens | None
) -> list[tuple[StoredMemory, float | None]]:
    if not query_terms(query):
        raise BadInput("there is no word to look for", "keepstone search 'billing database'")
    return [(memory, one.score) for memory, one in find(matches_of(store, scope, now), query, limit, lens)]


def _results(
    store: Reader, matching: list[tuple[StoredMemory, float | None]], scope: Scope, now: float, count: bool = True
) -> Results:
    if count:
        store.count([(COUNT_RETRIEVAL, {"id": memory.id, "now": now}) for memory, _ in matching])
    if matching:
        return Results(_shown(store, matching, scope, now), 0, 0)
    searched = store.count_in_scope(scope.project, scope.everything, scope.kinds, now)
    everywhere = searched if scope.everything else store.count_in_scope(None, True, scope.kinds, now)
    return Results([], searched, everywhere - searched)


def _shown(store: Reader, found: Sequence[tuple[StoredMemory, float | None]], scope: Scope, now: float) -> list[Hit]:
    """Returns memories as hits, each with the doubt whether it still holds here."""
    made = hits(store, found)
    here = [memory.id for memory, _ in found if memory.project_id == scope.project]
    doubted = doubts(store, [hit.memory.id for hit in made], scope.root, now, here)
    for hit in made:
        hit.doubt = doubted.get(hit.memory.id, NO_DOUBT)
    return made
