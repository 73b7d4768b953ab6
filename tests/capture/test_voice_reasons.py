"""A reason makes no guess of a statement; a suspected cause of trouble is one."""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Judgement, Rules
from keepstone.claude_code.window import Window
from keepstone.language.statement_features import bare

REASONED = [
    "Our CI runs on GitHub Actions because of the GPU tests",
    "Our integration tests run on the big runner because of the memory",
    "We deploy on Tuesdays because of the support rota",
    "We pin numpy to 1.26 due to the ABI break",
    "The staging database runs on port 5433 thanks to a clash with the local one",
    "Because of the auditors we always keep logs for seven years",
    "All uploads go through the proxy in Frankfurt because of GDPR",
    "our nightly backups run at 03:00 because of the low traffic then",
    "We use Caddy instead of Nginx because of how it renews certificates",
    "We never deploy on Fridays because of the outage last year",
    "The API gateway sits in front of all services since the auth problem of 2024",
    "Timeouts are 30 seconds everywhere because of the slow vendor API",
    "We use SQLite in tests because of the missing Docker on laptops",
    "I prefer small commits because of the reviews",
    "The release branch is frozen until December because of the bug in the importer",
    "Always set TZ=UTC in the containers, because of the timestamp bugs we had",
    "Production runs on Ubuntu 22.04 still because of the GPU drivers crashing on 24.04",
    "We decided to use Kafka because of the duplicate events we got from Redis",
    "the docs are built with Sphinx due to the API reference",
    "We keep two replicas in Paris on account of latency",
    "In this repo we use tabs, because of the accessibility settings of Ana",
    "Failed jobs are kept for 30 days because of the auditors",
    "Slow queries are logged to db-logs.internal because of the load reviews",
    "The staging database runs on port 5433, that's why the tests need the flag",
    "Our CI runs on a self-hosted runner because it's the only one with a GPU",
    "The bug tracker is at bugs.example.com because of the licence",
    "Our red theme is the default on staging because of the demos",
    "the prod db is on port 6432 because port 5432 is blocked by the firewall",
]
GUESSED = [
    "I guess CI is slow because of the cache",
    "maybe it fails because of the proxy",
    "CI might be slow because of the GPU tests.",
    "The tests fail because of the clock.",
    "I suspect the build hangs because of the lock file.",
    "the deploy is broken because of the new proxy",
    "Perhaps the worker crashed because of the upgrade",
    "it looks like the API is down because of DNS",
    "My guess: the queue is stuck because of a poison message.",
    "Could be because of the cache.",
    "the page is slow because of the images, I think",
    "The importer crashes because of a null date.",
    "must be because of the proxy that the upload times out",
    "I bet the flaky test is due to the timezone.",
    "The pipeline has been red since yesterday because of the linter update.",
    "the problem with staging is because of the proxy",
    "The queue on port 5672 is stuck because of a poison message.",
    "The staging database on port 5433 is slow because of the backups",
    "Production on Ubuntu 24.04 fails because of the GPU drivers",
    "I'm pretty sure the prod db on port 6432 is down because of the firewall",
]


WHOLE = [
    f"{cause}, {rule}"
    for cause in (
        "Thanks to the new runner",
        "Thanks to Redis",
        "thanks to Ana",
        "Thanks to a clash with the local one",
        "Thanks to how the firewall works",
    )
    for rule in ("our CI runs on every push", "we deploy on Tuesdays", "we never use npm", "the api runs in Frankfurt")
]
LEADS = ["Thanks, ", "thanks! ", "Thank you, ", "Thanks - ", "ok thanks, "]


def test_thanks_to_something_is_a_reason_and_thanks_alone_are_a_lead():
    for text in WHOLE:
        assert bare(text) == text
    for lead in LEADS:
        assert bare(f"{lead}we deploy on Tuesdays") == "we deploy on Tuesdays"
    for text in ("Right-to-left text is mirrored", "Well-known ports stay free", "so-called facts are checked"):
        assert bare(text) == text


def judged(text: str) -> Judgement:
    ((_, (judgement,)),) = Rules().explain(Window((), (turn(text),)))
    return judgement


@pytest.mark.parametrize("text", REASONED)
def test_a_reason_is_kept_with_what_it_explains(text):
    said = judged(text + ".")
    assert said.text == text[0].upper() + text[1:] and "guess" not in said.why and said.kind


@pytest.mark.parametrize("text", GUESSED)
def test_a_suspected_cause_waits(text):
    said = judged(text)
    assert said.unsure or not said.kind
