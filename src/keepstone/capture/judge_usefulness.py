"""Judges from a window of a transcript whether the session used the memories that it was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from ..claude_code.transcript import USER, Turn
from ..claude_code.transcript_files import lines
from ..claude_code.window import Window, cut
from ..db.writer import Writer
from ..model.delivery import Delivered
from ..model.hit import iso
from ..recall import deliveries_sql
from .by_program import Programs
from .usefulness import Heard, judge, stand_together

SECONDS = len("2026-11-08T10:00:00")  # characters of a timestamp that are compared


def verdicts(writer: Writer, file: BinaryIO, session_id: str, window: Window, programs: Programs) -> dict[str, str]:
    """Returns the verdicts on the memories that the session was shown, by id: the highest that this window justifies.
    What a program says denies none of them unless it speaks for the user, and none is judged by what is ignored.
    """
    if not programs.heard(window.new):
        return {}
    with writer.transaction() as tx:
        started_at, delivered = deliveries_sql.delivered(tx, session_id)
    if not delivered:
        return {}
    return _judged(file, window, started_at, delivered, programs)


def _judged(
    file: BinaryIO, window: Window, started_at: float, delivered: Sequence[Delivered], programs: Programs
) -> dict[str, str]:
    """Returns the verdicts. Ignores turns from before the session began, which a fork has copied from
    another session.
    """
    behind = window.processed[-1].end if window.processed else 0
    first = window.processed[0].start if window.processed else 0
    since = (iso(started_at) or "")[:SECONDS]
    read = programs.heard(_turns(file, first, window.new[-1].end))
    turns = [_silenced(t, programs) for t in read if not t.at or t.at[:SECONDS] >= since]

    def stated(words: Sequence[str], before: Turn) -> bool:
        return _was_stated(file, words, before.start)

    done = [turn for turn in turns if turn.start < behind]
    return judge(delivered, done, turns[len(done) :], stated)


def _silenced(turn: Turn, programs: Programs) -> Turn:
    """Returns the turn, without its words if a program speaks that does not speak for the user."""
    is_silent = turn.role == USER and turn.by_program and not programs.speak_for_user
    return replace(turn, text="") if is_silent else turn


def _turns(file: BinaryIO, start: int, end: int) -> list[Turn]:
    """Returns the turns of a part of the file, Keepstone's own commands included, without calls that the
    user refused.
    """
    heard, turns = Heard(), []
    for at, _, line in lines(file, start):
        if at >= end:
            break
        try:
            turn, _ = heard(line, at)
        except (ValueError, RecursionError):
            continue
        if turn is not None:
            turns.append(cut(turn))
    return [turn for turn in turns if turn.uuid not in heard.refused]


def _was_stated(file: BinaryIO, words: Sequence[str], before: int) -> bool:
    """Tells whether one prompt, file or output before an offset of the session contained all of these words."""
    return any(stand_together(words, text) for text in _heard(file, max(words, key=len), before))


def _heard(file: BinaryIO, word: str, before: int) -> Iterator[str]:
    """Yields the prompts and outputs before an offset that may contain a word."""
    heard, wanted = Heard(), word.lower().encode()
    for at, _, line in lines(file, 0):
        if at >= before:
            return
        if wanted in line.lower() or b"keepstone" in line:
            try:
                yield heard(line)[1]
            except (ValueError, RecursionError):
                continue
