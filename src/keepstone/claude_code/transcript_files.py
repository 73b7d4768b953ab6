"""The client's transcript files: their lines and turns, from where an earlier reading stands."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO

from ..language.prompt_parts import own_lines
from ..lib.limits import LINE_BYTES_MAX, WINDOW_OVERLAP
from ..lib.text import digest
from .transcript import (
    TOOL_RESULT,
    USER,
    Cursor,
    Pairing,
    TranscriptHead,
    Turn,
    beside,
    brought,
    head,
    is_own_call,
    parse,
)
from .untrusted import FROM_OUTSIDE, READ_OUT, UNSEEN, fetches, is_quoted, is_told, reads_outside
from .window import Window, cut

CHECK_BYTES = 4_096  # bytes before the cursor that tell whether this is still the file it was
BRINGS = (f'"{TOOL_RESULT}"'.encode(), f'"{USER}"'.encode(), b'"attachment"')  # in records of what others may have said
ANSWERED, CHOSEN = f'"{TOOL_RESULT}"'.encode(), b'"answers"'  # in records of tools' results, of the user's answers
HEAD_LINES = 200  # lines in which a transcript names its session and folder


@dataclass(slots=True)
class Reading:
    """How far a file is read: `position` is the offset behind the last line; `skipped` counts lines that are no JSON
    object or too long, `passed` those without words.
    """

    position: int = 0
    passed: int = 0
    skipped: int = 0


class Turns:
    """The turns of a file, each cut to a window's size after `seen` has looked at it."""

    def __init__(self, file: BinaryIO, seen: Callable[[Turn], Turn]) -> None:
        self.file = file
        self.seen = seen
        self.pair = Pairing()
        self.outside = False

    def resume(self, cursor: Cursor) -> tuple[int, list[Turn]]:
        """Where to read on, and the turns before it that go along. A file that is no longer what it was (rewritten, cut
        short) is read on behind the last turn that was taken, or anew when that is not in it.
        """
        if cursor.offset and check(self.file, cursor.offset) == cursor.digest:
            self.outside = has_read_outside(self.file, cursor.carry)
            known = self.read(Reading(cursor.carry), cursor.offset)
            return cursor.offset, list(deque(known, WINDOW_OVERLAP))
        turns: list[Turn] = []
        if cursor.uuid:
            for turn in self.read(Reading()):
                turns = [*turns[1 - WINDOW_OVERLAP :], turn]
                if turn.uuid == cursor.uuid:
                    return turn.end, turns
        return 0, []

    def read(self, reading: Reading, until: float = math.inf) -> Iterator[Turn]:
        """The turns from the reading's position on, which moves along; those that begin before `until`."""
        for start, end, line in lines(self.file, reading.position):
            if start >= until:
                return
            reading.position = end
            if line.isspace():
                continue
            turn = None
            try:
                turn = parse(line, start)
                reading.passed += turn is None
            except (ValueError, RecursionError):
                reading.skipped += 1
            if turn is None:
                self.outside = self.outside or _brings_outside(line)
            else:
                turn = replace(turn, outside=self.outside and turn.role != USER)
                self.outside = turn.outside or _reads_outside(turn)  # also in a line that runs `keepstone` too
                if not is_own_call(turn):
                    yield self.pair(cut(self.seen(turn)))

    def after(self, window: Window) -> Cursor:
        """Where reading stands behind a window."""
        turns = (*window.processed, *window.new)
        last = turns[-1]
        carry = turns[-WINDOW_OVERLAP:][0].start
        if last.open_since >= 0:
            carry = min(carry, last.open_since)  # its result is still to come
        return Cursor(last.end, last.uuid, check(self.file, last.end), carry)


def lines(file: BinaryIO, start: int) -> Iterator[tuple[int, int, bytes]]:
    """(start, end, line) from an offset on; a line over the limit comes empty, a torn last one not at all."""
    while True:
        file.seek(start)
        line = file.readline(LINE_BYTES_MAX)
        end = start + len(line)
        if len(line) == LINE_BYTES_MAX and not line.endswith(b"\n"):
            line = rest = b""
            while not rest.endswith(b"\n"):
                rest = file.readline(LINE_BYTES_MAX)
                if not rest:
                    return
                end += len(rest)
        elif not line or not (line.endswith(b"\n") or _is_whole(line)):
            return
        yield start, end, line
        start = end


def _is_whole(line: bytes) -> bool:
    try:
        parse(line)
    except (ValueError, RecursionError):
        return False
    return True


