"""The first steps of a newcomer."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from functools import partial

from .. import onboarding
from ..context import Context
from ..core.profile import TOPICS, line
from ..core.view import Hit
from ..lifecycle.given import given_of, untrusted_reason_now
from ..remote.protocol import local
from .common import hits_of, writing


class Admin:
    """What a newcomer says once."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @local("onboard")
    def onboard(self, answers: Mapping[str, str]) -> list[Hit]:
        """Stores a newcomer's answers, by topic (`core.profile.TOPICS`), for every project. Revises an
        earlier answer. Without answers, only notes that the offer was taken. The question is not asked again.
        """
        from ..ops.onboard import onboard
        from ..redact import redact

        known = onboarding.state(self.context.home).get("answers") or {}
        with self.context.reader() as reader:
            known = {topic: known[topic] for topic in known if reader.is_active(known[topic])}
        given, outside = partial(given_of, self.context), partial(untrusted_reason_now, self.context)
        with writing(self.context) as to:
            seed = uuid.uuid4().hex
            ids = onboard(to, answers, known, given, redact=redact, seed=seed, outside=outside)
        onboarding.settle(self.context.home, onboarding.ACCEPTED, ids)
        return hits_of(self.context, [ids[topic] for topic in answers])

    @local("onboard")
    def profile(self) -> list[str]:
        """Returns what a newcomer has answered and not taken back, one line an answer."""
        known = onboarding.state(self.context.home).get("answers") or {}
        with self.context.reader() as reader:
            ids = [known[topic] for topic in TOPICS if topic in known and reader.is_active(known[topic])]
        return [line(hit.memory.content) for hit in hits_of(self.context, ids)]

    @local(about_client=True)
    def decline(self) -> None:
        """Notes that the newcomer wants no onboarding. The question is not asked again."""
        answers = onboarding.state(self.context.home).get("answers") or {}
        onboarding.settle(self.context.home, onboarding.DECLINED, answers)
