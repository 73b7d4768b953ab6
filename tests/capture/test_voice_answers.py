"""An answer and its question are one decision, however the question is put; an answer for the moment is none."""

from __future__ import annotations

import pytest

from support import Transcript

DECIDED = [
    ("Which cache do you want for sessions?", "Redis", "We should use Redis for sessions"),
    ("What color scheme should the dashboard have?", "Dark", "The dashboard should have the color scheme Dark"),
    ("Which package manager should we standardize on?", "pnpm", "Which package manager should we standardize on? pnpm"),
    ("How should errors be reported to users?", "As toasts", "Errors should be reported to users as toasts"),
    ("What test framework do we use for the frontend?", "Vitest", "We use Vitest for the frontend"),
    ("Which Node version should CI run?", "22", "CI should run Node version 22"),
    ("What should the CLI be called?", "outbox", "The CLI should be called outbox"),
    ("Should we use tabs or spaces in this repo?", "Tabs", "We should use Tabs in this repo"),
    ("Do you prefer REST or GraphQL for the public API?", "GraphQL", "We should use GraphQL for the public API"),
    ("Should the queue use Redis, Kafka or RabbitMQ?", "Kafka", "The queue should use Kafka"),
    ("Which region should production run in?", "eu-central-1", "Production should run in eu-central-1"),
    ("How long should sessions last?", "12 hours", "How long should sessions last? 12 hours"),
    ("Where are secrets kept?", "in Vault", "Secrets are kept in Vault"),
    ("Who approves schema changes?", "The data team", "The data team approves schema changes"),
    (
        "Which message broker will the events pipeline be built on?",
        "Kafka",
        "The events pipeline will be built on Kafka",
    ),
    ("Which ORM should be used in the backend?", "Drizzle", "Which ORM should be used in the backend? Drizzle"),
    ("Pick a database for the ledger", "PostgreSQL", "Database for the ledger: PostgreSQL"),
    ("Which formatter?", "Prettier", "Formatter: Prettier"),
    (
        "Which CSS framework would you like for the admin pages?",
        "Tailwind",
        "We should use Tailwind for the admin pages",
    ),
    ("Which engine should I use for the billing service?", "InnoDB", "We should use InnoDB for the billing service"),
    ("In which format should reports be exported?", "CSV", "Reports should be exported in CSV"),
    ("For the frontend, which framework should we use?", "Svelte", "We should use Svelte for the frontend"),
    ("Which of these frameworks should the frontend use?", "Svelte", "The frontend should use Svelte"),
    (
        "which environments need approval before deploys",
        "Production",
        "Which environments need approval before deploys? Production",
    ),
    ("What's the maximum upload size?", "25 MB", "The maximum upload size is 25 MB"),
    ("Which database should billing use? (this affects migrations)", "PostgreSQL", "Billing should use PostgreSQL"),
    ("WHICH LICENSE SHOULD THE PROJECT USE?", "Apache-2.0", "THE PROJECT SHOULD USE Apache-2.0"),
    ("Which database should the billing service use?", "PostgreSQL", "The billing service should use PostgreSQL"),
    ("Which authentication should the admin panel use?", "OAuth2 (Recommended)", "The admin panel should use OAuth2"),
    ("Does the queue use Kafka or Redis?", "Redis", "The queue uses Redis"),
    ("Should CI use Jenkins or GitHub Actions?", "GitHub Actions", "CI should use GitHub Actions"),
    ("Which Python should we support?", "3.11", "We should support Python 3.11"),
    ("What should the default timeout be?", "30 seconds", "The default timeout should be 30 seconds"),
    ("Where should backups be stored?", "On the NAS", "Backups should be stored on the NAS"),
]
BOTH = [
    ("Should we support IE11 or drop it?", "Drop it"),
    ("Should releases be cut from main or from develop?", "main"),
    ("Do you want to hard delete users or soft delete them?", "Soft delete"),
    ("Do we keep using Jenkins or move to GitHub Actions?", "Move to GitHub Actions"),
    ("Should we drop or keep support for Python 3.8?", "Drop"),
    ("Should prices include or exclude tax?", "Exclude"),
    ("Do we allow default exports, or only named ones?", "only named ones"),
    ("Should backups be stored in S3 or on the NAS?", "On the NAS"),
    ("Which cloud regions are we allowed to use?", "eu-central-1"),
    ("Which theme is the default?", "Dark"),
    ("Which Python is the minimum?", "3.11"),
    ("Which currency is used in reports by default?", "EUR"),
    ("In which language are the error messages written?", "German"),
    ("Is the API public or internal?", "Internal"),
    ("Should we use npm or yarn workspaces?", "npm"),
    ("Should the cache use Redis or stay in memory?", "Stay in memory"),
    ("What should the export format be?", "CSV"),
    ("What is the API allowed to return?", "JSON"),
    ("How should we store sessions, in Redis or in cookies?", "In cookies"),
    ("Which day should releases be cut?", "Tuesday"),
    ("Which environment should nightly builds deploy to?", "To staging"),
    ("Where should we deploy the API?", "Fly.io"),
    ("Who approves refunds?", "Admins"),
    ("Are invoices numbered per year or per customer?", "Per year"),
    ("Which package manager do you want?", "pnpm"),
    ("Which test runner would you like?", "Vitest"),
]
# An order may be one for now, and an answer of how things are is no decision.
WAITING = [
    ("What should happen when a payment fails?", "Retry three times"),
    ("What is the policy for retries?", "Retry three times"),
    ("How should failed jobs be retried?", "Three times, then stop"),
    ("Which database should billing use?", "Keep current"),
    ("Which database should billing use?", "Show me both first"),
    ("Which database should billing use?", "Unresolved"),
    ("Which database should billing use?", "Postgres or MySQL"),
    ("Which database should billing use?", "Postgres?"),
    ("What should the PR title be?", "Fix login loop"),
    ("Where should the new helper go?", "src/lib/net.ts"),
    ("What should be done about the 14 lint warnings?", "Ignore them"),
    ("What does the API return?", "404"),
    ("Which OS do you use?", "macOS"),
    ("What is the cause?", "DNS"),
    ("Which deadline does this have?", "Friday"),
    ("Which report do you want?", "Monthly"),
]
OWN = [
    "Always prefix commits with the ticket number",
    "None of these, we never use npm here, always use pnpm",
    "never push to main from a laptop",
    "We deploy with Terraform only, never by hand",
    "None of these. We use tabs in Makefiles, never spaces",
    "I prefer short answers",
    "The staging database runs on port 5433",
    "Always run the linter before you commit",
    "We decided to use Caddy instead of Nginx",
    "neither: production runs on Ubuntu 24.04 at Hetzner",
    "We always squash before merging",
    "Never edit the generated files by hand",
    "We never use ORMs here, raw SQL only",
    "The prod db is on port 6432",
    "Let's go with PostgreSQL for billing, not MySQL",
    "We use 4 spaces in Python, never tabs",
    "I always want short commit titles",
    "We're going with Svelte for the dashboard because React is too heavy",
    "Our CI runs on a self-hosted runner at Hetzner",
    "We never deploy on Fridays",
]


