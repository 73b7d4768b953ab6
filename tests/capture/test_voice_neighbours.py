"""Statements that stand side by side are memories of their own; a reason stays with what it explains."""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.window import Window
from keepstone.language.passages import passages, text_of
from keepstone.language.prompt_parts import parts
from keepstone.lib.limits import KEEP_SCORE

TABS = "We use tabs in Makefiles"
MAIN = "Never push to main"
TERRAFORM = "We deploy with Terraform only, never by hand"
PNPM = "I prefer pnpm over npm: CI caches its store"
NPM = "We never use npm here, always use pnpm"
SHORT = "I prefer short answers"
SQUASH = "We always squash before merging"
HAND = "Never edit the generated files by hand"
PORT = "The prod db is on port 6432"
STAGING = "The staging database runs on port 5433"
CI = "Our CI runs on a self-hosted runner at Hetzner"
CADDY = "We use Caddy instead of Nginx"
SAID = [
    (f"{TABS}.\nWe use 4 spaces in Python.\n{MAIN}.", [TABS, "We use 4 spaces in Python", MAIN]),
    (
        "We release with Fastlane only, never by hand. I prefer short commit titles: the log stays readable.",
        ["We release with Fastlane only, never by hand", "I prefer short commit titles: the log stays readable"],
    ),
    (f"{TERRAFORM}. {PNPM}.", [TERRAFORM, PNPM]),
    (f"{CI}, and we always squash before merging.", [CI, SQUASH]),
    ("We use Caddy instead of Nginx and we deploy with Terraform only.", [CADDY, "We deploy with Terraform only"]),
    ("The prod db is on port 6432 and the staging database runs on port 5433.", [PORT, STAGING]),
    (f"1. {TABS} 2. {MAIN} 3. {SHORT}", [TABS, MAIN, SHORT]),
    (f"Two things: we never use npm here, always use pnpm. And {TERRAFORM}.", [NPM, TERRAFORM]),
    (f"{NPM}. Also, never push to main.", [NPM, MAIN]),
    (f"First, the prod db is on port 6432. Second, {STAGING.lower()}.", [PORT, STAGING]),
    (f"{HAND}. Never commit secrets. {MAIN}.", [HAND, "Never commit secrets", MAIN]),
    (f"{SHORT}. {HAND}. {STAGING}.", [SHORT, HAND, STAGING]),
    (f"{SQUASH}, I prefer short answers in reviews", [SQUASH, "I prefer short answers in reviews"]),
    (f"fyi {PORT}. btw {STAGING}!", [PORT, STAGING]),
    (
        "we use pnpm, not npm; we use tabs, not spaces; never commit to main",
        ["We use pnpm, not npm", "We use tabs, not spaces", "Never commit to main"],
    ),
    (f"{SQUASH} — {HAND.lower()} — {PORT.lower()}", [SQUASH, HAND, PORT]),
    (
        "Always run make lint before you push.   Always write docs in British English.",
        ["Always run make lint before you push", "Always write docs in British English"],
    ),
    (f"ok, thanks. {CADDY}! {TERRAFORM}! now fix the login bug", [CADDY, TERRAFORM]),
    (f"* {PNPM}\n* {PORT}\n* {SQUASH}", [PNPM, PORT, SQUASH]),
    (f"{CI}.\n\n{SHORT}.\n\nCan you run the tests?", [CI, SHORT]),
    (f"{TERRAFORM}, and the prod db is on port 6432", [TERRAFORM, PORT]),
    (
        f"Let's go with PostgreSQL for billing, not MySQL. We also never use ORMs here, raw SQL only. {MAIN}.",
        ["Let's go with PostgreSQL for billing, not MySQL", "We also never use ORMs here, raw SQL only", MAIN],
    ),
    # together: a reason, and what a pronoun points to
    (
        "We decided to use Kafka for events. Because Redis lost some. The staging database runs on port 5433.",
        ["We decided to use Kafka for events. Because Redis lost some", STAGING],
    ),
    (
        f"Production runs on Ubuntu 24.04. It has no internet access. {TERRAFORM}.",
        ["Production runs on Ubuntu 24.04. It has no internet access", TERRAFORM],
    ),
    (
        "We use 4 spaces in Python. Not tabs. Production runs on Ubuntu 24.04.",
        ["We use 4 spaces in Python. Not tabs", "Production runs on Ubuntu 24.04"],
    ),
    (f"{NPM}. Never in CI either.", [f"{NPM}. Never in CI either"]),
    (
        "We use Caddy instead of Nginx (it renews certificates).",
        ["We use Caddy instead of Nginx (it renews certificates)"],
    ),
]


