"""Extracts with a model, within the day's caps. If the model must not or cannot be used, the rules do the window."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...claude_code.window import Window
from ...lib.text import clip, one_line
from ...model.candidate import Candidate
from ..budget import BudgetAccount, Caps, Reservation
from . import prompt
from .model_client import AGAIN, RUN, WINDOW, Budget, Failed, ModelClient, Request
from .rules import Rules

ASK_CHARS = 50  # a window with fewer characters is not worth a call
REQUESTS_MAX = 3  # for one window, including the first
BACKOFF_SECONDS = 2.0  # before the second request, doubled for each further one
RETRY_AFTER_SECONDS = 60.0  # if a server asks for a longer wait, it is not asked again in this run
PROBLEM_CHARS = 200  # characters of a failure's message that the ledger stores


class Model:
    """Asks a client, which `connect` makes for the first call. Every request is counted in the budget before it is
    made. After a failure that retries do not cure, or that concerns every window, this run asks no more.
    """

    paid = True

    def __init__(
        self,
        account: BudgetAccount,
        connect: Callable[[], ModelClient],
        budget: Budget,
        caps: Caps,
        *,
        redact: Callable[[str], str],
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`redact` is applied to problems before they are stored. Windows are already redacted."""
        self.account = account
        self.connect = connect
        self.budget = budget
        self.caps = caps
        self.redact = redact
        self.clock = clock
        self.sleep = sleep
        self.rules = Rules()
        self.client: ModelClient | None = None
        self.stopped = False

    def extract(self, window: Window) -> list[Candidate]:
        found = None
        if not self.stopped and prompt.spoken_chars(window) >= ASK_CHARS:
            found = self._ask(window)
        return self.rules.extract(window) if found is None else found

    def _ask(self, window: Window) -> list[Candidate] | None:
        """Returns the model's candidates, or None if the rules are to do this window."""
        request = prompt.request(window, self.rules.likely(window))
        for number in range(1, REQUESTS_MAX + 1):
            try:
                client = self.client = self.client or self.connect()
            except Failed as failure:
                self.budget.fail(self.account, self._problem(failure), self.clock())
                self.stopped = True
                return None
            held = self.budget.reserve(self.account, request.estimate, self.caps, self.clock())
            if held is None:
                return None
            try:
                return self._call(client, request, held, window)
            except Failed as failure:
                if failure.then == AGAIN and number < REQUESTS_MAX and failure.after <= RETRY_AFTER_SECONDS:
                    self.sleep(failure.after or BACKOFF_SECONDS * 2 ** (number - 1))
                    continue
                self.stopped = failure.then in (AGAIN, RUN)
                return None
        return None

    def _call(self, client: ModelClient, request: Request, held: Reservation, window: Window) -> list[Candidate]:
        """Makes one request, and records its spending in any case."""
        spent = None
        try:
            reply = client.ask(request)
            spent = reply.spent
            found = prompt.candidates(reply.answer, window)
        except Failed as failure:
            self.budget.record_spend(held, failure.spent or spent, self._problem(failure), self.clock())
            raise
        except Exception as problem:  # noqa: BLE001  an unexpected answer leaves the window to the rules
            unread = Failed(f"the answer can't be read: {type(problem).__name__}: {problem}", WINDOW)
            self.budget.record_spend(held, spent, self._problem(unread), self.clock())
            raise unread from problem
        self.budget.record_spend(held, spent, "", self.clock())
        return found

    def _problem(self, failure: Failed) -> str:
        return clip(one_line(self.redact(failure.problem)), PROBLEM_CHARS)
