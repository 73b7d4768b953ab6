"""What the client's own index tells a session already, and what it only seems to."""

from __future__ import annotations

import pytest

from keepstone.claude_code.memory_index import Index

INDEX = """# Memory index
- [Style](code-style.md) — Tabs, never spaces, in makefiles
- [Deploys](./deploys.md) — Deploys need the **VPN**: the registry's internal
- [Redis](redis.md) — We use Redis no longer
- Tokyo and its office, on the wall: 日本語のドキュメント, café crème
"""


@pytest.mark.parametrize(
    "text",
    [
        "Deploys need the VPN: the registry's internal",
        "deploys need  the vpn - The registry’s INTERNAL",
        "日本語のドキュメント",
        "café crème",
    ],
)
def test_a_text_that_stands_in_the_index_is_told(text):
    assert Index(INDEX).says(text)


@pytest.mark.parametrize(
    "text",
    [
        "Deploys need the VPN from home",
        "eploys need the VPN",  # only whole words
        "We use Redis",  # the index says the contrary
        "spaces in makefiles",
        "Deploys need the VPN, not the registry",
        "",
        "...",
    ],
)
def test_another_text_is_not(text):
    assert not Index(INDEX).says(text)


def test_a_text_that_stands_there_twice_is_told_by_the_one_that_does_not_deny_it():
    assert Index("never use pnpm\n\n- about the lint step and its cache\n- use pnpm\n").says("use pnpm")


@pytest.mark.parametrize(("name", "named"), [("code-style.md", True), ("style.md", False), ("deploys.md", True)])
def test_a_file_is_named_by_its_whole_name(name, named):
    assert Index(INDEX).names(name) is named


def test_what_the_client_cuts_off_is_not_told():
    lines = [f"- [Note](note{number}.md) — nothing much" for number in range(250)]
    index = Index("\n".join(lines))
    assert index.names("note199.md") and not index.names("note200.md")
    wide = Index("\n".join(line + " é" * 300 for line in lines))
    assert wide.names("note10.md") and not wide.names("note100.md")
