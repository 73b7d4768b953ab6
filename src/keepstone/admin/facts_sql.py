"""Reads the numbers that status and doctor show, with the bare driver."""

from __future__ import annotations

from typing import Any

from ..db.filter_sql import RECALLABLE, SUSPECT, in_scope
from ..db.reader import PROJECT_KEYS, Reader
from ..lib.fast_json import parse
from ..project.identity import Identity, apart
from ..remote.copy_format import STATE

KINDS = f"SELECT m.kind, count(*) FROM memory m WHERE {RECALLABLE} AND {{scope}} GROUP BY 1"
FOR_REVIEW = f"SELECT count(*) FROM memory m WHERE {SUSPECT} AND {{scope}}"
_SUMS = ("calls", "input_tokens", "output_tokens", "uncosted", "failures")
_CALLS, _TAKEN, _GIVEN, _UNCOSTED, _FAILURES = (f"CAST(coalesce(sum({name}), 0) AS BIGINT)" for name in _SUMS)
USAGE = f"""
SELECT {_CALLS}, {_TAKEN}, {_GIVEN}, coalesce(sum(cost_usd), 0.0), {_UNCOSTED}, {_FAILURES},
    (SELECT problem FROM usage WHERE day = :day ORDER BY problem_at DESC NULLS LAST LIMIT 1), max(problem_at)
FROM usage WHERE day = :day
"""
CAPTURED = "SELECT max(at) FROM audit WHERE op = 'capture'"
SETTING = "SELECT value FROM setting WHERE key = :key"


def is_apart(store: Reader, identity: Identity) -> bool:
    """Tells whether a folder's memories are kept apart from the project of its remote."""
    keys = identity.keys
    return apart(keys, store.rows(PROJECT_KEYS, {"git": keys[0], "dir": keys[-1]}))


def counts(store: Reader, project: str | None, everything: bool, now: float) -> dict[str, int]:
    """Returns the number of recallable memories of each kind."""
    sql = KINDS.format(scope=in_scope(project, everything, ""))
    return dict(store.rows(sql, {"project": project, "now": now}))


def for_review(store: Reader, project: str | None, everything: bool, now: float) -> int:
    """Returns the number of memories that wait for a person's word."""
    sql = FOR_REVIEW.format(scope=in_scope(project, everything, ""))
    return int(store.rows(sql, {"project": project, "now": now})[0][0])


def usage(store: Reader, day: str) -> tuple[Any, ...]:
    """Returns a day's sums of calls, input and output tokens, cost, calls without a known cost, and failures; then its
    last problem and the problem's time.
    """
    return store.rows(USAGE, {"day": day})[0]  # type: ignore[no-any-return]


def last_captured_at(store: Reader) -> float | None:
    """Returns the time of the last capture, None before the first."""
    return store.rows(CAPTURED, {})[0][0]  # type: ignore[no-any-return]


def renewed_at(copy: Reader) -> float | None:
    """Returns when a read copy was last renewed, None if it never was."""
    found = copy.rows(SETTING, {"key": STATE})
    try:
        return float(parse(found[0][0])[3])
    except (LookupError, OverflowError, TypeError, ValueError):
        return None
