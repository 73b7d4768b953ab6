"""The layers of a small BERT, in plain numpy. Their arithmetic is that of Devlin et al. (arXiv 1810.04805)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy

HEADS, WIDTH = 12, 384  # of the small models that Keepstone runs
_EPSILON = 1e-12  # of the layer normalisation
# Abramowitz and Stegun 7.1.26 approximates the error function, which defines BERT's gelu, to 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_P = 0.3275911


@dataclass(frozen=True, slots=True)
class DenseLayer:
    """`weight` has a column for each output. Stored row by row it multiplies few tokens in two thirds of the time that
    it takes stored column by column.
    """

    weight: Any
    bias: Any

    def __call__(self, states: Any) -> Any:
        return states @ self.weight + self.bias


@dataclass(frozen=True, slots=True)
class Normal:
    """Layer normalisation over the last axis."""

    weight: Any
    bias: Any

    def __call__(self, states: Any) -> Any:
        states = states - states.mean(-1, keepdims=True)
        spread = numpy.sqrt((states * states).mean(-1, keepdims=True) + numpy.float32(_EPSILON))
        return states / spread * self.weight + self.bias


@dataclass(frozen=True, slots=True)
class Layer:
    """`qkv` gives the queries, keys and values, one after the other."""

    qkv: DenseLayer
    out: DenseLayer
    norm: Normal
    inner: DenseLayer
    outer: DenseLayer
    last_norm: Normal

    def __call__(self, states: Any, hidden: Any) -> Any:
        count, longest, _ = states.shape
        heads = self.qkv(states).reshape(count, longest, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32((WIDTH // HEADS) ** 0.5) + hidden
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        context = (scores @ value).transpose(0, 2, 1, 3).reshape(count, longest, WIDTH)
        states = self.norm(states + self.out(context))
        return self.last_norm(states + self.outer(gelu(self.inner(states))))


def encode(states: Any, hidden: Any, layers: Iterable[Layer]) -> Any:
    """Returns the states behind the last layer. `states` has the shape (texts, tokens, WIDTH); `hidden` is added to the
    scores of attention, hugely negative for tokens that only fill up.
    """
    for layer in layers:
        states = layer(states, hidden)
    return states


def gelu(values: Any) -> Any:
    scaled = numpy.abs(values) * numpy.float32(0.5**0.5)
    part = 1 / (1 + numpy.float32(_ERF_P) * scaled)
    series = numpy.zeros_like(part)
    for factor in reversed(_ERF):
        series = (series + numpy.float32(factor)) * part
    erf = numpy.sign(values) * (1 - series * numpy.exp(-scaled * scaled))
    return values * numpy.float32(0.5) * (1 + erf)
