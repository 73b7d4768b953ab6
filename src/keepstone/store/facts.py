"""What status and doctor tell of a store in numbers; with the bare driver."""

from __future__ import annotations

from typing import Any

from ..core.copying import STATE
from ..core.fastjson import parse
from .reader import RECALLABLE, Reader, in_scope


def counts(store: Reader, project: str | None, everything: bool, now: float) -> dict[str, int]:
    """How many memories of each kind are recalled."""
    near = in_scope(everything, "")
    sql = f"SELECT m.kind, count(*) FROM memory m WHERE {RECALLABLE} AND {near} GROUP BY 1"
    return dict(store.rows(sql, {"project": project, "now": now}))


def usage(store: Reader, day: str) -> tuple[Any, ...]:
    """A day's sums of calls, input and output tokens, cost, calls without one, and failures; its last problem and when
    that was.
    """
    counts = ("calls", "input_tokens", "output_tokens", "uncosted", "failures")
    calls, taken, given, uncosted, failures = (f"CAST(coalesce(sum({name}), 0) AS BIGINT)" for name in counts)
    sql = f"""SELECT {calls}, {taken}, {given}, coalesce(sum(cost_usd), 0.0), {uncosted}, {failures},
        (SELECT problem FROM usage WHERE day = :day ORDER BY problem_at DESC LIMIT 1), max(problem_at)
        FROM usage WHERE day = :day"""
    return store.rows(sql, {"day": day})[0]  # type: ignore[no-any-return]


def last_captured_at(store: Reader) -> float | None:
    return store.rows("SELECT max(at) FROM audit WHERE op = 'capture'", {})[0][0]  # type: ignore[no-any-return]


def renewed_at(copy: Reader) -> float | None:
    """When a read copy was brought up to date last; None for one that never was."""
    found = copy.rows("SELECT value FROM setting WHERE key = :key", {"key": STATE})
    try:
        return float(parse(found[0][0])[3])
    except (LookupError, OverflowError, TypeError, ValueError):
        return None
