"""The offline rules: what they take of a person's words, and what they leave alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import turn
from keepstone.capture.extractors.rules import CORRECTION_RELEVANCE, RELEVANCE, Rules
from keepstone.claude_code.transcript import ASSISTANT, TOOL_USE
from keepstone.claude_code.window import Window

# Clear everyday statements: the kind, one of those that are near to it is right too, and the content.
TAKEN = [
    ("ok thanks, nice. Let's use Redis for the session cache, not memcached.", "decision", None),
    ("Actually, let's go with MySQL for billing after all.", "decision", "Let's go with MySQL for billing after all"),
    ("Let's go with PostgreSQL, not MySQL, for billing.", "decision", None),
    ("We decided to use Caddy instead of Nginx.", "decision", None),
    ("We decided to use PostgreSQL for billing, not MySQL", "decision", None),
    ("We'll use Drizzle instead of Prisma.", "decision", None),
    ("We're going with Svelte for the dashboard because React is too heavy", "decision", None),
    ("I prefer pnpm over npm: CI caches its store.", "preference", None),
    ("forget that, I prefer spaces over tabs", "preference", "I prefer spaces over tabs"),
    ("Hello, I prefer dark mode in all screenshots", "preference", "I prefer dark mode in all screenshots"),
    ("I prefer short answers", "preference", None),
    ("Please always run the linter before you commit.", "preference", "Always run the linter before you commit"),
    ("Always run make lint before you push", "preference", None),
    ("please never use emojis in commit messages", "preference", "Never use emojis in commit messages"),
    ("No, use pnpm here, not npm!", "preference", "Use pnpm here, not npm"),
    ("From now on use pnpm, not npm", "preference", None),
    ("don't ever edit the generated files by hand", "preference", "Don't ever edit the generated files by hand"),
    ("Actually, we use tabs in this repo, never spaces", "convention", "We use tabs in this repo, never spaces"),
    ("We always squash before merging", "convention", None),
    ("we don't use ORMs in this project, raw SQL only", "convention", None),
    ("btw the prod db is on port 6432", "fact", "The prod db is on port 6432"),
    ("Please remember this: deploys are frozen on Fridays", "fact", "Deploys are frozen on Fridays"),
    ("Remember that deploys need the VPN.", "fact", "Deploys need the VPN"),
    ("Remember: the vault token expires after 12 hours", "fact", "The vault token expires after 12 hours"),
    ("FYI: the staging database is rebuilt every night", "fact", "The staging database is rebuilt every night"),
    ("FYI the API rate limit is 100 requests per minute", "fact", "The API rate limit is 100 requests per minute"),
    ("Production runs on Ubuntu 24.04 at Hetzner", "fact", None),
    ("The staging database runs on port 5433", "fact", None),
    ("Our CI runs on a self-hosted runner at Hetzner", "fact", None),
]
NEAR = {"preference": ("preference", "convention"), "convention": ("preference", "convention")}
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
    "add a button to the settings page",
    "why does the build take so long?",
    "can you explain how the cache works",
    "looks good, commit it",
    "yes",
    "ok thanks!",
    "it still fails with the same error",
    "rename this function to parse_line",
    "The cause is probably the clock",
    "maybe we should use Redis for that",
    "> We decided to use Redis for sessions",
    "<notes>\nWe decided to use Redis for sessions\n</notes>",
    "From our CLAUDE.md:\n\nAlways use tabs.\nNever commit to main.",
    "Dear team,\nwe decided to use Redis for sessions, not memcached.",
]


def extract(text, role="user"):
    return Rules().extract(Window((), (turn(text, role),)))


def kept(text):
    """What is kept for good; what is unsure lives for its session."""
    return [found for found in extract(text) if not found.unsure]


def explained(text):
    ((_, judgements),) = Rules().explain(Window((), (turn(text),)))
    return judgements


@pytest.mark.parametrize(("text", "kind", "content"), TAKEN, ids=[text for text, _, _ in TAKEN])
def test_clear_statements_are_kept(text, kind, content):
    (found,) = kept(text)
    plain = text.rstrip(".").removeprefix("ok thanks, nice. ")
    assert found.kind in NEAR.get(kind, (kind,)) and found.content == (content or plain[0].upper() + plain[1:])
    assert found.excerpt in text and found.record_uuid == "record-1" and found.method == "user"


@pytest.mark.parametrize("text", LEFT)
def test_questions_chatter_and_quotations_are_not_kept(text):
    assert kept(text) == []


@pytest.mark.parametrize("text", [TAKEN[3][0], TAKEN[14][0], TAKEN[20][0]])
def test_apostrophes_of_any_form_and_the_excerpt_is_verbatim(text):
    curly = f"I don’t mind. {text}"
    assert all(found.excerpt in curly for found in extract(curly)) and kept(text.replace("'", "’"))


def test_a_passage_is_explained_by_its_kind_and_reasons():
    (judged,) = explained("We decided to use Caddy instead of Nginx.")
    assert judged.kind == "decision" and judged.text == "We decided to use Caddy instead of Nginx" and "(" in judged.why


def test_what_is_left_is_explained_too():
    (judged,) = explained("can you explain how the cache works")
    assert judged.kind == "" and float(judged.why.split()[0]) < 0.5
    assert [one.why for one in explained("```\nI prefer tabs\n```")] == ["no words of the user's own"]
    assert [one.why for one in explained("x " * 4_000)] == ["a document"]
    assert [one.why for one in explained("- a word\n" * 100)] == ["a document"]
    assert [one.why for one in explained("Translate: I prefer tea")] == ["hands over a text to work on"]


def test_a_reason_makes_no_guess_of_a_choice():
    (found,) = kept("We decided to use Hetzner instead of AWS because of the price")
    assert found.kind == "decision"


@given(st.text())
def test_any_prompt_may_be_read(text):
    for found in extract(text):
        assert found.content and found.kind in RELEVANCE
    explained(text)


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


@pytest.mark.parametrize(
    "then",
    [
        "scratch that, the team hasn't agreed",
        "hmm I spoke too soon, let me ask Bruno first",
        "called off, nothing is settled about billing",
        "forget what I said, leave everything as it was",
        "forget the PostgreSQL thing",
    ],
)
def test_what_is_withdrawn_in_the_next_prompt_is_not_kept(then):
    said = turn("We decided to use PostgreSQL for billing, not MySQL")
    assert Rules().extract(Window((), (said,))) and not Rules().extract(Window((), (said, turn(then))))


@pytest.mark.parametrize(
    "then",
    [
        *("great, now undo the second hunk", "cancel the old job", "add a test for it please"),
        *("Forget the README for now and fix the failing test.", "please forget the vpn thing"),
    ],
)
def test_what_withdraws_nothing_leaves_what_was_said(then):
    said = turn("We decided to use PostgreSQL for billing, not MySQL")
    assert len(Rules().extract(Window((), (said, turn(then))))) == 1


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
        ("I always deploy Contoso on Fridays", "project"),
        ("I always run migrations on db-prod-3 first", "project"),
        ("I always ask maria before merging", "project"),
        ("In all my projects the release contact is Maria Lopez", "project"),
        ("In all my projects we bill Contoso 140 euros an hour", "project"),
    ],
)
def test_only_universal_statements_without_names_hold_everywhere(text, scope):
    found = extract(text)
    assert [one.scope for one in found] == [scope] if found else scope == "project"


OPENERS = [
    "No, that's wrong: ",
    "That's not right: ",
    "that is incorrect. ",
    "You're mistaken: ",
    "you are wrong about that, ",
    "Wrong: ",
    "Nope, not true: ",
    "I told you already, ",
    "As I said, ",
    "I already said that, ",
    "I've told you many times: ",
    "How often do I have to say it, ",
    "How many times must I tell you this: ",
    "You keep forgetting: ",
    "For the last time: ",
    "No, this is just wrong. ",
    "Stop, that's not how it works: ",
    "That's not what I said. ",
    "no that's wrong - ",
    "Hey, you're confused here: ",
    "It's wrong, ",
    "Actually, that's nonsense: ",
]
STATED = ["We never use npm here, always use pnpm", "We deploy with Terraform only, never by hand"]


@pytest.mark.parametrize("said", STATED)
@pytest.mark.parametrize("opener", OPENERS)
def test_words_that_call_the_assistant_wrong_are_no_part_of_what_is_right(opener, said):
    window = Window((turn("It is npm.", ASSISTANT),), (turn(f"{opener}{said}."),))
    (found,) = [one for one in Rules().extract(window) if not one.unsure]
    assert (found.content, found.relevance) == (said, CORRECTION_RELEVANCE)


OWN = [
    "We use tabs in Makefiles",
    "We use 4 spaces in Python",
    "Never push to main",
    "We deploy with Terraform only, never by hand",
    "I prefer pnpm over npm: CI caches its store",
    "We always squash before merging",
    "The staging database runs on port 5433",
    "I prefer short answers",
]


@pytest.mark.parametrize("joint", [". ", ".\n", ".\n\n", "! "])
@pytest.mark.parametrize("first", OWN)
def test_neighbouring_statements_are_memories_of_their_own(first, joint):
    said = [first, *(one for one in OWN if one != first)][:4]
    assert [one.content for one in kept(joint.join(said) + ".")] == said


REASONED = [
    "We use Caddy instead of Nginx. Because it renews certificates",
    "We decided to use PostgreSQL for billing. It has row-level security",
    "We never use npm here. Its lockfile breaks our CI",
]


@pytest.mark.parametrize("text", REASONED)
def test_a_reason_stays_with_what_it_explains(text):
    assert [one.content for one in kept(text + ".")] == [text]


SO = [
    "Our CI runs on GitHub Actions because of the GPU tests",
    "Our integration tests run on the big runner because of the memory",
    *(
        f"{what} because of the {why}"
        for what in (
            "Production runs on Ubuntu 24.04",
            "The staging database runs on port 5433",
            "We use Caddy not Nginx",
        )
        for why in ("contract", "price", "old drivers", "auditors", "licence", "GPU nodes", "firewall")
    ),
]


@pytest.mark.parametrize("text", SO)
def test_because_of_gives_a_reason(text):
    assert [one.content for one in kept(text + ".")] == [text]


GUESSED = [
    f"{start} {what} because of the {why}"
    for start in ("I guess", "maybe", "I think", "probably", "I suspect that")
    for what, why in (
        ("CI is slow", "cache"),
        ("it fails", "proxy"),
        ("the worker hangs", "lock"),
        ("it crashes", "heap"),
    )
]


@pytest.mark.parametrize("text", [*GUESSED, "The build is slow because of the cache", "It crashes because of the heap"])
def test_a_suspected_cause_is_no_fact(text):
    assert kept(text) == []
