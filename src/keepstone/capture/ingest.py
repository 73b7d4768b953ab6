"""Captures many transcripts, newest first. Each is read from its session's cursor on, so a rerun continues."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from ..claude_code.transcript import AGENT, OTHER, SESSION, speaker
from ..claude_code.transcript_files import check, head_of, lines
from ..db import sessions
from ..db.writer import Writer
from ..lib.errors import BadInput, KeepstoneError, StoreError
from ..lib.limits import IDLE_SESSION
from ..lib.text import digest, session_key
from ..model.cursor import Cursor
from . import session_end_sql
from .pipeline import CaptureReport, Capturing
from .session_end import ENDED, READ

AGENT_FOLDER, AGENT_START, ENDING = "subagents", "agent-", ".jsonl"


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """A file that may be a transcript, and the cursor up to which it was captured."""

    path: str
    size: int
    changed_at: float
    stands: Cursor

    @property
    def left(self) -> int:
        """Returns the number of bytes that were not read before."""
        return max(0, self.size - self.stands.offset)


@dataclass(slots=True)
class Sources:
    """The files to read, newest first. `agents` counts sub-agents' files, `others` lists files that are not
    transcripts.
    """

    files: list[TranscriptSource] = field(default_factory=list)
    agents: int = 0
    others: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(source.size for source in self.files)

    @property
    def left(self) -> int:
        """Returns the number of bytes that were not read before."""
        return sum(source.left for source in self.files)


@dataclass(slots=True)
class Ingested:
    """The result: the numbers of sessions with and without new turns, and the files that were left out. `suggested` is
    how many suggestions wait now, in all projects.
    """

    sessions: int = 0
    unchanged: int = 0
    turns: int = 0
    new: int = 0
    reinforced: int = 0
    suggested: int = 0
    projects: set[str] = field(default_factory=set)
    agents: int = 0
    off: int = 0
    others: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def find(writer: Writer, paths: Sequence[str]) -> Sources:
    """Returns the transcripts among files and in folders, recursively. Raises BadInput if a path does not exist."""
    for path in paths:
        if not os.path.exists(path):
            raise BadInput(f"there is nothing at {path}", "keepstone ingest FOLDER")
    with writer.transaction() as tx:
        stands = dict(sessions.cursors(tx).values())
    named = {os.path.abspath(path) for path in paths}
    found = Sources()
    each = {os.path.realpath(path): os.path.abspath(path) for given in paths for path in _files(given, found)}
    for path in each.values():
        _sort_in(path, path in named, stands.get(path, Cursor()), found)
    found.files.sort(key=lambda source: (-source.changed_at, source.path))
    return found


def _files(path: str, found: Sources) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for folder, _, names in os.walk(path, onerror=lambda problem: found.unreadable.append(str(problem.filename))):
        yield from (os.path.join(folder, name) for name in names)


def _sort_in(path: str, named: bool, stands: Cursor, found: Sources) -> None:
    """Adds a file to the list that it belongs to. `named` tells whether a person gave this path: then its name does not
    matter.
    """
    name = os.path.basename(path)
    try:
        there = os.stat(path)
    except OSError:
        found.unreadable.append(path)
        return
    if not stat.S_ISREG(there.st_mode) or not (named or name.endswith(ENDING)):
        found.others.append(path)
    elif AGENT_FOLDER in path.split(os.sep) or name.startswith(AGENT_START):
        found.agents += 1
    else:
        found.files.append(TranscriptSource(path, there.st_size, there.st_mtime, stands))


def ingest(
    writer: Writer, capture: Capturing, sources: Sources, *, now: float, watch: Callable[[int], None]
) -> Ingested:
    """Captures the new turns of the sources. `watch` is called with the number of unread bytes that are done."""
    done = Ingested(agents=sources.agents, others=list(sources.others), unreadable=list(sources.unreadable))
    with writer.transaction() as tx:
        cursors = sessions.cursors(tx)
    _end_idle(writer, capture, sources, now, done)
    behind = 0
    for source in sources.files:
        try:
            _one(writer, capture, source, cursors, now, done, partial(_moved, watch, behind, source))
        except StoreError:
            raise
        except (KeepstoneError, OSError):
            done.unreadable.append(source.path)
        behind += source.left
        watch(behind)
    return done


def _end_idle(writer: Writer, capture: Capturing, sources: Sources, now: float, done: Ingested) -> None:
    """Concludes sessions whose ingest was killed after their last turn and before their conclusion."""
    read = {source.path for source in sources.files if not source.left}
    with writer.transaction() as tx:
        idle = sessions.open_sessions(tx, now - IDLE_SESSION)
    for session_id, path, cwd, _, seen_at in idle:
        if path in read:
            try:
                done.new += len(capture(path, session_id, cwd, seen_at=seen_at, stage=ENDED).new)
            except StoreError:
                raise
            except (KeepstoneError, OSError):
                continue  # unreadable files are reported later
            with writer.transaction() as tx:
                session_end_sql.end_session(tx, session_id, seen_at)


def _moved(watch: Callable[[int], None], behind: int, source: TranscriptSource, position: int) -> None:
    watch(behind + min(source.left, max(0, position - source.stands.offset)))


def _one(
    writer: Writer,
    capture: Capturing,
    source: TranscriptSource,
    cursors: dict[str, tuple[str, Cursor]],
    now: float,
    done: Ingested,
    watch: Callable[[int], None],
) -> None:
    with open(source.path, "rb") as file:
        if source.size and source.size == source.stands.offset and check(file, source.size) == source.stands.digest:
            done.unchanged += 1
            return
        whose = _whose(file)
        session_id = _session(file, source, cursors)
    if whose == AGENT:
        done.agents += 1
    elif not whose:
        done.others.append(source.path)
    else:
        seen_at = min(now, source.changed_at)
        idle = seen_at < now - IDLE_SESSION
        report = capture(source.path, session_id, seen_at=seen_at, watch=watch, stage=ENDED if idle else READ)
        with writer.transaction() as tx:
            if idle:
                session_end_sql.end_session(tx, session_id, seen_at)
            cursors[session_id] = (source.path, sessions.cursor(tx, session_id))
        _count(report, done)


def _count(report: CaptureReport, done: Ingested) -> None:
    if report.off:
        done.off += 1
        return
    done.sessions += report.turns > 0
    done.unchanged += report.turns == 0
    done.turns += report.turns
    done.new += len(report.new)
    done.reinforced += len(report.reinforced)
    if report.new or report.reinforced:
        done.projects.add(report.project_id or "")


def _whose(file: BinaryIO) -> str:
    """Returns SESSION for a transcript with a conversation of its own, AGENT for one with only a sub-agent's, OTHER for
    one without any, "" for a file that is not a transcript.
    """
    found = set()
    for _, _, line in lines(file, 0):
        try:
            found.add(speaker(line))
        except (ValueError, RecursionError):
            continue
        if SESSION in found:
            return SESSION
    return AGENT if AGENT in found else OTHER if OTHER in found else ""


def _session(file: BinaryIO, source: TranscriptSource, cursors: dict[str, tuple[str, Cursor]]) -> str:
    """Returns the session of a transcript. The client names the file after the session; otherwise the records name it.
    If another file has the same id, this one gets another id: otherwise each capture would start the other file anew.
    """
    name = os.path.basename(source.path)
    stem = name.removesuffix(ENDING)
    session_id = stem if _is_uuid(stem) else session_key(head_of(file).session_id or name)
    path, cursor = cursors.get(session_id, ("", Cursor()))
    if path in ("", source.path) or not os.path.exists(path) or check(file, cursor.offset) == cursor.digest:
        return session_id
    return session_key(digest(session_id, source.path)) if cursor.offset else session_id


def _is_uuid(word: str) -> bool:
    try:
        return str(uuid.UUID(word)) == word.lower()
    except ValueError:
        return False
