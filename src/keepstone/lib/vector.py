"""Vectors of length one as they are stored: a byte a dimension, and how long those bytes are together. Hot module."""

from __future__ import annotations

import struct
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Protocol

    class VectorCache(Protocol):
        """The vectors of one model that stay in memory: `embed.shelf`."""

        def refresh(self, last: Any, after: Callable[[int], Iterable[Any]]) -> None: ...

        def compared(
            self, seqs: str, asked: Sequence[float], wanted: Iterable[int], least: float, most: int
        ) -> list[tuple[int, str | None, float, float]]: ...


LENGTH = struct.Struct("<f")  # what the bytes have to be divided by to be of length one again


def unit(values: Sequence[float]) -> list[float] | None:
    """A vector at length one; None for one that points nowhere."""
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values] if length > 1e-9 else None


def packed(values: Sequence[float]) -> bytes:
    """A vector's bytes: the largest value becomes 127."""
    largest = max(max(map(abs, values)), 1e-9)
    quantised = [round(value * 127 / largest) for value in values]
    length = sum(value * value for value in quantised) ** 0.5
    return LENGTH.pack(length) + struct.pack(f"{len(quantised)}b", *quantised)


def cosine(query: Sequence[float], data: bytes) -> float:
    """How alike a vector of length one and packed bytes are, -1..1. Both have the same dimensions."""
    length: float = LENGTH.unpack_from(data)[0]
    product: float = sum(map(mul, query, memoryview(data)[LENGTH.size :].cast("b")))
    return product / length


def unpacked(data: bytes) -> list[float]:
    """The vector of length one that packed bytes are."""
    length: float = LENGTH.unpack_from(data)[0]
    return [value / length for value in memoryview(data)[LENGTH.size :].cast("b")]
