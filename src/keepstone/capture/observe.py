"""Prepares observations for storage: from a window's turns, from hooks, and from other clients."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..claude_code.auto_memory import in_folder
from ..claude_code.observation import (
    FAILED,
    STATES,
    UNKNOWN,
    UNPLACED,
    Observation,
    Observed,
    Outcome,
    Use,
    beginning,
    id_of,
    judged,
    start_of,
)
from ..claude_code.transcript import ASSISTANT, TOOL_USE, USER, Turn
from ..claude_code.window import Window
from ..db import sessions
from ..db.writer import Writer
from ..lib.errors import BadInput, StoreError
from ..lib.limits import OBSERVED_CHARS, OBSERVED_FILE_CHARS, OBSERVED_FILES, OBSERVED_LOOK_CHARS, OBSERVED_NAME_CHARS
from ..lib.text import clean, clip, head_and_tail, one_line
from ..project.identity import Identity
from ..shell.failure import signatures
from ..shell.own_calls import is_own
from ..spool import queue
from . import observations_sql
from .eased_checks import effect
from .proven_solutions import verdict


@dataclass(frozen=True, slots=True)
class Digest:
    """Makes the observations of a session in `folder`, in the project at `root` ("" for none)."""

    redact: Callable[[str], str]
    folder: str
    root: str = ""

    def observed_in(self, window: Window, at: Callable[[Turn], float]) -> Observed:
        """Returns the observations of a window's new turns. Text belongs to the call that follows it directly, even in
        a later window. Any other text is an observation of its own.
        """
        earlier = (window.processed[-1] if window.processed else None, *window.new)
        pairs = list(zip(earlier, window.new, strict=False))
        led = {before.uuid for before, turn in pairs if before is not None and _leads(before, turn)}
        ends = {end.call_id: end for turn in window.new for end in turn.outcomes if end.call_id}
        raw = [made for before, turn in pairs if turn.uuid not in led for made in _raw(before, turn, at(turn), ends)]
        known = {made.call_id for made in raw}
        late = (replace(end, error=self._signs(end.error)) for end in ends.values() if end.call_id not in known)
        return Observed(tuple(map(self.redact_and_shorten, raw)), tuple(late), tuple(sorted(led)))

    def redact_and_shorten(self, raw: Observation) -> Observation:
        """Returns an observation that may be stored. Text is redacted before it is cut, because half a key no longer
        looks like one. Files are named relative to the project.
        """
        return replace(
            raw,
            tool=self._clean(one_line(raw.tool))[:OBSERVED_NAME_CHARS],
            command=clip(self._clean(beginning(raw.command)), OBSERVED_CHARS),
            files=tuple(dict.fromkeys(map(self._file, raw.files[:OBSERVED_FILES]))),
            reasoning=self._words(raw.reasoning),
            error=self._signs(raw.error),
        )

    def _words(self, text: str) -> str:
        cut = head_and_tail if len(text) <= OBSERVED_LOOK_CHARS else clip  # the end of a long text was not redacted
        return cut(self._clean(start_of(text)), OBSERVED_CHARS)

    def _signs(self, output: str) -> str:
        """Returns the signatures of a failure's lines. They lack signs by which secrets are known, so the output is
        redacted before, and what is left of it again.
        """
        return self._clean("\n".join(signatures(self._clean(output))))

    def _clean(self, text: str) -> str:
        return self.redact(clean(text)) if text else ""  # most calls have no text, and redacting is slow

    def _file(self, path: str) -> str:
        """Returns a file's path relative to the project. For a file elsewhere, returns the last two parts."""
        whole = os.path.normpath(os.path.join(self.folder, path))
        if not _inside(whole, self.root) and _inside(whole, self.folder):
            whole = os.path.realpath(self.folder) + whole[len(self.folder) :]
        near = os.path.relpath(whole, self.root) if _inside(whole, self.root) else os.sep.join(whole.split(os.sep)[-2:])
        return self._clean(one_line(near.replace(os.sep, "/")))[:OBSERVED_FILE_CHARS]


def _inside(path: str, folder: str) -> bool:
    return bool(folder) and (path + os.sep).startswith(os.path.join(folder, ""))


