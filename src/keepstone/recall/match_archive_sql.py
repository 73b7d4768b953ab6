"""Matches a query against the archive: turns, each with those before and after it in its session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..db.reader import Reader
from ..lib.fast_json import dump
from ..lib.limits import DENSE_LOW, VECTORS_COMPARED
from ..lib.vector import LENGTH
from ..model.turn import ASSISTANT, StoredTurn
from .choose_matcher import matches_in
from .match_sql import TURN_TEXTS
from .rank import WINDOW_WEIGHT, RankedCandidate

FIRST_SCHEMA = 9  # the first schema with an archive
NEIGHBOURS = 2  # turns on each side that belong to a turn's window
WINDOWS = 300  # the best ones, whose turns are looked up
# Relative to a memory's worth, 0..1: what a person said is asked for more often than the assistant's words (BEAM: 412
# of 482 turns that answer).
PERSON_WORTH = 3.0

_PLACES = """
SELECT m.seq, m.place FROM json_each(:seqs) j CROSS JOIN turn m WHERE m.seq = CAST(j.value AS BIGINT)
"""
_AT = """
SELECT m.seq, m.place FROM json_each(:places) j CROSS JOIN turn m
WHERE m.session_id = :at AND m.place = CAST(j.value AS BIGINT) AND {turns}
"""
_VECTORS = "SELECT m.seq, m.vector FROM turn m WHERE m.model = :model AND length(m.vector) = :bytes AND {turns}"
_SOME_VECTORS = """
SELECT m.seq, m.vector FROM json_each(:seqs) j CROSS JOIN turn m
WHERE m.seq = CAST(j.value AS BIGINT) AND m.model = :model AND length(m.vector) = :bytes AND {turns}
"""
_MANY = "SELECT count(*) FROM (SELECT 1 FROM turn WHERE model IS NOT NULL LIMIT :rows) x"
_ORDER = """
SELECT m.session_id, m.seq FROM json_each(:seqs) j CROSS JOIN turn m WHERE m.seq = CAST(j.value AS BIGINT)
ORDER BY m.session_id, m.place
"""
_SPEAKERS = """
SELECT m.seq, m.speaker FROM json_each(:seqs) j CROSS JOIN turn m WHERE m.seq = CAST(j.value AS BIGINT) AND {turns}
"""
_COLUMNS = "m.seq, m.project_id, m.session_id, m.place, m.record_uuid, m.speaker, m.answers, m.text, m.trust, m.said_at"
_ROWS = f"SELECT {_COLUMNS} FROM turn m WHERE m.seq IN (SELECT CAST(value AS BIGINT) FROM json_each(:seqs))"
_OF_RECORD = f"SELECT {_COLUMNS} FROM turn m WHERE m.record_uuid = :record"
_OF_SESSION = f"""
SELECT {_COLUMNS} FROM turn m WHERE m.session_id = :session AND m.place BETWEEN :first AND :last ORDER BY m.place, m.seq
"""
_LAST_PLACE = 2**62


@dataclass(frozen=True, slots=True)
class ArchiveScope:
    """Whose turns are searched: a project's, or `everything`; of one session, or said since a time or before another,
    if given. What others may have written is left out unless it is `untrusted` that is asked for too.
    """

    project: str | None = None
    everything: bool = False
    session: str = ""
    since: float | None = None
    before: float | None = None
    untrusted: bool = False

    def condition(self) -> str:
        """Returns the SQL condition for a turn `m`."""
        here = "m.project_id = :project" if self.project else "m.project_id IS NULL"
        parts = (
            (not self.untrusted, "m.trust = 'trusted'"),
            (not self.everything, here),
            (self.session, "m.session_id = :session"),
            (self.since is not None, "m.said_at >= :after"),
            (self.before is not None, "m.said_at < :until"),
        )
        return " AND ".join(sql for narrows, sql in parts if narrows) or "TRUE"


class ArchiveMatches:
    """The turns in a scope that match a query. A window's score is the sum, over the words of the query, of the best
    score that any of its turns has for the word.
    """

    hot = False

    def __init__(self, store: Reader, scope: ArchiveScope) -> None:
        self.store = store
        self.found: dict[int, RankedCandidate] = {}
        self._scope = scope.condition()
        self._values = {"project": scope.project, "session": scope.session, "after": scope.since, "until": scope.before}
        self._words = matches_in(store, None, True, "", 0.0, index=TURN_TEXTS)
        self._words.scope, self._words.values = self._scope, self._values
        self.depth = self._words.depth
        self._matching: set[tuple[str, int]] = set()  # (session, place) of turns with a word of the query

    def rarest(self, forms: Sequence[str], most: int) -> list[str]:
        return self._words.rarest(forms, most)

    def at(self, seq: int, session: str | None = None) -> RankedCandidate:
        if seq not in self.found:
            self.found[seq] = RankedCandidate(seq, session)
        return self.found[seq]

    def by_words(self, forms: Sequence[str]) -> None:
        """Sets how well turns and their windows match these forms."""
        matching = [self._words.turns(form) for form in forms]
        places = dict(self._rows(_PLACES, seqs=dump(sorted({seq for rows in matching for seq, *_ in rows}))))
        own: dict[tuple[str, int], float] = defaultdict(float)
        windows: dict[tuple[str, int], float] = defaultdict(float)
        known: dict[tuple[str, int], int] = {}
        for rows in matching:
            best: dict[tuple[str, int], float] = defaultdict(float)
            for seq, score, session in rows:
                place = places[seq]
                known[session, place] = seq
                own[session, place] += score
                for near in range(place - NEIGHBOURS, place + NEIGHBOURS + 1):
                    best[session, near] = max(best[session, near], score)
            for key, score in best.items():
                windows[key] += score
        self._matching.update(known)
        top = sorted(windows, key=lambda key: -own[key] - WINDOW_WEIGHT * windows[key])[:WINDOWS]
        known |= self._between([key for key in top if key not in known])
        for key, seq in known.items():
            one = self.at(seq, key[0])
            one.own, one.window = own[key], windows[key]

    def _between(self, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Returns the turns at these (session, place), which match nothing themselves."""
        wanted: dict[str, list[int]] = defaultdict(list)
        for session, place in keys:
            wanted[session].append(place)
        return {
            (session, place): seq
            for session, places in wanted.items()
            for seq, place in self._rows(_AT, at=session, places=dump(places))
        }

    def answers(self, turn: StoredTurn, one: RankedCandidate) -> bool:
        """Tells whether a turn that was found says something of what was asked: it has a word of it or is near in
        meaning, or is the prompt or the reply to one that has.
        """
        other = turn.place + (-1 if turn.speaker == ASSISTANT else 1)
        is_there = not self._matching.isdisjoint(((turn.session_id, turn.place), (turn.session_id, other)))
        return is_there or (one.cosine or 0.0) >= DENSE_LOW

    def by_names(self, terms: Sequence[str]) -> None:
        """Does nothing: a turn has no facets."""

    def compared(self, model: str, asked: Sequence[float], wanted: Iterable[int], most: int = VECTORS_COMPARED) -> None:
        """Returns None: there is no index of the turns' vectors."""

    def vectors(self, model: str, dims: int, found: Iterable[int], most: int = VECTORS_COMPARED) -> dict[int, bytes]:
        """Returns the packed vectors as `Matches.vectors` does."""
        values = {"model": model, "bytes": LENGTH.size + dims}
        if most and self.store.rows(_MANY, {"rows": most + 1})[0][0] <= most:
            return dict(self._rows(_VECTORS, **values))
        return dict(self._rows(_SOME_VECTORS, seqs=dump(sorted(found)), **values))

    def sessions(self, seqs: Iterable[int]) -> list[tuple[str, int]]:
        """Returns (session, seq) of the turns that were compared, in their order."""
        return self.store.rows(
            _ORDER, {"seqs": dump([one.seq for one in self.found.values() if one.cosine is not None])}
        )

    def weigh(self, candidates: Iterable[RankedCandidate]) -> list[RankedCandidate]:
        """Sets the candidates' worth, and returns those in scope."""
        rows = self._rows(_SPEAKERS, seqs=dump([one.seq for one in candidates]))
        for seq, speaker in rows:
            self.at(seq).worth = 0.0 if speaker == ASSISTANT else PERSON_WORTH
        return [self.found[seq] for seq, _ in rows]

    def memories(self, chosen: list[RankedCandidate]) -> list[tuple[StoredTurn, RankedCandidate]]:
        """Returns the chosen turns, in this order."""
        made = {turn.seq: turn for turn in turns_by_number(self.store, [one.seq for one in chosen])}
        return [(made[one.seq], one) for one in chosen if one.seq in made]

    def _rows(self, sql: str, **values: object) -> list[Any]:
        return self.store.rows(sql.format(turns=self._scope), {**self._values, **values})


def turns_by_number(store: Reader, seqs: Iterable[int]) -> list[StoredTurn]:
    """Returns turns by their number, in no order."""
    return [StoredTurn(row) for row in store.rows(_ROWS, {"seqs": dump(list(seqs))})]


def turns_of(store: Reader, session_id: str, first: int = 0, last: int = _LAST_PLACE) -> list[StoredTurn]:
    """Returns a session's turns, in order, from a place to another."""
    return [StoredTurn(row) for row in store.rows(_OF_SESSION, {"session": session_id, "first": first, "last": last})]


def turns_of_record(store: Reader, record: str) -> list[StoredTurn]:
    """Returns the turn of a transcript's record, or none."""
    return [StoredTurn(row) for row in store.rows(_OF_RECORD, {"record": record})]
