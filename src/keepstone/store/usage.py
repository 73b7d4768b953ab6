"""The ledger of paid extractors: a call is counted before it is made, and put right afterwards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy import func
from sqlmodel import Session as Transaction
from sqlmodel import select

from ..core.text import day
from ..core.usage import Account, Caps, Reservation, Spent
from .tables import Usage


class Ledger:
    """Each method is one short transaction, so that a cap holds for any number of processes."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Transaction]]) -> None:
        self.transaction = transaction

    def reserve(self, account: Account, estimate: Spent, caps: Caps, now: float) -> Reservation | None:
        """Counts a call and what it may take; None, and nothing counted, when the day's caps leave no room for it."""
        today = day(now)
        calls = func.coalesce(func.sum(Usage.calls), 0)
        tokens = func.coalesce(func.sum(Usage.input_tokens) + func.sum(Usage.output_tokens), 0)
        with self.transaction() as tx:
            made, used = tx.exec(select(calls, tokens).where(Usage.day == today)).one()
            if not caps.leave_room(made, used, estimate.tokens):
                return None
            row = _row(tx, today, account)
            row.calls += 1
            row.uncosted += 1
            row.input_tokens += estimate.input_tokens
            row.output_tokens += estimate.output_tokens
            tx.add(row)
        return Reservation(today, account, estimate)

    def settle(self, held: Reservation, spent: Spent | None, problem: str, now: float) -> None:
        """Puts what a call took in the estimate's place, where that is known, and notes what went wrong."""
        with self.transaction() as tx:
            row = _row(tx, held.day, held.account)
            if spent is not None:
                row.input_tokens += spent.input_tokens - held.estimate.input_tokens
                row.output_tokens += spent.output_tokens - held.estimate.output_tokens
            if spent is not None and spent.cost_usd is not None:
                row.cost_usd += spent.cost_usd
                row.uncosted -= 1
            if problem:
                _note(row, problem, now)
            tx.add(row)

    def fail(self, account: Account, problem: str, now: float) -> None:
        """Notes why no call can be made."""
        with self.transaction() as tx:
            row = _row(tx, day(now), account)
            _note(row, problem, now)
            tx.add(row)


def _row(tx: Transaction, today: str, account: Account) -> Usage:
    key = (today, account.extractor, account.model)
    return tx.get(Usage, key) or Usage(day=today, extractor=account.extractor, model=account.model)


def _note(row: Usage, problem: str, now: float) -> None:
    row.failures += 1
    row.problem, row.problem_at = problem, now
