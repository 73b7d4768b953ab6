"""Transcript to memories: what is new since the cursor, window by window, each committed together with the cursor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from typing import BinaryIO

from ..core.candidate import Candidate, Neighbour, accept
from ..core.defaults import BUSY_SECONDS, LINE_BYTES_MAX, NEIGHBOURS, WINDOW_OVERLAP
from ..core.errors import CairnError
from ..core.text import MASK, digest, session_key, words
from ..core.transcript import ASSISTANT, USER, Head, Turn, head, is_own_call, parse
from ..core.window import Window, windows
from ..extract import Extractor
from ..git import first_commit
from ..project import identify
from ..store.reader import Reader
from ..store.store import Cursor, Origin, Store
from .search import Scope, like

CHECK_BYTES = 4_096  # bytes before the cursor that tell whether this is still the file it was
TELLING_WORDS = 3  # fewer around a secret say nothing without it
HEAD_LINES = 200  # lines in which a transcript names its session and folder


@dataclass(slots=True)
class Report:
    """What a capture did. `skipped` counts lines that are no JSON object or too long, `passed` those without words;
    `position` is the offset behind the last line read.
    """

    session_id: str = ""
    turns: int = 0
    windows: int = 0
    passed: int = 0
    skipped: int = 0
    position: int = 0
    new: list[str] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)


def capture(
    store: Store,
    extractor: Extractor,
    path: str,
    *,
    redact: Callable[[str], str],
    now: float,
    session_id: str = "",
    cwd: str = "",
    project_dir: str = "",
    user_home: str = "",
    seen_at: float | None = None,
    goes_on: bool = False,
) -> Report:
    """Captures what the transcript at `path` holds beyond its session's cursor; the same bytes again change nothing.
    While the session `goes_on`, a paid extractor leaves a window that has room for more: no call a turn.

    The transcript itself says which session it is and in which folder it ran, where `session_id` does not; `seen_at` is
    when the session was there (default: now). Raises CairnError for a file that can't be read.
    """
    try:
        with open(path, "rb") as file:
            known = _head(file)
            session_id = session_id or session_key(known.session_id or os.path.basename(path))
            identity = identify(known.cwd or cwd or os.getcwd(), "" if known.cwd else project_dir, user_home)
            project_id = store.project(identity, first_commit(identity.root) if identity else "", now)
            store.note_session(
                session_id,
                project_id=project_id,
                transcript_path=os.path.abspath(path),
                cwd=known.cwd or cwd,
                branch=known.branch,
                now=now if seen_at is None else seen_at,
            )
            origin = Origin("hook", project_id=project_id, session_id=session_id, branch=known.branch or None)
            return _capture(store, extractor, file, origin, redact, now, goes_on)
    except OSError as problem:
        raise CairnError(
            f"{path} can't be read: {problem.strerror or problem}", "cairn capture TRANSCRIPT"
        ) from problem


def _capture(
    store: Store,
    extractor: Extractor,
    file: BinaryIO,
    origin: Origin,
    redact: Callable[[str], str],
    now: float,
    goes_on: bool,
) -> Report:
    """Window by window to the end of the file; where another capture of this session takes one first, on from there."""
    report = Report(session_id=origin.session_id or "")
    seen = None
    while not _pass(store, extractor, file, origin, redact, now, goes_on, report):
        if seen == (seen := store.cursor(report.session_id)):
            break  # nobody moves it on: the session's row has gone
    return report


def _pass(
    store: Store,
    extractor: Extractor,
    file: BinaryIO,
    origin: Origin,
    redact: Callable[[str], str],
    now: float,
    goes_on: bool,
    report: Report,
) -> bool:
    before = store.cursor(report.session_id)
    report.position, carried = _resume(file, before)
    turns: Iterable[Turn] = _turns(file, report)
    if extractor.paid:  # before a window cuts a long turn: half a key no longer looks like one
        turns, carried = _redacted(turns, redact), list(_redacted(carried, redact))
    for window in windows(turns, carried):
        if extractor.paid:
            if goes_on and not window.full:
                return True
            window = replace(window, known=_neighbours(store, origin, window, redact, now))
        after = _cursor_after(file, window)
        done = store.capture(origin, _candidates(extractor, window, redact), before, after, now)
        if done is None:
            return False
        before = after
        report.windows += 1
        report.turns += len(window.new)
        report.new += done[0]
        report.reinforced += done[1]
    if report.position > before.offset:
        after = replace(before, offset=report.position, digest=_check(file, report.position))
        return store.capture(origin, [], before, after, now) is not None
    return True


def _candidates(extractor: Extractor, window: Window, redact: Callable[[str], str]) -> list[Candidate]:
    said_at = {turn.uuid: _unix(turn.at) for turn in window.new}
    dated = (replace(found, said_at=said_at.get(found.record_uuid)) for found in extractor.extract(window))
    return [made for candidate in dated if (made := _accepted(candidate, redact))]


def _redacted(turns: Iterable[Turn], redact: Callable[[str], str]) -> Iterator[Turn]:
    return (replace(turn, text=redact(turn.text)) for turn in turns)


def _neighbours(
    store: Store, origin: Origin, window: Window, redact: Callable[[str], str], now: float
) -> tuple[Neighbour, ...]:
    """The active memories of the project and of user scope that are most like the window's new turns."""
    text = "\n".join(turn.text for turn in window.new if turn.role in (USER, ASSISTANT))
    with closing(Reader(store.path, BUSY_SECONDS)) as reader:
        found = like(reader, text, Scope(origin.project_id), NEIGHBOURS, now)
    return tuple(Neighbour(memory.id, memory.kind, redact(memory.content)) for memory in found)