def kept(text: str, *scores: float) -> list[str]:
    said = parts(text)
    return [text_of(said, low, high) for low, high, _ in passages(said, scores[: len(said)], KEEP_SCORE)]


@pytest.mark.parametrize(("text", "contents"), SAID)
def test_each_statement_is_a_memory_with_its_reason(text, contents):
    assert [one.content for one in Rules().extract(Window((), (turn(text),)))] == contents


# Where, when or how, of what stands before; without that they say nothing.
ADVERBIAL = [
    ("API versions go in the URL.", "Always in the URL, like /v2"),
    ("Feature flags live in config/flags.yml.", "Never in code"),
    ("Migrations run in the release job.", "Always before the deploy"),
    ("Branches are named after tickets.", "Always with the ticket first, like ABC-12/login"),
    ("Our tests run on Postgres.", "Never on SQLite"),
    ("We log in JSON.", "Always with a trace id"),
    ("Backups run at 02:00 because of the low traffic.", "Never by day"),
    ("Secrets live in Vault.", "Not in .env files"),
    ("Errors go to Sentry.", "Only from production"),
    ("Where do API versions go?", "Always in the URL, like /v2"),
    ("Where do the fixtures live?", "Never in the repo, only in the bucket"),
    ("When do we deploy?", "Never on Fridays"),
]
WITH_A_VERB = [
    "Always before a release, run the smoke tests",
    "Never in CI do we use npm",
    "Never push to main",
    "Only with two approvals may a branch be merged",
    "Our clients pin the schema v2/v3 because of the old apps",
    "Endpoints are plural, like /users and /orders",
]


@pytest.mark.parametrize(("before", "behind"), ADVERBIAL)
def test_a_place_or_a_time_is_a_memory_only_with_what_it_is_of(before, behind):
    whole = [one.content for one in Rules().extract(Window((), (turn(f"{before} {behind}."),)))]
    assert whole == [f"{before} {behind}"]
    assert Rules().extract(Window((), (turn(f"{behind}."),))) == []
    assert [one.content for one in Rules().extract(Window((), (turn(f"{TABS}.\n- {behind}."),)))] == [TABS]


@pytest.mark.parametrize("text", WITH_A_VERB)
def test_a_rule_that_begins_with_a_place_or_a_time_is_whole(text):
    assert kept(f"{text}.", *[0.9] * 3) == [text]


CHATTER = """
The tests are red again
I'm off for lunch
The demo went well
I looked at the PR
I've just merged the branch
The importer is half done
This took me an hour
The build is slow today
I'm tired
First thing
Good morning
The page is blank now
CI is down
The last run failed
""".strip().split("\n")
STATED = [TERRAFORM, MAIN, NPM, CADDY, "We never deploy on Fridays"]


@pytest.mark.parametrize("said", STATED)
def test_chatter_beside_a_rule_is_no_part_of_it(said):
    for chatter in CHATTER:
        behind = f"{said}. {chatter}."  # "I'm ..." may be a reason there
        for text in (f"{chatter}. {said}.", f"{chatter}.\n{said}.", behind)[: 2 if chatter == "I'm tired" else 3]:
            assert [one.content for one in Rules().extract(Window((), (turn(text),)))] == [said], text


def test_what_a_rule_points_to_comes_with_it_and_a_reason_stays():
    for text in (
        "The changelog is written by hand. Never generate it from commits",
        "The log files are large. Always compress them at night",
        "Our API is versioned by date. It never breaks clients",
        "We use Redis for sessions. And never in CI",
        "I prefer short commit titles. The log stays readable",
    ):
        assert kept(text, 0.9 if text.startswith(("We", "I ")) else 0.2, 0.2 if "log stays" in text else 0.9) == [text]
    assert kept("Our API is versioned by date. We never break clients.", 0.2, 0.9) == ["We never break clients"]


