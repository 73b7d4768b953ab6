"""What a query matches in a scope: by words, by the facets it names, by vectors. With the bare driver. Hot module."""

from __future__ import annotations

from ..core.defaults import FREQUENT_ROWS, MATCH_ROWS, VECTORS_COMPARED
from ..core.fastjson import dump
from ..core.model import StoredMemory
from ..core.rank import Candidate
from ..core.vector import LENGTH
from .reader import RECALLABLE, ROW, Reader, in_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_TEXTS = """
SELECT m.seq, -f.rank AS score, m.session_id FROM {index} f JOIN memory m ON m.seq = f.rowid
WHERE {index} MATCH :query AND %s ORDER BY f.rank LIMIT :rows
"""
_OWN, _WINDOW = _TEXTS.format(index="memory_fts"), _TEXTS.format(index="window_fts")
_EVIDENCE = """
SELECT m.seq, -min(f.rank) AS score, m.session_id FROM evidence_fts f JOIN evidence e ON e.seq = f.rowid
JOIN memory m ON m.id = e.memory_id WHERE evidence_fts MATCH :query AND %s GROUP BY m.seq ORDER BY 2 DESC LIMIT :rows
"""
# CROSS JOIN: SQLite takes the tables in this order, the few rows first.
_NAMED = """
SELECT DISTINCT m.seq, m.session_id FROM memory_facet f CROSS JOIN memory m ON m.id = f.memory_id
WHERE f.facet IN ('tag', 'concept', 'symbol', 'file') AND f.value IN (SELECT value FROM json_each(:terms))
AND %s ORDER BY 1 DESC LIMIT :rows
"""
_VECTORS = """
SELECT m.seq, m.session_id, v.data FROM vector v JOIN memory m ON m.id = v.memory_id
WHERE v.model = :model AND length(v.data) = :bytes AND %s ORDER BY m.seq
"""
_SOME_VECTORS = """
SELECT m.seq, m.session_id, v.data FROM json_each(:seqs) j CROSS JOIN memory m ON m.seq = j.value
CROSS JOIN vector v ON v.memory_id = m.id AND v.model = :model
WHERE length(v.data) = :bytes AND %s ORDER BY m.seq
"""
_MANY = "SELECT count(*) FROM (SELECT 1 FROM vector LIMIT :rows)"
_FREQUENCY = """
SELECT (SELECT count(*) FROM (SELECT 1 FROM memory_fts WHERE memory_fts MATCH :query LIMIT :rows))
    + (SELECT count(*) FROM (SELECT 1 FROM evidence_fts WHERE evidence_fts MATCH :query LIMIT :rows))
"""
_SAYS = """
SELECT 1 FROM memory_fts WHERE memory_fts MATCH :query AND rowid = :seq
UNION ALL SELECT 1 FROM memory m JOIN evidence e ON e.memory_id = m.id JOIN evidence_fts f ON f.rowid = e.seq
WHERE m.seq = :seq AND evidence_fts MATCH :query
"""
_WORTH = """
SELECT m.seq, m.relevance, m.confidence FROM json_each(:seqs) j CROSS JOIN memory m ON m.seq = j.value WHERE %s
"""
_ROWS = f"SELECT {ROW} FROM memory m WHERE m.seq IN (SELECT value FROM json_each(:seqs))"
SEEN = 4  # the schema from which on there are windows and vectors


class Matches:
    """What matches in one scope: a project's and user scope, or `everything`; `kinds` is a JSON array or "" for all."""

    def __init__(self, store: Reader, project: str | None, everything: bool, kinds: str, now: float) -> None:
        self.store = store
        self.values: dict[str, Any] = {"project": project, "kinds": kinds, "now": now, "rows": MATCH_ROWS}
        self.scope = RECALLABLE + " AND " + in_scope(everything, kinds)
        self.found: dict[int, Candidate] = {}

    def _rows(self, sql: str, **values: Any) -> list[Any]:
        return self.store.rows(sql % self.scope, {**self.values, **values})

    def frequency(self, query: str) -> int:
        """How many texts a query of FTS5 matches, memories' and their evidence's, whatever their scope, as far as they
        are counted: of either FREQUENT_ROWS and one more.
        """
        return self.store.rows(_FREQUENCY, {"query": query, "rows": FREQUENT_ROWS + 1})[0][0]  # type: ignore[no-any-return]

    def at(self, seq: int, session: str | None = None) -> Candidate:
        if seq not in self.found:
            self.found[seq] = Candidate(seq, session)
        return self.found[seq]

    def by_words(self, query: str) -> None:
        """Notes how well memories match a query of FTS5: their texts, their evidence, their sessions' windows."""
        for sql in (_OWN, _EVIDENCE):
            for seq, score, session in self._rows(sql, query=query):
                one = self.at(seq, session)
                one.own = max(one.own, score)
        if self.store.schema >= SEEN:
            for seq, score, session in self._rows(_WINDOW, query=query):
                self.at(seq, session).window = score

    def by_facets(self, terms: list[str]) -> None:
        """Notes which memories have a facet of one of these names."""
        for seq, session in self._rows(_NAMED, terms=dump(terms)):
            self.at(seq, session).named = True

    def vectors(self, model: str, dims: int) -> list[tuple[int, str | None, bytes]]:
        """(seq, session, packed vector) of every memory of the scope that has one of this model, in order; in a store
        of many only of those that are found already.
        """
        if self.store.schema < SEEN:
            return []
        values = {"model": model, "bytes": LENGTH.size + dims}
        if self.store.rows(_MANY, {"rows": VECTORS_COMPARED + 1})[0][0] <= VECTORS_COMPARED:
            return self._rows(_VECTORS, **values)
        return self._rows(_SOME_VECTORS, seqs=dump(sorted(self.found)), **values)

    def holds(self, seq: int) -> bool:
        """Whether a memory belongs to the scope, and can be recalled."""
        return bool(self._rows("SELECT 1 FROM memory m WHERE m.seq = :seq AND %s", seq=seq))

    def says(self, seq: int, query: str) -> bool:
        """Whether a memory or its evidence matches a query of FTS5."""
        return bool(self.store.rows(_SAYS, {"seq": seq, "query": query}))

    def weigh(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """The candidates with what they are worth."""
        rows = self._rows(_WORTH, seqs=dump([one.seq for one in candidates]))
        for seq, relevance, confidence in rows:
            one = self.at(seq)
            one.relevance, one.confidence = relevance, confidence
        return [self.found[row[0]] for row in rows]

    def memories(self, chosen: list[Candidate]) -> list[tuple[StoredMemory, Candidate]]:
        """Those memories, in this order."""
        rows = self.store.rows(_ROWS, {"seqs": dump([one.seq for one in chosen])})
        made = {memory.seq: memory for memory in map(StoredMemory, rows)}
        return [(made[one.seq], one) for one in chosen if one.seq in made]
