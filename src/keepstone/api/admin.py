"""Onboards a new user."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from ..admin import onboarding_state
from ..admin.onboard import onboard
from ..admin.onboarding_text import TOPICS, line
from ..context import Context
from ..lifecycle.store_request import request_of, untrusted_reason_now
from ..model.hit import Hit
from ..redaction.redact import redact
from ..remote.protocol import local
from .common import hits_of, writing


class Admin:
    """The onboarding of a new user."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @local("onboard")
    def onboard(self, answers: Mapping[str, str]) -> list[Hit]:
        """Stores a new user's answers, by topic (`admin.onboarding_text.TOPICS`), for every project. Revises an earlier
        answer. Without answers, only records that the offer was accepted. The question is not asked again.
        """
        known = onboarding_state.state(self.context.home).get("answers") or {}
        with self.context.reader() as reader:
            known = {topic: known[topic] for topic in known if reader.is_active(known[topic])}
        given, outside = partial(request_of, self.context), partial(untrusted_reason_now, self.context)
        with writing(self.context) as to:
            seed = os.urandom(16).hex()
            ids = onboard(to, answers, known, given, redact=redact, seed=seed, outside=outside)
        onboarding_state.mark_answered(self.context.home, onboarding_state.ACCEPTED, ids)
        return hits_of(self.context, [ids[topic] for topic in answers])

    @local("onboard")
    def profile(self) -> list[str]:
        """Returns a new user's answers that were not taken back, one line for each."""
        known = onboarding_state.state(self.context.home).get("answers") or {}
        with self.context.reader() as reader:
            ids = [known[topic] for topic in TOPICS if topic in known and reader.is_active(known[topic])]
        return [line(hit.memory.content) for hit in hits_of(self.context, ids)]

    @local(about_client=True)
    def decline(self) -> None:
        """Records that the user wants no onboarding. The question is not asked again."""
        answers = onboarding_state.state(self.context.home).get("answers") or {}
        onboarding_state.mark_answered(self.context.home, onboarding_state.DECLINED, answers)
