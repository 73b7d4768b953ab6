"""Stores unit vectors as one byte per dimension, after a float32 that holds the length of those bytes as a vector. Hot
module.
"""

from __future__ import annotations

import struct
from math import dist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Protocol

    class VectorCache(Protocol):
        """The vectors of one model in memory: `recall/embeddings/vector_cache.py`."""

        def refresh(self, last: Any, after: Callable[[int], Iterable[Any]]) -> None: ...

        def compared(
            self, seqs: str, asked: Sequence[float], wanted: Iterable[int], least: float, most: int
        ) -> list[tuple[int, str | None, float, float]]: ...


LENGTH = struct.Struct("<f")  # divides the bytes to get a unit vector again


def unit(values: Sequence[float]) -> list[float] | None:
    """Returns the vector scaled to length one, or None for a zero vector."""
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values] if length > 1e-9 else None


def packed(values: Sequence[float]) -> bytes:
    """Returns a vector as bytes. The largest value becomes 127 or -127."""
    largest = max(max(map(abs, values)), 1e-9)
    quantised = [round(value * 127 / largest) for value in values]
    length = sum(value * value for value in quantised) ** 0.5
    return LENGTH.pack(length) + struct.pack(f"{len(quantised)}b", *quantised)


def cosines(query: Sequence[float], vectors: Iterable[bytes]) -> list[float]:
    """Returns the cosine, -1..1, of a unit vector and each packed vector. All must have the same dimensions.

    Computed by the law of cosines: in Python, `math.dist` is the quickest way to compare two vectors.
    """
    point, values = tuple(query), struct.Struct(f"{len(query)}b")
    found = []
    for data in vectors:
        length: float = LENGTH.unpack_from(data)[0]
        apart = dist(point, values.unpack_from(data, LENGTH.size))
        square = round(length * length)  # the sum of squares, which the stored length rounds
        found.append((1.0 + square - apart * apart) / (2.0 * length))
    return found


def unpacked(data: bytes) -> list[float]:
    """Returns the unit vector that the packed bytes hold."""
    length: float = LENGTH.unpack_from(data)[0]
    return [value / length for value in memoryview(data)[LENGTH.size :].cast("b")]
