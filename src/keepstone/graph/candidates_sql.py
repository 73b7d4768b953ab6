"""Finds candidates for links: memories of the same scope that share files, symbols, concepts, a session or a time with
a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..db.filter_sql import RECALLABLE, in_scope
from ..db.reader import ROW, Reader
from ..lib.fast_json import dump
from ..lib.limits import LINK_COMPARED
from ..lib.text import query_terms, title_and_content
from ..lib.vector import LENGTH
from ..model.memory import StoredMemory
from ..model.relationship import Shared, overlap, rarity

LINK_HOLDERS = 200  # a file or concept of more memories finds none: it would link everything with everything
LINK_COUNTED = 400  # for a facet of more memories, deleted ones are counted too: checking each costs 5 us
LINK_BESIDE = 4  # the nearest memories of the same session, and the nearest in time

Facet = tuple[str, str]  # (facet, value)
FACETS = ("file", "symbol", "concept")
_NEAR = f"m.seq <> :seq AND {RECALLABLE} AND {{scope}}"
_UNRELATED = f"""
SELECT {ROW} FROM memory m WHERE (m.related_at IS NULL OR m.related_at <> m.updated_at) AND {RECALLABLE}
ORDER BY m.seq DESC LIMIT :limit
"""
_TOTAL = "SELECT count(*) FROM memory WHERE status = 'active' AND trust = 'trusted'"
_NAMING = "SELECT count(*) FROM memory_facet WHERE facet = :facet AND value = :value"
_HOLDERS = """
SELECT count(*) FROM memory_facet f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.facet = :facet AND f.value = :value AND m.status = 'active' AND m.trust = 'trusted'
"""
_HOLDING = f"""
SELECT m.seq FROM memory_facet f CROSS JOIN memory m
WHERE m.id = f.memory_id AND f.facet = :facet AND f.value = :value AND {_NEAR}
"""
_OF_SESSION = f"""
SELECT m.seq FROM memory m WHERE m.session_id = :session AND {_NEAR} ORDER BY abs(m.seq - :seq), m.seq LIMIT :most
"""
_IN_TIME = f"SELECT m.seq FROM memory m WHERE m.seq BETWEEN :first AND :last AND {_NEAR}"
_THESE = f"SELECT {ROW} FROM json_each(:seqs) j CROSS JOIN memory m WHERE m.seq = CAST(j.value AS BIGINT)"
_FACETS_OF = """
SELECT m.seq, f.facet, f.value FROM json_each(:seqs) j CROSS JOIN memory m CROSS JOIN memory_facet f
WHERE m.seq = CAST(j.value AS BIGINT) AND f.memory_id = m.id
    AND f.facet IN (SELECT value FROM json_each(:facets))
