"""What a session at another machine was shown and what came of it, as that machine tells: it has the transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core.candidate import RELATIONS, Candidate
from ..core.contract import HOOKS
from ..core.copying import MEMORY_ID, Told
from ..core.defaults import COPY_ROWS, FACETS_MAX, OBSERVED_FILE_CHARS, OBSERVED_NAME_CHARS, TAG_CHARS
from ..core.errors import BadInput
from ..core.facets import OF_TEXT
from ..core.model import TIERS
from ..core.utility import RANK
from ..store.notes import Note
from ..store.store import Beside, Origin, Store
from .capture import accepted

# In the place of a transcript's path: nobody looks for one here, and no program's session ends when another begins.
ELSEWHERE = "/dev/null/elsewhere"
FACETS = (*OF_TEXT, "file", "error")  # that a capture gives a memory


def learn(
    to: Store, origin: Origin, told: Told, redact: Callable[[str], str], now: float
) -> tuple[list[str], list[str]]:
    """Keeps it as a capture here does: (new ids, reinforced ids). The same again changes nothing."""
    session = origin.session_id or ""
    _note_session(to, origin, now)
    notes = [
        Note(file, made.record_uuid, made.said_at or now, lambda known, newest, made=made: made)  # type: ignore[misc]
        for file, one in told.notes
        if (made := _fit(one, redact, now)) and len(file) <= TAG_CHARS and redact(file) == file
    ]
    verdicts = {memory_id: verdict for memory_id, verdict in told.verdicts.items() if verdict in RANK}
    cursor = to.cursor(session)  # which stays where it is: that of the transcript is where that lies
    found = [made for one in told.candidates if (made := _fit(one, redact, now))]
    new, again = to.capture(origin, found, cursor, cursor, now, Beside(notes, verdicts=verdicts)) or ([], [])
    summary = _fit(told.summary, redact, now) if told.summary else None
    if summary or told.ended:
        new += to.conclude(origin, [], summary, told.ended, now)
    if told.ended:
        to.end_session(session, now)
    return new, again


def count(to: Store, origin: Origin, rows: Sequence[tuple[str, str, int, float]], now: float) -> None:
    """Counts what a session was shown: (memory id, event, characters, when). The same again counts nothing."""
    names = {hook.name for hook in HOOKS}
    sound = len(rows) <= COPY_ROWS and all(
        MEMORY_ID.fullmatch(memory_id) and event in names and 0 <= chars < 1_000_000 and at >= 0
        for memory_id, event, chars, at in rows
    )
    if not sound:
        raise BadInput("that is nothing that a hook has shown", "the same version of Keepstone at both machines")
    _note_session(to, origin, now)
    for memory_id, event, chars, at in rows:
        to.count_deliveries(origin.session_id or "", event, [memory_id], chars, min(at, now))


def _note_session(to: Store, origin: Origin, now: float) -> None:
    places = {"transcript_path": ELSEWHERE, "cwd": "", "branch": origin.branch or ""}
    to.note_session(origin.session_id or "", project_id=origin.project_id, now=now, **places)


def _fit(given: Candidate, redact: Callable[[str], str], now: float) -> Candidate | None:
    """A candidate of another machine's, judged as one of this; None for what is not to be kept."""
    made = accepted(given, redact)
    if made is None or not 0 < len(made.record_uuid) <= OBSERVED_NAME_CHARS or made.tier not in ("", *TIERS):
        return None
    facets = ((name, redact(value)) for name, value in made.facets[:FACETS_MAX] if name in FACETS)
    related = made.relation in RELATIONS and MEMORY_ID.fullmatch(made.related_id)
    return replace(
        made,
        facets=tuple((name, value) for name, value in facets if 0 < len(value) <= OBSERVED_FILE_CHARS),
        branch=made.branch[:OBSERVED_NAME_CHARS],
        said_at=None if made.said_at is None else min(made.said_at, now),
        relation=made.relation if related else "",
        related_id=made.related_id if related else "",
    )
