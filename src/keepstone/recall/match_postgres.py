"""Matches queries in PostgreSQL as FTS5 does: by the same words, ranked by BM25 over indexes of stems."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..lib.fast_json import dump
from ..lib.limits import BM25_COUNTED, BM25_LENGTHS, DENSE_LOW, EXPECTED_ROWS, VECTORS_COMPARED, VOCABULARY_ROWS
from ..lib.vector import LENGTH
from .match_sql import NAMING, TURN_TEXTS, Matches

if TYPE_CHECKING:
    from ..db.postgres import PgReader

NEAR_SHARE = 250  # 100 of n among N take 100 N / n index steps, each as slow as 2.5 comparisons (measured)

# The equivalent of each FTS5 index: a table, and what joins it to its memory.
PLACES = {
    "memory_fts": ("memory", "memory m ON m.seq = t.seq"),
    "evidence_fts": ("evidence", "memory m ON m.id = t.memory_id"),
    "window_fts": ("memory_window", "memory m ON m.seq = t.seq"),
}
TABLES = {index: table for index, (table, _) in PLACES.items()} | {TURN_TEXTS: "turn"}
_FORM = re.compile(r'"([^"]+)"(\*?)')
_HOLDING = "SELECT 1 FROM {table} t WHERE t.words @@ to_tsquery('keepstone.words', :query)"
_SINCE = """
SELECT coalesce(min(x.seq), 0) FROM (
    SELECT t.seq FROM {table} t WHERE t.words @@ to_tsquery('keepstone.words', :query) ORDER BY t.seq DESC LIMIT :rows)
    x
"""
_TOTAL = """
SELECT CASE WHEN c.reltuples > :rows THEN c.reltuples ELSE (SELECT count(*) FROM {table}) END
FROM pg_class c WHERE c.oid = CAST('keepstone.{table}' AS regclass)
"""
_LENGTH = "SELECT avg(x.size) FROM (SELECT t.size FROM {table} t ORDER BY t.seq DESC LIMIT :rows) x"
# BM25 with FTS5's constants (k1 1.2, b 0.75: sqlite.org/fts5.html). A memory's best text counts. The number of
# occurrences of a stem follows from `ts_rank`, which is the sum of 1/i^2 for i to n over pi^2/6 (tsrank.c), and so
# below 1. Reading the lexemes takes much longer; that is done only if several lexemes share the prefix.
_SCORED = """
WITH asked AS MATERIALIZED (
    SELECT s.stem, a.starts, a.weight,
        CAST(quote_literal(s.stem) || CASE WHEN a.starts THEN ':*' ELSE '' END AS tsquery) AS query
    FROM unnest(CAST(:terms AS text[]), CAST(:starts AS boolean[]), CAST(:weights AS double precision[]))
        a (term, starts, weight)
    CROSS JOIN LATERAL (SELECT (ts_lexize('keepstone.stems', a.term))[1] AS stem) s WHERE s.stem IS NOT NULL)
SELECT x.seq, max(x.score), x.session_id FROM (
    SELECT m.seq, m.session_id, t.seq AS text, sum(a.weight * f.often * 2.2
        / (f.often + 1.2 * (0.25 + 0.75 * t.size / CAST(:length AS double precision)))) AS score
    FROM asked a JOIN {table} t ON t.words @@ a.query JOIN {joined}
    CROSS JOIN LATERAL (SELECT ts_rank('{{1,1,1,1}}', t.words, a.query) AS share) r
    CROSS JOIN LATERAL (SELECT CASE WHEN r.share < 1 THEN round(1 / (1.6449340668 * (1 - r.share)) - 0.5) ELSE (
        SELECT sum(cardinality(w.positions)) FROM unnest(t.words) w WHERE starts_with(w.lexeme, a.stem)) END AS often) f
    WHERE t.seq >= :since AND {scope} GROUP BY m.seq, m.session_id, t.seq) x
