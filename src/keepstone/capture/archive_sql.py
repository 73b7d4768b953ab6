"""Writes the archive: what was said in sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..claude_code.transcript import ASSISTANT
from ..db.records import TurnRecord
from ..db.writer import Transaction
from ..lib.fast_json import dump
from ..lifecycle.add_sql import Origin
from ..lifecycle.tombstones_sql import Tombstones
from .archive import Said

_KNOWN = "SELECT record_uuid FROM turn WHERE record_uuid IN (SELECT value FROM json_each(:records))"
_LAST = "SELECT coalesce(max(place), 0) FROM turn WHERE session_id = :session"
_LAST_PROMPT = f"""
SELECT record_uuid FROM turn WHERE session_id = :session AND speaker <> '{ASSISTANT}' ORDER BY place DESC LIMIT 1
"""
_CLOSING = "WHERE t.session_id = :session AND t.answers = :prompt AND t.speaker = 'assistant'"
_RECORDS = "SELECT record_uuid FROM turn WHERE session_id = :session"
_DROP = """
DELETE FROM turn WHERE session_id = :session AND record_uuid IN (SELECT value FROM json_each(:records))
"""
_HAND_OVER = "UPDATE turn SET session_id = :fork, place = :place WHERE session_id = :session AND record_uuid = :record"
ARCHIVE_TURNS = 1_000_000  # the most, whatever their age
_IS_NO_EVIDENCE = "record_uuid NOT IN (SELECT record_uuid FROM evidence)"
_TRIM_AGED = f"DELETE FROM turn WHERE said_at < :before AND {_IS_NO_EVIDENCE}"
_COUNT = "SELECT count(*) FROM turn"
_TRIM_OLDEST = f"""
DELETE FROM turn WHERE seq IN (
    SELECT t.seq FROM turn t WHERE t.{_IS_NO_EVIDENCE} ORDER BY t.said_at, t.seq LIMIT :many)
"""


def keep(tx: Transaction, origin: Origin, said: Sequence[Said]) -> None:
    """Adds what was said in a session. What is there already, also in a session that this one was forked from, stays
    as it is; a later message of the assistant's takes the place of the one that closed the same prompt.
    """
    session_id = origin.session_id or ""
    known = set(tx.column(_KNOWN, {"records": dump([one.record_uuid for one in said])})) if said else set()
    gone = Tombstones(tx)
    place = int(tx.value(_LAST, {"session": session_id})) if said else 0
    for one in said:
        if one.record_uuid in known or gone.among([one.record_uuid]):
            continue
        text = gone.cut(one.text, one.said_at)
        if not text.strip():
            continue
        answers = one.answers
        if one.speaker == ASSISTANT:
            answers = answers or str(tx.value(_LAST_PROMPT, {"session": session_id}) or "")
            for closing in tx.records(TurnRecord, _CLOSING, {"session": session_id, "prompt": answers}):
                tx.remove(closing)
        place += 1
        tx.add(
            TurnRecord(
                agent_id=origin.agent_id,
                project_id=origin.project_id,
                session_id=session_id,
                place=place,
                record_uuid=one.record_uuid,
                speaker=one.speaker,
                answers=answers,
                text=text,
                trust=one.trust,
                said_at=one.said_at,
            )
        )


def records(tx: Transaction, session_id: str) -> list[str]:
    """Returns the records of a session's transcript that the archive holds."""
    return tx.column(_RECORDS, {"session": session_id})


def drop(tx: Transaction, session_id: str, left: Sequence[str]) -> None:
    """Takes out what a session has left."""
    tx.run(_DROP, {"session": session_id, "records": dump(list(left))})


def trim(tx: Transaction, before: float, most: int = ARCHIVE_TURNS) -> int:
    """Deletes what was said before a time, and the oldest of more turns than `most`, but never what is the evidence of
    a memory. Returns the number deleted.
    """
    aged = tx.run(_TRIM_AGED, {"before": before})
    many = int(tx.value(_COUNT)) - most
    return aged + (tx.run(_TRIM_OLDEST, {"many": many}) if many > 0 else 0)


def clear(tx: Transaction) -> int:
    """Deletes the archive. Returns the number of turns deleted."""
    return tx.run("DELETE FROM turn")


def hand_over(tx: Transaction, session_id: str, held: Mapping[str, str]) -> None:
    """Gives what a session has left to the forks that still hold it: (record, the fork's id)."""
    for record, fork in held.items():
        place = int(tx.value(_LAST, {"session": fork})) + 1
        tx.run(_HAND_OVER, {"fork": fork, "place": place, "session": session_id, "record": record})
