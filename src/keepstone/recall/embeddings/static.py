"""The static embedder: its table, and what its pieces count for here."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...config import runtime
from ...lib import files
from ...lib.limits import STATIC
from . import table_reader
from .table_reader import WordTable

NOBODYS: Mapping[str, str] = MappingProxyType({})  # an environment that names no server


class Static:
    """wordllama's table of 32,000 word pieces (MIT), pooled with this store's own idf."""

    model = STATIC

    def __init__(self, home: str, environ: Mapping[str, str] = NOBODYS) -> None:
        """Raises OSError or ValueError where there is no whole table."""
        self.table = WordTable(runtime.table_file(home))
        path = Path(runtime.weights_file(home, environ))
        self.kept = path.read_bytes() if path.exists() else b""
        self.counted, self.weights = table_reader.load_weights(str(path), self.table.pieces)
        self.dims = self.table.dims

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        return [self.table.vector(self.table.pieces_of(text), self.weights) for text in texts]

    def checked(self, made: bytes) -> bytes:
        """What pieces count for as a database has it; b"" for what is nothing of the kind."""
        if len(made) != 4 * (self.table.pieces + 1):
            return b""
        return made if all(0 <= weight < math.inf for weight in memoryview(made)[4:].cast("f")) else b""


def count_pieces(home: str, texts: Sequence[str]) -> bytes:
    """What each piece counts for where these are the texts: by in how many of them it is."""
    table = WordTable(runtime.table_file(home))
    counts = [0] * table.pieces
    for text in texts:
        for number in set(table.pieces_of(text)):
            counts[number] += 1
    weights = [idf(len(texts), count) ** 0.5 for count in counts]
    return struct.pack(f"<I{len(weights)}f", len(texts), *weights)


def keep_weights(home: str, made: bytes, environ: Mapping[str, str] = NOBODYS) -> None:
    """Has pieces count for that from now on."""
    files.write(runtime.weights_file(home, environ), made)


def counted_of(made: bytes) -> int:
    """How many texts were counted for that, 0 for b""."""
    return int.from_bytes(made[:4], "little")


def idf(total: int, holding: int) -> float:
    """BM25's, which is never below 0: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
