"""Stores observations: one for each tool call of a session, reported by the transcript, a hook, or another client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..claude_code.observation import FAILED, UNKNOWN, Observation, Observed, Outcome, judged
from ..db.writer import Transaction
from ..lib.fast_json import dump, parse
from ..lifecycle.tombstones_sql import Tombstones

OBSERVED_MAX = 10_000  # beyond this, only the newest OBSERVED_KEPT rows are left
OBSERVED_KEPT = 8_000

_INSERT = """
INSERT INTO observation
    (session_id, call_id, tool, command, files, state, reasoning, record_uuid, place, observed_at, error)
VALUES (:session, :call_id, :tool, :command, :files, :state, :reasoning, :record_uuid, :place, :observed_at, :error)
"""
# A transcript's record replaces the stored row, except for a state that it does not know: a hook may have reported
# that.
TELL = f"""{_INSERT}ON CONFLICT (session_id, call_id) DO UPDATE SET
    tool = excluded.tool, command = excluded.command, files = excluded.files, reasoning = excluded.reasoning,
    state = CASE WHEN excluded.state = '{UNKNOWN}' THEN observation.state ELSE excluded.state END,
    record_uuid = excluded.record_uuid, place = excluded.place, observed_at = excluded.observed_at,
    error = excluded.error
"""
MERGE = f"""{_INSERT}ON CONFLICT (session_id, call_id) DO UPDATE SET
    state = CASE WHEN observation.state = '{UNKNOWN}' THEN excluded.state ELSE observation.state END
"""
CALL = "SELECT tool, command FROM observation WHERE session_id = :session AND call_id = :call_id"
SET_STATE = "UPDATE observation SET state = :state, error = :error WHERE session_id = :session AND call_id = :call_id"
ABSORB = "DELETE FROM observation WHERE session_id = :session AND call_id = :call_id AND tool = ''"
LISTING = """
SELECT call_id, tool, command, files, state, reasoning, record_uuid, place, observed_at, error FROM observation
WHERE session_id = :session ORDER BY place < 0, place, observed_at, seq
"""
COUNT = "SELECT count(*) FROM observation"
TRIM = "DELETE FROM observation WHERE seq NOT IN (SELECT seq FROM observation ORDER BY seq DESC LIMIT :kept)"
RECORDS = "SELECT DISTINCT record_uuid FROM observation WHERE session_id = :session ORDER BY 1"
DROP = """
DELETE FROM observation WHERE session_id = :session AND record_uuid IN (SELECT value FROM json_each(:records))
"""
PURGE = "DELETE FROM observation WHERE session_id = :session"
# Observations of an old transcript count as new if Keepstone has only just met the session.
PURGE_OLD = """
DELETE FROM observation WHERE observed_at < :before
    AND session_id NOT IN (SELECT id FROM session WHERE started_at >= :before)
"""


def observations(tx: Transaction, session_id: str) -> list[Observation]:
    """Returns a session's observations in transcript order. Those that the transcript has not reported yet
    come last.
    """
    return [_observation(*row) for row in tx.all(LISTING, {"session": session_id})]


def records(tx: Transaction, session_id: str) -> list[str]:
    """Returns the records of a transcript that a session's observations come from."""
    return tx.column(RECORDS, {"session": session_id})


def drop(tx: Transaction, session_id: str, records: Sequence[str]) -> None:
    """Deletes the observations that come from these records."""
    tx.run(DROP, {"session": session_id, "records": dump(list(records))})


def merge_observations(tx: Transaction, rows: Iterable[tuple[str, Observation]]) -> None:
    """Adds (session id, observation) as reported by a hook or another client. A transcript's report is not replaced."""
    gone = Tombstones(tx)
    tx.many(MERGE, [_row(session_id, made) for session_id, made in rows if not _is_erased(gone, made)])
    trim(tx)


def purge_old_observations(tx: Transaction, before: float) -> None:
    """Deletes observations that are older than `before`, except those of sessions that began since."""
    tx.run(PURGE_OLD, {"before": before})


def purge(tx: Transaction, session_id: str) -> None:
    """Deletes a session's observations. Call it after its conclusion has read them."""
    tx.run(PURGE, {"session": session_id})


def keep(tx: Transaction, session_id: str, observed: Observed) -> None:
    """Stores a transcript's observations. Repeating it changes nothing."""
    gone = Tombstones(tx)
    tx.many(ABSORB, [{"session": session_id, "call_id": call_id} for call_id in observed.absorbed])
    tx.many(TELL, [_row(session_id, made) for made in observed.rows if not _is_erased(gone, made)])
    for outcome in observed.late:
        if not gone.hold([outcome.error], None):
            _apply_outcome(tx, session_id, outcome)
    if observed.rows:
        trim(tx)


def _is_erased(gone: Tombstones, made: Observation) -> bool:
    """Tells whether an observation belongs to an erased turn, or quotes erased text."""
    texts = (made.command, made.reasoning, made.error, *made.files)
    return bool(gone.among([made.record_uuid])) or gone.hold(texts, made.observed_at)


def _apply_outcome(tx: Transaction, session_id: str, outcome: Outcome) -> None:
    key = {"session": session_id, "call_id": outcome.call_id}
    known = tx.one(CALL, key)
    state = judged(known[0], known[1], outcome) if known else UNKNOWN
    if state != UNKNOWN:
        error = outcome.error if state == FAILED else ""
        tx.run(SET_STATE, {**key, "state": state, "error": error})


def trim(tx: Transaction) -> None:
    """Deletes the oldest observations if there are too many."""
    if tx.value(COUNT) > OBSERVED_MAX:
        tx.run(TRIM, {"kept": OBSERVED_KEPT})


def _row(session_id: str, made: Observation) -> dict[str, object]:
    values = {name: getattr(made, name) for name in made.__slots__}
    return {**values, "files": dump(made.files), "session": session_id}


def _observation(
    call_id: str,
    tool: str,
    command: str,
    files: str,
    state: str,
    reasoning: str,
    record_uuid: str,
    place: int,
    observed_at: float,
    error: str,
) -> Observation:
    try:
        named = tuple(map(str, parse(files)))
    except (AttributeError, TypeError, ValueError):  # a damaged row
        named = ()
    return Observation(call_id, tool, command, named, state, reasoning, record_uuid, place, observed_at, error)
