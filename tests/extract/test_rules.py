"""The offline rules: what they take of a person's words, and what they leave alone."""

from __future__ import annotations

import pytest

from builders import turn
from cairn.core.transcript import ASSISTANT, TOOL_USE
from cairn.core.window import Window
from cairn.extract.rules import Rules

TAKEN = [
    (
        "ok thanks, nice. Let's use Redis for the session cache, not memcached.",
        "decision",
        "Let's use Redis for the session cache, not memcached",
    ),
    (
        "we should not use lodash anymore, native is enough",
        "decision",
        "We should not use lodash anymore, native is enough",
    ),
    ("btw the prod db is on port 6432", "fact", "The prod db is on port 6432"),
    ("Actually, let's go with MySQL for billing after all.", "decision", "Let's go with MySQL for billing after all"),
    ("No, scratch that, we're not using PostgreSQL.", "decision", "We're not using PostgreSQL"),
    ("forget that, I prefer spaces over tabs", "preference", "I prefer spaces over tabs"),
    ("Please remember this: deploys are frozen on Fridays", "fact", "Deploys are frozen on Fridays"),
    (
        "Let's go with PostgreSQL, not MySQL, for billing.",
        "decision",
        "Let's go with PostgreSQL, not MySQL, for billing",
    ),
    ("We decided to use Caddy instead of Nginx.", "decision", "We decided to use Caddy instead of Nginx"),
    ("OK, let's stick with REST for the public API", "decision", "Let's stick with REST for the public API"),
    ("We'll use Drizzle instead of Prisma.", "decision", "We'll use Drizzle instead of Prisma"),
    ("Decision: all ids are UUIDv7", "decision", "All ids are UUIDv7"),
    ("We chose Hetzner over AWS because of the price", "decision", "We chose Hetzner over AWS because of the price"),
    ("I prefer pnpm over npm: CI caches its store.", "preference", "I prefer pnpm over npm: CI caches its store"),
    ("Hello, I prefer dark mode in all screenshots", "preference", "I prefer dark mode in all screenshots"),
    ("From now on, write commit messages in the imperative.", "preference", None),
    ("Never commit directly to main", "preference", "Never commit directly to main"),
    ("Please always run the linter before you commit.", "preference", None),
    ("No, use pnpm here, not npm!", "preference", "Use pnpm here, not npm"),
    ("Actually, we use tabs in this repo, never spaces", "preference", "We use tabs in this repo, never spaces"),
    ("In this repo we name branches after the ticket.", "convention", None),
    ("Remember that deploys need the VPN.", "fact", "Deploys need the VPN"),
    ("FYI: the staging database is rebuilt every night", "fact", "The staging database is rebuilt every night"),
    ("Production runs on Ubuntu 24.04 at Hetzner", "fact", "Production runs on Ubuntu 24.04 at Hetzner"),
    ("The fix was to pin esbuild to 0.19.", "solution", "The fix was to pin esbuild to 0.19"),
    ("That fixed it: the proxy dropped the Host header", "solution", None),
]
LEFT = [
    "hello there, how are you today",
    "Should we go with PostgreSQL or MySQL?",
    "Maybe we should always use PostgreSQL",
    "What if we decided to use Redis",
    "Use the other file instead of this one, for now",
    "run the tests again please",
    "I think the test fails because of the clock",
    "remember to run the migration afterwards",
    "fix the login bug",
    "No, the other one",
    "No, that is wrong",
    "I always thought that was odd",
    "never mind, I found it myself",
    "The server runs in a loop and crashes",
    "did you push?",
    "Let's go",
    "Let me know if we decided to use tabs",
    "> I prefer tabs over spaces",
    "```\nI prefer tabs over spaces\n```",
    "2026-11-08 10:00:00 ERROR we decided to stop the server",
    "    raise ValueError('never use this')",
    "The issue was reported yesterday by the users",
    "Here is the ticket:\nWe decided to move to AWS.\nPlease summarize it.",
    "I always get this error: ECONNREFUSED",
    "I always wanted to learn Rust. What is it",
    "I always forget my password",
    "I never understood monads, explain them",
    "I never get any output from the tests",
    "Always the same error!",
    "From now on, let's talk about the frontend",
    "We never should have done this, revert it",
    "FYI I'm going to lunch",
    "FYI this is urgent",
    "FYI the build is broken again",
    "Note: see the screenshot",
    "Remember, the tests are failing because of me",
    "deploys need a coffee first haha",
    "Translate to French: I prefer tea over coffee",
    "Write a user story: As a user, I prefer dark mode in settings",
    'Imagine a user says "I prefer light mode" and reacts',
    'Write a doc sentence: "We decided to use gRPC for internal calls."',
    "In the test below, assume that we decided to use Oracle.",
    "Review this email draft: hi all, we decided to delay the launch to May. I prefer Tuesdays. Bob",
    "Let's go with option 2.",
    "let's go with that",
    "Okay, let's go with your suggestion.",
    "we agreed on that already",
    "Let's go with a plan first",
    "We decided to have lunch first",
    "I've decided to go home now",
    "I prefer that",
    "I prefer the first one",
    "never do that again",
    "I prefer you explain things first for this task",
    "That fixed it, but now the other test fails",
]


def extract(text, role="user"):
    return Rules().extract(Window((), (turn(text, role),)))


@pytest.mark.parametrize(("text", "kind", "content"), TAKEN, ids=[text for text, _, _ in TAKEN])
def test_explicit_statements_are_taken(text, kind, content):
    (found,) = extract(text)
    assert found.kind == kind and found.content == (content or text.rstrip("."))
    assert found.excerpt in text and found.record_uuid == "record-1" and found.method == "user"


@pytest.mark.parametrize("text", LEFT)
def test_questions_chatter_and_quotations_are_left(text):
    assert extract(text) == []


@pytest.mark.parametrize("role", [ASSISTANT, TOOL_USE])
def test_only_what_the_user_said_counts(role):
    assert extract("I prefer tabs over spaces", role) == []


def test_what_was_read_before_is_not_taken_again():
    assert Rules().extract(Window((turn("I prefer tabs over spaces"),), ())) == []


def test_the_reason_in_the_next_sentence_goes_along():
    (found,) = extract("Let's go with PostgreSQL for billing. Because we need row-level security. Thanks!")
    assert found.content == "Let's go with PostgreSQL for billing. Because we need row-level security"


def test_a_prompt_may_hold_several():
    found = extract("- I prefer tabs over spaces\n- Never commit to main\n\nNow fix the login bug.")
    assert [one.content for one in found] == ["I prefer tabs over spaces", "Never commit to main"]


def test_a_pasted_document_is_no_statement():
    assert extract("I prefer tabs over spaces.\n" + "lorem ipsum dolor sit amet\n" * 200) == []


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("In all my projects I prefer tabs over spaces", "user"),
        ("I always want short answers", "user"),
        ("I prefer tabs over spaces", "project"),
        ("I always deploy from ~/acme/deploy", "project"),
        ("I always use the registry at npm.acme.com", "project"),
        ("I always ask Maria before a release", "project"),
        ("I always send our client a summary", "project"),
        ("In all my projects I always squash commits. Because git.acme.com rejects merges.", "project"),
        ("In every project I use mail@example.org for commits", "project"),
    ],
)
def test_only_universal_statements_without_names_hold_everywhere(text, scope):
    found = extract(text)
    assert [one.scope for one in found] == [scope] if found else scope == "project"
