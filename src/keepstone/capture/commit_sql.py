"""Commits a window of a transcript together with its session's cursor, and the results of a whole session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from ..claude_code.observation import Observed
from ..db.writer import Transaction
from ..language.withdrawals import Withdrawal
from ..lib.fast_json import dump
from ..lifecycle import add_sql, note_files_sql, rewind_sql, supersede_sql
from ..lifecycle.add_sql import Origin
from ..lifecycle.note_files_sql import METHOD, Note
from ..model.candidate import Candidate
from ..model.cursor import Cursor
from ..recall import deliveries_sql
from . import archive_sql, observations_sql, session_end_sql
from .archive import Said

_FIND_CURSOR = "SELECT cursor_offset, cursor_uuid FROM session WHERE id = :id"
_MOVE_CURSOR = """
UPDATE session SET cursor_offset = :offset, cursor_uuid = :uuid, cursor_digest = :digest, carry_offset = :carry
WHERE id = :id
"""
_AUDIT_CAPTURE = """
INSERT INTO audit (at, actor, op, session_id, details) VALUES (:at, 'worker', 'capture', :session, :details)
"""


@dataclass(frozen=True, slots=True)
class WindowExtras:
    """The contents of a window besides candidates: writes to memory files, observations, verdicts on the memories
    that its session was shown, earlier records that the conversation has left, what its prompts take back or deny of
    what was said before the window, and what the archive keeps.
    """

    notes: Iterable[Note] = ()
    observed: Observed = Observed()
    verdicts: Mapping[str, str] = field(default_factory=dict)
    left: Sequence[str] = ()
    unsaid: Sequence[Withdrawal] = ()
    said: Sequence[Said] = ()


NO_EXTRAS = WindowExtras()


def capture(
    tx: Transaction,
    origin: Origin,
    candidates: Iterable[Candidate],
    before: Cursor,
    after: Cursor,
    now: float,
    extras: WindowExtras = NO_EXTRAS,
) -> tuple[list[str], list[str]] | None:
    """Commits a window in one transaction: its candidates, its extras and the session's cursor. Returns (new ids,
    reinforced ids).

    Returns None, with nothing written, if the cursor is no longer `before`: another process has captured this window.
    """
    session_id = origin.session_id or ""
    row = tx.one(_FIND_CURSOR, {"id": session_id})
    if row is None or (row[0], row[1] or "") != (before.offset, before.uuid):
        return None
    if extras.left:
        rewind_sql.leave(tx, session_id, extras.left, now)
        observations_sql.drop(tx, session_id, extras.left)
        archive_sql.drop(tx, session_id, extras.left)
    rewind_sql.unsay(tx, session_id, extras.unsaid, now)
    new: list[str] = []
    reinforced: list[str] = []
    written = (note_files_sql.keep_note(tx, replace(origin, origin=METHOD), note, now) for note in extras.notes)
    for memory_id, is_new in chain(add_sql.add_all(tx, origin, candidates, now), filter(None, written)):
        (new if is_new else reinforced).append(memory_id)
    taken_back = {made.before for made in extras.unsaid}
    for made in extras.unsaid:
        if made.corrects and made.by not in taken_back:
            supersede_sql.correct(tx, made, origin.project_id, session_id, now)
    observations_sql.keep(tx, session_id, extras.observed)
    archive_sql.keep(tx, origin, extras.said)
    deliveries_sql.mark(tx, session_id, extras.verdicts, now)
    cursor = {"offset": after.offset, "uuid": after.uuid, "digest": after.digest, "carry": after.carry}
    tx.run(_MOVE_CURSOR, {**cursor, "id": session_id})
    if new or reinforced:
        details = dump({"new": len(new), "reinforced": len(reinforced)})
        tx.run(_AUDIT_CAPTURE, {"at": now, "session": session_id, "details": details})
    return new, reinforced


def conclude(
    tx: Transaction, origin: Origin, candidates: list[Candidate], summary: Candidate | None, ended: bool, now: float
) -> list[str]:
    """Commits the results of a session: its solutions and its summary. Ends its working memories if it has `ended`.
    Returns the ids of new memories.
    """
    new = [memory_id for memory_id, is_new in add_sql.add_all(tx, origin, candidates, now) if is_new]
    living = session_end_sql.end_working(tx, origin, now) if ended else []
    summarised = session_end_sql.summarise(tx, origin, summary, living, now) if summary else None
    return [*new, summarised] if summarised else new
