"""The judge: a small BERT that says how likely each part of a prompt states something that a colleague would remember,
and of what kind. It was trained on real prompts (docs/judge.md) and is shipped as `judge.npz`, in 8-bit integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy
from tokenizers import BertWordPieceTokenizer

from ...language.prompt_parts import Part
from ...lib.bert import DenseLayer, Layer, Normal, encode, gelu

WEIGHTS = Path(__file__).with_name("judge.npz")
KINDS = ("decision", "preference", "convention", "solution", "fact")  # in the order of the outputs
LAYERS = 6
# Tokens of one window, as in training: the end of the assistant's message, what stands before in the prompt, its parts.
BEFORE_TOKENS = 48
CONTEXT_TOKENS = 32
WINDOW_TOKENS = 160
PLACES = 288  # of tokens in the longest window
PLACES_MAX, PARTS_MAX = 10, 20  # the largest numbers that a part's place, and a prompt's length, are told with
REMEMBERED = 256  # prompts judged last: each is read for what it states, and again for why


@dataclass(frozen=True, slots=True)
class Opinion:
    """The probability that a part is worth remembering, and its likeliest kind."""

    score: float
    kind: str


@dataclass(frozen=True, slots=True)
class _Window:
    ids: list[int]
    spans: list[tuple[int, int]]


class Judge:
    def __init__(self) -> None:
        with numpy.load(WEIGHTS) as file:
            given = {name: file[name] for name in file.files}
        pieces = given["pieces"].tobytes().decode().split("\n")
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        self._tokenizer = BertWordPieceTokenizer(vocabulary, lowercase=True)
        self._start, self._stop, self._unknown = (vocabulary[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._words, self._word_scales = given["words"], given["words_scale"]
        self._places = _whole(given, "places") + given["type"]
        self._norm = _normal(given, "norm")
        self._layers = [_layer(given, number) for number in range(LAYERS)]
        self._head, self._out = _linear(given, "head"), _linear(given, "out")

    def opinions(self, said: Sequence[Part], before: str) -> list[Opinion]:
        """Returns an opinion on each part of a prompt. `before` is the assistant's message before, "" if none."""
        texts = tuple(part.text for part in said)
        return [Opinion(score, kind) for score, kind in _judged(texts, before[-8 * BEFORE_TOKENS :])]

    def judged(self, texts: Sequence[str], before: str) -> list[tuple[float, str]]:
        found: list[tuple[float, str]] = []
        lead = self._ids(before)[-BEFORE_TOKENS:]
        for window in self._windows([self._ids(text)[:WINDOW_TOKENS] or [self._unknown] for text in texts], lead):
            states = self._states(window.ids)
            for start, end in window.spans:
                told = numpy.array(self._told(len(found), len(texts), lead), numpy.float32)
                row = numpy.concatenate((states[start:end].mean(0), states[0], told))
                logits = self._out(gelu(self._head(row)))
                found.append((float(1 / (1 + numpy.exp(-logits[0]))), KINDS[int(logits[1:].argmax())]))
        return found

    @staticmethod
    def _told(at: int, count: int, lead: Sequence[int]) -> list[float]:
        """Returns what the judge is told of a part beside its tokens."""
        return [min(at, PLACES_MAX) / PLACES_MAX, min(count, PARTS_MAX) / PARTS_MAX, float(bool(lead))]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _windows(self, parts: Sequence[list[int]], lead: list[int]) -> list[_Window]:
        """Groups the parts, each with all of its tokens, behind the end of what stands before them."""
        found: list[_Window] = []
        seen: list[int] = []
        room = 0
        for ids in parts:
            if not found or len(ids) > room:
                found.append(_Window([self._start, *lead, self._stop, *seen[-CONTEXT_TOKENS:]], []))
                room = WINDOW_TOKENS
            here = found[-1]
            here.spans.append((len(here.ids), len(here.ids) + len(ids)))
            here.ids.extend(ids)
            room -= len(ids)
            seen += ids
        for window in found:
            window.ids.append(self._stop)
        return found

    def _states(self, ids: list[int]) -> Any:
        words = self._words[ids] * self._word_scales[ids].astype(numpy.float32)[:, None]
        return encode(self._norm(words + self._places[: len(ids)])[None], numpy.float32(0), self._layers)[0]


@cache
def judge() -> Judge:
    """Returns the shipped judge. It takes a tenth of a second to load, and 100 MB."""
    return Judge()


@lru_cache(REMEMBERED)
def _judged(texts: tuple[str, ...], before: str) -> list[tuple[float, str]]:
    return judge().judged(texts, before)


def _whole(given: dict[str, Any], name: str) -> Any:
    return given[name] * given[f"{name}_scale"].astype(numpy.float32)[:, None]


def _layer(given: dict[str, Any], number: int) -> Layer:
    def linear(name: str) -> DenseLayer:
        name = f"{number}.{name}"
        weight = numpy.ascontiguousarray(given[name].T) * given[f"{name}_scale"].astype(numpy.float32)
        return DenseLayer(weight, given[f"{name}.bias"])

    first, last = (_normal(given, f"{number}.{name}") for name in ("norm1", "norm2"))
    return Layer(linear("qkv"), linear("out"), first, linear("inner"), linear("outer"), last)


def _linear(given: dict[str, Any], name: str) -> DenseLayer:
    return DenseLayer(numpy.ascontiguousarray(given[f"{name}.weight"].T, numpy.float32), given[f"{name}.bias"])


def _normal(given: dict[str, Any], name: str) -> Normal:
    return Normal(given[f"{name}.weight"], given[f"{name}.bias"])
