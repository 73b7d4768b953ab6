"""What a query matches in a scope: by words, by the facets it names, by vectors. With the bare driver. Hot module."""

from __future__ import annotations

from ..db.filter_sql import RECALLABLE, condition, condition_values, in_scope
from ..db.reader import ROW, Reader
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
MATCH_ROWS = 300  # of an index, before scores of several are added
# a word in more texts than that counts only where no rarer one is asked for, and of such only the newest texts: BM25
# takes 5 us a row
FREQUENT_ROWS = 2_000
QUERY_ROWS = 5_000  # that the words of a query match together, the rarest first: 25 ms on a slow machine
RARE_ROWS = 1_000  # as QUERY_ROWS, for their evidence and their sessions' windows, which take longer
NAMED_ROWS = 500  # a tag, symbol or file of more memories names none
# that the words of a text match together, the rarest first: so many, or this part of a larger store, up to
# FREQUENT_ROWS: 500 take 5 ms on a slow machine
MOMENT_ROWS = 500
MOMENT_PART = 40
MOMENT_DEPTH = 30  # as RANK_DEPTH, in a hook

# Not "ORDER BY f.rank": then FTS5 ranks all that matches, in every project, before it is told which of it is asked for.
_TEXTS = """
SELECT m.seq, -f.rank AS score, m.session_id FROM {index} f JOIN memory m ON m.seq = f.rowid
WHERE {index} MATCH :query AND f.rowid >= :since AND {scope} ORDER BY +f.rank LIMIT :rows
"""
_EVIDENCE = """
SELECT m.seq, -min(f.rank) AS score, m.session_id FROM evidence_fts f JOIN evidence e ON e.seq = f.rowid
JOIN memory m ON m.id = e.memory_id WHERE evidence_fts MATCH :query AND f.rowid >= :since AND {scope}
GROUP BY m.seq ORDER BY 2 DESC LIMIT :rows
"""
NAMING = "SELECT 1 FROM memory_facet f WHERE f.facet IN (SELECT value FROM json_each(:facets)) AND f.value = :value"
_NAMING = f"SELECT count(*) FROM ({NAMING} LIMIT :rows)"
# CROSS JOIN: SQLite takes the tables in this order, the few rows first.
_NAMED = """
SELECT DISTINCT m.seq, m.session_id FROM memory_facet f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.facet IN (SELECT value FROM json_each(:facets))
    AND f.value IN (SELECT value FROM json_each(:terms)) AND {scope} ORDER BY 1 DESC LIMIT :rows
"""
_WITH = """
SELECT m.seq, f.value FROM memory_facet f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.facet = :facet AND {scope} ORDER BY m.seq DESC LIMIT :rows
"""
_VECTORS = """
SELECT m.seq, m.session_id, v.data FROM vector v JOIN memory m ON m.id = v.memory_id
WHERE v.model = :model AND length(v.data) = :bytes AND {scope} ORDER BY m.seq
"""
_SOME_VECTORS = """
SELECT m.seq, m.session_id, v.data FROM json_each(:seqs) j CROSS JOIN memory m CROSS JOIN vector v
WHERE m.seq = CAST(j.value AS BIGINT) AND v.memory_id = m.id AND v.model = :model
    AND length(v.data) = :bytes AND {scope} ORDER BY m.seq
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
NAMES = ("tag", "concept", "symbol", "file")  # the facets by which a query names a memory
SEEN = 4  # the schema from which on there are windows and vectors


class Matches:
    """What matches in one scope: a project's and user scope, or `everything`; `kinds` is a JSON array or "" for all.

    `briefly` is how hooks look, who have a few milliseconds: at memories' own texts only, and at fewer of them.
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
    ) -> None:
        self.store = store
        self.hot = hot
        self.shelf_of = None if hot else store.shelf_of
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
        """How many memories' texts a query of FTS5 matches, whatever their scope, or if none does how many of their
        evidence's; of more than `frequent` one more.
        """
        if query not in self._counted:
            count = self._count(query.replace("*", ""))  # FTS5 reads all that begins so, however few are asked for
            if count <= self.frequent and "*" in query:
                count = self._count(query)
            self._counted[query] = count or (0 if self.hot else self._count(query, "evidence_fts"))
        return self._counted[query]

    def _count(self, query: str, index: str = "memory_fts") -> int:
        given = {"query": query, "rows": self.frequent + 1}
        return self.store.rows(_FREQUENCY.format(index=index), given)[0][0]  # type: ignore[no-any-return]

    def at(self, seq: int, session: str | None = None) -> RankedCandidate:
        if seq not in self.found:
            self.found[seq] = RankedCandidate(seq, session)
        return self.found[seq]

    def by_words(self, forms: Sequence[str]) -> None:
        """Notes how well memories match one or more of these, the rarest first: their texts, and by the rarest also
        their evidence and their sessions' windows. Of what matches a frequent word only the newest are looked at.
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

    def _matching(self, sql: str, index: str, forms: Sequence[str], most: int) -> list[Any]:
        """What matches one or more of these; a single one that `most` texts hold only in the newest of those."""
        if not forms:
            return []
        query, since = self._asked(index, forms, most)
        values = {**self.values, "query": query, "since": since}
        return self.store.rows(sql.format(index=index, scope=self.scope), values)

    def _asked(self, index: str, forms: Sequence[str], most: int) -> tuple[str, int]:
        """What is asked of an index, and from which row of it on."""
        query = " OR ".join(forms)
        if len(forms) > 1 or self.frequency(query) <= most:
            return query, 0
        query = query.replace("*", "") if self.frequency(query) > self.frequent else query
        return query, self._since(index, query, most)

    def _since(self, index: str, query: str, most: int) -> int:
        """The first of the newest rows that match."""
        return self.store.rows(_SINCE.format(index=index), {"query": query, "rows": most})[0][0]  # type: ignore[no-any-return]

    def _within(self, forms: Sequence[str], most: int) -> list[str]:
        """As many of the first as match so many texts together, but one at the least."""
        rows = 0
        kept: list[str] = []
        for form in forms:
            rows += self.frequency(form)
            if kept and rows > most:
                break
            kept.append(form)
        return kept

    def rarest(self, forms: Sequence[str], most: int) -> list[str]:
        """Of words as FTS5 finds them the rarest, first: those that occur, and frequent ones only where no rarer one is
        asked; as many as there is time for.
        """
        counted = sorted((self.frequency(form), number, form) for number, form in enumerate(forms))
        there = [(count, form) for count, _, form in counted if count]
        rare = [form for count, form in there if count <= self.frequent] or [form for _, form in there[:1]]
        return self._within(rare[:most], self.most)

    def by_facets(self, values: Sequence[str], facets: Sequence[str] = NAMES) -> None:
        """Notes which memories have one of these facets with one of these values."""
        for seq, session in self._rows(_NAMED, terms=dump(values), facets=dump(facets)):
            self.at(seq, session).named = True

    def by_names(self, terms: Sequence[str]) -> None:
        """The same for the words of a query, without those by which so many are named that they tell nothing apart."""
        given = {"facets": dump(NAMES), "rows": NAMED_ROWS + 1}
        few = [one for one in terms if 0 < self._naming({"value": one, **given}) <= NAMED_ROWS]
        if few:
            self.by_facets(few)

    def _naming(self, given: dict[str, Any]) -> int:
        """How many memories a name names, of very many only so many."""
        return self.store.rows(_NAMING, given)[0][0]  # type: ignore[no-any-return]

    def with_facet(self, facet: str) -> list[tuple[int, str]]:
        """(seq, value) of the newest memories that have such a facet."""
        return self._rows(_WITH, facet=facet)

    def vocabulary(self, start: str) -> list[str]:
        """The stems in memories' texts that begin so, whatever their scope."""
        self.store.rows(_VOCABULARY, {})
        values = {"low": start, "high": start + "\U0010ffff", "rows": VOCABULARY_ROWS}
        return [row[0] for row in self.store.rows(_STEMS, values)]

    def total(self) -> int:
        """How many memories there have been, whatever their scope."""
        return self.store.rows(_TOTAL, {})[0][0]  # type: ignore[no-any-return]

    def taken(self, limit: int) -> list[StoredMemory]:
        """Of what was noted those that match best by words, and all that are named by a facet."""
        best = sorted(self.found.values(), key=lambda one: (-one.named, -one.own, -one.seq))[:limit]
        return [memory for memory, _ in self.memories(best)]

    def vectors(
        self, model: str, dims: int, found: Iterable[int], most: int = VECTORS_COMPARED
    ) -> list[tuple[int, str | None, bytes]]:
        """(seq, session, packed vector) of every memory of the scope that has one of this model, in order; in a store
        of more than `most` only of those `found`.
        """
        if self.store.schema < SEEN:
            return []
        values = {"model": model, "bytes": LENGTH.size + dims}
        if most and self.store.rows(_MANY, {"rows": most + 1})[0][0] <= most:
            return self._rows(_VECTORS, **values)
        return self._rows(_SOME_VECTORS, seqs=dump(sorted(found)), **values)

    def compared(
        self, model: str, asked: Sequence[float], wanted: Iterable[int], most: int = VECTORS_COMPARED
    ) -> list[tuple[int, str | None, float, float]] | None:
        """(seq, session, cosine, sum of its neighbours' in the session) of those `wanted` and of the nearest, where
        that is known without reading every vector; else None.
        """
        shelf = self._shelf(model, len(asked), most)
        return shelf.compared(self._numbers(), asked, wanted, DENSE_LOW, self.depth) if shelf else None

    def _shelf(self, model: str, dims: int, most: int) -> VectorCache | None:
        """The vectors of this model as they stand, where they stay in memory; None in a store of more than `most`."""
        shelf, of = self.shelf_of(model, dims) if self.shelf_of else None, {"model": model}
        if shelf is None or self.store.rows(_MANY, {"rows": most + 1})[0][0] > most:
            return None
        last = self.store.rows(_LAST_VECTOR, of)
        shelf.refresh(last[0] if last else None, lambda after: self.store.rows(_NEW_VECTORS, {"after": after, **of}))
        return shelf

    def _numbers(self) -> str:
        """Every `seq` of the scope, with commas between them."""
        return self._rows(_NUMBERS)[0][0]  # type: ignore[no-any-return]

    def holds(self, seq: int) -> bool:
        """Whether a memory belongs to the scope, and can be recalled."""
        return bool(self._rows(_HOLDS, seq=seq))

    def says(self, seq: int, query: str) -> bool:
        """Whether a memory or its evidence matches a query of FTS5."""
        return bool(self.store.rows(_SAYS, {"seq": seq, "query": query}))

    def weigh(self, candidates: Iterable[RankedCandidate]) -> list[RankedCandidate]:
        """The candidates with what they are worth now; to a brief look that is what they were given at birth."""
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
        """Those memories, in this order."""
        rows = self.store.rows(_ROWS, {"seqs": dump([one.seq for one in chosen])})
        made = {memory.seq: memory for memory in map(StoredMemory, rows)}
        return [(made[one.seq], one) for one in chosen if one.seq in made]
