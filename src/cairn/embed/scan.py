"""Comparing many vectors at once, with numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy


def scanned(asked: Sequence[float], vectors: Sequence[bytes]) -> list[float]:
    """The cosine of a vector of length one and each of these packed ones."""
    rows = numpy.frombuffer(b"".join(vectors), numpy.dtype([("length", "<f4"), ("values", "i1", (len(asked),))]))
    found: list[float] = (rows["values"] @ numpy.asarray(asked, numpy.float32) / rows["length"]).tolist()
    return found
