"""A turn of the archive, as it is stored. Hot module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Who speaks: a person, the assistant, the assistant in a plan that the user approved, or a program in the user's place.
USER, ASSISTANT, PLAN, PROGRAM = SPEAKERS = ("user", "assistant", "plan", "program")
PREFIX = "turn-"


class StoredTurn:
    """What somebody said in a session, at its `place` there. `answers` is the record of the prompt that the assistant's
    message closes, or what the user was asked. `said_at` is in unix seconds.
    """

    __slots__ = (
        *("seq", "project_id", "session_id", "place", "record_uuid", "speaker", "answers", "text", "trust"),
        "said_at",
    )

    seq: int
    project_id: str | None
    session_id: str
    place: int
    record_uuid: str
    speaker: str
    answers: str
    text: str
    trust: str
    said_at: float

    def __init__(self, row: Sequence[Any]) -> None:
        for name, value in zip(self.__slots__, row):  # noqa: B905  strict= needs Python 3.10
            setattr(self, name, value)

    @property
    def id(self) -> str:
        return PREFIX + str(self.seq)
