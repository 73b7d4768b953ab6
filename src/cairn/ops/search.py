"""Finding and listing memories in a scope, and one memory whole. Counting is guarded: it never fails an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..core.defaults import NEIGHBOUR_TERMS, QUERY_TERMS
from ..core.errors import BadInput
from ..core.fastjson import dump
from ..core.model import StoredMemory, need_kinds
from ..core.text import query_terms, words
from ..core.view import Hit
from ..store.reader import COUNT_RETRIEVAL, COUNT_USE, RECALLABLE, Reader

PREFIX_LETTERS = 4  # a word of this length also matches the words it begins: "postgres" finds PostgreSQL


class Scope:
    """Which memories a listing covers: a project's and user scope, or `everything`; `kinds` a JSON array or ""."""

    __slots__ = ("project", "everything", "kinds")

    def __init__(self, project: str | None, everything: bool = False, kind: str | None = None) -> None:
        """`kind` is a kind, a group or an alias. Raises BadInput with the valid ones."""
        self.project = project
        self.everything = everything
        self.kinds = dump(need_kinds(kind)) if kind else ""


class Results:
    """What a search found; how many memories it looked at, and how many other projects hold."""

    __slots__ = ("found", "searched", "elsewhere")

    def __init__(self, found: list[Hit], searched: int, elsewhere: int) -> None:
        self.found = found
        self.searched = searched
        self.elsewhere = elsewhere


def search(store: Reader, query: str, scope: Scope, limit: int, now: float) -> Results:
    """The best matches in text, evidence and facets: those with every word first, then those with any."""
    terms = _terms(query)
    found = _match(store, terms, " AND ", scope, limit, now)
    if len(found) < limit:
        known = {memory.id for memory, _ in found}
        found += [hit for hit in _match(store, terms, " OR ", scope, limit, now) if hit[0].id not in known]
    return _results(store, found[:limit], scope, now)


def like(store: Reader, text: str, scope: Scope, limit: int, now: float) -> list[StoredMemory]:
    """The memories most like a text, by its most frequent words; counts nothing."""
    said = query_terms(text)
    counts = Counter(words(text))
    terms = sorted(said, key=lambda term: -counts[term])[:NEIGHBOUR_TERMS]
    return [memory for memory, _ in _match(store, terms, " OR ", scope, limit, now)] if terms else []


def about(store: Reader, topic: str, scope: Scope, limit: int, now: float) -> Results:
    """Everything known on a topic: matches of any of its words, then what shares a tag or file with them."""
    found = _match(store, _terms(topic), " OR ", scope, limit, now)
    known = {memory.id for memory, _ in found}
    if found and len(found) < limit:
        shared = dump(sorted({v for memory, _ in found for f, v in store.facets(memory.id) if f in ("tag", "file")}))
        near = store.match('""', shared, scope.project, scope.everything, scope.kinds, limit, now)
        found += [hit for hit in near if hit[0].id not in known]
    return _results(store, found[:limit], scope, now)


def recent(store: Reader, scope: Scope, limit: int, now: float, state: str = RECALLABLE) -> list[Hit]:
    """The newest memories, strictly by date."""
    found = store.listing(scope.project, scope.everything, scope.kinds, limit, now, state)
    return _shown(store, [(memory, None) for memory in found])


def show(store: Reader, given: str, now: float) -> tuple[Hit, list[tuple[int, str, float, float, str]]]:
    """One memory whole with its earlier texts; an explicit fetch counts as a use (NL-22)."""
    memory = store.get(given)
    store.count([(COUNT_USE, {"id": memory.id, "now": now})])
    shown = _shown(store, [(store.get(memory.id), None)])[0]
    shown.related = store.related(memory.id)
    return shown, store.versions(memory.id)


def shown(store: Reader, memory_id: str) -> Hit:
    """One memory as it stands, uncounted: the answer of a command that changed it."""
    return _shown(store, [(store.get(memory_id), None)])[0]


def _terms(query: str) -> list[str]:
    terms = query_terms(query)[:QUERY_TERMS]
    if not terms:
        raise BadInput("there is no word to look for", "cairn search 'billing database'")
    return terms


def _match(
    store: Reader, terms: list[str], joined: str, scope: Scope, limit: int, now: float
) -> list[tuple[StoredMemory, float]]:
    quoted = (_forms(term) for term in terms)
    facets = dump(terms if joined == " OR " or len(terms) == 1 else [])
    return store.match(joined.join(quoted), facets, scope.project, scope.everything, scope.kinds, limit, now)


def _forms(term: str) -> str:
    """A word as FTS5 finds it: longer ones also where they begin a word, and `deployment` also as `deploy`, which the
    porter stemmer gives another stem than `deploys`.
    """
    forms = [term]
    for ending in ("ments", "ment"):
        if term.endswith(ending) and len(term) - len(ending) >= PREFIX_LETTERS:
            forms.append(term[: -len(ending)])
    return "(" + " OR ".join(f'"{form}"{"*" if len(form) >= PREFIX_LETTERS else ""}' for form in forms) + ")"


def _results(store: Reader, hits: list[tuple[StoredMemory, float]], scope: Scope, now: float) -> Results:
    store.count([(COUNT_RETRIEVAL, {"id": memory.id, "now": now}) for memory, _ in hits])
    searched = store.count_in_scope(scope.project, scope.everything, scope.kinds, now)
    everywhere = searched if scope.everything else store.count_in_scope(None, True, scope.kinds, now)
    return Results(_shown(store, hits), searched, everywhere - searched)


def _shown(store: Reader, hits: Sequence[tuple[StoredMemory, float | None]]) -> list[Hit]:
    names = store.project_names()
    return [
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
