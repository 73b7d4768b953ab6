"""Stores unit vectors as one byte per dimension, after a float32 that holds the length of those bytes as a vector. Hot
module.
"""

from __future__ import annotations

import struct
from _operator import mul

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
_SIGNED = tuple(float(byte - 256 if byte > 127 else byte) for byte in range(256))  # as floats they multiply faster


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


def cosine(query: Sequence[float], data: bytes) -> float:
    """Returns the cosine of a unit vector and packed bytes, -1..1. Both must have the same dimensions."""
    length: float = LENGTH.unpack_from(data)[0]
    product: float = sum(map(mul, query, map(_SIGNED.__getitem__, data[LENGTH.size :])))
    return product / length


def unpacked(data: bytes) -> list[float]:
    """Returns the unit vector that the packed bytes hold."""
    length: float = LENGTH.unpack_from(data)[0]
    return [value / length for value in memoryview(data)[LENGTH.size :].cast("b")]
