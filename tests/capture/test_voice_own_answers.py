"""An answer in the user's own words, or of yes or no, is bound to its question where it says nothing alone."""

from __future__ import annotations

import pytest

SURE = [
    (
        "Which queue should the importer use?",
        "Kafka, because the gateway team runs it",
        "The importer should use Kafka, because the gateway team runs it",
    ),
    (
        "What is the maximum number of retries?",
        "3, more would flood the provider",
        "The maximum number of retries is 3, more would flood the provider",
    ),
    ("Which cache should we use?", "Well, we always use Redis for caches", "We always use Redis for caches"),
    (
        "Where should the unit tests live?",
        "Next to the code, as *.test.ts",
        "The unit tests should live next to the code, as *.test.ts",
    ),
    (
        "Who may deploy to production?",
        "Only the on-call engineer",
        "Only the on-call engineer may deploy to production",
    ),
    ("Who should approve migrations?", "The data team", "The data team should approve migrations"),
    (
        "Where do we keep the feature flags?",
        "in LaunchDarkly, never in env vars",
        "We keep the feature flags in LaunchDarkly, never in env vars",
    ),
    ("Where are secrets kept?", "in Vault, never in the repo", "Secrets are kept in Vault, never in the repo"),
    ("Which cache should sessions use?", "Valkey", "Sessions should use Valkey"),
    ("Where should logs go?", "to Loki, one stream per service", "Logs should go to Loki, one stream per service"),
    (
        "How are releases signed?",
        "with the team's key, on the build host",
        "Releases are signed with the team's key, on the build host",
    ),
    ("What should the default timeout be?", "45 seconds", "The default timeout should be 45 seconds"),
]
UNSURE = [
    ("Which queue should the importer use?", "Kafka, for now at least"),
    ("Which queue should the importer use?", "Kafka, wait no RabbitMQ"),
    ("What is the maximum number of retries?", "3, no make it 5"),
    ("Should the API reject unknown fields?", "Yes, never reject them"),
    ("How many retries should the client do?", "2, the gateway team owns timeouts"),
    ("How should commit messages be written?", "no emojis pls"),
    ("How many replicas do we run in production?", "three, one per zone"),
    ("How do we name migrations?", "Prefix them with the date"),
    ("How should we name feature branches?", "Start them with the Jira key, e.g. PAY-123-short-title"),
    ("Which linter do we use for the Go services?", "golangci-lint, with the config in .golangci.yml"),
    ("Which approach do you prefer for caching?", "In-process LRU, one minute"),
    ("How long should we keep audit logs?", "a year, then archive"),
    ("Who reviews SQL?", "Mia or Ben"),
    ("What should happen to failed jobs?", "three retries, then the dead letter queue"),
    ("Where should logs go?", "to Loki, I guess"),
    ("How should money be rounded?", "half to even, at the end"),
    ("Should we use Redis or Memcached for sessions?", "Neither, Postgres"),
    ("Should the cache live in Redis or in memory?", "Neither, in Postgres"),
    ("Which database should the importer use?", "anything but MySQL"),
    ("Which database should the importer use?", "the same as billing"),
    ("Which commands should I never run?", "git push"),
    ("Which commands may I run without asking?", "make test"),
    ("What is the name of the staging branch?", "develop"),
    ("Which auth library should we use?", "None, we write our own middleware"),
    ("Which OS do you use?", "macOS"),
    ("Which regions do we serve?", "the EU, Japan later this year"),
]
NOTHING = [
    ("Which linter do we use for Go?", "whatever you think is best"),
    ("Which linter do we use for Go?", "I don't know"),
    ("Which linter do we use for Go?", "what do you suggest?"),
    ("Which linter do we use for Go?", "not sure, you decide"),
    ("Which linter do we use for Go?", "which ones are there?"),
    ("Which linter do we use for Go?", "let me check with Mia"),
    ("Which linter do we use for Go?", "explain the difference please"),
    ("How do we name migrations?", "same as before"),
    ("How do we name migrations?", "skip it"),
    ("How do we name migrations?", "I'd rather not decide this yet"),
    ("Where do the logs go at the moment?", "to stdout"),
    ("Which file should I open first?", "the parser one"),
    ("Which bug should I fix first?", "the crash at login"),
    ("How would you like to proceed?", "with the importer"),
    ("What went wrong?", "the build on main"),
    ("Which option do you prefer?", "the one with two tables"),
]
# "No" to "every" is no "none".
NOT_EVERY = [
    "Should all public functions have docstrings?",
    "Should each package have its own changelog?",
    "Should we always use transactions in tests?",
    "Should any field be nullable?",
    "Should the API ever return 500?",
    "Do we ever use raw SQL?",
    "Do we always have network access in CI?",
    "Will every release have a tag?",
    "Must every branch have an owner?",
    "Should only the data team write to the warehouse?",
    "Should we support all browsers?",
    "Should new services have a readme?",
    "Should all migrations be reviewed by the data team?",
]
LIMITED = [
    ("Should all endpoints be cached?", "No, only the read ones"),
    ("Should every class have a doc comment?", "Yes but only public ones"),
    ("Should every class have a doc comment?", "Yes, if Anna agrees"),
    ("Should every class have a doc comment?", "Yes, for today"),
    ("Do we ever use raw SQL?", "Yes"),
]
YES_NO = [
    ("Should new tables have a created_at column?", "Yes", "New tables should have a created_at column", True),
    *((asked, "No", f"{asked} No", False) for asked in NOT_EVERY),
    *((asked, answer, f"{asked} {answer}", False) for asked, answer in LIMITED),
    ("Should we always use tabs in Makefiles?", "Yes", "We should always use tabs in Makefiles", True),
    ("Should every pull request have two reviewers?", "Yes", "Every pull request should have two reviewers", True),
    ("Can we always use sudo on the build host?", "Yes", "We can always use sudo on the build host", True),
    ("Should every service use its own database?", "yes", "Every service should use its own database", True),
    ("Do we always use UTC in the database?", "Yes", "We always use UTC in the database", True),
    ("Should the API return 404 for hidden records?", "Yes", "The API should return 404 for hidden records", False),
    ("Should the API reject unknown fields?", "Yes, reject them", "The API should reject unknown fields", False),
    (
        "Should the CLI print colors?",
        "No, never print them",
        "Should the CLI print colors? No, never print them",
        False,
    ),
    ("Do we support Windows?", "No", "We do not support Windows", False),
    ("Do we support Windows?", "Yes", "We support Windows", False),
    (
        "Should new endpoints require a token?",
        "Yes, except for health checks",
        "New endpoints should require a token, except for health checks",
        True,
    ),
    (
        "Should the API return 404 for hidden records?",
        "No, 403",
        "Should the API return 404 for hidden records? No, 403",
        False,
    ),
    (
        "May I add new dependencies in this repo?",
        "No, ask first",
        "May I add new dependencies in this repo? No, ask first",
        False,
    ),
    ("Can I edit files outside src without asking?", "No", "Can I edit files outside src without asking? No", False),
    (
        "Should the CLI print colors by default?",
        "Yes, on terminals only",
        "Should the CLI print colors by default? Yes, on terminals only",
        False,
    ),
]
MOMENTARY = [
    ("Run it now?", "Yes"),
    ("Should I run it now?", "Yes"),
    ("Should I always run this?", "Yes, go ahead"),
    ("Shall I continue?", "Yes, please"),
    ("Should we add a test?", "Yes"),
    ("Should I delete the old files?", "Yes, delete them"),
    ("Should the old parser ignore comments?", "Yes, ignore them"),
    ("Should the header be renamed?", "Yes"),
    ("Should the tests be updated?", "No, later"),
    ("Does the build work?", "Yes"),
    ("Do the tests pass?", "No, two fail"),
    ("May I add a dependency?", "Yes"),
    ("Can I delete the old tables in this repo?", "Yes"),
    ("May I push to main?", "No, I'll do it"),
    ("Do you want me to commit?", "No, I'll do it"),
    ("Should this function return null?", "Yes"),
    ("Should it use the cache?", "Yes"),
    ("Should we use Redis or not?", "Yes"),
    ("Is the fix complete?", "Yes"),
    ("Should the branch be merged today?", "Yes"),
    ("Should new tables have a created_at column?", "Yes?"),
    ("Should new tables have a created_at column?", "yes, for now"),
    ("Should new tables have a created_at column?", "Yes, this week"),
    ("Should new tables have a created_at column?", "Yes, but not now"),
    ("Should the new button be blue?", "Yes"),
    ("Should all three tests use the mock server?", "Yes"),
    ("Should all of the current rows have an id?", "Yes"),
    ("Do any tests cover the parser?", "No"),
    ("Does any service use Redis?", "Yes"),
    ("Do all pods have the new image?", "Yes"),
    ("Does every build have a cache?", "Yes"),
    ("Should we use the new parser in every module I changed?", "Yes"),
    ("Should we always use the config you sent?", "Yes"),
    ("Should all my changes have tests?", "Yes"),
]