JOINTS = [
    "{}. And {}.",
    "{}, and {}.",
    "{} / {}",
    "{}. Besides, {}.",
    "{}. Secondly {}.",
    "{}. Secondly, {}.",
    "{}. Plus {}.",
    "{}. Plus, {}.",
    "{}. PS: {}.",
    "{}. Moreover, {}.",
    "{}. Oh and {}.",
]


@pytest.mark.parametrize("joint", JOINTS)
def test_statements_part_at_whatever_joins_them_and_the_joint_is_no_part_of_them(joint):
    for one, other in ((TERRAFORM, MAIN), (NPM, MAIN), (SQUASH, CADDY), (STAGING, NPM), (CADDY, HAND)):
        text = joint.format(one, other[0].lower() + other[1:])
        assert [one.content for one in Rules().extract(Window((), (turn(text),)))] == [one, other], text


def test_a_verb_of_what_is_said_before_stays_with_it():
    for text in (
        "Prices are stored in cents and never go up",
        "The keys are in Vault and never written to disk",
        "Our server signs tokens and never verifies them",
        "We use tabs and never by accident",
        "Use the read / write API",
        "Set the flag to on / never / always",
    ):
        assert len(kept(text, 0.9, 0.9)) == 1, text


@pytest.mark.parametrize("joint", [" ", "\n", "\n\n", " Also: "])
@pytest.mark.parametrize("other", [TERRAFORM, SQUASH, STAGING, HAND])
def test_one_of_two_statements_is_taken_back_alone(sessions, joint, other):
    transcript = sessions.begin()
    transcript.user(f"{other}.{joint}{PNPM}.")
    sessions.memory.capture.capture(str(transcript.path))
    later = sessions.begin()
    later.user("I no longer prefer pnpm over npm, I switched to bun.")
    sessions.memory.capture.capture(str(later.path))
    states = dict(sessions.rows("content, status"))
    assert (states[other], states[PNPM]) == ("active", "archived")


WHOLE = [
    "Whenever our tests run on Windows, we use CRLF, never LF",
    "If our build runs on ARM, and we use Docker, always pass --platform linux/arm64",
    "Even though Alice disagrees, we never use Mongo here",
    "Since our users are hospitals, our API is never exposed without mTLS",
    "Given that our team is small, and we have no ops, we never self-host",
    "Because our runners have no cache, we always use pnpm, never npm",
    "Although our mirror has npm, we always use pnpm here",
    "As long as our database is Postgres 12, we never use MERGE",
    "Unless our release is a hotfix, we always deploy on Tuesdays",
    "Until our migration is done, we never drop columns",
    "Before our release goes out, we always run the smoke tests",
    "After our migrations run, we always restart the workers",
    "Once our feature branch is merged, we always delete it",
    "While our freeze lasts, we never merge to main",
    "As our customers are banks, we never log account numbers",
    "In case our pipeline is red, we never merge to main",
    "Now that our CI runs on GitHub, we never use Jenkins",
    "We use npm in the docs, but if our CI runs on ARM, we use pnpm, never npm",
]


@pytest.mark.parametrize("lead", ["", "ok, "])
@pytest.mark.parametrize("text", WHOLE)
def test_a_condition_stays_with_what_it_limits(text, lead):
    said = lead + text if not lead else lead + text[0].lower() + text[1:]
    assert [one.content for one in Rules().extract(Window((), (turn(f"{said}."),)))] == [text]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("We never log emails. At least not in production.", ["We never log emails. At least not in production"]),
        ("- We never deploy on Fridays\n  - Except for hotfixes", ["We never deploy on Fridays. Except for hotfixes"]),
        (
            "Every endpoint needs auth. Health checks are exempt.",
            ["Every endpoint needs auth. Health checks are exempt"],
        ),
        ("We use Postgres 16 - never MySQL", ["We use Postgres 16 - never MySQL"]),
        ("Never push to main;always squash before merging", ["Never push to main", "Always squash before merging"]),
        (
            "(a) never push to main (b) always squash before merging",
            ["Never push to main", "Always squash before merging"],
        ),
        ("No it isn't, we never log requests in production.", ["We never log requests in production"]),
    ],
)
def test_a_rule_keeps_its_exception_and_its_dash_and_no_neighbour(text, right):
    made = Rules().extract(Window((), (turn(text),)))
    assert [one.content for one in made if not one.unsure] == right
