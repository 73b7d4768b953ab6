"""Finds the memories in a scope that answer a text, by words and by meaning, in rank order. Hot module."""

from __future__ import annotations

from ..lib.limits import DENSE_LOW, QUERY_TERMS
from ..lib.text import query_terms
from ..lib.vector import cosines
from .rank import RankedCandidate, ranked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol, TypeVar

    Row = TypeVar("Row")

    class Searched(Protocol[Row]):
        """What a query is looked for in: memories in a scope, as in `match_sql.Matches`, or turns of the archive."""

        hot: bool
        depth: int
        found: dict[int, RankedCandidate]

        def at(self, seq: int, session: str | None = None) -> RankedCandidate: ...
        def rarest(self, forms: Sequence[str], most: int) -> list[str]: ...
        def by_words(self, forms: Sequence[str]) -> None: ...
        def by_names(self, terms: Sequence[str]) -> None: ...
        def compared(
            self, model: str, asked: Sequence[float], wanted: Iterable[int], most: int = ...
        ) -> list[tuple[int, str | None, float, float]] | None: ...
        def vectors(self, model: str, dims: int, found: Iterable[int], most: int = ...) -> Mapping[int, bytes]: ...
        def sessions(self, seqs: Iterable[int]) -> list[tuple[str, int]]: ...
        def weigh(self, candidates: Iterable[RankedCandidate]) -> list[RankedCandidate]: ...
        def memories(self, chosen: list[RankedCandidate]) -> list[tuple[Row, RankedCandidate]]: ...

    class Lens(Protocol):
        """Makes vectors of queries, to compare with those of `model`."""

        model: str
        most: int  # in a store with more vectors, only memories found by words are compared

        def look(self, query: str) -> list[float] | None:
            """Returns the query's vector, or None if it has no content."""


PREFIX_LETTERS = 4  # a word of this length also matches as a prefix: "postgres" finds PostgreSQL
UNSPACED = "\u3041"  # from here on are the letters of Japanese and Chinese


def find(
    matches: Searched[Row], query: str, limit: int, lens: Lens | None = None, most: int = QUERY_TERMS
) -> list[tuple[Row, RankedCandidate]]:
    """Returns the best `limit` memories, or turns, for a query. Uses the query's `most` rarest words."""
    terms = query_terms(query)
    asked = matches.rarest(list(map(forms, terms)), most)
    if asked:
        matches.by_words(asked)
    if not matches.hot:
        matches.by_names(terms)
    pool = _best(matches, matches.found.values(), lambda one: one.lexical + one.named)
    if lens is not None:
        pool |= _compare(matches, query, lens, pool)
    candidates = matches.weigh([matches.found[seq] for seq in sorted(pool)])
    _look_around(matches.found.values(), candidates)
    return matches.memories(ranked(candidates, limit))


def _look_around(found: Iterable[RankedCandidate], candidates: list[RankedCandidate]) -> None:
    """Sets how much of each candidate's session matches."""
    totals: dict[str | None, float] = {}
    for one in found:
        totals[one.session] = totals.get(one.session, 0.0) + one.own
    for one in candidates:
        one.around = totals[one.session] if one.session else one.own


def forms(term: str) -> str:
    """Returns a word as an FTS5 expression. A longer word also matches as a prefix, as does one of a script without
    blanks between words, and `deployment` also matches as `deploy`, because the porter stemmer gives `deployment` and
    `deploys` different stems.
    """
    found = [term]
    for ending in ("ments", "ment"):
        if term.endswith(ending) and len(term) - len(ending) >= PREFIX_LETTERS:
            found.append(term[: -len(ending)])
    begins = len(term) >= PREFIX_LETTERS or term >= UNSPACED
    return "(" + " OR ".join('"' + form + ('"*' if begins else '"') for form in found) + ")"


def _compare(matches: Searched[Row], query: str, lens: Lens, found: set[int]) -> set[int]:
    """Sets the cosines of the scope's memories that have vectors, and returns the nearest. In a store with too many
    vectors, only the memories in `found` are compared.
    """
    asked = lens.look(query)
    if asked is None:
        return set()
    known = matches.compared(lens.model, asked, found, lens.most)
    if known is not None:
        for seq, session, cosine, near in known:
            one = matches.at(seq, session)
            one.cosine, one.near = cosine, near
        return _nearest(matches)
    vectors = matches.vectors(lens.model, len(asked), found, lens.most)
    for seq, cosine in zip(vectors, cosines(asked, vectors.values())):  # noqa: B905
        matches.at(seq).cosine = cosine
    nearest = _nearest(matches)
    _look_beside(matches, found | nearest)
    return nearest


def _nearest(matches: Searched[Row]) -> set[int]:
    near = [one for one in matches.found.values() if (one.cosine or 0.0) >= DENSE_LOW]
    return _best(matches, near, lambda one: one.cosine or 0.0)


def _look_beside(matches: Searched[Row], chosen: set[int]) -> None:
    """Sets the sessions of memories, and the sums of the cosines of those before and after them in the session."""
    before: RankedCandidate | None = None
    for session, seq in matches.sessions(chosen):
        one = matches.found.get(seq)
        if one is None or one.cosine is None:
            continue
        one.session = session
        if before and before.session == session:
            before.near += one.cosine
            one.near += before.cosine or 0.0
        before = one


def _best(
    matches: Searched[Row], candidates: Iterable[RankedCandidate], score: Callable[[RankedCandidate], float]
) -> set[int]:
    return {one.seq for one in sorted(candidates, key=lambda one: (-score(one), -one.seq))[: matches.depth]}
