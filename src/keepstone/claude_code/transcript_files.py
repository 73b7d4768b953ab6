"""Reads the client's transcript files, line by line and turn by turn, from the position of an earlier reading."""

from __future__ import annotations

import json
import math
import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import BinaryIO

from ..language.prompt_parts import own_lines
from ..language.stated import is_stated
from ..lib.limits import LINE_BYTES_MAX, OBSERVED_CHARS
from ..lib.text import digest
from ..model.candidate import PROGRAM_SAID
from ..model.cursor import Cursor
from ..project.identity import identify
from .branches import Branches
from .observation import SHELLS, Use
from .others_files import SessionFiles
from .person import string
from .transcript import (
    TOOL_RESULT,
    TOOL_USE,
    USER,
    Pairing,
    TranscriptHead,
    Turn,
    TurnReader,
    brought,
    calls_in,
    head,
    is_own_call,
    report_and_command,
)
from .untrusted import (
    FROM_OUTSIDE,
    READ_OUT,
    TRANSLATED,
    UNSEEN,
    Reads,
    brings_unseen,
    is_approval,
    is_new,
    is_quoted,
    is_reworded,
    is_told,
    is_translated,
)
from .window import CONTEXT_MESSAGES_MAX, Window, context, cut, has_context

CHECK_BYTES = 4_096  # bytes before the cursor that show whether the file is still the same
BRINGS = (f'"{TOOL_RESULT}"'.encode(), f'"{USER}"'.encode(), b'"attachment"')  # records may be untrusted
RESULT, CALL = f'"{TOOL_RESULT}"'.encode(), f'"{TOOL_USE}"'.encode()
USER_MARKS = (b'"answers"', b'"plan"', b"the user said:")  # marks of results that hold words of the user
IMAGE = re.compile(rb'"type": ?"(?:image|document)"')  # in a tool's result
HEAD_LINES = 200  # lines in which a transcript names its session and folder


@dataclass(slots=True)
class Reading:
    """The progress in a file. `position` is the offset after the last line; `skipped` counts lines that are too long or
    not a JSON object, `passed` those without a turn.
    """

    position: int = 0
    passed: int = 0
    skipped: int = 0


class Turns:
    """The turns of a file, each cut to a window's size after `seen` has processed it, but for those whose record
    `is_over`, as `Branches` tells.
    """

    def __init__(
        self,
        file: BinaryIO,
        seen: Callable[[Turn], Turn],
        is_over: Callable[[str, int], bool] = lambda record, start: False,
    ) -> None:
        self.file = file
        self.seen = seen
        self.is_over = is_over
        self.pair = Pairing()
        self.parse = TurnReader()
        self.reads = reads_of(file)
        self.outside = False

    def resume(self, cursor: Cursor) -> tuple[int, list[Turn]]:
        """Returns the offset to continue from, and the turns before it that overlap. If the file was rewritten or
        shortened, reading continues after the last captured turn, or from the start if that is missing.
        """
        if cursor.offset and check(self.file, cursor.offset) == cursor.digest:
            known = self._overlap(cursor.carry, cursor.offset)
            if cursor.carry and not has_context(known):  # the conversation may have left some of them since
                self.pair, self.parse, self.reads = Pairing(), TurnReader(), reads_of(self.file)
                known = self._overlap(0, cursor.offset)
            return cursor.offset, known
        turns = deque[Turn](maxlen=CONTEXT_MESSAGES_MAX)
        self.parse, self.reads = TurnReader(), reads_of(self.file)
        if cursor.uuid:
            for turn in self.read(Reading()):
                turns.append(turn)
                if turn.uuid == cursor.uuid:
                    return turn.end, list(context(turns))
        return 0, []

    def _overlap(self, carry: int, offset: int) -> list[Turn]:
        self.outside = has_read_outside(self.file, carry, parse=self.parse, reads=self.reads)
        return list(context(deque(self.read(Reading(carry), offset), CONTEXT_MESSAGES_MAX)))

    def read(self, reading: Reading, until: float = math.inf) -> Iterator[Turn]:
        """Yields the turns that begin between the reading's position and `until`. Moves the position."""
        for start, end, line in lines(self.file, reading.position):
            if start >= until:
                return
            reading.position = end
            if line.isspace():
                continue
            turn = None
            try:
                turn = self.parse(line, start)
                reading.passed += turn is None
            except (ValueError, RecursionError):
                reading.skipped += 1
            if turn is None:
                self.outside = _brings_outside(line, self.reads) or self.outside
            elif not self.is_over(turn.uuid, start):
                turn = replace(turn, outside=self.outside and turn.role != USER)
                # also for a record that runs `keepstone` as well
                read = _reads_outside(turn, line, self.reads)
                self.outside = (self.outside and not _speaks(turn)) or read
                if not is_own_call(turn):
                    yield self.pair(cut(self.seen(turn)))

    def after(self, window: Window) -> Cursor:
        """Returns the cursor after a window."""
        turns = (*window.processed, *window.new)
        last = turns[-1]
        carry = context(turns)[0].start
        if last.open_since >= 0:
            carry = min(carry, last.open_since)  # its result is yet to come
        return Cursor(last.end, last.uuid, check(self.file, last.end), carry)


