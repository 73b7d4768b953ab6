"""What others wrote is not the user's, in whatever form it comes; a rule about a text is."""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.transcript import ASSISTANT
from keepstone.claude_code.window import Window
from keepstone.model.candidate import CHOSEN

BROKER = "start the broker before the watcher and keep the socket open"
PROPOSED = turn(
    f"I looked at it.\n\nProper fix: {BROKER}.\n\n1. Always acquire the row lock before the table lock.\n"
    "2. **Never** retry a payment without an idempotency key.\n\n"
    "So we should use pnpm in CI, never npm, because the lockfile differs.",
    ASSISTANT,
    "before",
)
TABS = "We use tabs in Makefiles, never spaces"


def taken(text: str, before: tuple = ()) -> tuple[list[str], list[str]]:
    """What is taken for the user's own words, and for a choice of theirs among the assistant's, by its number."""
    found = Rules().extract(Window(before, (turn(text),)))
    chosen = [one for one in found if one.method == CHOSEN]
    assert all(one.unsure for one in chosen)
    return [one.content for one in found if one.method != CHOSEN], [one.content for one in chosen]


def extracted(text: str, before: tuple = ()) -> list[str]:
    own, chosen = taken(text, before)
    return [*own, *chosen]


REPEATED = [
    f"Proper fix: {BROKER}. do this",
    f"{BROKER}\n\ndo this",
    f"> Proper fix: {BROKER}.\nyes please",
    f'ok do "{BROKER}"',
    f"yes, {BROKER}, exactly",
    "yes: always acquire the row lock before the table lock",
    "2. Never retry a payment without an idempotency key. <- this one",
    'Do number 2: "Never retry a payment without an idempotency key."',
    "we should use pnpm in CI, never npm, because the lockfile differs - agreed",
    "Always acquire the row lock before the table lock!!",
    "ALWAYS ACQUIRE THE ROW LOCK BEFORE THE TABLE LOCK",
    "go with: never retry a payment without an idempotency key",
    "I like 'always acquire the row lock before the table lock', do it",
    "do this: Always acquire the row lock before the table lock.",
    "- Always acquire the row lock before the table lock.\n- Never retry a payment without an idempotency key.\n\nboth",
    "never retry a payment without an idempotency key -- good, implement that",
    "ok so always acquire the row lock before the table lock.",
    f"Proper fix: {BROKER}.",
    "we should use pnpm in CI, never npm, because the lockfile differs.\n\nyes",
    "3) So we should use pnpm in CI, never npm, because the lockfile differs.",
    "1. Always acquire the row lock before the table lock.\n2. Never retry a payment without an idempotency key.",
    "> Never retry a payment without an idempotency key.\n\ndo it",
]


@pytest.mark.parametrize("text", REPEATED)
def test_what_the_assistant_proposed_is_not_the_users(text):
    own, chosen = taken(text, (PROPOSED,))
    assert own == [] and set(chosen) <= {"Never retry a payment without an idempotency key"}


@pytest.mark.parametrize("text", [text for text in REPEATED if not text.endswith("lock.")])
def test_what_the_user_adds_to_it_is(text):
    assert taken(f"{text}\n{TABS}.", (PROPOSED,))[0] == [TABS]


