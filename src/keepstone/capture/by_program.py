"""Applies the setting `programs`: what may be learned from a session that a program runs, where no person speaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..claude_code.transcript import USER, Turn
from ..config.settings import PROGRAMS_IGNORE, PROGRAMS_LEARN, PROGRAMS_REVIEW
from ..model.candidate import CHOSEN, PROGRAM, PROGRAM_RAN, PROGRAM_SAID, Candidate

_SPOKEN = (USER, CHOSEN)  # methods of what is said in the user's place


@dataclass(frozen=True, slots=True)
class Programs:
    """The setting `programs`, as a capture applies it."""

    setting: str = PROGRAMS_REVIEW

    @property
    def speak_for_user(self) -> bool:
        """Tells whether what a program says has the effects of a user's words."""
        return self.setting == PROGRAMS_LEARN

    def heard(self, turns: Iterable[Turn]) -> tuple[Turn, ...]:
        """Returns the turns that may be learned from."""
        return tuple(turn for turn in turns if not self.ignores(turn.by_program))

    def ignores(self, by_program: bool) -> bool:
        return by_program and self.setting == PROGRAMS_IGNORE

    def marked(self, candidate: Candidate, by_program: bool) -> Candidate:
        """Returns the candidate of a turn, marked if it is of a program's session, and then waiting for review unless
        programs speak for the user.
        """
        if not by_program:
            return candidate
        is_said = candidate.method in _SPOKEN
        why = PROGRAM_SAID if is_said else PROGRAM_RAN
        return replace(
            candidate,
            method=PROGRAM if is_said else candidate.method,
            outside=candidate.outside or ("" if self.speak_for_user else why),
            by_program=True,
        )
