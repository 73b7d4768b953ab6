"""What the real client's model writes into its own memory folder: learned by Keepstone, and never shown twice."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.system

FILE = "pnpm.md"
BODY = "The user wants pnpm in every script of this shop: CI caches its store."
TEXT = f"---\nname: package-manager\ndescription: pnpm only\ntype: feedback\n---\n\n{BODY}\n"
BRIEF = "- pnpm only ("
INDEXED = f"({FILE})"
INDEX = f"- [package-manager]({FILE}): pnpm only\n"


@pytest.mark.newest_client
def test_a_memory_file_of_the_clients_is_learned_and_told_once(installed):
    installed.run("Hello.")
    folder = installed.transcripts()[0].parent / "memory"
    installed.api.tools = {
        "Remember pnpm": ("Write", {"file_path": str(folder / FILE), "content": TEXT}),
        "Index it": ("Write", {"file_path": str(folder / "MEMORY.md"), "content": INDEX}),
    }
    installed.run("Remember pnpm")
    assert BODY in (folder / FILE).read_text()
    (row,) = installed.memories()
    assert (row["content"], row["origin"], row["kind"]) == (BODY, "auto_memory", "preference")
    first = installed.run("Which package manager?").turns[0].text
    assert (BRIEF in first) != (INDEXED in first)  # newer clients index their files by themselves
    if INDEXED not in first:
        installed.run("Index it")
    then = installed.run("And now?").turns[0].text
    assert BRIEF not in then and INDEXED in then
    assert BODY in (folder / FILE).read_text() and len(installed.memories()) == 1
