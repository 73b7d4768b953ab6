"""Matches a query in a scope: by words, by named facets, by vectors. Uses the bare driver. Hot module."""

from __future__ import annotations

from ..db.filter_sql import RECALLABLE, condition, condition_values, in_scope
from ..db.reader import ROW, Reader
from ..db.sql import Sql
from ..lib.fast_json import dump
from ..lib.limits import DENSE_LOW, VECTORS_COMPARED, VOCABULARY_ROWS
from ..lib.vector import LENGTH
from ..model.filter import NO_FILTER, Filter
from ..model.memory import StoredMemory
from ..model.policies import DEFAULT
from .rank import RankedCandidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..lib.vector import VectorCache

RANK_DEPTH = 100  # candidates by words, and as many by meaning
MATCH_ROWS = 300  # rows of one index, before scores of several are combined
# A word in more texts than this counts only if there is no rarer one, and then only in the newest texts: BM25 takes 5
# us a row.
FREQUENT_ROWS = 2_000
QUERY_ROWS = 5_000  # rows that the words of a query may match together, the rarest first: 25 ms on a slow machine
RARE_ROWS = 1_000  # as QUERY_ROWS, for evidence and session windows, which take longer
NAMED_ROWS = 500  # a tag, symbol or file of more memories does not distinguish them
# Rows that the words of a text may match together in a hook, the rarest first: this many, or this fraction of a larger
# store, up to FREQUENT_ROWS. 500 take 5 ms on a slow machine.
MOMENT_ROWS = 500
MOMENT_PART = 40
MOMENT_DEPTH = 30  # as RANK_DEPTH, in a hook

# Not "ORDER BY f.rank": FTS5 would rank the matches of every project before the scope is applied.
_TEXTS = """
SELECT m.seq, -f.rank AS score, m.session_id FROM {index} f JOIN memory m ON m.seq = f.rowid
WHERE {index} MATCH :query AND f.rowid >= :since AND {scope} ORDER BY +f.rank LIMIT :rows
"""
_EVIDENCE = """
SELECT m.seq, -min(f.rank) AS score, m.session_id FROM evidence_fts f JOIN evidence e ON e.seq = f.rowid
JOIN memory m ON m.id = e.memory_id WHERE evidence_fts MATCH :query AND f.rowid >= :since AND {scope}
GROUP BY m.seq ORDER BY 2 DESC LIMIT :rows
"""
_TURNS = """
SELECT m.seq, -f.rank AS score, m.session_id FROM {index} f JOIN turn m ON m.seq = f.rowid
WHERE {index} MATCH :query AND f.rowid >= :since AND {turns}
"""
MEMORY_TEXTS, TURN_TEXTS = "memory_fts", "turn_fts"
NAMING = "SELECT 1 FROM memory_facet f WHERE f.facet IN (SELECT value FROM json_each(:facets)) AND f.value = :value"
_NAMING = f"SELECT count(*) FROM ({NAMING} LIMIT :rows)"
# CROSS JOIN makes SQLite read the tables in this order, the few rows first.
_NAMED = """
SELECT DISTINCT m.seq, m.session_id FROM memory_facet f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.facet IN (SELECT value FROM json_each(:facets))
    AND f.value IN (SELECT value FROM json_each(:terms)) AND {scope} ORDER BY 1 DESC LIMIT :rows
"""
_WITH = """
SELECT m.seq, f.value FROM memory_facet f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.facet = :facet AND {scope} ORDER BY m.seq DESC LIMIT :rows
"""
_OF_MODEL = "CROSS JOIN vector v WHERE v.memory_id = m.id AND v.model = :model AND length(v.data) = :bytes AND {scope}"
_VECTORS = Sql(  # the index holds all that a scope asks of a memory: reading the texts' pages too takes twice as long
    sqlite=f"SELECT m.seq, v.data FROM memory m INDEXED BY memory_brief {_OF_MODEL}",
    postgres=f"SELECT m.seq, v.data FROM memory m {_OF_MODEL}",
)
_SOME_VECTORS = """
SELECT m.seq, v.data FROM json_each(:seqs) j CROSS JOIN memory m CROSS JOIN vector v
WHERE m.seq = CAST(j.value AS BIGINT) AND v.memory_id = m.id AND v.model = :model
    AND length(v.data) = :bytes AND {scope}
"""
_SESSIONS = """
SELECT n.session_id, n.seq FROM (
    SELECT DISTINCT m.session_id FROM json_each(:seqs) j CROSS JOIN memory m
    WHERE m.seq = CAST(j.value AS BIGINT) AND m.session_id IS NOT NULL) s
CROSS JOIN memory n WHERE n.session_id = s.session_id ORDER BY n.session_id, n.seq
"""
_NUMBERS = "SELECT coalesce(group_concat(m.seq), '') FROM memory m WHERE {scope}"
_NUMBERED = """
SELECT v.rowid, m.seq, m.session_id, v.data FROM vector v CROSS JOIN memory m
WHERE m.id = v.memory_id AND v.model = :model"""
_LAST_VECTOR = _NUMBERED + " ORDER BY v.rowid DESC LIMIT 1"
_NEW_VECTORS = _NUMBERED + " AND v.rowid > :after ORDER BY v.rowid"
_MANY = "SELECT count(*) FROM (SELECT 1 FROM vector LIMIT :rows)"
_TOTAL = "SELECT coalesce(max(seq), 0) FROM memory"
_FREQUENCY = "SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH :query LIMIT :rows)"
_SINCE = """
SELECT coalesce(min(rowid), 0) FROM (
    SELECT rowid FROM {index} WHERE {index} MATCH :query ORDER BY rowid DESC LIMIT :rows)
"""
_HOLDS = "SELECT 1 FROM memory m WHERE m.seq = :seq AND {scope}"
_SAYS = """
SELECT 1 FROM memory_fts WHERE memory_fts MATCH :query AND rowid = :seq
UNION ALL SELECT 1 FROM memory m JOIN evidence e ON e.memory_id = m.id JOIN evidence_fts f ON f.rowid = e.seq
WHERE m.seq = :seq AND evidence_fts MATCH :query
"""
_WORTH = """
SELECT m.seq, m.relevance, m.confidence FROM json_each(:seqs) j CROSS JOIN memory m
WHERE m.seq = CAST(j.value AS BIGINT) AND {scope}
"""
_WHOLE = f"""
SELECT {ROW} FROM json_each(:seqs) j CROSS JOIN memory m WHERE m.seq = CAST(j.value AS BIGINT) AND {{scope}}
"""
_ROWS = f"SELECT {ROW} FROM memory m WHERE m.seq IN (SELECT CAST(value AS BIGINT) FROM json_each(:seqs))"
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab(main, memory_fts, row)"
_STEMS = "SELECT term FROM temp.stems WHERE term >= :low AND term < :high LIMIT :rows"
NAMES = ("tag", "concept", "symbol", "file")  # the facets by which a query can name a memory
SEEN = 4  # the first schema with windows and vectors


