"""Transcript to memories: what is new since the cursor, window by window, each committed together with the cursor."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import BinaryIO

from ..core.candidate import Candidate, accept
from ..core.defaults import LINE_BYTES_MAX, WINDOW_OVERLAP
from ..core.errors import CairnError
from ..core.text import MASK, digest, session_key, words
from ..core.transcript import Head, Pairing, Turn, head, is_own_call, parse
from ..core.window import Window, cut, windows
from ..extract import Extractor
from ..git import first_commit
from ..project import Identity, identify, vanished
from ..store.store import Cursor, Origin, Store
from .notes import notes

CHECK_BYTES = 4_096  # bytes before the cursor that tell whether this is still the file it was
TELLING_WORDS = 3  # fewer around a secret say nothing without it
HEAD_LINES = 200  # lines in which a transcript names its session and folder


@dataclass(slots=True)
class Report:
    """What a capture did. `skipped` counts lines that are no JSON object or too long, `passed` those without words;
    `position` is the offset behind the last line read.
    """

    session_id: str = ""
    project_id: str | None = None
    turns: int = 0
    windows: int = 0
    passed: int = 0
    skipped: int = 0
    position: int = 0
    off: bool = False
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
    is_off: Callable[[Identity | None], bool] = lambda identity: False,
    watch: Callable[[int], None] = lambda position: None,
) -> Report:
    """Captures what the transcript at `path` holds beyond its session's cursor; the same bytes again change nothing,
    and nothing is read of a project for which Cairn is turned off.

    The transcript itself says which session it is and in which folder it ran, where `session_id` does not; `seen_at` is
    when the session was there (default: now), `watch` is told the offset behind each window. Raises CairnError for a
    file that can't be read.
    """
    try:
        with open(path, "rb") as file:
            known = head_of(file)
            session_id = session_id or session_key(known.session_id or os.path.basename(path))
            folder = known.cwd or cwd or os.getcwd()
            identity = _identity(known.cwd, cwd or os.getcwd(), project_dir, user_home)
            if is_off(identity):
                return Report(session_id, off=True)
            project_id = _project(store, folder, identity, now)
            store.note_session(
                session_id,
                project_id=project_id,
                transcript_path=os.path.abspath(path),
                cwd=known.cwd or cwd,
                branch=known.branch,
                now=now if seen_at is None else seen_at,
            )
            origin = Origin("hook", project_id=project_id, session_id=session_id, branch=known.branch or None)
            return _capture(store, extractor, file, origin, redact, now, watch)
    except OSError as problem:
        raise CairnError(
            f"{path} can't be read: {problem.strerror or problem}", "cairn capture TRANSCRIPT"
        ) from problem


def _identity(recorded: str, cwd: str, project_dir: str, user_home: str) -> Identity | None:
    """The project of the folder that the transcript names, else of `cwd`."""
    if not os.path.isdir(recorded or cwd):
        return vanished(recorded or cwd, user_home)
    return identify(recorded or cwd, "" if recorded else project_dir, user_home)


def _project(store: Store, folder: str, identity: Identity | None, now: float) -> str | None:
    """The project's id: where the folder is gone, that of the sessions it had."""
    known = None if os.path.isdir(folder) else store.project_at(folder)
    return known or store.project(identity, first_commit(identity.root) if identity else "", now)


def _capture(
    store: Store,
    extractor: Extractor,
    file: BinaryIO,
    origin: Origin,
    redact: Callable[[str], str],
    now: float,
    watch: Callable[[int], None],
) -> Report:
    """Window by window to the end of the file; where another capture of this session takes one first, on from there."""
    report = Report(session_id=origin.session_id or "", project_id=origin.project_id)
    seen = None
    while not _pass(store, extractor, file, origin, redact, now, report, watch):
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
    report: Report,
    watch: Callable[[int], None],
) -> bool:
    before = store.cursor(report.session_id)
    folder = os.path.join(os.path.dirname(os.path.abspath(file.name)), "memory")
    accepted = partial(_accepted, redact=redact)
    pair = Pairing()
    report.position, carried = _resume(file, before, pair)
    for window in windows(_turns(file, report, pair), carried):
        after = _cursor_after(file, window)
        candidates = _candidates(extractor, window, redact)
        written = notes(window.new, folder, redact, accepted, _unix)
        done = store.capture(origin, candidates, before, after, now, written)
        if done is None:
            return False
        before = after
        report.windows += 1
        report.turns += len(window.new)
        report.new += done[0]
        report.reinforced += done[1]
        watch(after.offset)
    if report.position > before.offset:
        after = replace(before, offset=report.position, digest=check(file, report.position))
        return store.capture(origin, [], before, after, now) is not None
    return True


def _candidates(extractor: Extractor, window: Window, redact: Callable[[str], str]) -> list[Candidate]:
    said_at = {turn.uuid: _unix(turn.at) for turn in window.new}
    dated = (replace(found, said_at=said_at.get(found.record_uuid)) for found in extractor.extract(window))
    return [made for candidate in dated if (made := _accepted(candidate, redact))]


def _resume(file: BinaryIO, cursor: Cursor, pair: Pairing) -> tuple[int, list[Turn]]:
    """Where to read on, and the turns before it that go along. A file that is no longer what it was (rewritten, cut
    short) is read on behind the last turn that was taken, or anew when that is not in it.
    """
    if cursor.offset and check(file, cursor.offset) == cursor.digest:
        known = _turns(file, Report(position=cursor.carry), pair, cursor.offset)
        return cursor.offset, list(deque(known, WINDOW_OVERLAP))
    turns: list[Turn] = []
    if cursor.uuid:
        for turn in _turns(file, Report(), pair):
            turns = [*turns[1 - WINDOW_OVERLAP :], turn]
            if turn.uuid == cursor.uuid:
                return turn.end, turns
    return 0, []


def _turns(file: BinaryIO, report: Report, pair: Pairing, until: float = math.inf) -> Iterator[Turn]:
    """The turns from the report's position on, which moves along and counts what is none; those that begin before
    `until`.
    """
    for start, end, line in lines(file, report.position):
        if start >= until:
            return
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
            yield pair(cut(turn))


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


def _unix(timestamp: str) -> float | None:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def _accepted(candidate: Candidate, redact: Callable[[str], str]) -> Candidate | None:
    """Redacted before anything is cut: half a key no longer looks like one. What was little but a secret is dropped."""
    left = redact(candidate.content)
    if left != candidate.content and len(words(left.replace(MASK, " "))) < TELLING_WORDS:
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
    carry = turns[-WINDOW_OVERLAP:][0].start
    if last.open_since >= 0:
        carry = min(carry, last.open_since)  # its result is still to come
    return Cursor(last.end, last.uuid, check(file, last.end), carry)


def check(file: BinaryIO, offset: int) -> str:
    """A digest of the bytes before an offset: whether a file is still the one whose capture stood there."""
    start = max(0, offset - CHECK_BYTES)
    file.seek(start)
    return digest(file.read(offset - start).decode("latin-1"), str(offset))


def head_of(file: BinaryIO) -> Head:
    """The session, folder and branch that a transcript's first records name."""
    found = Head()
    for number, (_, _, line) in enumerate(lines(file, 0)):
        if number == HEAD_LINES or (found.session_id and found.cwd):
            break
        found = head(line, found)
    return found
