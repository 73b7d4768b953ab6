"""Stores a new user's answers, each as one memory of user scope. A later answer revises the earlier one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..db.writer import Writer
from ..lib.errors import BadInput
from ..lib.limits import MANUAL_RELEVANCE
from ..lifecycle import edit
from ..model.validate import require_text
from .onboarding_text import TOPICS, sentence


def onboard(
    writer: Writer,
    answers: Mapping[str, str],
    known: Mapping[str, str],
    given: Callable[..., dict[str, Any]],
    *,
    redact: Callable[[str], str],
    seed: str,
    outside: Callable[[str], str | None],
) -> dict[str, str]:
    """Returns the ids of the answers' memories by topic. `known` holds those of earlier answers. `given` and `outside`
    return the values that `edit.store` takes under these names. Raises BadInput, with nothing stored, if a topic is
    unknown, or an answer cannot be stored or would be quarantined.
    """
    kept = dict(known)
    for topic, answer in answers.items():
        if topic not in TOPICS:
            raise BadInput(f"nobody is asked for {topic!r}", "keepstone onboard --help")
        if why := edit.why_suspect([require_text(answer)], outside(answer)):
            raise BadInput(f"this answer would wait for a person's word: {why}", "let the user type: keepstone onboard")
    for topic, answer in answers.items():
        text = sentence(topic, answer)
        whole = given(text, kind=TOPICS[topic][1], relevance=MANUAL_RELEVANCE, tags=[topic], user=True)
        if topic in kept:
            edit.revise(writer, kept[topic], text=text, redact=redact, now=float(whole["at"]), outside=None)
        else:
            more: dict[str, Any] = {"seed": f"{seed}:{topic}", "outside": None, "origin": "onboarding"}
            kept[topic], _ = edit.store(writer, whole, None, redact=redact, **more)
    return kept