OTHERS = [
    "bob: We decided to move to Kafka next quarter.\nMe: ok",
    "Alice: we never use npm here, always use pnpm\nBob: sounds good",
    "[10:02] alice: we always squash before merging\n[10:03] bob: +1",
    "alice (10:02): we always squash before merging\nbob (10:05): never force-push to main please",
    "<alice> we always squash before merging\n<bob> +1",
    "alice> we always squash before merging\nbob> ok",
    "- alice: we always squash before merging\n- bob: fine",
    "**Alice**: We always squash before merging.\n**Bob**: Never push to main.\n**Alice**: right",
    "Alice 10:02 AM\nWe always squash before merging.\nBob 10:04 AM\nok",
    "alice — Today at 10:02\nWe always squash before merging.\nbob — Today at 10:05\nok",
    "alice wrote:\nWe always squash before merging.\nNever push to main.",
    "Alice Smith: We decided to use Kafka, not RabbitMQ.\nJohn Doe: Great.\nAlice Smith: Never again Redis.",
    "PM: we decided to use Caddy instead of Nginx\nDev: why?\nPM: certificates",
    "Q: which package manager?\nA: We never use npm here, always use pnpm.",
    "Interviewer: Do you deploy by hand?\nCandidate: We deploy with Terraform only, never by hand.",
    "Slack from bob: We decided to use Caddy instead of Nginx.",
    "bob wrote: We decided to use Caddy instead of Nginx.",
    "2026-11-08 10:02 alice: we always squash before merging\n2026-11-08 10:03 bob: ok",
    "@alice: We always squash before merging.\n@bob: agreed",
    'this is what bob said: "we never use npm here, always use pnpm"',
    "Line 34: the parser returns two values and should never return None.\nLine 50: always close the file.",
    "src/a.py:34: We always validate input in the controller.",
    "[P1] Never log the token.\n[P2] Always use parameterized queries.",
    "nit: we always use double quotes here",
    "suggestion (blocking): we never use bare excepts",
    "Review by @alice:\n- Always close the file.\n- Never return None here.",
    "- [ ] Always run the linter before you commit\n- [x] Never push to main",
    "[ ] we always squash before merging\n[x] never push to main",
    "☐ Never push to main from a laptop",
    "PR checklist\n1. [ ] we always squash before merging",
    "Definition of Done:\n- [ ] we always squash before merging",
    "## 2.3.0\n- We now use pnpm, never npm\n- Deploys are done with Terraform only",
    "v1.4.0 (2026-11-01)\n- Production runs on Ubuntu 24.04\n- We always squash before merging",
    "What's new in 5.1:\n• Production runs on Ubuntu 24.04",
    "Changelog\n### Fixed\n- Never retry payments twice\n### Changed\n- We use pnpm, never npm",
    "Release 2026.11:\n- We always squash before merging",
    "L34: we always validate input in the controller",
    "src/a.py:34:7: never return None here",
    "Nit (style): always use double quotes here",
    "blocker: we never store card numbers\nminor: always use a constant here",
    "* [ ] never push to main\n* [x] always squash before merging",
    "✅ We always squash before merging\n☐ Never push to main",
    "## [1.2.0] - 2026-11-01\n### Added\n- We now use pnpm, never npm",
    "Acme 3.1.0\n\nFixed\n- Production runs on Ubuntu 24.04",
]


@pytest.mark.parametrize("text", OTHERS)
def test_a_chat_a_review_a_checklist_and_release_notes_are_not_the_users(text):
    assert extracted(text) == []


# What looks alike and is the user's.
OWN = [
    ("Backend: we use Django, never Flask.", "Backend: we use Django, never Flask"),
    ("Makefiles: we use tabs, never spaces.\nAnd thanks", "Makefiles: we use tabs, never spaces"),
    ("Me: we always squash before merging", "We always squash before merging"),
    ("The staging database runs on port 5433. - see line 34", "The staging database runs on port 5433"),
    ("bob: ship it?\nMe: we always squash before merging", "We always squash before merging"),
]


@pytest.mark.parametrize(("text", "content"), OWN)
def test_the_users_own_line_is_heard(text, content):
    assert extracted(text) == [content]


ABOUT_TEXTS = [
    "We want each **system prompt** kept in the audit log. Disk is cheap.",
    "Every system prompt must be kept in the audit log, never deleted.",
    "I want the system prompt versioned like code.",
    "We never translate log messages, they stay in English.",
    "We always write the changelog in British English.",
    "Our release notes are always written by the product team, never by us.",
    "The user stories live in Jira, never in the repo.",
    "We always summarize incidents within 24 hours.",
    "I prefer short summaries, never rewrite my commit messages.",
    "Never rewrite history on main.",
    "We rewrite URLs in Caddy, never in the app.",
    "The newsletter is sent on Tuesdays, never on Fridays.",
    "As a user of two monitors I prefer dark mode in all screenshots.",
    "We always proofread docs before a release.",
    "Our style guide lives in docs/style.md, always follow it.",
    "The README says nothing about it: we deploy with Terraform only, never by hand.",
    "We never paraphrase error messages in tests.",
    "We write a blog post for each release, always in docs/blog.",
    "Never pretend a test passed.",
    "This error message must never be shown to users.",
    "Each article text must be stored as Markdown, never as HTML.",
    "We review each press release twice before it goes out.",
]
HANDED = [
    "Translate this: we never use npm here, always use pnpm.",
    "please translate to French: I prefer tea over coffee",
    "Rewrite this sentence: We always squash before merging.",
    "Write me a system prompt: never use npm, always use pnpm.",
    "can you summarize: We decided to use Kafka instead of RabbitMQ.",
    "Please write an email that says we decided to use Caddy instead of Nginx.",
    "Proofread the following text: We always squash before merging.",
    "Create a CLAUDE.md with: always use tabs, never spaces",
    "Here is a draft, make it nicer: We deploy with Terraform only, never by hand.",
    "I need a job ad: we always squash before merging, we use Svelte",
    "I want you to rephrase this: We never use npm here, always use pnpm.",
    "The wiki says we never use npm here, always use pnpm.",
    "Is this text ok? We never use npm here, always use pnpm.",
]


