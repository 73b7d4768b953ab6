"""The bare yes or no in a result with the user's answers, where it decides something that lasts. Most such answers only
let the work go on, and are no words of the user's: see `person.answers`.
"""

from __future__ import annotations

from dataclasses import replace

from ..language.yes_no_answers import decided_by_yes_no
from ..redaction.mask import without_private
from .person import ASKING, Answer, Calls, Option, Utterance, own_words, string


def with_yes_no(said: Utterance | None, told: object, calls: Calls) -> Utterance | None:
    """Returns what a person said in the results of a record, with the answers of yes and no that decide something."""
    if not isinstance(told, dict) or told.get("afkTimeoutMs") or not _are_answers(calls):
        return said
    given = told.get("answers")
    known = {answer.question for answer in said.answers} if said else set()
    found = [
        Answer(question, answer, (Option(question),))
        for question, raw in (given.items() if isinstance(given, dict) else ())
        if isinstance(question, str) and without_private(question) == question and question not in known
        if decided_by_yes_no(question, answer := own_words(string(raw)))[0]
    ]
    if not found:
        return said
    lines = [f"{one.question} {one.text}" for one in found]
    said = said or Utterance("")
    return replace(
        said,
        text="\n".join(filter(None, (*lines, said.text))),
        chosen=(*said.chosen, *(option for one in found for option in one.chosen)),
        answers=(*found, *said.answers),
    )


def _are_answers(calls: Calls) -> bool:
    return any(call and call.tool == ASKING and block.get("is_error") is not True for block, call in calls)