GROUP BY x.seq, x.session_id ORDER BY 2 DESC, 1 DESC LIMIT :rows
"""
_TURNS = _SCORED.format(table="turn", joined="turn m ON m.seq = t.seq", scope="{turns}").replace(
    "{1,1,1,1}", "{{1,1,1,1}}"
)
_SAYS = """
SELECT 1 FROM memory m WHERE m.seq = :seq AND (m.words @@ to_tsquery('keepstone.words', :query) OR EXISTS (
    SELECT 1 FROM evidence e WHERE e.memory_id = m.id AND e.words @@ to_tsquery('keepstone.words', :query)))
"""
_STEMS = """
SELECT DISTINCT w.lexeme FROM (
    SELECT m.words FROM memory m WHERE m.words @@ CAST(quote_literal(:start) || ':*' AS tsquery) LIMIT :rows) x
CROSS JOIN LATERAL unnest(x.words) w WHERE starts_with(w.lexeme, :start) LIMIT :rows
"""
# pgvector: in a small scope every vector is compared; otherwise the index is followed until enough vectors of the scope
# are found.
_NEAREST = """
WITH nearest AS MATERIALIZED (
    SELECT m.seq, m.session_id, 1 - ({near} <=> {asked}) AS cosine FROM {vectors} WHERE {of} AND {scope}
    ORDER BY {near} <=> {asked} LIMIT :depth),
chosen AS (
    SELECT * FROM nearest WHERE cosine >= :least UNION
    SELECT m.seq, m.session_id, 1 - ({near} <=> {asked}) FROM {vectors}
    WHERE {of} AND {scope} AND m.seq IN (SELECT CAST(value AS BIGINT) FROM json_each(:seqs)))
SELECT c.seq, c.session_id, c.cosine, coalesce(b.cosine, 0) + coalesce(a.cosine, 0) FROM chosen c
LEFT JOIN LATERAL (SELECT 1 - ({near} <=> {asked}) AS cosine FROM {vectors}
    WHERE m.session_id = c.session_id AND m.seq < c.seq AND {of} AND {scope} ORDER BY m.seq DESC LIMIT 1) b ON TRUE
LEFT JOIN LATERAL (SELECT 1 - ({near} <=> {asked}) AS cosine FROM {vectors}
    WHERE m.session_id = c.session_id AND m.seq > c.seq AND {of} AND {scope} ORDER BY m.seq LIMIT 1) a ON TRUE