"""
_IN_SCOPE = f"SELECT m.id, m.seq FROM memory m WHERE {RECALLABLE} AND {{scope}}"  # answered from an index alone
_VECTORS = "SELECT memory_id, data FROM vector WHERE model = :model AND length(data) = :bytes LIMIT :rows"
_VECTOR = "SELECT data FROM vector WHERE memory_id = :id AND model = :model"


def unrelated(store: Reader, limit: int, now: float) -> list[StoredMemory]:
    """Returns the newest memories whose current text was not linked yet."""
    return [StoredMemory(row) for row in store.rows(_UNRELATED, {"limit": limit, "now": now})]


def vectors(
    store: Reader, project: str | None, model: str, dims: int, most: int, now: float
) -> dict[int, bytes] | None:
    """Returns the packed vectors of a project's memories and of user scope, by `seq`. Returns None if the store has
    more than `most`. Two scans without a join take half as long for ten thousand memories.
    """
    rows = store.rows(_VECTORS, {"model": model, "bytes": LENGTH.size + dims, "rows": most + 1})
    if len(rows) > most:
        return None
    seqs = dict(store.rows(_IN_SCOPE.format(scope=in_scope(project, False, "")), {"project": project, "now": now}))
    return {seqs[memory_id]: data for memory_id, data in rows if memory_id in seqs}


class Rarities:
    """Computes how rare facets are in a store. Counts each facet once."""

    def __init__(self, store: Reader) -> None:
        self.store = store
        self.total: int = store.rows(_TOTAL, {})[0][0]
        self._holders: dict[Facet, int] = {}

    def holders(self, facet: Facet) -> int:
        """Returns the number of memories with a facet. For very frequent facets, deleted memories are included."""
        if facet not in self._holders:
            values = {"facet": facet[0], "value": facet[1]}
            naming = self.store.rows(_NAMING, values)[0][0]
            self._holders[facet] = naming if naming > LINK_COUNTED else self.store.rows(_HOLDERS, values)[0][0]
        return self._holders[facet]

    def __call__(self, facet: Facet) -> float:
        return rarity(self.holders(facet), self.total)


class Links:
    """One memory and the others in its scope, which are named by their `seq`."""

    def __init__(self, store: Reader, memory: StoredMemory, rare: Rarities, now: float) -> None:
        self.store = store
        self.memory = memory
        self.rare = rare
        self.now = now
        self.scope = in_scope(memory.project_id, False, "")
        self.values = {"project": memory.project_id, "seq": memory.seq, "now": now}
        self.facets = self._facets_of([memory.seq]).get(memory.seq, set())

    def _seqs(self, sql: str, **values: object) -> list[int]:
        return [row[0] for row in self.store.rows(sql.format(scope=self.scope), {**self.values, **values})]

    def _facets_of(self, seqs: Iterable[int]) -> dict[int, set[Facet]]:
        found: dict[int, set[Facet]] = {}
        for seq, facet, value in self.store.rows(_FACETS_OF, {"seqs": dump(list(seqs)), "facets": dump(FACETS)}):
            found.setdefault(seq, set()).add((facet, value))
        return found

    def by_facets(self) -> list[int]:
        """Returns the memories that share facets with it, by the total rarity of these. Very frequent facets are
        ignored.
        """
        weights: dict[int, float] = {}
        for facet in sorted(self.facets):
            if self.rare.holders(facet) <= LINK_HOLDERS:
                for seq in self._seqs(_HOLDING, facet=facet[0], value=facet[1]):
                    weights[seq] = weights.get(seq, 0.0) + self.rare(facet)
        return sorted(weights, key=lambda seq: (-weights[seq], -seq))[:LINK_COMPARED]

    def neighbours(self) -> list[int]:
        """Returns the nearest memories of its session, and those stored just before and after it."""
        found = self._seqs(_OF_SESSION, session=self.memory.session_id, most=LINK_BESIDE)
        return found + self._seqs(_IN_TIME, first=self.memory.seq - LINK_BESIDE, last=self.memory.seq + LINK_BESIDE)

    def vector(self, model: str) -> bytes:
        """Returns its vector of a model, b"" if it has none."""
        rows = self.store.rows(_VECTOR, {"id": self.memory.id, "model": model})
        return rows[0][0] if rows else b""

    def shared(self, cosines: Mapping[int, float], terms: Mapping[str, float]) -> dict[str, Shared]:
        """Returns what it shares with each of these memories, by id. `cosines` holds the similarity of their texts by
        `seq`, `terms` the rarity of each of its own words.
        """
        facets = self._facets_of(cosines)
        own = {**terms, **{value: self.rare((facet, value)) for facet, value in self.facets if facet == "concept"}}
        found = {}
        for row in self.store.rows(_THESE, {"seqs": dump(sorted(cosines))}):
            other = StoredMemory(row)
            theirs = facets.get(other.seq, set())
            named = {
                *query_terms(title_and_content(other.title, other.content)),
                *(v for facet, v in theirs if facet == "concept"),
            }
            concepts = tuple(own[name] for name in sorted(own.keys() & named))
            found[other.id] = Shared(
                files=self._rarities(theirs, "file"),
                symbols=self._rarities(theirs, "symbol"),
                concepts=concepts,
                overlap=overlap(concepts, list(own.values()), len(named - own.keys())),
                cosine=cosines[other.seq],
                same_session=bool(other.session_id) and other.session_id == self.memory.session_id,
                seconds=abs(other.created_at - self.memory.created_at),
            )
        return found

    def _rarities(self, theirs: Iterable[Facet], of: str) -> tuple[float, ...]:
        return tuple(self.rare(facet) for facet in sorted(self.facets.intersection(theirs)) if facet[0] == of)
