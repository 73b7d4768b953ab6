"""Reads a memory-mapped table of word pieces and their vectors, and makes a text's vector without any package. Hot
module.

Pieces are found by sentencepiece's BPE: of all adjacent pairs, the one whose joined piece comes first in the vocabulary
is joined first. A text's vector is the sum of its pieces' rows, each multiplied by the piece's weight in this store
(`load_weights`), scaled to length one.
"""

from __future__ import annotations

import mmap
import os
import struct
from math import log

from ...lib.limits import STATIC
from ...lib.vector import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMON_PIECES = 150  # the first pieces of the table are in nearly every text; chosen by eye: `of`, `in`, `to`
RARE_LETTERS = 8  # without a table, a word of this length counts as rare
PIECE_CHARS = 64  # a longer word is split before its pieces are searched: no real word is that long

MAGIC = b"keepstone-words-1\n"
HEAD = struct.Struct("<IIII")  # dims, pieces, slots, bytes of the pieces' texts
EMPTY = 0xFFFF
_FIRST = 258  # the first piece of more than one byte
_BYTES = 3  # the first piece for a single byte (sentencepiece puts <unk>, <s>, </s> before them)


class WordTable:
    """A table file. Raises OSError or ValueError if it is missing or damaged."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        start = len(MAGIC) + HEAD.size
        if whole[: len(MAGIC)] != MAGIC or len(whole) < start:
            raise ValueError(path + " is no table of words")
        self.dims, self.pieces, self._slots, blob = HEAD.unpack_from(whole, len(MAGIC))
        parts = []
        for size in (2 * self._slots, 4 * (self.pieces + 1), 4 * self.pieces, self.pieces * self.dims, blob):
            parts.append(whole[start : start + size])
            start += size
        if len(whole) != start:
            raise ValueError(path + " is not whole")
        self._places, self._starts, self._scales = parts[0].cast("H"), parts[1].cast("I"), parts[2].cast("f")
        self._rows, self._texts = parts[3].cast("b"), bytes(parts[4])
        self._known: dict[str, list[int]] = {}

    def _find(self, piece: bytes) -> int:
        """Returns the number of a piece, or -1."""
        slot: int = int.from_bytes(piece, "little") % self._slots
        number: int
        while (number := self._places[slot]) != EMPTY:
            if self._texts[self._starts[number] : self._starts[number + 1]] == piece:
                return number
            slot = slot + 1 if slot + 1 < self._slots else 0
        return -1

    def whole(self, word: str) -> int:
        """Returns the number of the piece that is a whole word, or -1."""
        return self._find(("▁" + word).encode("utf-8", "replace"))

    def pieces_of(self, text: str) -> list[int]:
        """Returns the numbers of a text's pieces, in order."""
        found: list[int] = []
        for word in text.split():
            for start in range(0, len(word), PIECE_CHARS):
                part = word[start : start + PIECE_CHARS]
                if part not in self._known:
                    self._known[part] = self._parted(part)
                found += self._known[part]
        return found

    def _parted(self, word: str) -> list[int]:
        parts, numbers = [], []
        for char in "▁" + word:
            raw = char.encode("utf-8", "replace")
            number = self._find(raw)
            for one in [raw] if number >= 0 else [b""] * len(raw):
                parts.append(one)
                numbers.append(number)
            if number < 0:
                numbers[-len(raw) :] = [_BYTES + byte for byte in raw]
        joined = [self._find(one + other) if one and other else -1 for one, other in zip(parts, parts[1:])]  # noqa: B905
        while any(number >= 0 for number in joined):
            best = min(number for number in joined if number >= 0)
            at = joined.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            numbers[at : at + 2] = [best]
            del joined[at]
            for place in (at - 1, at):
                if 0 <= place < len(joined):
                    whole = parts[place] and parts[place + 1]
                    joined[place] = self._find(parts[place] + parts[place + 1]) if whole else -1
        return numbers

    def vector(self, numbers: Iterable[int], weights: Sequence[float]) -> list[float] | None:
        """Returns the vector of a text with these pieces, or None if none of them has content."""
        counts: dict[int, int] = {}
        for number in numbers:
            counts[number] = counts.get(number, 0) + 1
        total = [0.0] * self.dims
        for number, count in counts.items():
            by = count * weights[number] * self._scales[number]
            row = self._rows[number * self.dims : (number + 1) * self.dims]
            total = [one + by * other for one, other in zip(total, row)]  # noqa: B905
        return unit(total)


class WordLens:
    """Compares texts by meaning in a hook, with the table's vectors. Only compares memories that were found by words.
    Compares nothing if the table is missing or another embedder is set.
    """

    model = STATIC
    most = 0

    def __init__(self, path: str, weights: str, embedder: str) -> None:
        self._table: WordTable | None = None
        try:
            self._table = WordTable(path)
            self._weights = load_weights(weights, self._table.pieces)[1]
        except (OSError, ValueError):
            pass
        self._compares = embedder == "static"

    def look(self, query: str) -> list[float] | None:
        if self._table is None or not self._compares:
            return None
        return self._table.vector(self._table.pieces_of(query), self._weights)

    def rarity(self, word: str) -> float:
        """Returns how rare a word is in general, 0..1. The vocabulary numbers pieces by frequency, and a word of
        several pieces is rare. Without a table, the word's length decides.
        """
        if self._table is None:
            return 1.0 if len(word) >= RARE_LETTERS or not word.isalpha() else 0.5
        number = self._table.whole(word)
        if number < 0:
            return 1.0
        place = log(max(number - _FIRST, 1)) - log(COMMON_PIECES)
        return min(1.0, max(0.0, place / (log(self._table.pieces) - log(COMMON_PIECES))))


def load_weights(path: str, pieces: int) -> tuple[int, Sequence[float]]:
    """Returns (number of texts that were counted, weight of each piece). Without counts, every piece weighs
    the same.
    """
    if not os.path.exists(path) or os.path.getsize(path) != 4 * (pieces + 1):
        return 0, [1.0] * pieces
    with open(path, "rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return whole[:4].cast("I")[0], whole[4:].cast("f")