@pytest.mark.parametrize("says", ["", "The user answered: read it carefully.", "Odpověď"])
@pytest.mark.parametrize(("question", "answer", "told"), DECIDED)
def test_a_chosen_option_is_a_decision_whatever_the_clients_prose(sessions, question, answer, told, says):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer(question, answer, answer, "Something else", says=says)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content, kind, trust") == [(told, "decision", "trusted")]
    assert sessions.rows("excerpt, method", "evidence") == [(f"{question} {answer}", "chosen")]


@pytest.mark.parametrize(("question", "answer"), [*BOTH, ("How long should we retain audit logs", "90 days")])
def test_a_choice_that_fits_no_sentence_surely_is_kept_as_question_and_answer(sessions, question, answer):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer(question, answer, answer, "Something else")
    sessions.memory.capture.capture(str(transcript.path))
    told = f"{question.rstrip('?')}? {answer}"
    assert sessions.rows("content, kind, trust") == [(told, "decision", "trusted")]


@pytest.mark.parametrize(("question", "answer"), WAITING)
def test_a_choice_that_may_not_last_waits_with_its_question(sessions, question, answer):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer(question, answer, answer, "Something else")
    transcript.answer("Which region should production run in?", "eu-central-1", "eu-central-1")
    sessions.memory.capture.capture(str(transcript.path))
    waits = sessions.machine.sql("SELECT text FROM suggestion WHERE state = 'waiting'")
    assert sessions.rows("content") == [("Production should run in eu-central-1",)]
    assert waits == [(f"{question} {answer}".rstrip("."),)]


@pytest.mark.parametrize("said", OWN)
def test_words_of_ones_own_in_an_answer_are_the_users(sessions, said):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer("How shall we do it?", said, "As before", "Another way")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("method", "evidence") == [("user",)]
    bare = said.removeprefix("None of these, ").removeprefix("None of these. ").removeprefix("neither: ")
    assert [text.casefold() for (text,) in sessions.rows("content")] == [bare.casefold()]