def check(file: BinaryIO, offset: int) -> str:
    """A digest of the bytes before an offset: whether a file is still the one whose capture stood there."""
    start = max(0, offset - CHECK_BYTES)
    file.seek(start)
    return digest(file.read(offset - start).decode("latin-1"), str(offset))


def head_of(file: BinaryIO) -> TranscriptHead:
    """The session, folder, branch and agent that a transcript's first records name."""
    found = TranscriptHead()
    for number, (_, _, line) in enumerate(lines(file, 0)):
        if number == HEAD_LINES or (found.session_id and found.cwd):
            break
        found = head(line, found)
    return found


def turns_of(path: str) -> Iterator[Turn]:
    """The turns of a transcript, whole; what is none is passed over. Raises OSError."""
    with open(path, "rb") as file:
        for start, _, line in lines(file, 0):
            try:
                turn = parse(line, start)
            except (ValueError, RecursionError):
                continue
            if turn is not None:
                yield turn


def read_until(path: str, record: str = "") -> Iterator[str]:
    """What the assistant had read before a record, "" for all it has, a text each. Raises OSError."""
    with open(path, "rb") as file:
        for _, _, line in lines(file, 0):
            if not any(mark in line for mark in BRINGS) and not (record and record.encode() in line):
                continue  # what they hold need not be read
            try:
                uuid, texts = brought(line)
            except (ValueError, RecursionError):
                continue
            if record and uuid == record:
                return
            yield from texts


def path_of(folder: str, session: str) -> str:
    """Where a session's transcript lies in the client's folder of them, "" for nowhere."""
    try:
        with os.scandir(folder) as entries:
            paths = (os.path.join(entry.path, session + ".jsonl") for entry in entries)
            return next((path for path in paths if os.path.isfile(path)), "")
    except OSError:
        return ""


def has_read_outside(file: BinaryIO, end: int, at: float = math.inf) -> bool:
    """Whether the assistant had, before an offset and a time, read what anybody may have written since the user spoke
    last.
    """
    found = False
    for start, _, line in lines(file, 0):
        if start >= end:
            break
        if ANSWERED in line and CHOSEN not in line:
            continue  # long, and neither a call nor the user's word
        try:
            turn = parse(line, start)
        except (ValueError, RecursionError):
            continue
        if turn is None:
            found = found or _brings_outside(line)
        elif (unix(turn.at) or 0) <= at:
            found = (found and turn.role != USER) or _reads_outside(turn)
    return found


def whose(outside: bool, texts: Sequence[str], path: str, record: str = "") -> str:
    """Why what the assistant has said in a record may be the words of others, "" for its own. `outside`: it had read
    what anybody may have written. Raises OSError.
    """
    if outside:
        return FROM_OUTSIDE
    return READ_OUT if is_quoted(texts, read_until(path, record)) else ""


def untrusted_reason(path: str, text: str, at: float) -> str:
    """Why what a session's model stored at a time may be the words of others, "" for what the user has asked it to
    store, and for its own.
    """
    try:
        if is_told(text, asked(path, at)):
            return ""
        with open(path, "rb") as file:
            return whose(has_read_outside(file, os.path.getsize(path), at), (text,), path)
    except OSError:
        return UNSEEN


def asked(path: str, at: float = math.inf) -> str:
    """What the user has said last until a time, in words of the user's own. Raises OSError."""
    said = [turn.text for turn in turns_of(path) if turn.role == USER and (unix(turn.at) or 0) <= at]
    return own(said[-1]) if said else ""


def own(prompt: str) -> str:
    """What of a prompt is the user's own words: nothing that is pasted or quoted."""
    return "\n".join(line for _, line in own_lines(prompt))


def _reads_outside(turn: Turn) -> bool:
    return any(reads_outside(use.tool, use.command, use.files) for use in turn.uses)


def _brings_outside(line: bytes) -> bool:
    """Whether a line that is nobody's turn brings what anybody may have written."""
    try:
        reported, ran = beside(line)
    except (ValueError, RecursionError):
        return False
    return reported or fetches(ran)


def unix(timestamp: str) -> float | None:
    """A record's own time in unix seconds, None for what is none."""
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def first_prompt(path: str) -> Turn | None:
    """The first thing that the user typed in a session."""
    return next((turn for turn in turns_of(path) if turn.role == USER), None)


def projects_of(file: BinaryIO) -> set[str]:
    """What the client may call this session's project among its folders: as the transcript's own folder is called, and
    as it names the folder that the session ran in.
    """
    cwd = head_of(file).cwd
    own = os.path.basename(os.path.dirname(os.path.abspath(file.name)))
    return {own, "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)}