def lines(file: BinaryIO, start: int) -> Iterator[tuple[int, int, bytes]]:
    """Yields (start, end, line) from an offset on. A line over the limit is empty; an incomplete
    last line is left out.
    """
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


def marked_records(path: str, marks: Sequence[bytes]) -> Iterator[dict[str, object]]:
    """Yields the main conversation's records in whose lines one of the marks stands, without those that it has left.
    Raises OSError if the file cannot be read.
    """
    branches: Branches | None = None
    with open(path, "rb") as file, open(path, "rb") as whole:
        for _, _, line in lines(file, 0):
            if any(mark in line for mark in marks):
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(record, dict) and not record.get("isSidechain"):
                    branches = branches or _scan(whole, 0, Branches())
                    if not any(branches.is_left(str(record.get(key))) for key in ("uuid", "leafUuid")):
                        yield record


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def check(file: BinaryIO, offset: int) -> str:
    """Returns a digest of the bytes before an offset, which shows whether the file is still the same."""
    start = max(0, offset - CHECK_BYTES)
    file.seek(start)
    return digest(file.read(offset - start).decode("latin-1"), str(offset))


def head_of(file: BinaryIO) -> TranscriptHead:
    """Returns the session, folder, branch and agent that a transcript's first records name."""
    found = TranscriptHead()
    for number, (_, _, line) in enumerate(lines(file, 0)):
        if number == HEAD_LINES or (found.session_id and found.cwd):
            break
        found = head(line, found)
    return found


def reads_of(file: BinaryIO) -> Reads:
    """Returns what tells of a transcript's calls whether they bring untrusted content, which knows its project."""
    cwd = head_of(file).cwd
    found = identify(cwd) if os.path.isabs(cwd) else None
    path = getattr(file, "name", "")  # none of what is read from memory
    home, mark, _ = os.path.abspath(str(path)).partition(os.path.join(os.sep, ".claude", "projects", ""))
    return Reads(SessionFiles(cwd, found.root if found else "", home if mark else ""))


def branches_of(file: BinaryIO, cursor: Cursor) -> Branches:
    """Returns the branches of a transcript. If what follows the cursor continues the last turn before it, only the part
    from that turn on was looked at: then nothing was left since.
    """
    if cursor.offset and check(file, cursor.offset) == cursor.digest:
        if cursor.uuid:
            near = _scan(file, cursor.carry, Branches(cursor.offset, cursor.uuid))
            if near.is_straight:
                return near
        return _scan(file, 0, Branches(cursor.offset))
    return _scan(file, 0, Branches())


def held_by_forks(path: str, others: Iterable[tuple[str, str]], records: Collection[str]) -> dict[str, str]:
    """Returns which of these records of a transcript other sessions hold and have not left, with a session that does:
    forks lie in the same folder. `others` are (session, transcript).
    """
    found: dict[str, str] = {}
    beside = [(one, other) for one, other in others if other and os.path.dirname(other) == os.path.dirname(path)]
    for session, other in beside if records else ():
        held = _held(other, records) if other != path else set()
        found.update((record, session) for record in held if record not in found)
    return found


