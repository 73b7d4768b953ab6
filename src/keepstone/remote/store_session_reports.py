"""Stores the reports of another machine about its sessions: what they were shown, and what was captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..capture import commit_sql, session_end_sql
from ..capture.archive import Said
from ..capture.commit_sql import WindowExtras
from ..capture.pipeline import accepted
from ..claude_code.hook_contract import HOOKS
from ..claude_code.window import WINDOW_MESSAGES
from ..db import sessions
from ..db.writer import Transaction, Writer
from ..language.facets import OF_TEXT
from ..language.withdrawals import DENIED_CHARS, DENIED_MAX, WITHDRAWN_CHARS, Withdrawal
from ..lib.errors import BadInput
from ..lib.limits import (
    COPY_ROWS,
    FACETS_MAX,
    OBSERVED_FILE_CHARS,
    OBSERVED_NAME_CHARS,
    TAG_CHARS,
    WINDOW_CHARS,
)
from ..lib.text import clean
from ..lifecycle.add_sql import Origin
from ..lifecycle.note_files_sql import Note
from ..model.candidate import MODEL_MAY_NAME, Candidate
from ..model.delivery import RANK
from ..model.memory import QUARANTINED, TIERS, TRUSTS
from ..model.trust import suspicion
from ..model.turn import ASSISTANT, SPEAKERS
from ..recall import deliveries_sql
from .copy_format import MEMORY_ID, SessionReport

# Replaces a transcript's path, so that it is not looked for on this machine, and so that the session does not count as
# one that a program has left open.
ELSEWHERE = "/dev/null/elsewhere"
FACETS = (*OF_TEXT, "file", "error")  # facets that a capture adds


def store_report(
    writer: Writer, origin: Origin, told: SessionReport, redact: Callable[[str], str], now: float
) -> tuple[list[str], list[str]]:
    """Stores a report as a capture on this machine does. Returns (new ids, reinforced ids). Repeating it changes
    nothing.
    """
    session = origin.session_id or ""
    with writer.transaction() as tx:
        _note_session(tx, origin, now)
        cursor = sessions.cursor(tx, session)  # unchanged: the transcript is on the other machine
    notes = [
        Note(file, made.record_uuid, made.said_at or now, lambda known, newest, made=made: made)  # type: ignore[misc]
        for file, one in told.notes
        if (made := _fit(one, redact, now)) and len(file) <= TAG_CHARS and redact(file) == file
    ]
    verdicts = {memory_id: verdict for memory_id, verdict in told.verdicts.items() if verdict in RANK}
    found = [made for one in told.candidates if (made := _fit(one, redact, now))]
    left = [record for record in told.left[:COPY_ROWS] if 0 < len(record) <= OBSERVED_NAME_CHARS]
    unsaid = [
        replace(made, words=redact(clean(made.words)))
        for made in told.unsaid[: 2 * WINDOW_MESSAGES]
        if _is_withdrawal(made)
    ]
    said = [kept for turn in told.said[:WINDOW_MESSAGES] if (kept := _fit_said(turn, redact, now))]
    extras = WindowExtras(notes, verdicts=verdicts, left=left, unsaid=unsaid, said=said)
    with writer.transaction() as tx:
        new, again = commit_sql.capture(tx, origin, found, cursor, cursor, now, extras) or ([], [])
    summary = _fit(told.summary, redact, now) if told.summary else None
    if summary or told.ended:
        with writer.transaction() as tx:
            new += commit_sql.conclude(tx, origin, [], summary, told.ended, now)
    if told.ended:
        with writer.transaction() as tx:
            session_end_sql.end_session(tx, session, now)
    return new, again


def count_deliveries(writer: Writer, origin: Origin, rows: Sequence[tuple[str, str, int, float]], now: float) -> None:
    """Counts what a session was shown: (memory id, event, characters, time). Repeated rows are not counted again."""
    names = {hook.name for hook in HOOKS}
    sound = len(rows) <= COPY_ROWS and all(
        MEMORY_ID.fullmatch(memory_id) and event in names and 0 <= chars < 1_000_000 and at >= 0
        for memory_id, event, chars, at in rows
    )
    if not sound:
        raise BadInput("that is nothing that a hook has shown", "the same version of Keepstone at both machines")
    with writer.transaction() as tx:
        _note_session(tx, origin, now)
        for memory_id, event, chars, at in rows:
            deliveries_sql.count_deliveries(tx, origin.session_id or "", event, [memory_id], chars, min(at, now))


def _note_session(tx: Transaction, origin: Origin, now: float) -> None:
    places = {"transcript_path": ELSEWHERE, "cwd": "", "branch": origin.branch or ""}
    sessions.note_session(tx, origin.session_id or "", project_id=origin.project_id, now=now, **places)


def _is_withdrawal(made: Withdrawal) -> bool:
    """Tells whether a prompt of one window can have taken this back: matching it takes time."""
    named, said = " ".join(made.things), [*made.denied, *made.holds]
    if len(said) > DENIED_MAX or any(len(text) > DENIED_CHARS for text in said):
        return False
    is_short = len(named) <= WITHDRAWN_CHARS >= len(made.words)
    return is_short and 0 < len(made.by) <= OBSERVED_NAME_CHARS >= len(made.before)


def _fit_said(given: Said, redact: Callable[[str], str], now: float) -> Said | None:
    """Returns what was said in another machine's session, checked like what was said here, or None if it must not be
    stored.
    """
    text, answers = (redact(clean(one))[:WINDOW_CHARS] for one in (given.text, given.answers))
    is_known = given.speaker in SPEAKERS and given.trust in TRUSTS and 0 <= given.said_at
    if not is_known or not text.strip() or not 0 < len(given.record_uuid) <= OBSERVED_NAME_CHARS:
        return None
    trust = QUARANTINED if suspicion((text,)) and given.speaker == ASSISTANT else given.trust
    return replace(given, text=text, answers=answers, trust=trust, said_at=min(given.said_at, now))


def _fit(given: Candidate, redact: Callable[[str], str], now: float) -> Candidate | None:
    """Returns another machine's candidate, checked like one of this machine, or None if it must not be stored."""
    made = accepted(given, redact)
    if made is None or not 0 < len(made.record_uuid) <= OBSERVED_NAME_CHARS or made.tier not in ("", *TIERS):
        return None
    facets = (facet for facet in made.facets[:FACETS_MAX] if facet[0] in FACETS)
    related = made.relation in MODEL_MAY_NAME and MEMORY_ID.fullmatch(made.related_id)
    return replace(
        made,
        facets=tuple((name, value) for name, value in facets if 0 < len(value) <= OBSERVED_FILE_CHARS),
        branch=made.branch[:OBSERVED_NAME_CHARS],
        said_at=None if made.said_at is None else min(made.said_at, now),
        relation=made.relation if related else "",
        related_id=made.related_id if related else "",
    )