class Matches:
    """The matches in one scope: of a project and user scope, or of `everything`. `kinds` is a JSON array, or "" for
    all. `hot` is for hooks, which have a few milliseconds: it searches only the memories' own texts, and fewer of them.
    """

    def __init__(
        self,
        store: Reader,
        project: str | None,
        everything: bool,
        kinds: str,
        now: float,
        narrow: Filter = NO_FILTER,
        hot: bool = False,
        index: str = MEMORY_TEXTS,
    ) -> None:
        self.store = store
        self.index = index
        self.hot = hot
        self.vector_cache_of = None if hot else store.vector_cache_of
        self.depth = MOMENT_DEPTH if hot else RANK_DEPTH
        self.frequent = min(FREQUENT_ROWS, max(MOMENT_ROWS, self.total() // MOMENT_PART)) if hot else FREQUENT_ROWS
        self.most = self.frequent if hot else QUERY_ROWS
        self._counted: dict[str, int] = {}
        values = {"project": project, "kinds": kinds, "now": now, "rows": MATCH_ROWS}
        self.values: dict[str, Any] = {**values, **condition_values(narrow)}
        self.scope = RECALLABLE + " AND " + in_scope(project, everything, kinds) + condition(narrow)
        self.found: dict[int, RankedCandidate] = {}

    def _rows(self, sql: str, **values: Any) -> list[Any]:
        return self.store.rows(sql.format(scope=self.scope), {**self.values, **values})

    def frequency(self, query: str) -> int:
        """Returns the number of memories, in any scope, whose texts match an FTS5 query, at most `frequent` + 1. If
        there are none, returns the number of matching evidence texts.
        """
        if query not in self._counted:
            count = self._count(
                query.replace("*", ""), self.index
            )  # FTS5 reads all matches of a prefix, whatever the LIMIT
            if count <= self.frequent and "*" in query:
                count = self._count(query, self.index)
            has_evidence = self.index == MEMORY_TEXTS and not self.hot
            self._counted[query] = count or (self._count(query, "evidence_fts") if has_evidence else 0)
        return self._counted[query]

    def _count(self, query: str, index: str) -> int:
        given = {"query": query, "rows": self.frequent + 1}
        return self.store.rows(_FREQUENCY.format(index=index), given)[0][0]  # type: ignore[no-any-return]

    def at(self, seq: int, session: str | None = None) -> RankedCandidate:
        if seq not in self.found:
            self.found[seq] = RankedCandidate(seq, session)
        return self.found[seq]

    def by_words(self, forms: Sequence[str]) -> None:
        """Sets how well memories match at least one of these forms, given rarest first: by their texts, and by the
        rarest forms also by their evidence and session windows. For a frequent word only the newest texts are searched.
        """
        rare = [] if self.hot else self._within(forms, RARE_ROWS)
        for seq, score, session in [
            *self._matching(_TEXTS, "memory_fts", forms, self.frequent),
            *self._matching(_EVIDENCE, "evidence_fts", rare, RARE_ROWS),
        ]:
            one = self.at(seq, session)
            one.own = max(one.own, score)
        if self.store.schema >= SEEN:
            for seq, score, session in self._matching(_TEXTS, "window_fts", rare, RARE_ROWS):
                self.at(seq, session).window = score

    def turns(self, form: str) -> list[tuple[int, float, str]]:
        """Returns (seq, score, session) of the turns in scope that match a form, the newest of them for a frequent
        one.
        """
        return self._matching(_TURNS, self.index, [form], self.frequent)

    def _matching(self, sql: str, index: str, forms: Sequence[str], most: int) -> list[Any]:
        """Returns the rows that match at least one form. A single form in more than `most` texts is searched in the
        newest of those.
        """
        if not forms:
            return []
        query, since = self._asked(index, forms, most)
        values = {**self.values, "query": query, "since": since}
        return self.store.rows(sql.format(index=index, scope=self.scope, turns=self.scope), values)

    def _asked(self, index: str, forms: Sequence[str], most: int) -> tuple[str, int]:
        """Returns the query for an index, and the first row of the index to search."""
        query = " OR ".join(forms)
        if len(forms) > 1 or self.frequency(query) <= most:
            return query, 0
        query = query.replace("*", "") if self.frequency(query) > self.frequent else query
        return query, self._since(index, query, most)

    def _since(self, index: str, query: str, most: int) -> int:
        """Returns the first of the newest `most` rows that match."""
        return self.store.rows(_SINCE.format(index=index), {"query": query, "rows": most})[0][0]  # type: ignore[no-any-return]

    def _within(self, forms: Sequence[str], most: int) -> list[str]:
        """Returns the first forms that together match at most `most` texts, but at least one form."""
        rows = 0
        kept: list[str] = []
        for form in forms:
            rows += self.frequency(form)
            if kept and rows > most:
                break
            kept.append(form)
        return kept

    def rarest(self, forms: Sequence[str], most: int) -> list[str]:
        """Returns the rarest of some forms, rarest first. Drops forms that do not occur, and frequent ones if there is
        a rarer one. Returns only as many as there is time to search for.
        """
        counted = sorted((self.frequency(form), number, form) for number, form in enumerate(forms))
        there = [(count, form) for count, _, form in counted if count]
        rare = [form for count, form in there if count <= self.frequent] or [form for _, form in there[:1]]
        return self._within(rare[:most], self.most)

    def by_facets(self, values: Sequence[str], facets: Sequence[str] = NAMES) -> None:
        """Marks the memories that have one of these facets with one of these values."""
        for seq, session in self._rows(_NAMED, terms=dump(values), facets=dump(facets)):
            self.at(seq, session).named = True

    def by_names(self, terms: Sequence[str]) -> None:
        """Marks the memories that a query's words name as a facet. Ignores words that name too many memories to
        distinguish them.
        """
        given = {"facets": dump(NAMES), "rows": NAMED_ROWS + 1}
        few = [one for one in terms if 0 < self._naming({"value": one, **given}) <= NAMED_ROWS]
        if few:
            self.by_facets(few)

    def _naming(self, given: dict[str, Any]) -> int:
        """Returns the number of memories that a name names, at most the given `rows`."""
        return self.store.rows(_NAMING, given)[0][0]  # type: ignore[no-any-return]

    def with_facet(self, facet: str) -> list[tuple[int, str]]:
        """Returns (seq, value) of the newest memories with this facet."""
        return self._rows(_WITH, facet=facet)

    def vocabulary(self, start: str) -> list[str]:
        """Returns the stems in memories' texts that begin with `start`, in any scope."""
        self.store.rows(_VOCABULARY, {})
        values = {"low": start, "high": start + "\U0010ffff", "rows": VOCABULARY_ROWS}
        return [row[0] for row in self.store.rows(_STEMS, values)]

    def total(self) -> int:
        """Returns the number of memories that were ever stored, in any scope."""
        return self.store.rows(_TOTAL, {})[0][0]  # type: ignore[no-any-return]

    def taken(self, limit: int) -> list[StoredMemory]:
        """Returns up to `limit` of the memories found: those named by a facet first, then the best by words."""
        best = sorted(self.found.values(), key=lambda one: (-one.named, -one.own, -one.seq))[:limit]
        return [memory for memory, _ in self.memories(best)]

    def vectors(self, model: str, dims: int, found: Iterable[int], most: int = VECTORS_COMPARED) -> dict[int, bytes]:
        """Returns the packed vectors of the scope's memories that have one of this model, by `seq`. In a store with
        more than `most` vectors, returns only those of `found`.
        """
        if self.store.schema < SEEN:
            return {}
        values = {"model": model, "bytes": LENGTH.size + dims}
        if most and self.store.rows(_MANY, {"rows": most + 1})[0][0] <= most:
            return dict(self._rows(_VECTORS.postgres if self.store.is_postgres else _VECTORS.sqlite, **values))
        return dict(self._rows(_SOME_VECTORS, seqs=dump(sorted(found)), **values))

    def sessions(self, seqs: Iterable[int]) -> list[tuple[str, int]]:
        """Returns (session, seq) of every memory, in any scope, of the sessions of some memories, in order. In a hook,
        only of those found: no others are compared.
        """
        if self.hot:
            return sorted((one.session, one.seq) for one in self.found.values() if one.session)
        return self.store.rows(_SESSIONS, {"seqs": dump(sorted(seqs))})

    def compared(
        self, model: str, asked: Sequence[float], wanted: Iterable[int], most: int = VECTORS_COMPARED
    ) -> list[tuple[int, str | None, float, float]] | None:
        """Returns (seq, session, cosine, sum of its neighbours' cosines in the session) of those `wanted` and of the
        nearest. Returns None if this would need to read every vector.
        """
        cache = self._vector_cache(model, len(asked), most)
        return cache.compared(self._numbers(), asked, wanted, DENSE_LOW, self.depth) if cache else None

    def _vector_cache(self, model: str, dims: int, most: int) -> VectorCache | None:
        """Returns the cached vectors of this model, brought up to date. Returns None without a cache, or in a store
        with more than `most` vectors.
        """
        cache, of = self.vector_cache_of(model, dims) if self.vector_cache_of else None, {"model": model}
        if cache is None or self.store.rows(_MANY, {"rows": most + 1})[0][0] > most:
            return None
        last = self.store.rows(_LAST_VECTOR, of)
        cache.refresh(last[0] if last else None, lambda after: self.store.rows(_NEW_VECTORS, {"after": after, **of}))
        return cache

    def _numbers(self) -> str:
        """Returns every `seq` of the scope, comma-separated."""
        return self._rows(_NUMBERS)[0][0]  # type: ignore[no-any-return]

    def holds(self, seq: int) -> bool:
        """Tells whether a memory belongs to the scope and can be recalled."""
        return bool(self._rows(_HOLDS, seq=seq))

    def says(self, seq: int, query: str) -> bool:
        """Tells whether a memory or its evidence matches an FTS5 query."""
        return bool(self.store.rows(_SAYS, {"seq": seq, "query": query}))

    def weigh(self, candidates: Iterable[RankedCandidate]) -> list[RankedCandidate]:
        """Sets the candidates' worth and confidence, and returns those in scope. The worth is the importance now, or in
        a hook the relevance.
        """
        seqs = dump([one.seq for one in candidates])
        if self.hot:
            rows = self._rows(_WORTH, seqs=seqs)
        else:
            found = [StoredMemory(row) for row in self._rows(_WHOLE, seqs=seqs)]
            policies = self.store.policies or DEFAULT
            rows = [(m.seq, policies.importance(m, self.values["now"]), m.confidence) for m in found]
        for seq, worth, confidence in rows:
            one = self.at(seq)
            one.worth, one.confidence = worth, confidence
        return [self.found[row[0]] for row in rows]

    def memories(self, chosen: list[RankedCandidate]) -> list[tuple[StoredMemory, RankedCandidate]]:
        """Returns the chosen memories, in this order."""
        rows = self.store.rows(_ROWS, {"seqs": dump([one.seq for one in chosen])})
        made = {memory.seq: memory for memory in map(StoredMemory, rows)}
        return [(made[one.seq], one) for one in chosen if one.seq in made]