def _held(path: str, records: Collection[str]) -> set[str]:
    """Returns those of these records that a transcript holds; none if it cannot be read."""
    names = [record.encode() for record in records]
    try:
        with open(path, "rb") as file:
            if not any(name in line for _, _, line in lines(file, 0) for name in names):
                return set()
            branches = branches_of(file, Cursor())
    except OSError:
        return set()
    return {record for record in records if branches.holds(record)}


def _scan(file: BinaryIO, start: int, branches: Branches) -> Branches:
    branches.end = start
    for begin, end, line in lines(file, start):
        branches.feed(begin, end, line)
    return branches


def turns_of(path: str) -> Iterator[Turn]:
    """Yields all turns of a transcript, and skips other lines. Raises OSError if it cannot be read."""
    with open(path, "rb") as file:
        for _, turn in _read_lines(lines(file, 0)):
            if turn is not None:
                yield turn


def _read_lines(found: Iterable[tuple[int, int, bytes]]) -> Iterator[tuple[bytes, Turn | None]]:
    """Yields the lines that can be read, each with its turn, if it is one."""
    parse = TurnReader()
    for start, _, line in found:
        try:
            turn = parse(line, start)
        except (ValueError, RecursionError):
            continue
        yield line, turn


def _lines_until(path: str, record: str) -> Iterator[tuple[int, int, bytes]]:
    """Yields the lines before a record, or all with "", as `lines` does, without those that the conversation had left
    by then: what stood there the assistant has read no more. Raises OSError if the transcript cannot be read.
    """
    known = os.stat(path)
    left = _left_by(path, record, known.st_size, known.st_mtime_ns)
    with open(path, "rb") as file:
        for found in lines(file, 0):
            uuid = _uuid_of(found[2]) if left or record and record.encode() in found[2] else ""
            if record and uuid == record:
                return
            if uuid not in left:
                yield found


@lru_cache(maxsize=8)
def _left_by(path: str, record: str, size: int, changed: int) -> frozenset[str]:
    """Returns the records that the conversation had left when a record was written, or by now with "". The file's
    `size`, and when it was `changed`, tell whether the answer still holds.
    """
    branches = Branches()
    with open(path, "rb") as file:
        for begin, end, line in lines(file, 0):
            branches.feed(begin, end, line)
            if record and record.encode() in line and _uuid_of(line) == record:
                break
    return frozenset(branches.left())


def _uuid_of(line: bytes) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return string(record.get("uuid")) if isinstance(record, dict) else ""


def read_until(path: str, record: str = "") -> Iterator[str]:
    """Yields the texts that the assistant had read before a record, or all with "". Raises OSError if the transcript
    cannot be read.
    """
    calls: dict[str, str] = {}
    for _, _, line in _lines_until(path, record):
        is_call = CALL in line
        if not is_call and not any(mark in line for mark in BRINGS):
            continue  # such a line gives the assistant nothing to read
        try:
            calls |= calls_in(line) if is_call else {}
            _, texts = brought(line, calls)
        except (ValueError, RecursionError):
            continue
        yield from texts


def read_lately(path: str, record: str = "") -> list[str]:
    """Returns the texts that tools gave the assistant between the user's last message before a record, or before the
    end with "", and that record. Raises OSError if the transcript cannot be read.
    """
    texts: list[str] = []
    parse = TurnReader()
    for start, _, line in _lines_until(path, record):
        if not any(mark in line for mark in BRINGS):
            continue
        try:
            (_, found), turn = brought(line, {}), parse(line, start)
        except (ValueError, RecursionError):
            continue
        texts = [] if turn and _speaks(turn) else texts + found
    return texts


def has_read_outside(
    file: BinaryIO,
    end: int,
    at: float = math.inf,
    parse: Callable[[bytes, int], Turn | None] | None = None,
    reads: Reads | None = None,
) -> bool:
    """Tells whether the assistant had read untrusted content since the user's last message, before an offset and a
    time. `parse` and `reads` go on from there.
    """
    found, parse, reads = False, parse or TurnReader(), reads or reads_of(file)
    before: dict[str, bool] = {}  # a prompt that was taken back leaves the state that it found
    for start, _, line in lines(file, 0):
        if start >= end:
            break
        if RESULT in line and CALL not in line and not any(mark in line for mark in USER_MARKS):
            continue  # such lines are long, and contain neither a call nor words of the user
        try:
            turn = parse(line, start)
        except (ValueError, RecursionError):
            continue
        if turn is None:
            found = _brings_outside(line, reads) or found
        elif (unix(turn.at) or 0) <= at:
            if turn.role == USER and turn.parent:
                found = before.setdefault(turn.parent, found) or found
            found = _reads_outside(turn, line, reads) or (found and not _speaks(turn))
    return found


