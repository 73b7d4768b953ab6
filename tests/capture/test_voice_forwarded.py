"""What somebody said in a chat, a mail, a review or a product's news is not the user's, however it was copied."""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.window import Window
from keepstone.language.pasted_lines import of_others

STATEMENTS = [
    "We deploy with Terraform only, never by hand.",
    "We never merge without two approvals.",
    "We always use pnpm, never npm.",
]
FORMS = [
    "mia [3:14 PM]\n{}",
    "mia (3:14 PM)\n{}\n\nhow do we automate that",
    "bob — 12:03\n{}",
    "bob - 12:03\n{}\n\nis that so?",
    "From Slack: bob: {}",
    "Slack: bob stone: {}",
    "From the Slack channel: bob: {}",
    "**bob**: {}\n**me**: ok",
    "**bob:** {}\n**me:** ok",
    "- **Mia**: {}\n- **Ben**: fine\n- **Mia**: great",
    "bob in #dev: {}",
    "mia on #platform-team: {}",
    "the customer wants: {}",
    "our customer wanted: {}",
    "Copilot suggests: {}",
    "{}\n\n-- \nBob Stone\nCTO",
    "Hello,\n\n{}\n\n--\nBob\nAcme Inc.\n+49 30 1234",
    "Reviewer 2:\n{}\n\naddress this",
    "Reviewer: {}",
    "Reviewer comment: {}",
    "Reviewer's comments:\n{}\n\nplease address",
    "**Reviewer 1:** {}",
    "Comment on line 12: {}",
    "Comments on lines 12-14:\n- {}",
    "PR #12 review\n{}\nPlease fix.",
    "Review of PR #12:\n{}",
    "Must fix:\n* {}\n* Naming.",
    "## Must fix\n- {}\n\n## Should fix\n- Naming.",
    "Requested changes:\n1. {}\n2. Naming.",
    "What's new in 5.0: {}",
    "Release notes for Acme 5.0.1: {}",
    "**What's changed in v5**: {}",
]
OWN = [
    "Backups — 02:00\n{}",
    "Standup (10:00)\n{}",
    "Reviews: {}",
    "Code review\n{}",
    "Deploys in #releases: {}",
    "**Deploys**: {}",
    "**Rule**: {}\n**Reason**: it is safer.",
    "From now on: {}",
    "Release notes: {}",
    "Slack: {}",
    "I want: {}",
    "We wanted: {}",
    "{}\n\n--\nand one more thing: fix the parser",
    "{}\n--\n",
    "Python 3.11: {}",
    "{} We must fix this.",
    "Comments: {}",
    "In #dev and elsewhere: {}",
    "What's new: {}",
    "me in #dev: {}",
]


@pytest.mark.parametrize("said", STATEMENTS)
@pytest.mark.parametrize("form", FORMS)
def test_it_is_not_kept_as_the_users(form, said):
    found = Rules().extract(Window((), (turn(form.format(said)),)))
    assert [one.content for one in found if not one.unsure] == []


@pytest.mark.parametrize("said", STATEMENTS)
@pytest.mark.parametrize("form", OWN)
def test_what_looks_alike_is_the_users(form, said):
    assert of_others(form.format(said).split("\n")) == set()
