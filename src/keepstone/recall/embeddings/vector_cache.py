"""Caches vectors in memory between searches, for a long-running process: reading a scope's vectors takes most of a
search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Lock

import numpy

from ...lib.vector import LENGTH

CACHE_SECONDS = 60.0  # lifetime of the cache, after which all vectors are read again: about 50 ms for 10,000

Row = tuple[int, int, str | None, bytes]  # the vector's row id, its memory's seq and session, the packed vector
NONE = -1


class VectorCache:
    """The vectors of one model in one database. New vectors are found by their row id, which grows. After
    `CACHE_SECONDS` all are read again, because SQLite may give a row id a second time.
    """

    def __init__(self, dims: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.dims = dims
        self.clock = clock
        self._turn = Lock()
        self._empty()

    def _empty(self) -> None:
        self._since = self.clock()
        self._last: Row | None = None
        self._count = 0
        self._place = numpy.full(0, NONE)  # the row in `_values` for each seq
        self._values = numpy.zeros((0, self.dims), numpy.float32)
        self._lengths = numpy.zeros(0, numpy.float32)
        self._sessions = numpy.zeros(0, numpy.int64)
        self._codes: dict[str, int] = {}  # a number for each session, in order of appearance

    def refresh(self, last: Row | None, after: Callable[[int], Iterable[Row]]) -> None:
        """Reads the new vectors. `last` is the row with the highest row id, and `after` returns the rows after a row
        id.
        """
        with self._turn:
            if self._last != last and self._last and (last is None or last[0] <= self._last[0]):
                self._empty()
            if self.clock() - self._since > CACHE_SECONDS:
                self._empty()
            if self._last == last:
                return
            rows = [row for row in after(self._last[0] if self._last else 0) if self._fits(row)]
            self._add(rows)
            self._last = last

    def _fits(self, row: Row) -> bool:
        return len(row[3]) == LENGTH.size + self.dims

    def _add(self, rows: Sequence[Row]) -> None:
        """Adds rows. A later vector of a memory replaces the earlier one."""
        if not rows:
            return
        room, most = self._count + len(rows), max(row[1] for row in rows) + 1
        if room > len(self._values):
            more = max(room, 2 * len(self._values)) - len(self._values)
            self._values = numpy.vstack((self._values, numpy.zeros((more, self.dims), numpy.float32)))
            self._lengths = numpy.concatenate((self._lengths, numpy.zeros(more, numpy.float32)))
            self._sessions = numpy.concatenate((self._sessions, numpy.zeros(more, numpy.int64)))
        if most > len(self._place):
            more = max(most, 2 * len(self._place)) - len(self._place)
            self._place = numpy.concatenate((self._place, numpy.full(more, NONE)))
        for _, seq, session, data in rows:
            place = int(self._place[seq])
            if place == NONE:
                place = self._place[seq] = self._count
                self._count += 1
            self._lengths[place] = LENGTH.unpack_from(data)[0]
            self._values[place] = numpy.frombuffer(data, numpy.int8, offset=LENGTH.size)
            self._sessions[place] = self._codes.setdefault(session, len(self._codes)) if session else NONE

    def compared(
        self, seqs: str, asked: Sequence[float], wanted: Iterable[int], least: float, most: int
    ) -> list[tuple[int, str | None, float, float]]:
        """Returns (seq, session, cosine, sum of its neighbours' cosines in the session) of those `wanted` among `seqs`,
        and of the `most` nearest of `seqs` with a cosine of at least `least`. `seqs` is a comma-separated list of
        numbers.
        """
        with self._turn:
            found = numpy.fromstring(seqs, numpy.int64, sep=",") if seqs else numpy.zeros(0, numpy.int64)
            found = numpy.sort(found[found < len(self._place)])
            places = self._place[found]
            found, places = found[places != NONE], places[places != NONE]
            cosines = (_products(self._values[places], asked) / self._lengths[places]).astype(numpy.float64)
            sessions, names = self._sessions[places], list(self._codes)
        near = _neighbours(sessions, cosines)
        (close,) = numpy.nonzero(cosines >= least)
        nearest = close[numpy.lexsort((-found[close], -cosines[close]))][:most]
        (named,) = numpy.nonzero(numpy.isin(found, list(wanted)))
        chosen = numpy.union1d(nearest, named)
        said_in = [None if code == NONE else names[code] for code in sessions[chosen].tolist()]
        return list(zip(found[chosen].tolist(), said_in, cosines[chosen].tolist(), near[chosen].tolist(), strict=True))


def _neighbours(sessions: numpy.ndarray, cosines: numpy.ndarray) -> numpy.ndarray:
    """Returns, for each memory, the sum of the cosines of the memories before and after it in its session."""
    order = numpy.argsort(sessions, kind="stable")
    values, of = cosines[order], sessions[order]
    together = (of[1:] == of[:-1]) & (of[1:] != NONE)
    sums = numpy.zeros(len(values))
    sums[1:] += numpy.where(together, values[:-1], 0.0)
    sums[:-1] += numpy.where(together, values[1:], 0.0)
    near = numpy.empty(len(values))
    near[order] = sums
    return near


def _products(values: numpy.ndarray, asked: Sequence[float]) -> numpy.ndarray:
    """Returns each row's product with a vector. Does not use `@`: its library uses every core, which was measured to
    take ten times as long beside other work.
    """
    return numpy.einsum("ij,j->i", values, numpy.asarray(asked, numpy.float32))  # type: ignore[no-any-return]
