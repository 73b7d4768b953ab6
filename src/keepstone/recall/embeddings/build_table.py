"""Makes the static embedder's table from the files of wordllama's package, with numpy."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import sys
from typing import Any

import numpy

from ...lib import files
from ...lib.limits import STATIC
from .table_reader import EMPTY, HEAD, MAGIC


def make(home: str) -> str:
    """Makes the table and returns its path. It is written beside the packages if they are in a virtual environment,
    otherwise to the data home. Takes about half a second. Raises OSError, or ValueError if the files have an unknown
    format.
    """
    own = os.path.join(sys.prefix, "pyvenv.cfg")
    folder = os.path.join(sys.prefix, "share", "keepstone") if os.path.exists(own) else os.path.join(home, "vectors")
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.origin:
        raise FileNotFoundError("wordllama is not installed")
    package = os.path.dirname(found.origin)
    with open(os.path.join(package, "tokenizers", "l2_supercat_tokenizer_config.json"), encoding="utf-8") as file:
        vocabulary: dict[str, int] = json.load(file)["model"]["vocab"]
    path = os.path.join(folder, STATIC)
    files.write(
        path, written(vocabulary, _rows(os.path.join(package, "weights", "l2_supercat_256.safetensors"))), 0o644
    )
    return path


def _rows(path: str) -> Any:
    """Returns the rows of a safetensors file with one table of 16-bit floats."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        (entry,) = (value for key, value in json.loads(file.read(size)).items() if key != "__metadata__")
        if entry["dtype"] != "F16":
            raise ValueError(f"{path} holds {entry['dtype']}, not F16")
        return numpy.frombuffer(file.read(), numpy.float16).reshape(entry["shape"]).astype(numpy.float32)


def written(vocabulary: dict[str, int], rows: Any) -> bytes:
    """Returns the content of a table's file. More than half of the hash slots are empty, so that a lookup ends soon."""
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[piece] for piece in pieces] != list(range(len(rows))) or len(rows) >= EMPTY:
        raise ValueError("the vocabulary and the table are not of one kind")
    texts = [piece.encode() for piece in pieces]
    slots = 2 * len(texts) + 1
    places = [EMPTY] * slots
    for number, text in enumerate(texts):
        slot = int.from_bytes(text, "little") % slots
        while places[slot] != EMPTY:
            slot = (slot + 1) % slots
        places[slot] = number
    starts = numpy.cumsum([0, *map(len, texts)])
    scales = numpy.maximum(numpy.abs(rows).max(axis=1) / 127, 1e-12)
    blob = b"".join(texts)
    return b"".join(
        (
            MAGIC + HEAD.pack(rows.shape[1], len(texts), slots, len(blob)),
            numpy.array(places, "<u2").tobytes(),
            starts.astype("<u4").tobytes(),
            scales.astype("<f4").tobytes(),
            numpy.rint(rows / scales[:, None]).astype("i1").tobytes(),
            blob,
        )
    )