def whose(outside: bool, texts: Sequence[str], path: str, record: str = "") -> str:
    """Returns why the assistant's text in a record may come from untrusted content, or "" if it is its own. `outside`
    tells whether it had read untrusted content. Raises OSError if the transcript cannot be read.
    """
    if outside:
        return FROM_OUTSIDE
    if is_quoted(texts, read_until(path, record)):
        return READ_OUT
    return TRANSLATED if is_translated(texts, read_lately(path, record)) else ""


def whose_choice(told: Sequence[str], offered: Sequence[str], path: str, record: str) -> str:
    """Returns why words of the assistant's that the user has chosen in a record may come from untrusted content, or "".
    `told` are what is kept of them and the options; `offered` are the words of options besides, which may be quoted.
    Raises OSError if the transcript cannot be read.
    """
    if why := whose(False, (*told, *offered), path, record):
        return why
    if _has_unseen(path, record) and is_new(told, _said_until(path, record)):
        return FROM_OUTSIDE
    return _reworded(told, path, record)


def _reworded(told: Sequence[str], path: str, record: str = "") -> str:
    return FROM_OUTSIDE if is_reworded(told, _read_outside(path, record), _said_until(path, record)) else ""


def _has_unseen(path: str, record: str) -> bool:
    """Tells whether, between the user's last message before a record and that record, the assistant saw what can't be
    compared: an image, a document, a report of a sub-agent.
    """
    found = False
    for line, turn in _read_lines(_lines_until(path, record)):
        if turn is not None and turn.role == TOOL_USE:
            found = found or any(brings_unseen(use.tool, use.files) for use in turn.uses)
        elif turn is not None and _speaks(turn):
            found = False
        elif RESULT in line and IMAGE.search(line):
            found = True
    return found


def _read_outside(path: str, record: str) -> Iterator[str]:
    """Yields the texts that the assistant had read from outside before a record, or all with ""."""
    calls: list[bytes] = []
    parse = TurnReader()
    with open(path, "rb") as file:
        reads = reads_of(file)
    for start, _, line in _lines_until(path, record):
        try:
            (_, texts), turn = brought(line, {}), parse(line, start)
        except (ValueError, RecursionError):
            continue
        if turn is not None and turn.role == TOOL_USE and _reads_outside(turn, line, reads):
            calls += [use.id.encode() for use in turn.uses]
        elif _brings_outside(line, reads) or any(call in line for call in calls):
            yield from texts


def _said_until(path: str, record: str) -> Iterator[str]:
    """Yields what the user said in words of their own before a record, or all with ""."""
    for _, turn in _read_lines(_lines_until(path, record)):
        if turn is not None and turn.role == USER and not turn.chosen and not turn.by_program:
            yield own(turn.text)


class Prompts:
    """The user's messages in a session before a time, read once. `programs` tells in each method whether programs speak
    for the user.
    """

    def __init__(self, path: str, at: float) -> None:
        self.path, self.at = path, at
        self.is_seen = True
        self._turns: list[Turn] = []
        try:
            self._turns = [turn for turn in turns_of(path) if turn.role == USER and (unix(turn.at) or 0) <= at]
        except OSError:
            self.is_seen = False

    def untrusted_reason(self, text: str, programs: bool) -> str:
        """Returns why a text that a session's model stored may come from untrusted content: "" if the user asked to
        store it or it is the model's own, UNSEEN if the transcript cannot be read.
        """
        if not self.is_seen:
            return UNSEEN
        if is_told(text, _ordered(self._turns, programs)):
            return ""
        if not programs and _is_a_programs(text, self._turns):
            return PROGRAM_SAID
        try:
            with open(self.path, "rb") as file:
                why = whose(has_read_outside(file, os.path.getsize(self.path), self.at), (text,), self.path)
            return why or _reworded((text,), self.path)
        except OSError:
            return UNSEEN

    def states(self, text: str, programs: bool) -> bool:
        """Tells whether the user's own prompts state what a text says."""
        said = (turn for turn in self._turns if not turn.chosen and (programs or not turn.by_program))
        return is_stated(text, [own(turn.text) for turn in said])

    def last(self, programs: bool) -> tuple[str, float]:
        """Returns the last message, in the user's own words, and its time; "" if a program said something since that
        does not speak for the user.
        """
        said = [turn for turn in self._turns if not turn.chosen]
        if not said or said[-1].by_program and not programs:
            return "", 0.0
        return own(said[-1].text), unix(said[-1].at) or 0.0