def learned(sessions, question: str, answer: str, *options: str) -> tuple[list[str], list[str]]:
    """What is known and what is suggested after a question and its answer."""
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer(question, answer, *(options or ("As before", "Another way")))
    sessions.memory.capture.capture(str(transcript.path))
    waits = sessions.machine.sql("SELECT text FROM suggestion WHERE state = 'waiting'")
    return [text for (text,) in sessions.rows("content")], [text for (text,) in waits]


@pytest.mark.parametrize(("question", "answer", "told"), SURE)
def test_own_words_and_their_question_are_one_statement(sessions, question, answer, told):
    assert learned(sessions, question, answer) == ([told], [])


@pytest.mark.parametrize(("question", "answer"), UNSURE)
def test_own_words_that_fit_no_sentence_surely_are_suggested_with_their_question(sessions, question, answer):
    known, waits = learned(sessions, question, answer)
    assert known == [] and waits in ([f"{question} {answer}"], ["Logs should go to Loki, I guess"])


@pytest.mark.parametrize(("question", "answer"), NOTHING)
def test_own_words_that_decide_nothing_are_not_learned(sessions, question, answer):
    assert learned(sessions, question, answer) == ([], [])


@pytest.mark.parametrize("are_options", [True, False])
@pytest.mark.parametrize(("question", "answer", "told", "is_sure"), YES_NO)
def test_yes_and_no_decide_what_lasts(sessions, question, answer, told, is_sure, are_options):
    found = learned(sessions, question, answer, *((answer, "Maybe") if are_options else ()))
    assert found == (([told], []) if is_sure else ([], [told]))


@pytest.mark.parametrize("are_options", [True, False])
@pytest.mark.parametrize(("question", "answer"), MOMENTARY)
def test_yes_and_no_for_the_moment_are_not_learned(sessions, question, answer, are_options):
    assert learned(sessions, question, answer, *((answer, "Maybe") if are_options else ())) == ([], [])


def test_each_of_several_answers_is_bound_to_its_own_question(sessions):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    asked = ["Should all tables have an id?", "Run it now?", "Who may deploy to production?", "How do we indent?"]
    given = dict(zip(asked, ["Yes", "Yes", "Only the on-call engineer", "We use tabs, never spaces"], strict=True))
    told = {"questions": [{"question": one, "options": []} for one in asked], "answers": given, "annotations": {}}
    transcript.result("AskUserQuestion", {"questions": told["questions"]}, "answered", toolUseResult=told)
    sessions.memory.capture.capture(str(transcript.path))
    assert sorted(text for (text,) in sessions.rows("content")) == [
        "All tables should have an id",
        "Only the on-call engineer may deploy to production",
        "We use tabs, never spaces",
    ]