"""
_VECTORS = "keepstone.vector v JOIN memory m ON m.id = v.memory_id"  # the memory says which user a vector belongs to
_IN_SCOPE = "SELECT 1 FROM memory m WHERE {scope}"
_EXPECTED = "EXPLAIN (FORMAT JSON) "  # the planner's estimate, without reading any row
_COUNT = "SELECT count(*) FROM ({found} LIMIT :most) x"
Form = tuple[str, bool]  # a term, and whether it also matches as a prefix


class PgMatches(Matches):
    """The matches in one scope, in PostgreSQL."""

    store: PgReader

    def _count(self, query: str, index: str) -> int:
        return min(self._holding(index, _tsquery(query), self.frequent + 1), self.frequent + 1)

    def _naming(self, given: dict[str, Any]) -> int:
        return self._counted_to(given["rows"], NAMING, given)

    def _holding(self, index: str, query: str, most: int) -> int:
        """Returns the number of an index's texts that match (see `_counted_to`)."""
        return self._counted_to(most, _HOLDING.format(table=TABLES[index]), {"query": query})

    def _counted_to(self, most: int, sql: str, values: dict[str, Any]) -> int:
        """Returns the number of rows that a statement finds: at most `most`, or the planner's estimate if that is very
        high. To count the first rows of a frequent word, PostgreSQL looks up all of them; the estimate is 0.93 to 1.12
        of the true number (measured).
        """
        if self._so_many > EXPECTED_ROWS:
            ((plan,),) = self.store.rows(_EXPECTED + sql, values)
            if (expected := int(plan[0]["Plan"]["Plan Rows"])) > EXPECTED_ROWS:
                return expected
        return int(self.store.rows(_COUNT.format(found=sql), {**values, "most": most})[0][0])

    @cached_property
    def _so_many(self) -> int:
        return self.total()

    def _number(self, sql: str, index: str, **values: Any) -> int:
        return int(self.store.rows(sql.format(table=TABLES[index]), values)[0][0] or 0)

    def _matching(self, sql: str, index: str, forms: Sequence[str], most: int) -> list[Any]:
        if not forms:
            return []
        query, since = self._asked(index, forms, most)
        asked = _forms(query)
        values = {
            "terms": [term for term, _ in asked],
            "starts": [starts for _, starts in asked],
            "weights": [self._rarity(index, form) for form in asked],
            "length": self._cached(_LENGTH, index, BM25_LENGTHS) or 1.0,
            "since": since,
        }
        if index == TURN_TEXTS:
            sql = _TURNS.format(turns=self.scope)
        else:
            table, joined = PLACES[index]
            sql = _SCORED.format(table=table, joined=joined, scope=self.scope)
        return self.store.rows(sql, {**self.values, **values})

    def _since(self, index: str, query: str, most: int) -> int:
        return self._number(_SINCE, index, query=_tsquery(query), rows=most)

    def _rarity(self, index: str, form: Form) -> float:
        """Returns the inverse frequency of a form among an index's texts, as FTS5 computes it."""
        total = self._cached(_TOTAL, index, BM25_COUNTED)
        holds = self._holding(index, _written([form]), BM25_COUNTED)
        return max(1e-6, math.log((max(total, holds) - holds + 0.5) / (holds + 0.5)))

    def _cached(self, sql: str, index: str, rows: int) -> float:
        """Returns a number about an index, cached in this object."""
        name = f"{sql} {index}"
        if name not in self._counted:
            self._counted[name] = self._number(sql, index, rows=rows)
        return self._counted[name]

    def compared(
        self, model: str, asked: Sequence[float], wanted: Iterable[int], most: int = VECTORS_COMPARED
    ) -> list[tuple[int, str | None, float, float]] | None:
        if not self.store.compares:
            return None
        dims, near = len(asked), "v.near"
        if self.store.has_index(model, dims):
            most = min(most, math.isqrt(NEAR_SHARE * self.total()))
            near = f"CAST(v.near AS halfvec({dims}))" if self._is_large(most) else near
        elif self._is_large(most):
            return None
        sql = _NEAREST.format(
            near=near,
            asked=f"CAST(:asked AS halfvec({dims}))",
            vectors=_VECTORS,
            of=f"v.model = :model AND length(v.data) = {LENGTH.size + dims}",
            scope=self.scope,
        )
        given = {"model": model, "asked": str(list(asked)), "seqs": dump(sorted(wanted)), "least": DENSE_LOW}
        return self.store.rows(sql, {**self.values, **given, "depth": self.depth})

    def _is_large(self, most: int) -> bool:
        """Tells whether the scope has more than `most` memories."""
        return self._counted_to(most + 1, _IN_SCOPE.format(scope=self.scope), self.values) > most

    def vocabulary(self, start: str) -> list[str]:
        values = {"start": _plain(start), "rows": VOCABULARY_ROWS}
        return [row[0] for row in self.store.rows(_STEMS, values)] if values["start"] else []

    def says(self, seq: int, query: str) -> bool:
        return bool(self.store.rows(_SAYS, {"seq": seq, "query": _tsquery(query)}))


def _forms(query: str) -> list[Form]:
    """Returns the quoted words of an FTS5 query, and whether each has a star, which makes it a prefix."""
    return [(plain, bool(star)) for word, star in _FORM.findall(query) if (plain := _plain(word))]


def _plain(word: str) -> str:
    """Returns a word in lower case, without accents and with only letters and digits."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if sign.isalnum()).lower()


def _tsquery(query: str) -> str:
    return _written(_forms(query))


def _written(forms: Sequence[Form]) -> str:
    return " | ".join(f"'{term}':*" if starts else f"'{term}'" for term, starts in forms)
