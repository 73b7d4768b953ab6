"""Reads the writes to Claude Code's own memory files from a transcript and prepares them for storage."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial

from ..claude_code.auto_memory import FileWrite, NoteText, Result, edited, read
from ..claude_code.transcript import Turn
from ..claude_code.transcript_files import unix, whose
from ..db.records import MemoryRecord
from ..lib.limits import AUTO_MEMORY_CONFIDENCE, AUTO_MEMORY_RELEVANCE, CONTENT_CHARS, TAG_CHARS
from ..lib.text import clean, clip
from ..lifecycle.note_files_sql import METHOD, Note
from ..model.candidate import Candidate, title_of
from .by_program import Programs

Accept = Callable[[Candidate], Candidate | None]


def notes(
    turns: Iterable[Turn],
    projects: Container[str],
    redact: Callable[[str], str],
    accept: Accept,
    path: str,
    programs: Programs,
) -> list[Note]:
    """Returns the successful writes in these turns of the transcript at `path`. `projects` are the names that the
    client may give this session's project. `programs` marks those of a program's session.
    """
    found = []
    for turn in programs.heard(turns):
        fit = partial(_accepted, programs, turn.by_program, accept)
        for call, result in turn.written:
            said_at = unix(call.at) or unix(turn.at) if call.project in projects else None
            if said_at is not None and redact(call.name) == call.name and len(call.name) <= TAG_CHARS:
                made = partial(_made, call, result, said_at, partial(_whose, turn, path), redact, fit)
                found.append(Note(call.name, call.record_uuid, said_at, made))
    return found


def _made(
    call: FileWrite,
    result: Result,
    said_at: float,
    of_others: Callable[[Sequence[str]], str],
    redact: Callable[[str], str],
    accept: Accept,
    known: MemoryRecord | None,
    newest: bool,
) -> Candidate | None:
    """Returns the candidate for a file's text after a write, or None if that text is unknown."""
    says = _says(call, result, redact, known, newest)
    if says is None:
        return None
    body = clip(redact(clean(says.body)), CONTENT_CHARS)
    title = redact(clean(says.title))
    return accept(
        Candidate(
            says.kind,
            body,
            AUTO_MEMORY_RELEVANCE,
            call.record_uuid,
            body,
            METHOD,
            AUTO_MEMORY_CONFIDENCE,
            title_of(title or body),
            said_at=said_at,
            outside=of_others((title, _added(body, known))),
        )
    )


def _accepted(programs: Programs, by_program: bool, accept: Accept, made: Candidate) -> Candidate | None:
    return accept(programs.marked(made, by_program))


def _whose(turn: Turn, path: str, texts: Sequence[str]) -> str:
    return whose(turn.outside, texts, path, turn.uuid)


def _added(body: str, known: MemoryRecord | None) -> str:
    """Returns the lines that a write has added. The other lines were in the file before."""
    before = known.content.split("\n") if known else ()
    return "\n".join(line for line in body.split("\n") if line not in before)


def _says(
    call: FileWrite, result: Result, redact: Callable[[str], str], known: MemoryRecord | None, newest: bool
) -> NoteText | None:
    """Returns the text of the file after the write. Newer clients keep no copy of an edited file: then the edits are
    applied to the stored text, if this is the last known write.
    """
    if call.whole is not None:
        return read(call.whole)
    whole = edited(result.before, call.edits) if result.before else None
    if whole is not None:
        return read(whole)
    return _edited(known, call, redact) if newest and known is not None else None


def _edited(known: MemoryRecord, call: FileWrite, redact: Callable[[str], str]) -> NoteText | None:
    edits = tuple((redact(clean(old)), clean(new), everywhere) for old, new, everywhere in call.edits)
    body = edited(known.content, edits)
    if body is not None:
        return NoteText(known.kind, known.title, body)
    title = edited(known.title, edits)
    return None if title is None else NoteText(known.kind, title, known.content)