def _resume(file: BinaryIO, cursor: Cursor) -> tuple[int, list[Turn]]:
    """Where to read on, and the turns before it that go along. A file that is no longer what it was (rewritten, cut
    short) is read on behind the last turn that was taken, or anew when that is not in it.
    """
    if cursor.offset and _check(file, cursor.offset) == cursor.digest:
        turns = list(takewhile(lambda turn: turn.start < cursor.offset, _turns(file, Report(position=cursor.carry))))
        return cursor.offset, turns[-WINDOW_OVERLAP:]
    turns = []
    if cursor.uuid:
        for turn in _turns(file, Report()):
            turns = [*turns[1 - WINDOW_OVERLAP :], turn]
            if turn.uuid == cursor.uuid:
                return turn.end, turns
    return 0, []


def _turns(file: BinaryIO, report: Report) -> Iterator[Turn]:
    """The turns from the report's position on, which moves along and counts what is none."""
    for start, end, line in _lines(file, report.position):
        report.position = end
        if line.isspace():
            continue
        turn = None
        try:
            turn = parse(line, start)
            report.passed += turn is None
        except (ValueError, RecursionError):
            report.skipped += 1
        if turn is not None and not is_own_call(turn):
            yield turn


def _lines(file: BinaryIO, start: int) -> Iterator[tuple[int, int, bytes]]:
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


def _unix(timestamp: str) -> float | None:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def _accepted(candidate: Candidate, redact: Callable[[str], str]) -> Candidate | None:
    """Redacted before anything is cut: half a key no longer looks like one. What was little but a secret is dropped."""
    left = redact(candidate.content)
    if MASK in left and len(words(left.replace(MASK, " "))) < TELLING_WORDS:
        return None
    return accept(
        replace(
            candidate,
            content=left,
            excerpt=redact(candidate.excerpt),
            title=redact(candidate.title),
        )
    )


def _cursor_after(file: BinaryIO, window: Window) -> Cursor:
    turns = (*window.processed, *window.new)
    last = turns[-1]
    return Cursor(last.end, last.uuid, _check(file, last.end), turns[-WINDOW_OVERLAP:][0].start)


def _check(file: BinaryIO, offset: int) -> str:
    start = max(0, offset - CHECK_BYTES)
    file.seek(start)
    return digest(file.read(offset - start).decode("latin-1"), str(offset))


def _head(file: BinaryIO) -> Head:
    """The session, folder and branch that a transcript's first records name."""
    found = Head()
    for number, (_, _, line) in enumerate(_lines(file, 0)):
        if number == HEAD_LINES or (found.session_id and found.cwd):
            break
        found = head(line, found)
    return found