def _ordered(prompts: Sequence[Turn], programs: bool) -> str:
    """Returns the user's own words: the last message with a statement, and the approvals since."""
    said: list[str] = []
    for turn in prompts:
        if turn.by_program and not programs:
            said = []
        else:
            said = [own(turn.text)] if _speaks(turn) else [*said, own(turn.text)]
    return "\n".join(said)


def _is_a_programs(text: str, prompts: Sequence[Turn]) -> bool:
    """Tells whether a program gave the last of the prompts, or said a text in one of them."""
    is_last = bool(prompts) and prompts[-1].by_program
    return is_last or any(is_told(text, turn.text) for turn in prompts if turn.by_program)


def own(prompt: str) -> str:
    """Returns the user's own words in a prompt, without pasted and quoted text."""
    return "\n".join(line for _, line in own_lines(prompt))


def _speaks(turn: Turn) -> bool:
    """Tells whether a turn has words of the user's own. After an approval, a choice or pasted text the assistant goes
    on with what it has read, as after what the user wrote when allowing the call that read it.
    """
    is_beside = bool(turn.results) and not turn.denied and not turn.answers
    return turn.role == USER and not turn.chosen and not is_beside and not is_approval(own(turn.text))


def _reads_outside(turn: Turn, line: bytes, reads: Reads) -> bool:
    """Tells whether the calls of a turn bring untrusted content, or a shell line of the user's. A turn has only the
    beginning of a long command and no here-documents: the line has all of it.
    """
    reads.files.go(turn.cwd)
    if turn.role == USER:
        return _brings_outside(line, reads)
    brought = [reads.call(use.tool, use.command, use.files) for use in turn.uses if not _is_cut(use)]
    if any(map(_is_cut, turn.uses)):
        brought += map(reads.command, _commands(line))
    return any(brought)


def _is_cut(use: Use) -> bool:
    return use.tool in SHELLS and ("<<" in use.command or len(use.command) > OBSERVED_CHARS // 4)


def _commands(line: bytes) -> Iterator[str]:
    """Yields the shell commands of a record's calls."""
    for block in json.loads(line)["message"]["content"]:
        given = block.get("input") if isinstance(block, dict) and block.get("name") in SHELLS else None
        command = given.get("command") if isinstance(given, dict) else None
        if isinstance(command, str):
            yield command


def _brings_outside(line: bytes, reads: Reads) -> bool:
    """Tells whether a line that calls no tool brings untrusted content."""
    try:
        reported, ran = report_and_command(line)
    except (ValueError, RecursionError):
        return False
    return (bool(ran) and reads.command(ran)) or reported


def unix(timestamp: str) -> float | None:
    """Returns a record's time in unix seconds, or None if it is not a timestamp."""
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def first_prompts(path: str, most: int) -> list[Turn]:
    """Returns the first messages that the user typed in a session and did not take back."""
    typed = [turn for turn in turns_of(path) if turn.role == USER and not turn.chosen]
    if len({turn.parent for turn in typed}) == len(typed):
        return typed[:most]  # no two stand side by side
    with open(path, "rb") as file:
        branches = _scan(file, 0, Branches())
    return [turn for turn in typed if not branches.is_left(turn.uuid)][:most]


def projects_of(file: BinaryIO) -> set[str]:
    """Returns the names that the client may use for this session's project folder: that of the transcript's folder, and
    the one made from the session's working folder.
    """
    cwd = head_of(file).cwd
    own = os.path.basename(os.path.dirname(os.path.abspath(file.name)))
    return {own, "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)}
