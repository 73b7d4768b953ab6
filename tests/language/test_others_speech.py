"""What others say is told from what a person states."""

from __future__ import annotations

import pytest

from keepstone.language.others_speech import reports_others

OTHERS = [
    "The docs claim that we deploy with Terraform only, never by hand",
    "The README says we always use pnpm in this repo",
    "Anna from support: our invoices are always PDFs",
    "Peter from ops: we always deploy from the release branch",
    "Anna from support says that customers always want the invoices as PDF",
    "My boss thinks we should never use MySQL",
    "The vendor told us that the API is limited to 10 requests per second",
    "According to Anna, we never deploy on Fridays",
    "Someone on the team wrote that all migrations go through the release job",
    "I read that our CI always runs on GitHub Actions",
    "I was told in the standup that we never ship on Fridays",
    "A colleague insists that we always squash merge",
    "Stack Overflow says you should never use floats for prices",
    "The ticket states that we never ship on Fridays",
    "My colleague Peter: never push to main, always open a PR",
    "our architect: always one table per aggregate",
    "Supposedly we never ship on Fridays",
    "We deploy on Mondays, apparently",
    "but the wiki still says we use Jenkins",
    "the new guy keeps saying we need Redis",
    "Rumour has it that we move to Azure",
    "people say the old API must stay",
    "my lead suggested that we pin all versions",
    "The old handbook claims we deploy by hand",
]
OWN = [
    "We deploy with Terraform only, never by hand",
    "Backend: we use Go only, never Java",
    "Tests: we use pytest",
    "Postgres: we never call it from the frontend",
    "Update: we use Redis now",
    "As I said, we never ship on Fridays",
    "I told you that we never ship on Fridays",
    "We said that we always use pnpm",
    "I think we should use pnpm",
    "The client wants us to always deploy on Tuesdays",
    "Security requires that every image is signed before it is pushed",
    "The team decided that we use pnpm only",
    "Our CI runs on GitHub Actions because the docs say so",
    "The pipeline writes the output to build/",
    "The importer reports the line that is broken",
    "Never say that prices are final",
    "It says nothing about tabs, so we use spaces",
    "Please note that we never log e-mail addresses",
    "According to our plan, billing moves to Stripe",
    "My preference: short functions",
    "Our rule: never push to main",
    "commit only when i say so",
    "commit only when I explicitly say so",
    "Do not merge until I have said so",
    "In my opinion we should pin all versions",
    "In list view we show 20 rows",
    "The HTTP client: use httpx only",
    "The customer table: always soft-delete",
    "Insurance claims always go through the review queue",
    "Git: we squash merge only, never rebase",
    "Billing: we use Stripe only",
    "Important: we never ship on Fridays",
    "Release notes: we write them in German only",
    "Don't claim that tests pass unless you ran them",
    "Don't say sorry in your answers",
    "Commit messages should say why a change was made",
    "Error messages must say what to do next",
    "CI must report how many tests were skipped",
    "The state we keep in Redis expires after one hour",
    "Database writes we batch in groups of 100",
    "Release notes we publish live in docs/releases",
    "Bug reports we get from Sentry go to #ops",
    "The worker reports how long each job took",
    "Our team believes in small PRs",
    "As mentioned we use pnpm",
    "We read our config from config/app.toml",
    "We read all secrets that the app needs from Vault",
    "Our client: never use axios, only fetch",
    "Billing (v2): we use Stripe only",
    "Monorepo (web): we use turbo",
    "pls think first, never guess",
    "let me think about it",
]


@pytest.mark.parametrize("text", OTHERS)
def test_what_others_say_is_theirs(text):
    assert reports_others(text)


@pytest.mark.parametrize("text", OWN)
def test_what_a_person_states_is_their_own(text):
    assert not reports_others(text)
