"""Observations as rows: one a tool call of a session, told by the transcript, by a hook, or by another client."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import text
from sqlmodel import Session as Transaction

from ..core.defaults import OBSERVED_KEPT, OBSERVED_MAX
from ..core.fastjson import dump, parse
from ..core.observation import FAILED, UNKNOWN, Observation, Observed, Outcome, judged
from .database import Database
from .tombstones import Graves

_INSERT = """
INSERT INTO observation
    (session_id, call_id, tool, command, files, state, reasoning, record_uuid, place, observed_at, error)
VALUES (:session, :call_id, :tool, :command, :files, :state, :reasoning, :record_uuid, :place, :observed_at, :error)
"""
# what a transcript tells is the whole of it; what it does not know yet, a hook may have said
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
SETTLE = "UPDATE observation SET state = :state, error = :error WHERE session_id = :session AND call_id = :call_id"
ABSORB = "DELETE FROM observation WHERE session_id = :session AND call_id = :call_id AND tool = ''"
LISTING = """
SELECT call_id, tool, command, files, state, reasoning, record_uuid, place, observed_at, error FROM observation
WHERE session_id = :session ORDER BY place < 0, place, observed_at, seq
"""
COUNT = "SELECT count(*) FROM observation"
TRIM = "DELETE FROM observation WHERE seq NOT IN (SELECT seq FROM observation ORDER BY seq DESC LIMIT :kept)"
PURGE = "DELETE FROM observation WHERE session_id = :session"
# what an old transcript tells of a session that Keepstone has just met is kept as long as if it had just been said
PURGE_OLD = """
DELETE FROM observation WHERE observed_at < :before
    AND session_id NOT IN (SELECT id FROM session WHERE started_at >= :before)
"""


class Observations(Database):
    """What sessions did. It is kept for a while: until a session's extraction has read it, or for some days."""

    def observations(self, session_id: str) -> list[Observation]:
        """A session's, in the order of its transcript; what that has not told yet comes last."""
        with self._transaction() as tx:
            return [_observation(*row) for row in tx.connection().execute(text(LISTING), {"session": session_id})]

    def merge_observations(self, rows: Iterable[tuple[str, Observation]]) -> None:
        """Adds (session id, observation) of what a hook or another client has seen; the transcript's word stands."""
        with self._transaction() as tx:
            gone = Graves(tx)
            _write(tx, MERGE, [_row(session_id, made) for session_id, made in rows if not _is_erased(gone, made)])
            trim(tx)

    def purge_old_observations(self, before: float) -> None:
        with self._transaction() as tx:
            tx.connection().execute(text(PURGE_OLD), {"before": before})


def purge(tx: Transaction, session_id: str) -> None:
    """Removes a session's: call when its extraction has read them."""
    tx.connection().execute(text(PURGE), {"session": session_id})


def keep(tx: Transaction, session_id: str, observed: Observed) -> None:
    """Stores what a transcript tells; the same again changes nothing."""
    gone = Graves(tx)
    _write(tx, ABSORB, [{"session": session_id, "call_id": call_id} for call_id in observed.absorbed])
    _write(tx, TELL, [_row(session_id, made) for made in observed.rows if not _is_erased(gone, made)])
    for outcome in observed.late:
        if not gone.hold([outcome.error], None):
            _settle(tx, session_id, outcome)
    if observed.rows:
        trim(tx)


def _is_erased(gone: Graves, made: Observation) -> bool:
    """Whether it is of a turn that was erased, or quotes what was."""
    texts = (made.command, made.reasoning, made.error, *made.files)
    return bool(gone.among([made.record_uuid])) or gone.hold(texts, made.observed_at)


def _settle(tx: Transaction, session_id: str, outcome: Outcome) -> None:
    key = {"session": session_id, "call_id": outcome.call_id}
    known = tx.connection().execute(text(CALL), key).first()
    state = judged(known[0], known[1], outcome) if known else UNKNOWN
    if state != UNKNOWN:
        error = outcome.error if state == FAILED else ""
        tx.connection().execute(text(SETTLE), {**key, "state": state, "error": error})


def trim(tx: Transaction) -> None:
    """Past the cap only the newest are left."""
    if tx.connection().execute(text(COUNT)).scalar_one() > OBSERVED_MAX:
        tx.connection().execute(text(TRIM), {"kept": OBSERVED_KEPT})


def _write(tx: Transaction, statement: str, rows: list[dict[str, object]]) -> None:
    if rows:
        tx.connection().execute(text(statement), rows)


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
    except (AttributeError, TypeError, ValueError):  # a damaged row's
        named = ()
    return Observation(call_id, tool, command, named, state, reasoning, record_uuid, place, observed_at, error)