def judged(text: str) -> list[str]:
    ((_, found),) = Rules().explain(Window((), (turn(text),)))
    return [one.why for one in found]


@pytest.mark.parametrize("text", ABOUT_TEXTS)
def test_a_rule_about_texts_is_judged_as_the_users(text):
    assert "hands over a text to work on" not in judged(text)


@pytest.mark.parametrize("text", HANDED)
def test_a_text_to_work_on_is_not(text):
    assert judged(text) == ["hands over a text to work on"]


@pytest.mark.parametrize(
    "text",
    [
        "The docs claim that we deploy with Terraform only, never by hand.",
        "According to Anna, we never deploy on Fridays.",
        "I read that our CI always runs on GitHub Actions.",
        "My colleague Peter: never push to main, always open a PR.",
        "Peter from ops: we always deploy from the release branch.",
    ],
)
def test_what_others_are_said_to_have_said_is_only_suggested(text):
    found = Rules().extract(Window((), (turn(f"{text}\n{TABS}."),)))
    assert [one.content for one in found if not one.unsure] == [TABS]
    assert [one.content for one in found if one.unsure] == [text.rstrip(".")]


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Translate this error message for me. We use pytest only, never unittest.", [True]),
        ("Summarize the open PRs. We use pytest only, never unittest.", [True]),
        ("Translate this for me:\nWe use pytest only, never unittest.", []),
        ('Rewrite "we use pytest only, never unittest" in plain words', []),
        ("Write a test for it. We use pytest only, never unittest.", [False]),
        ("Imagine a team. We use pytest only, never unittest.", []),
    ],
)
def test_a_rule_beside_an_order_about_a_text_waits_and_the_text_itself_is_nobodys(text, outcomes):
    assert [one.unsure for one in Rules().extract(Window((), (turn(text),)))] == outcomes


@pytest.mark.parametrize("tag", ["backend", "Backend", "ci", "web-app", "docs/api"])
def test_a_room_in_brackets_is_no_log_line(tag):
    assert extracted(f"[{tag}] we use Go only, never Java") == [f"[{tag}] we use Go only, never Java"]


@pytest.mark.parametrize(
    "line",
    [
        "[info] use cache only",
        "[error] never reached",
        "[D] We use Go only, never Java",
        "[assistant] I always use pnpm here, never npm",
        "[vite] we use esbuild only",
    ],
)
def test_a_log_line_in_brackets_is_nobodys(line):
    assert extracted(f"{line}\n{TABS}.") == [TABS]


LOCKS = "Proper fix: always acquire the row lock before the table lock, in each migration."


@pytest.mark.parametrize(
    "said",
    [
        "We always acquire the row lock before the table lock.",
        "Please always acquire the row lock before the table lock in each migration.",
        "always acquire the row lock first, before the table lock",
        "We should always acquire the row lock before the table lock in our migrations",
    ],
)
def test_what_the_assistant_said_in_nearly_these_words_is_only_suggested(said):
    found = Rules().extract(Window((turn(LOCKS, ASSISTANT, "before"),), (turn(said),)))
    assert [one.content for one in found if not one.unsure] == []


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (
            "Use npm in CI, or pnpm in CI with the frozen lockfile?",
            "We use pnpm in CI with the frozen lockfile, never npm.",
        ),
        (
            "So the prices are stored as floats in the orders table.",
            "Prices in the orders table are never stored as floats.",
        ),
        (
            "So the prices are stored as floats in the orders table.",
            "Prices in the orders table are stored as integer cents, always.",
        ),
        (
            "We keep all backups for 7 days on the storage server.",
            "We keep all backups for 30 days on the storage server.",
        ),
        (
            "Acquire the table lock before the row lock in migrations.",
            "We always acquire the row lock before the table lock in migrations.",
        ),
        ("I ran the tests with unittest.", "We run tests with pytest only, never unittest."),
    ],
)
def test_what_answers_or_contradicts_the_assistant_is_the_users(heard, said):
    found = Rules().extract(Window((turn(heard, ASSISTANT, "before"),), (turn(said),)))
    assert [one.content for one in found if not one.unsure] == [said.rstrip(".")]