def _leads(before: Turn, turn: Turn) -> bool:
    """Tells whether a turn is the text directly before a call."""
    return before.role == ASSISTANT and turn.role == TOOL_USE


def _raw(before: Turn | None, turn: Turn, at: float, ends: Mapping[str, Outcome]) -> Iterator[Observation]:
    """Yields a turn's raw observations, neither redacted nor shortened."""
    if turn.role == ASSISTANT:
        yield Observation(turn.uuid, "", "", (), UNKNOWN, turn.text, turn.uuid, turn.start, at)
    if turn.role == USER and not turn.chosen and (state := verdict(turn.text)) != UNKNOWN:
        yield Observation(turn.uuid, USER, "", (), state, "", turn.uuid, turn.start, at)
    words, record_uuid = turn.said, turn.uuid
    if before is not None and _leads(before, turn):
        words, record_uuid = f"{before.text}\n{words}".rstrip(), before.uuid
    for number, use in enumerate(turn.uses):
        if use.id and not use.own:
            end = ends.get(use.id)
            state = judged(use.tool, use.command, end) if end else UNKNOWN
            error = end.error if end and state == FAILED else ""
            place = turn.start + number  # a record has more bytes than calls, so places stay unique
            files = tuple(file for file in use.files if not in_folder(file))  # memory files are not the project's
            command = _done(use, end) if use.edits else use.command
            yield Observation(use.id, use.tool, command, files, state, words, record_uuid, place, at, error)
            words, record_uuid = "", turn.uuid


def _done(use: Use, end: Outcome | None) -> str:
    """Returns what an edit does to checks: all that is kept of it."""
    edits = (end and end.edits) or use.edits
    before, after = ("\n".join(texts) for texts in zip(*edits, strict=True))
    return effect(next(iter(use.files), ""), before, after)


def drain_observations(home: str, writer: Writer, redact: Callable[[str], str], log: Callable[[str], None]) -> None:
    """Stores the observations that hooks have spooled. If the database cannot be written now, they stay in
    the spool.
    """

    def merge(lines: list[Any]) -> None:
        made = [one for line in lines if (one := _spooled(line, redact))]
        if made:
            with writer.transaction() as tx:
                observations_sql.merge_observations(tx, made)

    try:
        queue.drain_observed(home, merge)
    except (StoreError, OSError) as problem:
        log(f"observations wait: {type(problem).__name__}: {problem}")


def _spooled(line: Any, redact: Callable[[str], str]) -> tuple[str, Observation] | None:
    """Returns (session id, observation) of a line that a hook has spooled, or None if it is malformed. Files and
    commands come from the transcript.
    """
    try:
        texts = (line["session"], line["tool"], line["state"])
        call_id, at = id_of(line["id"]), float(line["at"])
    except (KeyError, TypeError, ValueError):
        return None
    if not call_id or not all(isinstance(text, str) for text in texts) or line["state"] not in STATES:
        return None
    raw = Observation(call_id, line["tool"], "", (), line["state"], "", "", UNPLACED, at)
    return line["session"], Digest(redact, os.sep).redact_and_shorten(raw)


def observe(
    writer: Writer, session_id: str, raw: Observation, digest: Digest, identity: Identity | None
) -> Observation | None:
    """Stores an observation of a client without hooks. Returns None for a call of Keepstone itself, which is not
    stored. Raises BadInput.
    """
    if raw.state not in STATES:
        raise BadInput(f"there is no state {raw.state[:20]!r}", f"one of {', '.join(STATES)}")
    if not raw.tool.strip() and not raw.reasoning.strip():
        raise BadInput(
            "an observation names a tool, or says why", "keepstone observe --tool Bash --command 'make test'"
        )
    if is_own(raw.tool, {"command": raw.command}):
        return None
    made = digest.redact_and_shorten(raw)
    seen_in = {"cwd": digest.folder, "transcript_path": "", "branch": ""}
    with writer.transaction() as tx:
        project_id = sessions.project(tx, identity, "", raw.observed_at)
        sessions.note_session(tx, session_id, project_id=project_id, now=raw.observed_at, **seen_in)
        observations_sql.merge_observations(tx, [(session_id, made)])
    return made
