"""The static embedder: its table, and what its pieces count for here."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from .. import files, runtime, wordtable
from ..core.defaults import STATIC
from ..wordtable import WordTable


class Static:
    """wordllama's table of 32,000 word pieces (MIT), pooled with this store's own idf."""

    model = STATIC

    def __init__(self, home: str) -> None:
        """Raises OSError or ValueError where there is no whole table."""
        self.table = WordTable(runtime.table_file(home))
        self.counted, self.weights = wordtable.load_weights(wordtable.weights_file(home), self.table.pieces)
        self.dims = self.table.dims

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        return [self.table.vector(self.table.pieces_of(text), self.weights) for text in texts]


def count_pieces(home: str, texts: Sequence[str]) -> None:
    """Notes in how many of this store's texts each piece is: what it counts for from now on."""
    table = WordTable(runtime.table_file(home))
    counts = [0] * table.pieces
    for text in texts:
        for number in set(table.pieces_of(text)):
            counts[number] += 1
    weights = [idf(len(texts), count) ** 0.5 for count in counts]
    files.write(wordtable.weights_file(home), struct.pack(f"<I{len(weights)}f", len(texts), *weights))


def idf(total: int, holding: int) -> float:
    """BM25's, which is never below 0: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
