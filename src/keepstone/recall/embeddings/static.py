"""The static embedder: a table of word pieces, and this store's word weights."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from ...config import runtime
from ...lib import files
from ...lib.limits import STATIC
from . import table_reader
from .table_reader import WordTable

NOBODYS: Mapping[str, str] = MappingProxyType({})  # an environment without a server


class Static:
    """Uses wordllama's table of 32,000 word pieces (MIT), pooled with this store's own idf."""

    model = STATIC

    def __init__(self, home: str, environ: Mapping[str, str] = NOBODYS) -> None:
        """Raises OSError or ValueError if the table is missing or damaged."""
        self.table = WordTable(runtime.table_file(home))
        path = runtime.weights_file(home, environ)
        self.kept = b""
        with suppress(FileNotFoundError), open(path, "rb") as file:
            self.kept = file.read()
        self.counted, self.weights = table_reader.load_weights(path, self.table.pieces)
        self.dims = self.table.dims

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        return [self.table.vector(self.table.pieces_of(text), self.weights) for text in texts]

    def checked(self, made: bytes) -> bytes:
        """Returns word weights from a database, or b"" if they are malformed."""
        if len(made) != 4 * (self.table.pieces + 1):
            return b""
        return made if all(0 <= weight < math.inf for weight in memoryview(made)[4:].cast("f")) else b""


def count_pieces(home: str, texts: Sequence[str]) -> bytes:
    """Returns the word weights for a collection of texts: each piece's weight follows from the number of texts that
    contain it.
    """
    table = WordTable(runtime.table_file(home))
    counts = [0] * table.pieces
    for text in texts:
        for number in set(table.pieces_of(text)):
            counts[number] += 1
    weights = [idf(len(texts), count) ** 0.5 for count in counts]
    return struct.pack(f"<I{len(weights)}f", len(texts), *weights)


def keep_weights(home: str, made: bytes, environ: Mapping[str, str] = NOBODYS) -> None:
    """Stores word weights for later processes."""
    files.write(runtime.weights_file(home, environ), made)


def counted_of(made: bytes) -> int:
    """Returns the number of texts that word weights were counted from, 0 for b""."""
    return int.from_bytes(made[:4], "little")


def idf(total: int, holding: int) -> float:
    """Returns BM25's inverse document frequency, which is never below 0: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
