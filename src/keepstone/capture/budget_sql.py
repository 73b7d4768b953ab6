"""Stores the spending of paid extractors. A call is counted before it is made, and corrected afterwards."""

from __future__ import annotations

from typing import Any

from ..db.records import UsageRecord
from ..db.writer import Transaction, Writer
from ..lib.text import day
from .budget import BudgetAccount, Caps, Reservation, Spent

SUMS = """
SELECT CAST(coalesce(sum(calls), 0) AS BIGINT),
    CAST(coalesce(sum(input_tokens) + sum(output_tokens), 0) AS BIGINT)
FROM usage WHERE day = :day
"""
ROW = "WHERE t.day = :day AND t.extractor = :extractor AND t.model = :model"


class BudgetLedger:
    """Counts calls and spending. Each method is one short transaction, so that the caps hold for any number of
    processes.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def reserve(self, account: BudgetAccount, estimate: Spent, caps: Caps, now: float) -> Reservation | None:
        """Counts a call and its estimate. Returns None, with nothing counted, if it does not fit the day's caps."""
        today = day(now)
        with self.writer.transaction() as tx:
            row = tx.one(SUMS, {"day": today})
            calls, tokens = row if row else (0, 0)
            if not caps.leave_room(calls, tokens, estimate.tokens):
                return None
            used = _row(tx, today, account)
            tx.change(
                used,
                calls=used.calls + 1,
                uncosted=used.uncosted + 1,
                input_tokens=used.input_tokens + estimate.input_tokens,
                output_tokens=used.output_tokens + estimate.output_tokens,
            )
        return Reservation(today, account, estimate)

    def record_spend(self, held: Reservation, spent: Spent | None, problem: str, now: float) -> None:
        """Replaces a call's estimate with its real spending if that is known, and stores the problem if
        there was one.
        """
        with self.writer.transaction() as tx:
            used = _row(tx, held.day, held.account)
            values: dict[str, Any] = {}
            if spent is not None:
                values["input_tokens"] = used.input_tokens + spent.input_tokens - held.estimate.input_tokens
                values["output_tokens"] = used.output_tokens + spent.output_tokens - held.estimate.output_tokens
            if spent is not None and spent.cost_usd is not None:
                values["cost_usd"] = used.cost_usd + spent.cost_usd
                values["uncosted"] = used.uncosted - 1
            if problem:
                values |= _failure(used, problem, now)
            if values:
                tx.change(used, **values)

    def fail(self, account: BudgetAccount, problem: str, now: float) -> None:
        """Stores the reason why no call can be made."""
        with self.writer.transaction() as tx:
            used = _row(tx, day(now), account)
            tx.change(used, **_failure(used, problem, now))


def _row(tx: Transaction, today: str, account: BudgetAccount) -> UsageRecord:
    """Returns an account's row of a day. Adds it if it is missing."""
    made = UsageRecord(day=today, extractor=account.extractor, model=account.model)
    known = tx.record(UsageRecord, ROW, {"day": today, "extractor": account.extractor, "model": account.model})
    if known is None:
        tx.add(made)
    return known or made


def _failure(used: UsageRecord, problem: str, now: float) -> dict[str, Any]:
    return {"failures": used.failures + 1, "problem": problem, "problem_at": now}
