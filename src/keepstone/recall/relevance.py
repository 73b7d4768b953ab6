"""Estimates the probability that a memory helps with a prompt; below a threshold nothing is recalled. Hot module: no
`re`.

It is a logistic model of a few features, trained on development situations only (benchmarks/recall). The features
measure how much the shared words say, in this store and in general, and how close the texts are in meaning.
"""

from __future__ import annotations

from math import exp, log

from ..language.tool_families import SORTS_OF
from ..lib.text import STOP_WORDS, words
from .relevance_weights import BIAS, WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Words of a prompt that say nothing about its topic.
_EMPTY = STOP_WORDS | frozenset(
    "please pls can could also still now new good thanks yes ok okay one two get got make made need want like see look "
    "tell know think right well here when just only some any all more most other same such each every much many very "
    "too up out off over again back without while after before during since until both few own because though "
    "although it's i'm don't doesn't didn't isn't there's he she her his him they them theirs would should must may "
    "might shall never always not don doesn didn isn won".split()
)
# Characters of Chinese and Japanese that are mostly grammar, or say what is done with anything.
_GRAMMAR = frozenset(
    "的了是在我你他她它们們有和就不都一也很到说說要去会會着没沒好这這那哪什么麼怎样樣需先之前后後做可以吗嗎呢吧把被让讓给給从從对對为為"
    "与與或及其但因所如果时時候请請帮幫想能该該应應当當个個些下上里裡再还還只已经經更最必须須使用行方法中何私事今次"
)
_ENDINGS = ("ments", "ment", "ings", "ing", "edly", "ies", "ied", "ers", "ed", "es", "s", "ly", "er")
BEGINNING = 5  # letters that two related words must have in common at their beginning: postgres, PostgreSQL
SMALL = 100  # memories: in a smaller store, a word may be frequent by chance
FIRST_WORDS = 6  # words of a memory's beginning, which mostly names its topic


def stem(word: str) -> str:
    """Returns roughly the part that a word shares with its other forms."""
    if word.isalpha():
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
    word = word[:-1] if len(word) > 4 and word.endswith("e") else word
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def terms(text: str) -> dict[str, str]:
    """Returns the stems of a text's significant words, each with its word, in order."""
    found: dict[str, str] = {}
    for word in words(text):
        for part in (word, *word.split("_")) if "_" in word else (word,) if word.isascii() else _unspaced(word):
            if len(part) > 1 and part not in _EMPTY:
                found.setdefault(stem(part), part)
    return found


def _unspaced(run: str) -> list[str]:
    """Returns the words of a run of letters that may have no blanks between its words: what is in one script is one
    word; of Han characters each two are, without grammar. Hiragana is grammar.
    """
    parts: list[str] = []
    for letter in run:
        script = _script(letter)
        if not parts or _script(parts[-1][0]) != script:
            parts.append(letter)
        elif script == "han" and len(parts[-1]) == 2:
            parts.append(parts[-1][1] + letter)
        else:
            parts[-1] += letter
    return [part for part in parts if _script(part[0]) != "hiragana" and _GRAMMAR.isdisjoint(part)]


def _script(letter: str) -> str:
    if "\u3041" <= letter <= "\u309f":
        return "hiragana"
    if "\u30a0" <= letter <= "\u30ff":
        return "katakana"
    return "han" if "\u3400" <= letter <= "\u9fff" else ""


class PromptFeatures:
    """A prompt, ready to be compared with memories."""

    __slots__ = ("terms", "weights", "rarity", "_frequency", "_total", "_order")

    def __init__(
        self, found: Mapping[str, str], rarity: Callable[[str], float], frequency: Callable[[str], int], total: int
    ) -> None:
        """`found` are the prompt's `terms`. `rarity` returns how rare a word is in general, 0..1; `frequency` returns
        the number of memories, of `total`, that contain it.
        """
        self.terms = dict(found)
        self.rarity = rarity
        self._frequency = frequency
        self._total = total
        self.weights: dict[str, float] = {}
        self._order = list(self.terms)

    def weight(self, key: str, word: str) -> float:
        """Returns how much a shared word says, 0..1: rare words say more."""
        if key not in self.weights:
            here = 1 - log(1 + self._frequency(word)) / log(2 + max(self._total, SMALL))
            self.weights[key] = self.rarity(word) * max(0.0, here)
        return self.weights[key]

    def shared(self, memory: Mapping[str, str]) -> dict[str, str]:
        """Returns the prompt's stems that a memory has too, each with the memory's stem. A word and its prefix count as
        equal.
        """
        found = {}
        for one in self.terms:
            if one in memory:
                found[one] = one
            elif len(one) >= BEGINNING:
                near = (other for other in memory if len(other) >= BEGINNING)
                match = next((other for other in near if other.startswith(one) or one.startswith(other)), "")
                if match:
                    found[one] = match
        return found

    def features(self, text: str, cosine: float, is_rule: bool) -> list[float]:
        """Returns the model's features of a memory: the sum of the weights of shared words, the highest and the next;
        their share of the memory and of the prompt; the cosine of the vectors; the weights of shared words in the
        memory's beginning; pairs of consecutive words in both; the log of the prompt's length; whether both name a tool
        or a service; and whether they do and the memory is a rule (`is_rule`: a preference, a decision, a convention).
        """
        memory = terms(text)
        both = self.shared(memory)
        weights = sorted((self._of(one, other, memory) for one, other in both.items()), reverse=True) + [0.0, 0.0]
        total = sum(weights)
        beginning = list(memory)[:FIRST_WORDS]
        first = sum(self._of(one, other, memory) for one, other in both.items() if other in beginning)
        theirs = list(memory)
        followed = _pairs(theirs)
        pairs = sum(
            both.get(one, "") + " " + both.get(two, "") in followed
            for one, two in zip(self._order, self._order[1:])  # noqa: B905  strict= needs Python 3.10
        )
        mine = sum(self.weight(key, word) for key, word in self.terms.items())
        tool = any(self.terms[one] in SORTS_OF for one in both)
        whole = sum(self.rarity(word) for word in memory.values())
        return [
            total,
            weights[0],
            weights[1],
            total / max(whole, 1e-6),
            total / max(mine, 1e-6),
            cosine,
            first,
            float(min(pairs, 2)),
            log(1 + len(self.terms)),
            float(tool),
            float(tool and is_rule),
        ]

    def _of(self, mine: str, theirs: str, memory: Mapping[str, str]) -> float:
        return min(self.weight(mine, self.terms[mine]), self.weight(theirs, memory[theirs]))

    def likely(self, text: str, cosine: float, is_rule: bool) -> float:
        """Returns the probability that a memory helps, 0..1."""
        seen = self.features(text, cosine, is_rule)
        score = BIAS + sum(value * weight for value, weight in zip(seen, WEIGHTS))  # noqa: B905
        return 1 / (1 + exp(-score))


def _pairs(order: list[str]) -> frozenset[str]:
    return frozenset(one + " " + two for one, two in zip(order, order[1:]))  # noqa: B905
