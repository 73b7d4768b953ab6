"""A person's rule is theirs in whatever form it stands; code, output and handed texts of that form are not."""

from __future__ import annotations

import pytest

from keepstone.language.prompt_parts import own_lines

RULES = (
    "from now on we always use pnpm (never npm)",
    "create a branch for each ticket (never work on main)",
    "type hints are required everywhere (no exceptions)",
    "using npm is forbidden (the lock file breaks)",
    "import only from the public modules (not from internal ones)",
    "return early instead of nesting (two levels at most)",
    "delete merged branches the same day (the bot does not)",
    "update the changelog with every change (one line is enough)",
    "let the worker do the slow part (hooks stay fast)",
    "select the columns you need (never everything)",
    "A hook must never print secrets.",
    "A hook has to finish within 50 ms",
    "You must always ask before you delete files.",
    "You must always run the formatter before you commit",
)
HEADINGS = (
    "Code conventions:",
    "Commit message rules:",
    "Log format:",
    "Our error style:",
    "**Review guidelines:**",
    "Config file naming:",
    "our draft policy:",
    "Documentation requirements:",
    "Code style:",
    "Prompt conventions:",
)
MACHINE = (
    "from os import path (",
    "import { a } from load(b)",
    "return compute(first, second)",
    "delete from users where id = (1);",
    "class Shop(Base):",
    "def run(self):",
    "select count(id)",
    "A hook provided additional context: today is Monday",
    "A hook blocked this call: no",
)
HANDED = (
    "Here are the code conventions:",
    "this is their commit message format:",
    "the issue says these rules:",
    "Log output:",
    "Error message:",
    "here is the ticket:",
    "The docs' style, pasted below, message format:",
)


@pytest.mark.parametrize("line", RULES)
def test_a_rule_in_a_word_of_code_or_the_client_is_the_users(line):
    assert [said for _, said in own_lines(line)] == [line]


@pytest.mark.parametrize("heading", HEADINGS)
def test_what_a_list_of_ones_own_holds_is_the_users(heading):
    assert [said for _, said in own_lines(f"{heading}\n- We never log tokens")][-1:] == ["- We never log tokens"]


@pytest.mark.parametrize("line", MACHINE)
def test_code_and_the_clients_words_are_nobodys(line):
    assert own_lines(line) == []


@pytest.mark.parametrize("line", HANDED)
def test_what_is_handed_over_is_of_others(line):
    assert "- We never log tokens" not in [said for _, said in own_lines(f"{line}\n- We never log tokens")]
