"""Scores the parts of a prompt: the statement model, which knows plain wordings, and the judge, which has read how
people really write, decide together.

A statement is kept if it is explicit ("we decided to ..."), if one is sure and the other finds it likely, or if the
judge finds it likely and the person has told it before or corrects the assistant ("I told you already, ..."). Else what
only one of them finds likely is suggested, and of what corrects the assistant also what the judge holds possible. The
judge's limits were set on prompts that it was not trained on, see docs/judge.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...language.prompt_parts import TIED_WORDS, Part
from ...lib.limits import KEEP_SCORE
from .statements import statements

if TYPE_CHECKING:
    from .judge import Opinion

UNSURE_SCORE = 0.4  # a statement with this score is suggested
JUDGE_SURE = 0.85  # kept if its wording is likely, too
JUDGE_LIKELY = 0.47  # suggested whatever its wording
JUDGE_AGREES = 0.3  # kept if its wording is plain, too
JUDGE_DOUBTS = 0.1  # below that, even a plain wording says nothing lasting
_JUST_BELOW = 0.01


@dataclass(frozen=True, slots=True)
class Scores:
    """What is thought of the parts of a prompt, which follows the assistant's message `before`. `values` are 0..1: from
    KEEP_SCORE on kept, from UNSURE_SCORE on suggested; 0 for a part that the same prompt takes back. `wordings` are the
    statement model's.
    """

    said: Sequence[Part]
    before: str
    values: list[float]
    wordings: list[float]
    opinions: list[Opinion]

    @property
    def reply(self) -> bool:
        return bool(self.before)

    def kind(self, low: int, high: int, best: int) -> str:
        """Returns the likeliest kind of a passage: the statement model's, unless only the judge found it."""
        opinion = self.opinions[best]
        if max(self.wordings[low:high]) < UNSURE_SCORE and opinion.score >= JUDGE_DOUBTS:
            return opinion.kind
        return statements().kind(self.said, range(low, high), self.reply)

    def reasons(self, at: int) -> str:
        found = statements().reasons(self.said, at, self.reply)
        return ", ".join((f"judge {self.opinions[at].score:.2f}", *found))


def scored(said: Sequence[Part], before: str, withdrawal: str = "") -> Scores:
    """`before` is the assistant's message before the prompt, "" if there is none. Where a prompt takes something back
    (by the words `withdrawal`), only plain wordings count, besides these words: the judge takes what is taken back for
    what is stated.
    """
    from .judge import judge  # numpy is not there before the packages are, and what only reads needs none

    opinions = judge().opinions(said, before)
    wordings = statements().scores(said, bool(before))
    is_withdrawal = bool(withdrawal) or any(part.withdrawn and not part.denied for part in said)
    values = []
    for at, (part, wording, opinion) in enumerate(zip(said, wordings, opinions, strict=True)):
        is_explicit = wording >= KEEP_SCORE and statements().is_explicit(said, at, bool(before))
        value = wording if is_explicit else agreed(wording, opinion.score)
        if part.corrects and opinion.score >= JUDGE_LIKELY:
            value = max(value, KEEP_SCORE)
        elif part.corrects and opinion.score >= JUDGE_AGREES:
            value = max(value, UNSURE_SCORE)
        elif value < UNSURE_SCORE and statements().is_plain(said, at, bool(before)):
            value = UNSURE_SCORE
        rest = " ".join(part.text.split()).replace(withdrawal, "") if withdrawal else part.text
        value = 0.0 if part.withdrawn or (rest != part.text and len(rest.split()) <= TIED_WORDS) else value
        values.append(min(value, wording) if is_withdrawal else value)
    return Scores(said, before, values, wordings, opinions)


def agreed(wording: float, judged: float) -> float:
    """Returns the score of a part by that of its wording and that of the judge."""
    if (judged >= JUDGE_SURE and wording >= UNSURE_SCORE) or (wording >= KEEP_SCORE and judged >= JUDGE_AGREES):
        return max(wording, judged, KEEP_SCORE)
    is_plain = wording >= UNSURE_SCORE and judged >= JUDGE_AGREES or wording >= KEEP_SCORE and judged >= JUDGE_DOUBTS
    if judged >= JUDGE_LIKELY or is_plain:
        return min(max(wording, judged, UNSURE_SCORE), KEEP_SCORE - _JUST_BELOW)
    return min(wording, UNSURE_SCORE - _JUST_BELOW)
