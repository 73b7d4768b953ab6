"""What the real client's model writes into its own memory folder: learned by Cairn, and never shown twice."""

from __future__ import annotations

from contextlib import closing

import pytest

from client.fake_anthropic import FakeApi
from client.session import ClientMachine

FILE = "pnpm.md"
BODY = "The user wants pnpm in every script of this shop: CI caches its store."
TEXT = f"---\nname: package-manager\ndescription: pnpm only\ntype: feedback\n---\n\n{BODY}\n"
BRIEF = "- pnpm only ("
INDEXED = f"({FILE})"
INDEX = f"- [package-manager]({FILE}): pnpm only\n"


@pytest.fixture
def machine(client, source, tmp_path):
    with closing(FakeApi()) as api:
        made = ClientMachine(tmp_path, client, source, api)
        made.install()
        yield made


def test_a_memory_file_of_the_clients_is_learned_and_told_once(machine):
    machine.run("Hello.")
    folder = machine.transcripts()[0].parent / "memory"
    machine.api.tools = {
        "Remember pnpm": ("Write", {"file_path": str(folder / FILE), "content": TEXT}),
        "Index it": ("Write", {"file_path": str(folder / "MEMORY.md"), "content": INDEX}),
    }
    machine.run("Remember pnpm")
    assert BODY in (folder / FILE).read_text()
    (row,) = machine.memories()
    assert (row["content"], row["origin"], row["kind"]) == (BODY, "auto_memory", "preference")
    first = machine.run("Which package manager?").turns[0].text
    assert (BRIEF in first) != (INDEXED in first)  # newer clients index their files by themselves
    if INDEXED not in first:
        machine.run("Index it")
    then = machine.run("And now?").turns[0].text
    assert BRIEF not in then and INDEXED in then
    assert BODY in (folder / FILE).read_text() and len(machine.memories()) == 1