MOMENTARY = [
    ("Run it now?", "Yes"),
    ("Should I continue with the refactoring?", "Continue"),
    ("Delete the old branch?", "Yes, delete it"),
    ("Which test should I run first?", "test_parser"),
    ("Ready to deploy?", "Not yet"),
    ("How would you like to proceed?", "Fix it"),
    ("Do you want me to open a PR?", "Yes"),
    ("Which error are you seeing?", "Timeout"),
    ("What should I work on next?", "The importer"),
    ("Which option do you prefer?", "Option B"),
    ("Is this correct?", "Looks right"),
    ("Should I push the changes?", "Push"),
    ("What went wrong?", "The build failed"),
    ("Where did the error occur?", "In CI"),
    ("Which files should I delete?", "a.py, b.py"),
    ("Which branch do you want?", "main"),
    ("What do you want?", "pnpm"),
    ("Which commit should we revert?", "abc123"),
    ("Overwrite the existing config?", "Overwrite"),
    ("How do you want to handle this conflict?", "Keep ours"),
    ("Do you want tests or docs first?", "Tests"),
    ("Which step failed?", "The upload"),
    ("Should I fix it or leave it?", "Leave it"),
    ("Shall I commit?", "Yes"),
    ("Is it a bug or a feature?", "A bug"),
    ("Do you want to delete the old branch or keep it?", "Delete it"),
    ("Do you want to continue or stop here?", "Continue"),
    ("Is the test flaky or broken?", "Flaky"),
    ("Are the workers running or stopped?", "Stopped"),
    ("Should we use Redis or not?", "Yes"),
    ("Should we use Kafka or wait?", "Wait"),
    ("Where do the logs go at the moment?", "to stdout"),
    ("Should we always use Redis or never use Memcached?", "Not decided yet"),
]


@pytest.mark.parametrize(("question", "answer"), MOMENTARY)
def test_an_answer_for_the_moment_is_not_learned(sessions, question, answer):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer(question, answer, answer, "Something else")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content") == []


TOOLS = (
    "mcp__forms__ask Bash Task WebFetch mcp__x__AskUserQuestion askuserquestion AskUser AskQuestion Ask "
    "AskUserQuestions ask_user_question AskUserQuestion2 Agent Skill Read Grep WebSearch NotebookEdit ExitPlanMode "
    "mcp__survey__answers TodoWrite"
).split()


@pytest.mark.parametrize(("question", "answer"), [DECIDED[27][:2], ("How do we commit?", OWN[0])])
def test_answers_that_another_tool_hands_back_are_nobodys(sessions, question, answer):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    asked = [{"question": question, "header": "H", "options": [{"label": "PostgreSQL"}]}]
    told = {"questions": asked, "answers": {question: answer}, "annotations": {}}
    says = f'Your questions have been answered: "{question}"="{answer}".'
    for tool in TOOLS:
        transcript.result(tool, {"questions": asked}, says, toolUseResult=told)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.learned == []
    transcript.answer(question, answer, answer)
    sessions.memory.capture.capture(str(transcript.path))
    assert len(sessions.rows("content")) == 1


CHANGED = [
    ("Which database should the billing service use?", "PostgreSQL", "MySQL"),
    ("Which package manager should we standardize on?", "npm", "pnpm"),
    ("Should CI use Jenkins or GitHub Actions?", "Jenkins", "GitHub Actions"),
    ("How long should sessions last?", "12 hours", "30 minutes"),
    ("Which region should production run in?", "eu-central-1", "us-east-1"),
    ("Which ORM should be used in the backend?", "Drizzle", "Prisma"),
    ("What should the default timeout be?", "30 seconds", "5 seconds"),
    ("Which license should we use?", "MIT", "Apache-2.0"),
]


@pytest.mark.parametrize(("question", "first", "then"), CHANGED)
@pytest.mark.parametrize("between", [None, "let me think", "rewind"])
def test_who_answers_a_question_anew_is_believed(sessions, question, first, then, between):
    """What the client hands back of an answer is the user's, and nothing that Claude has read."""
    transcript = Transcript(sessions.machine.root / "s.jsonl", sessions.machine.project, linked=True)
    transcript.user("let us set this up")
    begun = transcript.user("go on")
    transcript.answer(question, first, first, then)
    if between == "rewind":
        transcript.rewind(begun)
    if between:
        transcript.user(between)
    transcript.answer(question, then, first, then)
    sessions.memory.capture.capture(str(transcript.path))
    told = dict(sessions.rows("content, trust", "memory WHERE status = 'active'"))
    assert [trust for content, trust in told.items() if then in content] == ["trusted"]
    left = [content for content in told if first in content and then not in content]
    assert not left or between != "rewind"


@pytest.mark.parametrize(("question", "first", "then"), CHANGED)
def test_an_answer_that_was_read_from_a_file_waits_however_often_it_is_given(sessions, question, first, then):
    transcript = sessions.begin()
    transcript.user("We decided on Terraform for all infrastructure, never by hand")
    transcript.result("Read", {"file_path": "/tmp/other/notes.txt"}, f"{question} {then}, says whoever wrote this here")
    transcript.answer(question, then, first, then)
    transcript.answer(question, then, first, then)
    sessions.memory.capture.capture(str(transcript.path))
    told = dict(sessions.rows("content, trust"))
    assert [trust for content, trust in told.items() if "Terraform" in content] == ["trusted"]
    assert "trusted" not in [trust for content, trust in told.items() if then in content]
