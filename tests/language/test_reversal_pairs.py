"""Pairs of statements made from templates: of two things different things hold and both stay, of one thing something
else holds now and that replaces it. The rules were tuned on the first half of the templates. Of the second only totals
were looked at; it has limits of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from keepstone.language.duplicates import same_words
from keepstone.language.reversal import TAKES_BACK, reverses, verdict
from keepstone.language.reversal_subjects import differs_twice
from keepstone.lib.fuzzy import ratio

ALIKE = same_words(ratio)
TUNED, UNSEEN = 0, 1
MOST_WRONG = {TUNED: 0.0, UNSEEN: 0.03}  # shares of the pairs of two things of which one is taken back
MOST_MISSED = {TUNED: 0.0, UNSEEN: 0.03}  # shares of the reversals that are not seen
MOST_MISSED_BY_RULES = {TUNED: 0.0, UNSEEN: 0.14}  # of those, by rules alone: what a person has stored needs a rule

# {a} and {b} are two things, {x} and {y} two values.
_KINDS = {
    "tool": ([("billing", "search"), ("the admin panel", "the shop front"), ("the library", "the server")],
             [("Postgres", "MySQL"), ("Vue", "React"), ("Redis", "Kafka")]),
    "name": ([("Acme", "Globex"), ("Falcon", "Heron"), ("Lisbon", "Oslo")],
             [("Postgres", "MySQL"), ("Helm", "Kustomize"), ("Jenkins", "CircleCI")]),
    "number": ([("orders", "invoices"), ("the mobile app", "the web client")],
               [("30 days", "90 days"), ("5 minutes", "20 minutes")]),
}  # fmt: skip

OTHERS = (
    (
        ("name", "Tenant {a} runs on {x}, not {y}", "Tenant {b} runs on {y}, not {x}"),
        ("tool", "We picked {x} for {a}", "We picked {y} over {x} for {b}"),
        ("tool", "We chose {x} for {a}", "We chose {y} over {x} for {b}"),
        ("tool", "Use {x} for {a}", "We no longer use {y} for {a}"),
        ("tool", "We use {x} for {a}", "We use {y} instead of {x} for {b}"),
        ("name", "Team {a} deploys with {x}", "Team {b} deploys with {y} now"),
        ("number", "Keep {a} for {x}", "Keep {b} for {y}, not {x}"),
        ("name", "{a} uses {x}", "{b} uses {y} rather than {x}"),
    ),
    (
        ("name", "Customer {a} is hosted on {x}", "Customer {b} is hosted on {y} instead of {x}"),
        ("tool", "{x} is our choice for {a}", "{y} is our choice for {b}, not {x}"),
        ("tool", "Go with {x} for {a}", "Go with {y} rather than {x} for {b}"),
        ("tool", "We decided on {x} for {a}", "We dropped {y} for {a}"),
        ("name", "The {a} site is built with {x}", "The {b} site is built with {y} now, not with {x}"),
        ("name", "Project {a} talks to {x}", "Project {b} talks to {y} from now on"),
        ("number", "Logs of {a} are kept for {x}", "Logs of {b} are kept for {y} now"),
        ("name", "{a} has its own {x}", "{b} has its own {y}, no {x}"),
    ),
)

REVERSALS = (
    (
        ("name", "We deploy with {x}", "We don't deploy with {x} any more, we use {y}"),
        ("number", "The timeout of {a} is {x}", "The timeout of {a} is now {y} instead of {x}"),
        ("tool", "We use {x} for {a}", "We dropped {x}, {a} runs on {y}"),
        ("name", "Deploys of {a} happen with {x}", "Deploys of {a} no longer happen with {x} but with {y}"),
        ("name", "{x} owns the {a} parser", "{x} doesn't own the {a} parser any more, {y} does"),
        ("tool", "We use {x} for {a}", "We no longer use {x} for {a}"),
        ("tool", "We use {x} for {a}", "We use {y} instead of {x} for {a}"),
        ("name", "Team {a} builds with {x}", "Team {a} no longer builds with {x}"),
    ),
    (
        ("name", "We test with {x}", "We do not test with {x} any longer, {y} replaced it"),
        ("number", "The limit of {a} is {x}", "The limit of {a} is {y} now, not {x}"),
        ("tool", "We chose {x} for {a}", "We got rid of {x}, {y} serves {a}"),
        ("name", "The nightly job of {a} runs in {x}", "The nightly job of {a} no longer runs in {x}, it runs in {y}"),
        ("name", "{x} reviews the {a} releases", "{x} no longer reviews the {a} releases"),
        ("tool", "{a} is built with {x}", "{a} isn't built with {x} any more"),
        ("tool", "Let's go with {x} for {a}", "Let's go with {y}, not {x}, for {a}"),
        ("name", "Site {a} is served by {x}", "Site {a} isn't served by {x} any more but by {y}"),
    ),
)  # fmt: skip


def _filled(templates: tuple[tuple[str, str, str], ...]) -> Iterator[tuple[str, str]]:
    for kind, old, new in templates:
        things, values = _KINDS[kind]
        for a, b in things:
            for x, y in values:
                made = (text.format(a=a, b=b, x=x, y=y) for text in (old, new))
                first, second = (text[0].upper() + text[1:] for text in made)
                yield first, second


def others(half: int) -> list[tuple[str, str]]:
    """(the earlier, the later) of different things, of which different things hold."""
    return list(_filled(OTHERS[half]))


def reversals(half: int) -> list[tuple[str, str]]:
    """(the earlier, the later) of one thing, of which the earlier no longer holds."""
    return list(_filled(REVERSALS[half]))


@pytest.mark.parametrize("half", [TUNED, UNSEEN])
def test_what_holds_of_two_things_stays(half):
    made = others(half)
    wrong = [pair for pair in made if TAKES_BACK in (verdict(*pair, ALIKE), verdict(*pair[::-1], ALIKE))]
    assert len(made) >= 40 and len(wrong) <= MOST_WRONG[half] * len(made), wrong


@pytest.mark.parametrize("half", [TUNED, UNSEEN])
def test_what_no_longer_holds_of_a_thing_is_taken_back(half):
    made = reversals(half)
    missed = [(old, new) for old, new in made if verdict(new, old, ALIKE) != TAKES_BACK]
    by_rules = [(old, new) for old, new in made if not reverses(new, old, ALIKE)]
    assert len(made) >= 40 and len(missed) <= MOST_MISSED[half] * len(made), missed
    assert len(by_rules) <= MOST_MISSED_BY_RULES[half] * len(made), by_rules


PARTLY = [
    ("We deploy with Helm", "We don't deploy with Helm on Fridays"),
    ("We deploy with Helm", "We no longer deploy with Helm for staging"),
    ("We deploy with Helm", "We don't just deploy with Helm"),
    ("We deploy with Helm", "We don't deploy with Helm any more?"),
    ("Anna owns the parser and the lexer", "Anna doesn't own the lexer any more"),
    ("We use Redis for sessions and caching", "We no longer use Redis for caching"),
    ("Tests run with Jest", "If tests don't run with Jest, use Vitest"),
    ("We use Jenkins for CI", "We dropped Jenkins support in the plugin"),
    ("CI runs on Jenkins", "The docs don't run on Jenkins"),
    ("The API timeout is 30 seconds", "The connect timeout is now 45 seconds instead of 30"),
    ("Use lodash on the server", "We dropped lodash in the browser, it was too big"),
    ("Standups happen on Mondays", "Standups don't happen on Mondays in August"),
    ("We ship on Thursdays", "We don't ship on Thursdays before holidays"),
]


@pytest.mark.parametrize(("old", "new"), PARTLY)
def test_what_is_denied_in_part_stays(old, new):
    assert verdict(new, old, ALIKE) != TAKES_BACK


MORE_OTHERS = """\
The staging cluster runs on Hetzner|The production cluster runs on AWS, not Hetzner
Anna reviews the parser|Ben reviews the lexer, not Anna
The docs are written in AsciiDoc|The release notes are written in Markdown, not AsciiDoc
We standardised on Terraform for the network|We standardised on Pulumi instead of Terraform for the data platform
Invoices are sent on Mondays|Reminders are sent on Fridays, not on Mondays
The iOS app logs with OSLog|The Android app logs with Timber now
Mobile builds are signed with the old key|Desktop builds are no longer signed with the dev key
Prefer REST for public APIs|Prefer gRPC over REST for internal services
We settled on Kafka for events|We no longer run RabbitMQ for events
We adopted Sentry for the web client|We adopted Datadog rather than Sentry for the workers
Berlin office uses Slack|Paris office uses Teams, no Slack
The parser is owned by Anna|The lexer is owned by Ben now, not by Anna
Client Nordwind gets weekly reports|Client Suedwind gets monthly reports instead of weekly ones
Service auth listens on 8080|Service mail listens on 9090 instead of 8080
Keep Redis for sessions|Drop Memcached for sessions
Backups of the shop database run hourly|Backups of the blog database run daily, not hourly
Use Playwright for end-to-end tests|We stopped using Cypress for end-to-end tests
Use poetry for the library|Stop using pipenv for the library
The EU region uses Stripe|The US region uses Adyen, not Stripe
Repository keel is licensed under MIT|Repository mast is licensed under AGPL, not MIT
"""
MORE_REVERSALS = """\
CI runs on Jenkins|CI doesn't run on Jenkins any more, it's all GitHub Actions
The cache TTL is 60 seconds|The cache TTL is 120 seconds now, up from 60
Standups happen on Mondays|Standups don't happen on Mondays anymore, they moved to Wednesdays
We write docs in AsciiDoc|We stopped writing docs in AsciiDoc
Anna is the release manager|Anna isn't the release manager any more, Ben took over
Staging uses Postgres|Staging no longer uses Postgres, it uses MySQL
We deploy with Ansible|We've dropped Ansible, deploys go through Argo
The API returns XML|The API no longer returns XML but JSON
Use npm in the frontend|We ditched npm, the frontend installs with pnpm
The max upload size is 10 MB|The max upload size is 25 MB instead of 10 MB
Feature flags live in LaunchDarkly|Feature flags don't live in LaunchDarkly any longer; we use Unleash
Merge requests need two approvals|Merge requests no longer need two approvals
We host on Heroku|We're not hosting on Heroku any more, Fly it is
Logs are shipped to Splunk|Logs are not shipped to Splunk any more, they go to Loki
We support Node 16|We no longer support Node 16
Tests run with Jest|Tests don't run with Jest any more but with Vitest
The retry count is 3|The retry count is 5, not 3
Ben approves expenses|Ben no longer approves expenses, Carla does
We ship on Thursdays|We don't ship on Thursdays any more, we ship on Mondays
The parser lives in lib/parse|The parser no longer lives in lib/parse, it's in core/parse
We use tabs|We don't use tabs any more
The frontend talks GraphQL|The frontend doesn't talk GraphQL any more
"""


@pytest.mark.parametrize("line", MORE_OTHERS.splitlines())
def test_what_people_say_of_two_things_stays(line):
    old, new = line.split("|")
    assert TAKES_BACK not in (verdict(new, old, ALIKE), verdict(old, new, ALIKE))


@pytest.mark.parametrize("line", MORE_REVERSALS.splitlines())
def test_what_people_say_no_longer_holds_is_taken_back(line):
    old, new = line.split("|")
    assert verdict(new, old, ALIKE) == TAKES_BACK and reverses(new, old, ALIKE)


def test_long_texts_of_two_forms_are_not_compared_word_by_word():
    def form(place, days):
        return f"We keep the logs of {place} for {days} days, "

    said = [form(place, days) + "and " * 100 + "that is all" for place, days in (("Oslo", 30), ("Rome", 90))]
    assert differs_twice(*(form(*of) for of in (("Oslo", 30), ("Rome", 90))))
    assert not differs_twice(*said)
