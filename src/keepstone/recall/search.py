"""Finding and listing memories in a scope, and one memory whole. Counting is guarded: it never fails an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..db.filter_sql import RECALLABLE
from ..db.reader import COUNT_RETRIEVAL, COUNT_USE, GRAPH, Reader
from ..freshness.doubts import doubts
from ..graph.edges_sql import Edges, related
from ..lib.errors import BadInput
from ..lib.fast_json import dump
from ..lib.text import query_terms, words
from ..model.anchor import NO_DOUBT
from ..model.filter import NO_FILTER, Filter
from ..model.hit import Hit
from ..model.memory import StoredMemory, need_kinds
from .find import find
from .match_sql import Matches, matches_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .find import Lens

STRONG_LINK = 0.5  # brings a memory along with the other one
NEIGHBOUR_TERMS = 60  # words of a window that look for them: off the hot path, 70 ms are no matter


class Scope:
    """Which memories a listing covers: a project's and user scope, or `everything`; `kinds` a JSON array or ""; what it
    is narrowed to beside that. `root` is the project's folder, "" for none.
    """

    __slots__ = ("project", "everything", "kinds", "narrow", "root")

    def __init__(
        self,
        project: str | None,
        everything: bool = False,
        kind: str | None = None,
        narrow: Filter = NO_FILTER,
        root: str = "",
    ) -> None:
        """`kind` is a kind, a group or an alias. Raises BadInput with the valid ones."""
        self.root = root
        self.project = project
        self.everything = everything
        self.kinds = dump(need_kinds(kind)) if kind else ""
        self.narrow = narrow


class Results:
    """What a search found; where that is nothing, how many memories it looked at, and how many other projects hold."""

    __slots__ = ("found", "searched", "elsewhere")

    def __init__(self, found: list[Hit], searched: int, elsewhere: int) -> None:
        self.found = found
        self.searched = searched
        self.elsewhere = elsewhere


def search(
    store: Reader, query: str, scope: Scope, limit: int, now: float, lens: Lens | None = None, count: bool = True
) -> Results:
    """The best matches in text, evidence and facets, and by meaning where there is a `lens`; counted as found unless
    somebody only looks.

    Raises BadInput for a query without a word.
    """
    return _results(store, _found(store, query, scope, limit, now, lens), scope, now, count)


def like(store: Reader, text: str, scope: Scope, limit: int, now: float) -> list[StoredMemory]:
    """The memories most like a text, by its most frequent words; counts nothing."""
    counts = Counter(words(text))
    terms = sorted(query_terms(text), key=lambda term: -counts[term])[:NEIGHBOUR_TERMS]
    found = find(matches_of(store, scope, now), " ".join(terms), limit, most=NEIGHBOUR_TERMS) if terms else []
    return [memory for memory, _ in found]


def about(store: Reader, topic: str, scope: Scope, limit: int, now: float, lens: Lens | None = None) -> Results:
    """Everything known on a topic: what a search finds, then what hangs together with that, or shares a tag or file."""
    found = _found(store, topic, scope, limit, now, lens)
    if found and not scope.kinds and scope.narrow is NO_FILTER and store.schema >= GRAPH:
        near = Edges(store, scope.project, scope.everything, now)
        others = near.strong([memory.id for memory, _ in found], STRONG_LINK)
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
    """The newest memories from one on, strictly by date."""
    found = store.listing(scope.project, scope.everything, scope.kinds, offset + limit, now, state, scope.narrow)
    found = found[offset:]
    return _shown(store, [(memory, None) for memory in found], scope, now)


def show(
    store: Reader, given: str, scope: Scope, now: float, count: bool = True
) -> tuple[Hit, list[tuple[int, str, float, float, str]]]:
    """One memory whole with its earlier texts; an explicit fetch counts as a use (NL-22), a person's look does not."""
    memory = store.get(given)
    if count:
        store.count([(COUNT_USE, {"id": memory.id, "now": now})])
    shown = _shown(store, [(store.get(memory.id), None)], scope, now)[0]
    shown.related = related(store, memory.id)
    return shown, store.versions(memory.id)


def shown(store: Reader, memory_id: str) -> Hit:
    """One memory as it stands, uncounted: the answer of a command that changed it."""
    return _shown(store, [(store.get(memory_id), None)])[0]


def matches_of(store: Reader, scope: Scope, now: float) -> Matches:
    """What matches in a scope, for a query to be noted in."""
    return matches_in(store, scope.project, scope.everything, scope.kinds, now, scope.narrow)


def _found(
    store: Reader, query: str, scope: Scope, limit: int, now: float, lens: Lens | None
) -> list[tuple[StoredMemory, float]]:
    if not query_terms(query):
        raise BadInput("there is no word to look for", "keepstone search 'billing database'")
    return [(memory, one.score) for memory, one in find(matches_of(store, scope, now), query, limit, lens)]


def _results(
    store: Reader, hits: list[tuple[StoredMemory, float]], scope: Scope, now: float, count: bool = True
) -> Results:
    if count:
        store.count([(COUNT_RETRIEVAL, {"id": memory.id, "now": now}) for memory, _ in hits])
    if hits:
        return Results(_shown(store, hits, scope, now), 0, 0)
    searched = store.count_in_scope(scope.project, scope.everything, scope.kinds, now)
    everywhere = searched if scope.everything else store.count_in_scope(None, True, scope.kinds, now)
    return Results([], searched, everywhere - searched)


def _shown(
    store: Reader, hits: Sequence[tuple[StoredMemory, float | None]], scope: Scope | None = None, now: float = 0.0
) -> list[Hit]:
    names = store.project_names()
    found = [
        Hit(
            memory,
            store.short_id(memory.id),
            names.get(memory.project_id or ""),
            store.facets(memory.id),
            store.evidence(memory.id),
            score,
        )
        for memory, score in hits
    ]
    if scope is not None:
        here = [memory.id for memory, _ in hits if memory.project_id == scope.project]
        doubted = doubts(store, [hit.memory.id for hit in found], scope.root, now, here)
        for hit in found:
            hit.doubt = doubted.get(hit.memory.id, NO_DOUBT)
    return found
